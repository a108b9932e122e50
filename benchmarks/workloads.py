# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark suites: which operator at which sizes, how it is compiled, what it costs, and what is right.

A workload's inputs are made from the bundle's own argument list, so that peers and Nautilus read the same tensors. `sample` computes some
rows of the result in float64: whole results of long sequences would not fit."""

import dataclasses
import math

from bundles import Variant


@dataclasses.dataclass(frozen=True)
class Workload:
    suite: str
    group: str  # a line of a plot: same operator, other sizes
    kind: str  # attention | matmul | bias_gelu | swiglu | norm_matmul | softmax | rmsnorm | layernorm
    size: int  # the plot's x axis: sequence length, or the matrix's edge
    spec: str  # file under examples/, without .naut
    dims: tuple  # (name, size) of every dynamic dim
    replace: tuple = ()  # (old, new) pairs of text in the spec
    schedule: str = ""  # a written one: file under examples/schedules/, without .mlir; empty: the compiler's own choice
    causal: bool = False
    variants: tuple = ()  # other ways to compile it, timed beside ours

    @property
    def name(self):
        return f"{self.group} {','.join(f'{k}={v}' for k, v in self.dims)}"

    @property
    def build(self):
        return self.spec, self.replace, self.schedule

    def record(self):
        """The fields that results keep."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key != "variants"}

    @property
    def is_memory_bound(self):
        return self.kind in ("softmax", "rmsnorm", "layernorm")

    def work(self):
        """Floating-point operations of the products (causal attention: half), or bytes that must move for memory-bound operators."""
        d = dict(self.dims)
        if self.kind == "attention":
            heads = d["B"] * d.get("H", d.get("G", 0) * d.get("R", 0))
            products = 4 * heads * d["M"] * d["N"] * head_dim(self)
            return products // 2 if self.causal else products
        if self.is_memory_bound:
            return 2 * d["M"] * d["N"] * (4 if self.kind == "softmax" else 2)
        return 2 * d["M"] * d["N"] * d["K"] * (2 if self.kind == "swiglu" else 1)


def head_dim(workload):
    for _, new in workload.replace:
        if new.startswith("D = "):
            return int(new[4:].split(",")[0])
    return 128


def _attention(suite, group, batch, heads, kv_heads, length, dim, causal, **more):
    replace = (("D = 128, E = 128", f"D = {dim}, E = {dim}"),) if dim != 128 else ()
    if causal:
        spec, dims = "attention_causal_gqa", (("B", batch), ("G", kv_heads), ("R", heads // kv_heads), ("M", length), ("N", length))
    else:
        spec, dims = "attention", (("B", batch), ("H", heads), ("M", length), ("N", length))
    schedule = spec + ("_wide" if dim > 128 else "")
    return Workload(suite, group, "attention", length, spec, dims, replace, schedule, causal, **more)


# The models of the paper's evaluation: (name, heads, key/value heads, head dim, causal).
MODELS = (
    ("GLM-4", 32, 2, 128, True),
    ("Llama-2", 32, 32, 128, True),
    ("Qwen2 grouped", 28, 4, 128, True),
    ("Qwen2 multi-head", 28, 28, 128, True),
    ("Qwen3 grouped", 32, 8, 128, True),
    ("Qwen3 multi-head", 32, 32, 128, True),
    ("ViT d64", 16, 16, 64, False),
    ("ViT d80", 16, 16, 80, False),
    ("ViT d128", 16, 16, 128, False),
)

# Shapes of the hand-written kernel's table: (batch, heads, key/value heads, length, head dim, causal).
HAND_WRITTEN = (
    (1, 16, 16, 16384, 64, False),
    (1, 16, 16, 16384, 80, False),
    (1, 16, 16, 16384, 96, False),
    (1, 16, 16, 16384, 128, False),
    (8, 16, 16, 4096, 128, False),
    (1, 8, 8, 16384, 192, False),
    (1, 8, 8, 16384, 256, False),
    (1, 32, 32, 4096, 128, True),
    (1, 32, 32, 16384, 128, True),
    (8, 32, 32, 4096, 128, True),
    (1, 32, 2, 16384, 128, True),
    (1, 32, 32, 16384, 64, True),
    (1, 32, 32, 16384, 80, True),
    (1, 32, 32, 16384, 96, True),
)


def paper(lengths=(1024, 2048, 4096, 8192, 16384, 32768), batches=(1, 8)):
    for name, heads, kv_heads, dim, causal in MODELS:
        for batch in batches:
            for length in lengths:
                yield _attention("paper", f"{name} B={batch}", batch, heads, kv_heads, length, dim, causal)


def hand_written():
    for batch, heads, kv_heads, length, dim, causal in HAND_WRITTEN:
        group = f"{'causal' if causal else 'full'} d{dim} {heads}/{kv_heads}"
        yield _attention("hand-written", group, batch, heads, kv_heads, length, dim, causal)


def gemm():
    square = [(n, n, n) for n in (1024, 2048, 4096, 8192)]
    skinny = [(16, 4096, 4096), (64, 4096, 4096), (128, 8192, 4096), (4096, 64, 4096), (512, 512, 16384)]
    layers = [(4096, 11008, 4096), (4096, 4096, 11008), (2048, 28672, 8192)]
    for m, n, k in square + skinny + layers:
        yield Workload("gemm", "matmul", "matmul", max(m, n), "matmul", (("M", m), ("N", n), ("K", k)), schedule="matmul")
    for m, n, k in [(4096, 4096, 4096), (8192, 4096, 4096)]:
        yield Workload("gemm", "matmul + bias + gelu", "bias_gelu", m, "gelu_matmul", (("M", m), ("N", n), ("K", k)))
        yield Workload("gemm", "swiglu", "swiglu", m, "swiglu", (("M", m), ("N", n), ("K", k)))
        yield Workload("gemm", "rmsnorm + matmul", "norm_matmul", m, "rmsnorm_matmul", (("M", m), ("N", n), ("K", k)))


def memory():
    for m, n in [(8192, 4096), (4096, 8192), (4096, 16384), (4096, 32768), (4096, 65536)]:
        for kind in ("softmax", "rmsnorm", "layernorm"):
            replace = (("f32", "f16"),) if kind == "softmax" else ()
            yield Workload("memory", kind, kind, n, kind, (("M", m), ("N", n)), replace)


ALGEBRA = ("factor-scales", "exp-to-exp2", "reuse-masks", "telescope", "delay-division", "reciprocal", "form-fma")
_PERSISTENT = ("nautilus-matile-make-persistent", "all", "true")
LAUNCH_VARIANTS = (
    Variant("without chained products", leave_out=("nautilus-matile-chain-products",)),
    Variant("without persistence", leave_out=("nautilus-matile-make-persistent",)),
    Variant("one slot per channel", pass_options=(("nautilus-matile-make-channels", "slots", "1"),)),
    Variant("persistent", pass_options=(_PERSISTENT,)),
)
FUSED_VARIANTS = (
    Variant("without any fusion", cut="all"),
    Variant("without roll", cut="roll"),
    Variant("without mask split", leave_out=("nautilus-vrtile-split-loops",)),
    Variant("with dead blocks", leave_out=("nautilus-vrtile-drop-dead-iterations",)),
    Variant("without tile algebra", leave_out=tuple(f"nautilus-vrtile-{name}" for name in ALGEBRA)),
    Variant("without overlapping iterations", leave_out=("nautilus-matile-plan-pipeline",)),
    Variant("results by threads", leave_out=("nautilus-matile-store-through-shared",)),
    Variant("strict numerics, keys by 64", options=("--numerics=strict",), edits=((r'(\["j"\] by )128', r"\g<1>64"),)),
    *LAUNCH_VARIANTS,
    Variant("persistent, longest first", pass_options=(_PERSISTENT, ("nautilus-matile-order-items", "order", "longest_first"))),
)
MATMUL_VARIANTS = (
    *LAUNCH_VARIANTS,
    Variant("persistent, grouped", pass_options=(_PERSISTENT, ("nautilus-matile-order-items", "order", "grouped"))),
)


def ablation():
    """What each part of the compiler is worth: the same kernel without it."""
    for batch, heads, kv_heads, length, dim, causal in (
        (1, 16, 16, 4096, 128, False),
        (1, 32, 8, 4096, 128, True),
        (8, 32, 8, 2048, 128, True),
    ):
        name = f"{'causal' if causal else 'full'} d{dim} {heads}/{kv_heads}"
        yield _attention("ablation", name, batch, heads, kv_heads, length, dim, causal, variants=FUSED_VARIANTS)
    for n in (4096, 8192):
        dims = (("M", n), ("N", n), ("K", n))
        yield Workload("ablation", "matmul", "matmul", n, "matmul", dims, schedule="matmul", variants=MATMUL_VARIANTS)


SUITES = {"paper": paper, "hand-written": hand_written, "gemm": gemm, "memory": memory, "ablation": ablation}
_ATTENTION_PEERS = [
    "cuDNN",
    "FlashAttention-2",
    "FlashAttention-3",
    "FlashAttention-4",
    "FlexAttention",
    "Triton",
    "TileLang",
    "Mosaic GPU",
]
PEERS = {
    "paper": _ATTENTION_PEERS,
    "hand-written": [*_ATTENTION_PEERS, "hand-written"],
    "gemm": ["cuBLAS", "PyTorch", "torch.compile"],
    "memory": ["PyTorch", "torch.compile"],
    "ablation": ["cuDNN", "cuBLAS"],
}


def sample(torch, workload, inputs, rows):
    """Rows `rows` of the first output in float64. Rows are query positions for attention, rows of the matrix otherwise."""
    t = inputs
    if workload.kind == "attention":
        q, k, v = t["Q"][:, :, rows].double(), t["K"], t["V"]
        group = q.shape[1] // k.shape[1]
        out = torch.empty(*q.shape[:3], v.shape[3], dtype=torch.float64, device=q.device)
        hidden = torch.arange(k.shape[2], device=q.device)[None] > (rows + k.shape[2] - t["Q"].shape[2])[:, None]
        for b in range(q.shape[0]):
            for h in range(q.shape[1]):
                scores = q[b, h] @ k[b, h // group].double().T / math.sqrt(q.shape[3])
                if workload.causal:
                    scores = scores.masked_fill(hidden, float("-inf"))
                out[b, h] = torch.softmax(scores, -1) @ v[b, h // group].double()
        return out
    if workload.kind in ("matmul", "bias_gelu"):
        out = t["A"][rows].double() @ t["B"].double()
        return out if workload.kind == "matmul" else torch.nn.functional.gelu(out + t["C"].double())
    x = t["X"][rows].double()
    if workload.kind == "norm_matmul":
        return _rmsnorm(torch, x, t["W"]) @ t["U"].double()
    if workload.kind == "swiglu":
        return torch.nn.functional.silu(x @ t["U"].double()) * (x @ t["V"].double())
    if workload.kind == "softmax":
        return torch.softmax(x, -1)
    if workload.kind == "rmsnorm":
        return _rmsnorm(torch, x, t["W"])
    return torch.nn.functional.layer_norm(x, x.shape[-1:], t["W"].double(), t["B"].double(), 1e-5)


def _rmsnorm(torch, x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight.double()


def take_rows(workload, output, rows):
    return output[:, :, rows] if workload.kind == "attention" else output[rows]
