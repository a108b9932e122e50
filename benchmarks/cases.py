# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of the device check: operators by spec, and the sizes, types and layouts that each runs at."""

import dataclasses
import itertools


@dataclasses.dataclass(frozen=True)
class Case:
    spec: str  # file under examples/, without .naut
    reference: str  # a function of references.py
    dims: dict  # every dynamic dim
    replace: tuple = ()  # (old, new) pairs of text in the spec: other element types or static sizes
    layout: str = "dense"  # dense | strided | offset | transposed
    schedule: str = ""  # file under examples/schedules/, without .mlir; empty: the compiler's own choice
    scale: float = 1.0  # of the random inputs
    timed: bool = False

    @property
    def name(self):
        dims = ",".join(f"{k}={v}" for k, v in self.dims.items())
        change = "".join(f" {new}" for _, new in self.replace)
        layout = "" if self.layout == "dense" else f" {self.layout}"
        return f"{self.spec}{change}{layout} {dims}" + (f" x{self.scale:g}" if self.scale != 1 else "")

    @property
    def build(self):
        """Cases that share a bundle."""
        return self.spec, self.replace, self.schedule


EDGES = (1, 2, 63, 64, 65, 127, 128, 129, 257)


def matmuls():
    sizes = [(1, 1, 8), (128, 128, 64), (129, 127, 64), (64, 200, 72), (257, 130, 200), (512, 256, 1024), (1000, 1000, 1000), (3, 5, 7), (0, 8, 8), (8, 8, 0)]
    for m, n, k in sizes:
        yield Case("matmul", "matmul", {"M": m, "N": n, "K": k})
    for layout in ("strided", "offset", "transposed"):
        yield Case("matmul", "matmul", {"M": 200, "N": 136, "K": 264}, layout=layout)
    yield Case("matmul", "matmul", {"M": 300, "N": 200, "K": 128}, replace=(("f16", "bf16"),))
    yield Case("matmul", "matmul", {"M": 4096, "N": 4096, "K": 4096}, timed=True)


def rows():
    for m, n in itertools.chain(((3, n) for n in EDGES), [(1, 1000), (0, 5), (129, 4096), (2, 5000)]):
        yield Case("softmax", "softmax_rows", {"M": m, "N": n})
    yield Case("softmax", "softmax_rows", {"M": 37, "N": 100}, scale=30.0)
    for layout in ("strided", "offset", "transposed"):
        yield Case("softmax", "softmax_rows", {"M": 50, "N": 72}, layout=layout)


def all_cases():
    return [*matmuls(), *rows()]
