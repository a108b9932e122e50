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
        return f"{self.spec}{' fused' if self.schedule else ''}{change}{layout} {dims}" + (f" x{self.scale:g}" if self.scale != 1 else "")

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
    for schedule in ("", "matmul"):
        yield Case("matmul", "matmul", {"M": 4096, "N": 4096, "K": 4096}, schedule=schedule, timed=True)
    for m, n, k in [(128, 256, 64), (129, 257, 72), (1000, 1000, 1000), (8, 8, 0)]:
        yield Case("matmul", "matmul", {"M": m, "N": n, "K": k}, schedule="matmul")


def rows():
    for m, n in itertools.chain(((3, n) for n in EDGES), [(1, 1000), (0, 5), (129, 4096), (2, 5000)]):
        yield Case("softmax", "softmax_rows", {"M": m, "N": n})
    yield Case("softmax", "softmax_rows", {"M": 37, "N": 100}, scale=30.0)
    for layout in ("strided", "offset", "transposed"):
        yield Case("softmax", "softmax_rows", {"M": 50, "N": 72}, layout=layout)


def epilogues():
    for m, n, k in [(1, 1, 16), (130, 200, 72), (257, 64, 512), (1000, 384, 256)]:
        yield Case("gelu_matmul", "gelu_matmul", {"M": m, "N": n, "K": k})
        yield Case("swiglu", "swiglu", {"M": m, "N": n, "K": k})
        yield Case("rmsnorm_matmul", "rmsnorm_matmul", {"M": m, "N": n, "K": k})
        yield Case("matmul_batched", "matmul_batched", {"B": 3, "M": m, "N": n, "K": k})
        yield Case("cross_entropy", "cross_entropy", {"M": m, "N": n, "K": k})


def norms():
    for m, n in [(3, 1), (5, 63), (4, 1000), (129, 4096), (2, 8191)]:
        for spec in ("rmsnorm", "layernorm"):
            yield Case(spec, spec, {"M": m, "N": n})
            yield Case(spec, spec, {"M": m, "N": n}, replace=(("f16", "f32"),))
        yield Case("argmax", "argmax_rows", {"M": m, "N": n})
        yield Case("variance", "variance_rows", {"M": m, "N": n})


ATTENTION_SIZES = ((1, 1, 1, 1), (1, 2, 128, 128), (2, 3, 200, 333), (1, 2, 333, 200), (1, 1, 127, 129), (2, 2, 1, 257), (1, 2, 64, 0))


def attentions(fused):
    """Fused into one kernel by the schedules of examples/schedules, or every statement a kernel of its own."""

    def case(spec, dims, replace=(), wide=False, **more):
        schedule = spec + ("_wide" if wide else "") if fused else ""
        return Case(spec, spec, dims, replace=replace, schedule=schedule, **more)

    for b, h, m, n in ATTENTION_SIZES:
        for spec in ("attention", "attention_alibi", "attention_bias_mask", "attention_sink", "attention_window"):
            yield case(spec, {"B": b, "H": h, "M": m, "N": n})
        for r in (1, 3, 7, 8):
            yield case("attention_causal_gqa", {"B": b, "G": h, "R": r, "M": m, "N": n})
        yield case("attention_softcap", {"B": b, "G": h, "R": 2, "M": m, "N": n})
    for d in (40, 64, 72, 80, 96, 192, 256):
        replace = (("D = 128, E = 128", f"D = {d}, E = {d}"),)
        yield case("attention", {"B": 1, "H": 2, "M": 200, "N": 333}, replace=replace, wide=d > 128)
        yield case("attention_causal_gqa", {"B": 1, "G": 1, "R": 7, "M": 130, "N": 257}, replace=replace, wide=d > 128)
    yield case("attention", {"B": 1, "H": 2, "M": 100, "N": 200}, replace=(("D = 128, E = 128", "D = 96, E = 64"),))
    yield case("attention", {"B": 1, "H": 2, "M": 300, "N": 500}, replace=(("f16", "bf16"),))
    for layout in ("strided", "offset"):
        yield case("attention", {"B": 2, "H": 2, "M": 100, "N": 200}, layout=layout)
        yield case("attention_causal_gqa", {"B": 1, "G": 2, "R": 3, "M": 100, "N": 200}, layout=layout)
    yield case("attention_causal_gqa", {"B": 1, "G": 2, "R": 16, "M": 128, "N": 256})
    if fused:
        yield case("attention", {"B": 1, "H": 16, "M": 4096, "N": 4096}, timed=True)
        yield case("attention", {"B": 1, "H": 16, "M": 16384, "N": 16384}, timed=True)
        for m in (4096, 8192):
            yield case("attention_causal_gqa", {"B": 1, "G": 4, "R": 4, "M": m, "N": m}, timed=True)
        # Large scores need P unrounded until it is used, which only the fused kernel promises: alone, P is stored as f16.
        yield case("attention", {"B": 1, "H": 2, "M": 128, "N": 256}, scale=5.0)


def all_cases():
    return [*matmuls(), *rows(), *epilogues(), *norms(), *attentions(fused=True), *attentions(fused=False)]
