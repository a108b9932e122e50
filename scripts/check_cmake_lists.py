#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a source file stands in no CMakeLists.txt, or a folder of tests in none above it.

CMake lists are written by hand, so a forgotten line means code that is never built or a test that
never runs.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    errors = []
    for top in ("lib", "tools", "unittests", "include"):
        for lists in sorted((ROOT / top).rglob("CMakeLists.txt")):
            if lists.parent == ROOT / top:
                continue
            above = lists.parent.parent / "CMakeLists.txt"
            line = rf"add_subdirectory\(\s*{re.escape(lists.parent.name)}\s*\)"
            if not above.is_file() or not re.search(line, above.read_text()):
                errors.append(f"{lists.relative_to(ROOT)}: not added by {above.relative_to(ROOT)}")
        for source in sorted((ROOT / top).rglob("*")):
            if source.suffix not in (".cpp", ".c"):
                continue
            listed = False
            folder = source.parent
            while folder != ROOT and not listed:
                lists = folder / "CMakeLists.txt"
                if lists.is_file():
                    name = re.escape(source.relative_to(folder).as_posix())
                    listed = bool(re.search(rf"(?<![\w/.-]){name}(?![\w/.-])", lists.read_text()))
                folder = folder.parent
            if not listed:
                errors.append(f"{source.relative_to(ROOT)}: in no CMakeLists.txt")
    print("\n".join(errors) if errors else "check_cmake_lists: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
