# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attention that JAX ships for Hopper, written in Pallas for its Mosaic GPU back end.

It wants (batch, row, head, dim) and queries that are scaled already: both are prepared once, in no figure. JAX launches on streams of its
own; each call hands the queries over from PyTorch's stream and the result back to it (DLPack), so events on PyTorch's stream enclose it."""

import math
import os

from . import Absent, fastest

# By head dim: keys of a block and slots, as many as shared memory holds; a block has 2 x 64 queries.
CONFIGS = {64: ((256, 2), (128, 4)), 128: ((128, 2), (64, 4)), 192: ((64, 3), (64, 2)), 256: ((64, 2),)}


def make(torch, workload, inputs):
    if workload.kind != "attention":
        raise Absent(f"no {workload.kind}")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
        from jax.experimental.pallas.ops.gpu import attention_mgpu
    except ImportError as error:
        raise Absent(str(error)) from error
    q, k, v = (inputs[name].transpose(1, 2).contiguous() for name in "QKV")
    length, dim = q.shape[1], q.shape[3]
    if dim not in CONFIGS or length % 128:
        raise Absent("head dims that are multiples of 64 and lengths of 128 only")
    q = q * (1 / math.sqrt(dim))
    keys, values = jax.dlpack.from_dlpack(k), jax.dlpack.from_dlpack(v)

    def compiled(config):
        block, slots = config
        tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=block, max_concurrent_steps=slots, causal=workload.causal)
        attend = jax.jit(lambda *tensors: attention_mgpu.attention(*tensors, tuning))

        def call():
            out = attend(jax.dlpack.from_dlpack(q), keys, values)
            return torch.from_dlpack(out).transpose(1, 2)

        return call

    return fastest(torch, compiled, [config for config in CONFIGS[dim] if length % config[0] == 0])
