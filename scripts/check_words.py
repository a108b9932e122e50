#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails on words that don't belong in the sources.

Two rules. Nothing is left unfinished by its own words (what is missing is written down under
"State and limits" of the README). And code in lib/ and include/ knows no operator by name: what a
kernel computes is decided by its algebra; only comments and descriptions may give examples.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bnot (yet )?implemented\b|\bunimplemented\b|\bstub\b", re.I)
UNFINISHED_IN = ("lib/", "include/", "tools/", "python/", "unittests/", "benchmarks/", "cmake/")
OPERATORS = re.compile(r"softmax|attention|flash|layer_?norm|rms_?norm", re.I)
OPERATORS_IN = ("lib/", "include/")
CODE = (".cpp", ".h", ".td", ".py", ".cmake", ".txt", ".c")


def blank(match):
    """Same number of lines, no text, so that line numbers stay right."""
    return "\n" * match.group(0).count("\n")


def without_comments(text, suffix):
    if suffix == ".td":
        text = re.sub(r"\b(description|summary)\s*=\s*(\[\{.*?\}\]|\"[^\"\n]*\")", blank, text, flags=re.S)
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def main():
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True)
    errors = []
    for name in filter(None, tracked.stdout.split("\0")):
        path = ROOT / name
        if path.suffix not in CODE or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if name.startswith(UNFINISHED_IN):
            for number, line in enumerate(text.splitlines(), 1):
                if found := UNFINISHED.search(line):
                    errors.append(f"{name}:{number}: '{found.group(0)}': finish it, or say it in the README's limits")
        if name.startswith(OPERATORS_IN) and path.suffix in (".cpp", ".h", ".td"):
            for number, line in enumerate(without_comments(text, path.suffix).splitlines(), 1):
                if found := OPERATORS.search(line):
                    errors.append(f"{name}:{number}: code names the operator '{found.group(0)}'")
    print("\n".join(errors) if errors else "check_words: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
