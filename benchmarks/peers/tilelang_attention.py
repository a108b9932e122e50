# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one writes it in TileLang: tiles in shared memory and fragments, a pipelined loop over key blocks, running maximum and sum.

A few tile sizes are compiled, and the fastest on the shape is the peer."""

import functools
import math

from . import Absent, fastest

# Rows, keys, slots per channel, threads.
CONFIGS = ((128, 128, 2, 256), (128, 64, 2, 256), (192, 64, 2, 384))


def program(ratio, dim, causal, config):
    """The TileLang function of queries, keys, values and output, each (batch, head, row, dim); `ratio` query heads share keys."""
    import tilelang.language as T

    batch, heads, kv_heads, length = (T.dynamic(name) for name in ("batch", "heads", "kv_heads", "length"))

    rows, keys, slots, threads = config
    scale = math.log2(math.e) / math.sqrt(dim)
    half, single = "float16", "float32"

    @T.prim_func
    def attend(
        q: T.Tensor((batch, heads, length, dim), half),
        k: T.Tensor((batch, kv_heads, length, dim), half),
        v: T.Tensor((batch, kv_heads, length, dim), half),
        o: T.Tensor((batch, heads, length, dim), half),
    ):
        with T.Kernel(T.ceildiv(length, rows), heads, batch, threads=threads) as (tile, head, pair):
            q_tile = T.alloc_shared((rows, dim), half)
            k_tile = T.alloc_shared((keys, dim), half)
            v_tile = T.alloc_shared((keys, dim), half)
            o_tile = T.alloc_shared((rows, dim), half)
            scores = T.alloc_fragment((rows, keys), single)
            weights = T.alloc_fragment((rows, keys), half)
            out = T.alloc_fragment((rows, dim), single)
            maximum = T.alloc_fragment((rows,), single)
            before = T.alloc_fragment((rows,), single)
            factor = T.alloc_fragment((rows,), single)
            block_sum = T.alloc_fragment((rows,), single)
            total = T.alloc_fragment((rows,), single)
            T.copy(q[pair, head, tile * rows : (tile + 1) * rows, :], q_tile)
            T.clear(out)
            T.clear(total)
            T.fill(maximum, -T.infinity(single))
            end = T.ceildiv((tile + 1) * rows, keys) if causal else T.ceildiv(length, keys)
            for block in T.Pipelined(end, num_stages=slots):
                T.copy(k[pair, head // ratio, block * keys : (block + 1) * keys, :], k_tile)
                if causal:
                    for i, j in T.Parallel(rows, keys):
                        scores[i, j] = T.if_then_else(tile * rows + i >= block * keys + j, 0, -T.infinity(single))
                else:
                    T.clear(scores)
                T.gemm(q_tile, k_tile, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(maximum, before)
                T.reduce_max(scores, maximum, dim=1, clear=False)
                for i in T.Parallel(rows):
                    factor[i] = T.exp2(before[i] * scale - maximum[i] * scale)
                for i, j in T.Parallel(rows, keys):
                    scores[i, j] = T.exp2(scores[i, j] * scale - maximum[i] * scale)
                T.reduce_sum(scores, block_sum, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * factor[i] + block_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(rows, dim):
                    out[i, j] *= factor[i]
                T.copy(v[pair, head // ratio, block * keys : (block + 1) * keys, :], v_tile)
                T.gemm(weights, v_tile, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(rows, dim):
                out[i, j] /= total[i]
            T.copy(out, o_tile)
            T.copy(o_tile, o[pair, head, tile * rows : (tile + 1) * rows, :])

    return attend


@functools.cache
def compiled(ratio, dim, causal, config):
    """For every size: compiling takes longer than all timing."""
    import tilelang

    return tilelang.compile(program(ratio, dim, causal, config), pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})


def make(torch, workload, inputs):
    if workload.kind != "attention":
        raise Absent(f"no {workload.kind}")
    try:
        import tilelang  # noqa: F401
    except ImportError as error:
        raise Absent(str(error)) from error
    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    if k.shape[2] != q.shape[2] or q.shape[2] % 128:
        raise Absent("as many keys as queries, a multiple of 128, only")
    out = torch.empty_like(q)

    def build(config):
        kernel = compiled(q.shape[1] // k.shape[1], q.shape[3], workload.causal, config)

        def call():
            kernel(q, k, v, out)
            return out

        return call

    return fastest(torch, build, CONFIGS)
