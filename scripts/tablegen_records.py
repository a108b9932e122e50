# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs TableGen's tools and reads the records of passes, for the checks and the documentation."""
import json
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LLVM = Path(os.environ.get("NAUTILUS_LLVM", "/usr/lib/llvm-22"))


def tablegen(td, *arguments, tool="mlir-tblgen"):
    """What the tool writes for the file; raises CalledProcessError, the message is on stderr."""
    path = shutil.which(tool, path=str(LLVM / "bin")) or f"{tool}-22"
    command = [path, str(td), "-I", str(ROOT / "include"), "-I", str(LLVM / "include"), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def pass_files():
    return sorted((ROOT / "include").rglob("Passes.td"))


def passes(td):
    """The passes of one file in the order of the file, each a dict of its fields."""
    records = json.loads(tablegen(td, "--dump-json", tool="llvm-tblgen"))
    text = td.read_text()
    names = [n for n in records["!instanceof"].get("PassBase", []) if f"def {n} " in text or f"def {n}:" in text]
    return [dict(records[n], name=n) for n in sorted(names, key=lambda n: text.index(f"def {n}"))]
