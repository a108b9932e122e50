#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of the case list and runs it on the CPU oracle: the device check's stand-in on a machine without a GPU.

  oracle_check.py [--bin build/dev/bin] [--filter TEXT] [--level matile]

One run per bundle of the list (spec, element types, schedule), at extents cut to a tile and a bit, with the roundings of the device. What
depends on the device alone (layouts of tensors, large sizes, time) is left to device_check.py."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import cases as case_list  # noqa: E402

LARGEST = {"B": 1, "H": 2, "G": 2, "R": 3, "M": 70, "N": 41, "K": 40, "A": 5, "C": 33}


def cut(case):
    """Small extents that divide nothing; empty ones stay empty."""
    names = dict(case.dims)
    if case.spec in ("transpose", "reductions"):
        names["B"] = min(names["B"], 19)
        return {k: v if k == "B" else min(v, LARGEST[k]) for k, v in names.items()}
    return {k: min(v, LARGEST.get(k, 7)) for k, v in names.items()}


def check(case, options, scratch, number):
    text = (ROOT / "examples" / f"{case.spec}.naut").read_text()
    for old, new in case.replace:
        text = text.replace(old, new)
    spec = pathlib.Path(scratch) / f"{case.spec}_{number}.naut"
    spec.write_text(text)
    schedule = [f"--schedule={ROOT / 'examples' / 'schedules' / (case.schedule + '.mlir')}"] if case.schedule else []
    dims = ",".join(f"{k}={v}" for k, v in cut(case).items())
    tools = pathlib.Path(options.bin)
    for command in (
        [tools / "nautilusc", spec, *schedule, "--compile-to=ptx", "-o", os.devnull],
        [tools / "nautilus-run", spec, *schedule, f"--dims={dims}", f"--level={options.level}", "--mode=typed"],
    ):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
        if done.returncode:
            return f"FAIL {case.name} at {dims}\n{(done.stdout + done.stderr).strip()}"
    return f"ok   {case.name} at {dims}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build" / "dev" / "bin"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--level", default="matile")
    options = parser.parse_args()
    builds = {}
    for case in case_list.all_cases():
        if options.filter in case.name and (case.build not in builds or min(builds[case.build].dims.values()) < min(case.dims.values())):
            builds[case.build] = case
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = []
        for line in pool.map(lambda item: check(item[1], options, scratch, item[0]), enumerate(builds.values())):
            print(line, flush=True)
            lines.append(line)
    failed = sum(line.startswith("FAIL") for line in lines)
    print(f"{len(lines) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
