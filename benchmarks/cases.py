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


TRANSPOSED = {  # which operand of examples/matmul.naut is given transposed, and how its text says so
    "matmul_tn": (("A: f16[M, K]", "A: f16[K, M]"), ("A[i, k]", "A[k, i]")),
    "matmul_nt": (("B: f16[K, N]", "B: f16[N, K]"), ("B[k, j]", "B[j, k]")),
}
TRANSPOSED["matmul_tt"] = TRANSPOSED["matmul_tn"] + TRANSPOSED["matmul_nt"]
BF16 = (("f16", "bf16"),)
TOP_LEFT = (("j <= i + (N - M)", "j <= i"),)


def matmuls():
    sizes = [(1, 1, 8), (128, 128, 64), (129, 127, 64), (64, 200, 72), (257, 130, 200), (512, 256, 1024), (1000, 1000, 1000), (3, 5, 7), (0, 8, 8), (8, 8, 0)]
    for m, n, k in sizes:
        yield Case("matmul", "matmul", {"M": m, "N": n, "K": k})
    for layout in ("strided", "offset", "transposed"):
        yield Case("matmul", "matmul", {"M": 200, "N": 136, "K": 264}, layout=layout)
    yield Case("matmul", "matmul", {"M": 300, "N": 200, "K": 128}, replace=BF16)
    for reference, replace in TRANSPOSED.items():
        for m, n, k in [(128, 256, 64), (129, 127, 72), (1, 8, 16), (264, 136, 520)]:
            yield Case("matmul", reference, {"M": m, "N": n, "K": k}, replace=replace)
        yield Case("matmul", reference, {"M": 136, "N": 200, "K": 264}, replace=replace + BF16)
        yield Case("matmul", reference, {"M": 136, "N": 200, "K": 264}, replace=replace, layout="strided")
    for m, n, k in [(1, 1, 16), (128, 128, 128), (129, 65, 80), (512, 256, 384)]:
        yield Case("matmul_fp8", "matmul_fp8", {"M": m, "N": n, "K": k})
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
    for element in ("f16", "bf16"):
        yield Case("softmax", "softmax_rows", {"M": 129, "N": 1000}, replace=(("f32", element),))
        yield Case("logsumexp", "logsumexp_rows", {"M": 129, "N": 1000}, replace=(("X: f32", f"X: {element}"),))
    for m, n in [(3, 1), (5, 63), (0, 5), (129, 4096)]:
        yield Case("logsumexp", "logsumexp_rows", {"M": m, "N": n})


def epilogues():
    for m, n, k in [(1, 1, 16), (130, 200, 72), (257, 64, 512), (1000, 384, 256)]:
        yield Case("gelu_matmul", "gelu_matmul", {"M": m, "N": n, "K": k})
        yield Case("swiglu", "swiglu", {"M": m, "N": n, "K": k})
        yield Case("rmsnorm_matmul", "rmsnorm_matmul", {"M": m, "N": n, "K": k})
        yield Case("matmul_batched", "matmul_batched", {"B": 3, "M": m, "N": n, "K": k})
        yield Case("cross_entropy", "cross_entropy", {"M": m, "N": n, "K": k})
    for spec in ("gelu_matmul", "swiglu", "matmul_batched"):
        dims = {"M": 130, "N": 200, "K": 72} | ({"B": 3} if spec == "matmul_batched" else {})
        yield Case(spec, spec, dims, replace=(("bf16", "f16"),))
        for layout in ("strided", "offset", "transposed"):
            yield Case(spec, spec, dims, layout=layout)
    yield Case("matmul_batched", "matmul_batched", {"B": 0, "M": 8, "N": 8, "K": 8})
    yield Case("matmul_batched", "matmul_batched", {"B": 70000, "M": 1, "N": 8, "K": 16})


def norms():
    for m, n in [(3, 1), (5, 63), (4, 1000), (129, 4096), (2, 8191)]:
        for spec in ("rmsnorm", "layernorm"):
            yield Case(spec, spec, {"M": m, "N": n})
            yield Case(spec, spec, {"M": m, "N": n}, replace=(("f16", "f32"),))
            yield Case(spec, spec, {"M": m, "N": n}, replace=BF16)
        yield Case("argmax", "argmax_rows", {"M": m, "N": n})
        yield Case("variance", "variance_rows", {"M": m, "N": n})
    for spec in ("rmsnorm", "layernorm"):
        for layout in ("strided", "offset", "transposed"):
            yield Case(spec, spec, {"M": 50, "N": 72}, layout=layout)


def axes():
    """Reductions over any axis, transposes, elementwise chains."""
    for a, b, c in [(1, 1, 1), (3, 5, 7), (2, 64, 65), (17, 33, 129), (64, 8, 256), (0, 4, 4), (4, 0, 4)]:
        yield Case("transpose", "transpose", {"A": a, "B": b, "C": c})
        yield Case("reductions", "reductions", {"A": a, "B": b, "C": c})
    for layout in ("strided", "offset", "transposed"):
        yield Case("transpose", "transpose", {"A": 7, "B": 40, "C": 72}, layout=layout)
        yield Case("reductions", "reductions", {"A": 7, "B": 40, "C": 72}, layout=layout)
    for spec in ("transpose", "reductions"):
        for element in ("bf16", "f32"):
            yield Case(spec, spec, {"A": 5, "B": 33, "C": 70}, replace=(("f16", element),))
    for m in (1, 17, 128):
        yield Case("rope", "rope", {"B": 2, "H": 3, "M": m})


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
        top_left = case("attention_causal_gqa", {"B": b, "G": h, "R": 2, "M": m, "N": n}, replace=TOP_LEFT)
        yield dataclasses.replace(top_left, reference="attention_causal_top_left")
    for m in (2, 17, 63, 65, 137, 250, 1000, 1025, 4097):
        yield case("attention", {"B": 1, "H": 1, "M": m, "N": m})
        yield case("attention_causal_gqa", {"B": 1, "G": 1, "R": 3, "M": m, "N": m})
    for spec in ("attention_alibi", "attention_bias_mask", "attention_sink", "attention_softcap", "attention_window"):
        heads = {"G": 1, "R": 2} if spec == "attention_softcap" else {"H": 2}
        stored = BF16 if spec not in ("attention_bias_mask", "attention_sink") else (("bf16", "f16"),)
        yield case(spec, {"B": 1, **heads, "M": 130, "N": 257}, replace=stored)
        yield case(spec, {"B": 1, **heads, "M": 130, "N": 256}, layout="strided")
    for d in (40, 64, 72, 80, 96, 192, 256):
        replace = (("D = 128, E = 128", f"D = {d}, E = {d}"),)
        yield case("attention", {"B": 1, "H": 2, "M": 200, "N": 333}, replace=replace, wide=d > 128)
        yield case("attention_causal_gqa", {"B": 1, "G": 1, "R": 7, "M": 130, "N": 257}, replace=replace, wide=d > 128)
    yield case("attention", {"B": 1, "H": 2, "M": 100, "N": 200}, replace=(("D = 128, E = 128", "D = 96, E = 64"),))
    yield case("attention", {"B": 1, "H": 2, "M": 300, "N": 500}, replace=BF16)
    yield case("attention", {"B": 0, "H": 2, "M": 64, "N": 64})
    yield case("attention", {"B": 1, "H": 2, "M": 0, "N": 64})
    yield case("attention_causal_gqa", {"B": 1, "G": 1, "R": 2, "M": 100, "N": 200}, replace=(("D = 128, E = 128", "D = 64, E = 96"),))
    yield case("attention_causal_gqa", {"B": 1, "G": 2, "R": 5, "M": 300, "N": 500}, replace=BF16)
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
    return [*matmuls(), *rows(), *epilogues(), *norms(), *axes(), *attentions(fused=True), *attentions(fused=False)]
