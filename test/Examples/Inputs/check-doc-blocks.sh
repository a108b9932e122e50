#!/bin/bash
# Usage: check-doc-blocks.sh PAGE FOLDER. Writes each block ```naut of PAGE to FOLDER and imports it.
set -eu -o pipefail
awk -v folder="$2" '
  /^```naut$/ { count++; inside = 1; next }
  /^```$/     { inside = 0 }
  inside      { print > (folder "/block" count ".naut") }' "$1"
count=0
for file in "$2"/block*.naut; do
  nautilus-translate --import-spec "$file" > /dev/null
  count=$((count + 1))
done
echo "$count blocks"
