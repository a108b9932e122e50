#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the hand-written attention kernels: LLVM IR through opt, llc and ptxas to a cubin each.

  handwritten_kernels.py DIR [--llvm DIR] [--ptxas FILE]

DIR gets NAME.cubin, NAME.ptx, and index.json with what the launcher (handwritten.py) must know. A spill, or a warning of ptxas that it
serialised matrix products, is a failure."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from handwritten_attention import Attention
from handwritten_role import Options

CAUSAL = {"causal": True, "query_slots": 2, "registers": (40, 232), "dynamic": True}

# The fastest found per head dim, of some fifty variants measured on an H200.
KERNELS = {
    "full_d128": Options(query_slots=2),
    "full_d128_n160": Options(keys=160, query_slots=2),
    "full_d64": Options(head_dim=64, consumers=3),
    "full_d80": Options(head_dim=80, keys=112, consumers=3),
    "full_d96": Options(head_dim=96, keys=96, consumers=3),
    "full_d192": Options(head_dim=192, keys=96),
    "full_d256": Options(head_dim=256, keys=80, threshold=8.0),
    "causal_d128": Options(early_release=True, **CAUSAL),
    "causal_d64": Options(head_dim=64, **CAUSAL),
    "causal_d80": Options(head_dim=80, **CAUSAL),
    "causal_d96": Options(head_dim=96, **CAUSAL),
}


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{command[0]}: {result.stderr.strip()[:2000]}")
    return result.stdout + result.stderr


def build(name, directory, llvm, ptxas):
    """The index entry of one kernel, with what ptxas said of it."""
    kernel = Attention(KERNELS[name])
    file = {kind: directory / f"{name}.{kind}" for kind in ("ll", "opt.ll", "ptx", "cubin")}
    file["ll"].write_text(kernel.module(name))
    run(f"{llvm}/bin/opt", "-O3", "-S", file["ll"], "-o", file["opt.ll"])
    run(f"{llvm}/bin/llc", "-O3", "-mcpu=sm_90a", "-mattr=+ptx90", "-mtriple=nvptx64-nvidia-cuda", file["opt.ll"], "-o", file["ptx"])
    report = run(ptxas, "-arch=sm_90a", "-v", file["ptx"], "-o", file["cubin"])
    file["ll"].unlink()
    file["opt.ll"].unlink()
    if re.search(r"C75\d\d|[1-9]\d* bytes spill", report):
        raise RuntimeError(f"{name}: {report}")
    return kernel.describe() | {"registers": int(re.search(r"Used (\d+) registers", report)[1])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22", help="folder whose bin/ has opt and llc")
    parser.add_argument("--ptxas", default="/usr/local/cuda/bin/ptxas")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = pool.map(lambda name: build(name, options.directory, options.llvm, options.ptxas), KERNELS)
        index = dict(zip(KERNELS, built))
    (options.directory / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len(index)} kernels in {options.directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
