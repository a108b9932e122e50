#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a tracked file is longer than its kind may be, and names files that come close.

Headers count without comments and blank lines: a header may explain its theory. `--quiet` leaves
out the warnings.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# kind: (warn, fail) in lines
LIMITS = {
    ".cpp": (500, 800),
    ".h": (300, 500),
    ".td": (500, 700),
    ".mlir": (300, 500),
    "CMakeLists.txt": (80, 120),
    ".py": (400, 600),
}


def code_lines(path):
    lines = path.read_text(errors="replace").splitlines()
    if path.suffix == ".h":
        return sum(1 for l in lines if l.strip() and not l.strip().startswith("//"))
    return len(lines)


def main():
    quiet = "--quiet" in sys.argv
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    failed = False
    for name in filter(None, files.stdout.split("\0")):
        path = ROOT / name
        limits = LIMITS.get(path.name) or LIMITS.get(path.suffix)
        if not limits or not path.is_file():
            continue
        warn, fail = limits
        size = code_lines(path)
        if size > fail:
            print(f"{name}: {size} lines, limit {fail}: split it by subject")
            failed = True
        elif size > warn and not quiet:
            print(f"{name}: {size} lines, aim below {warn} (warning)")
    if not failed:
        print("check_sizes: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
