#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if the entry of a pass in a Passes.td is incomplete.

An entry has a summary, a description with five headings in order, an example that is an existing
test which runs the pass, at least one statistic, and no hand-written constructor. Debug type, file
and test are found by the pass's argument.
"""
import re
import sys

from tablegen_records import ROOT, pass_files, passes

HEADINGS = ["What and why", "Requires", "Guarantees", "Example", "Refuses"]


def check_pass(record):
    name, argument = record["name"], record["argument"]
    if not name.endswith("Pass"):
        yield "the record's name must end in Pass"
    if not re.match(r"nautilus-|convert-.*\bnautilus-", argument):
        yield f"argument '{argument}' must be nautilus-… or convert-… with nautilus- in it"
    if not record["summary"]:
        yield "no summary"
    if record["constructor"]:
        yield "hand-written constructor"
    if not record["statistics"]:
        yield "no statistic"
    description = record["description"]
    places = [description.find(f"*{h}.*") for h in HEADINGS]
    for heading, place in zip(HEADINGS, places):
        if place < 0:
            yield f"no heading '*{heading}.*' in the description"
    if min(places) < 0:
        return
    if places != sorted(places):
        yield "headings are not in the order " + ", ".join(HEADINGS)
    for prompt in re.findall(r"\*\s*(<[A-Z][^>\n]*>)", description):
        yield f"prompt {prompt} is not answered"
    example = description[places[3]:places[4]]
    paths = re.findall(r"`(test/[^`]+)`", example)
    if not paths:
        yield "the example names no test"
    for path in paths:
        if not (ROOT / path).is_file():
            yield f"example {path} does not exist"
        elif argument not in (ROOT / path).read_text():
            yield f"example {path} does not run {argument}"


def main():
    failed = False
    for td in pass_files():
        for record in passes(td):
            for error in check_pass(record):
                print(f"{td.relative_to(ROOT)}: {record['name']}: {error}")
                failed = True
    if not failed:
        print("check_passes: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
