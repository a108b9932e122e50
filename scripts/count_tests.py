#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints "PASSED FAILED" of a JUnit file as ctest and lit write it; skipped tests count as neither.

A missing or unreadable file, or one without any test that ran, is one failure: a suite that did
not run must not look like a suite that passed.
"""
import sys
import xml.etree.ElementTree as tree


def main():
    try:
        cases = list(tree.parse(sys.argv[1]).iter("testcase"))
    except (OSError, tree.ParseError) as error:
        print(f"count_tests: {error}", file=sys.stderr)
        print("0 1")
        return 1
    passed = failed = 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            failed += 1
        elif case.find("skipped") is None and case.get("status") not in ("disabled", "notrun"):
            passed += 1
    if passed + failed == 0:
        print(f"count_tests: no test ran in {sys.argv[1]}", file=sys.stderr)
        failed = 1
    print(passed, failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
