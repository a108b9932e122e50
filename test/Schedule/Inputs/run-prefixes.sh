#!/bin/bash
# Usage: run-prefixes.sh SPEC SCHEDULE TMP ARGS... Every intermediate state of a schedule can be carried
# out: cuts SCHEDULE after each of its steps and compares SPEC under what is left with the reference.
set -eu -o pipefail
spec=$1 schedule=$2 tmp=$3
shift 3
steps=$(grep -c 'transform.nautilus_scalar' "$schedule")
for ((kept = 0; kept <= steps; ++kept)); do
  awk -v kept="$kept" '!/transform.nautilus_scalar/ || n++ < kept' "$schedule" >"$tmp"
  nautilus-run "$spec" --schedule="$tmp" --compile-to=applied "$@" >"$tmp.out" 2>&1 ||
    { echo "after $kept steps:"; cat "$tmp.out"; exit 1; }
done
echo "$steps steps agree"
