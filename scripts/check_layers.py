#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a file includes something that lies above its own layer.

A module may include itself and every module of a lower rank. Modules of one rank don't know each
other. Plain modules hold no MLIR, the runtime not even LLVM, so that they can be built and shipped
without them. Included by nobody below: Pipelines, InitAll, the tools.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Low to high. A folder's longest matching prefix decides.
LAYERS = [
    ["Support"],
    ["Layout", "Machine"],
    ["Diagnostics"],
    ["Interfaces"],
    ["Dialect/Scalar/IR"],
    ["Dialect/Host/IR"],  # its entries name the dims and tensors of a nautilus_scalar kernel
    ["Dialect/VRTile/IR", "Dialect/MATile/IR"],
    ["Analysis"],
    ["Schedule"],
    ["Dialect/Scalar/TransformOps"],
    ["Dialect/Scalar/Transforms", "Dialect/VRTile/Transforms", "Dialect/MATile/Transforms"],
    ["Conversion"],
    ["Target"],
    ["Pipelines"],
    ["InitAll"],
    ["CAPI"],
]
RANK = {module: rank for rank, modules in enumerate(LAYERS) for module in modules}

# Modules beside the tower: what they may include besides themselves.
BESIDE = {
    "Runtime": set(),
    "Frontend": {"Support", "Diagnostics", "Interfaces", "Dialect/Scalar/IR"},
    "Interpreter": {m for m, r in RANK.items() if r <= RANK["Dialect/MATile/IR"]},
}
TOP = {"InitAll", "CAPI"}  # may also use what stands beside the tower

WITHOUT_MLIR = {"Support", "Layout", "Machine", "Runtime"}
WITHOUT_LLVM = {"Runtime"}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def module_of(path):
    """The module that a path below lib/ or include/nautilus/ belongs to, or None."""
    names = list(RANK) + list(BESIDE)
    path = path.removesuffix(".h")  # InitAll.h is a module of one file
    found = [m for m in names if path == m or path.startswith(m + "/")]
    return max(found, key=len) if found else None


def allowed(user, used):
    if user == used:
        return True
    if user in BESIDE:
        return used in BESIDE[user]
    if used in BESIDE:
        return user in TOP
    return RANK[used] < RANK[user]


def check_file(file, base):
    relative = file.relative_to(base).as_posix()
    where = file.relative_to(ROOT).as_posix()
    user = module_of(relative)
    if user is None:
        yield f"{where}: belongs to no known module; add it to LAYERS in scripts/check_layers.py"
        return
    for include in INCLUDE.findall(file.read_text()):
        if include.startswith("mlir/") and user in WITHOUT_MLIR:
            yield f"{where}: {user} must not include MLIR ({include})"
        if include.startswith(("llvm/", "mlir/")) and user in WITHOUT_LLVM:
            yield f"{where}: {user} must not include LLVM ({include})"
        if not include.startswith("nautilus/"):
            continue
        used = module_of(include.removeprefix("nautilus/"))
        if used is None:
            yield f"{where}: {include} belongs to no known module"
        elif not allowed(user, used):
            yield f"{where}: {user} must not include {used} ({include})"


def main():
    errors = []
    for base in (ROOT / "lib", ROOT / "include" / "nautilus"):
        for file in sorted(base.rglob("*")):
            if file.suffix in (".cpp", ".h"):
                errors += check_file(file, base)
    print("\n".join(errors) if errors else "check_layers: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
