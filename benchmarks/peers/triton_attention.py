# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one writes it in Triton: a block of queries per program, one loop over key blocks with running maximum and sum."""

import math

from . import Absent


def _kernel():
    import triton
    import triton.language as tl

    tiles = ((128, 128, 8, 2), (128, 64, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3))
    configs = [triton.Config({"ROWS": r, "KEYS": k}, num_warps=warps, num_stages=stages) for r, k, warps, stages in tiles]

    @triton.autotune(configs, key=["length", "DIM", "CAUSAL"])
    @triton.jit
    def attend(
        q_ptr,
        k_ptr,
        v_ptr,
        o_ptr,
        scale,
        heads,
        group,
        length,
        DIM: tl.constexpr,
        CAUSAL: tl.constexpr,
        ROWS: tl.constexpr,
        KEYS: tl.constexpr,
    ):
        block = tl.program_id(0)
        pair = tl.program_id(1)
        kv_pair = (pair // heads) * (heads // group) + (pair % heads) // group
        rows = block * ROWS + tl.arange(0, ROWS)
        dims = tl.arange(0, DIM)
        q = tl.load(q_ptr + pair.to(tl.int64) * length * DIM + rows[:, None] * DIM + dims[None, :], mask=rows[:, None] < length, other=0.0)
        k_base = k_ptr + kv_pair.to(tl.int64) * length * DIM
        v_base = v_ptr + kv_pair.to(tl.int64) * length * DIM
        maximum = tl.full([ROWS], float("-inf"), tl.float32)
        total = tl.zeros([ROWS], tl.float32)
        out = tl.zeros([ROWS, DIM], tl.float32)
        end = tl.minimum((block + 1) * ROWS, length) if CAUSAL else length
        for start in range(0, end, KEYS):
            keys = start + tl.arange(0, KEYS)
            k = tl.load(k_base + keys[None, :] * DIM + dims[:, None], mask=keys[None, :] < length, other=0.0)
            scores = tl.dot(q, k) * scale
            visible = (keys[None, :] < length) & ((rows[:, None] >= keys[None, :]) if CAUSAL else (rows[:, None] >= 0))
            scores = tl.where(visible, scores, float("-inf"))
            newest = tl.maximum(maximum, tl.max(scores, 1))
            weights = tl.math.exp2(scores - newest[:, None])
            factor = tl.math.exp2(maximum - newest)
            total = total * factor + tl.sum(weights, 1)
            v = tl.load(v_base + keys[:, None] * DIM + dims[None, :], mask=keys[:, None] < length, other=0.0)
            out = tl.dot(weights.to(v.dtype), v, out * factor[:, None])
            maximum = newest
        out = out / total[:, None]
        tl.store(
            o_ptr + pair.to(tl.int64) * length * DIM + rows[:, None] * DIM + dims[None, :],
            out.to(o_ptr.dtype.element_ty),
            mask=rows[:, None] < length,
        )

    return triton, attend


def make(torch, workload, inputs):
    if workload.kind != "attention":
        raise Absent(f"no {workload.kind}")
    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    batch, heads, length, dim = q.shape
    if dim & (dim - 1):
        raise Absent("head dims that are powers of two only")
    try:
        triton, attend = _kernel()
    except ImportError as error:
        raise Absent(str(error)) from error
    out = torch.empty_like(q)
    scale = math.log2(math.e) / math.sqrt(dim)
    group = heads // k.shape[1]

    def call():
        grid = lambda meta: (triton.cdiv(length, meta["ROWS"]), batch * heads)  # noqa: E731
        attend[grid](q, k, v, out, scale, heads, group, length, DIM=dim, CAUSAL=workload.causal)
        return out

    return call
