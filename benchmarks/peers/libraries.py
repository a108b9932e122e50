# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers that come with PyTorch (cuDNN and FlashAttention-2 by scaled_dot_product_attention, FlexAttention, cuBLAS, eager and compiled code),
FlashAttention-3 and -4 where they are installed."""

import functools
import importlib

from . import Absent


def _need(workload, *kinds):
    if workload.kind not in kinds:
        raise Absent(f"no {workload.kind}")


def _sdpa(torch, workload, inputs, backend):
    _need(workload, "attention")
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    grouped = q.shape[1] != k.shape[1]

    def call():
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=workload.causal, enable_gqa=grouped)

    return call


def cudnn_attention(torch, workload, inputs):
    return _sdpa(torch, workload, inputs, "CUDNN_ATTENTION")


def flash_attention(torch, workload, inputs):
    return _sdpa(torch, workload, inputs, "FLASH_ATTENTION")


def _flash_package(torch, workload, inputs, module, reason):
    """A function of tensors (batch, row, head, dim): transposed beforehand, in no figure."""
    _need(workload, "attention")
    try:
        attend = importlib.import_module(module).flash_attn_func
    except ImportError as error:
        raise Absent(f"{reason} ({error})") from error
    q, k, v = (inputs[name].transpose(1, 2).contiguous() for name in "QKV")

    def call():
        out = attend(q, k, v, causal=workload.causal)
        return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)

    return call


def flash_attention_3(torch, workload, inputs):
    return _flash_package(torch, workload, inputs, "flash_attn_interface", "built from source: PyPI has no wheel")


def flash_attention_4(torch, workload, inputs):
    """On Hopper its kernel is FlashAttention-3's algorithm in the CuTe DSL."""
    return _flash_package(torch, workload, inputs, "flash_attn.cute", "package flash-attn-4 is not installed")


def _is_causal(b, h, i, j):
    return i >= j


def flex_attention(torch, workload, inputs):
    """Compiled for this shape alone: past its recompile limit it would silently run unfused."""
    _need(workload, "attention")
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    torch._dynamo.reset()
    compiled = torch.compile(flex_attention, dynamic=False)
    mask = create_block_mask(_is_causal, None, None, q.shape[2], k.shape[2], device="cuda") if workload.causal else None
    return functools.partial(compiled, q, k, v, block_mask=mask, enable_gqa=q.shape[1] != k.shape[1])


def cublas(torch, workload, inputs):
    _need(workload, "matmul")
    return functools.partial(torch.matmul, inputs["A"], inputs["B"])


def _eager(torch, workload):
    functional = torch.nn.functional

    def bias_gelu(a, b, c):
        return functional.gelu(torch.addmm(c, a, b))

    def swiglu(x, u, v):
        return functional.silu(x @ u) * (x @ v)

    def norm_matmul(x, w, u):
        return functional.rms_norm(x, x.shape[-1:], w, 1e-6) @ u

    def softmax(x):
        return torch.softmax(x, -1)

    def rmsnorm(x, w):
        return functional.rms_norm(x, x.shape[-1:], w, 1e-6)

    def layernorm(x, w, b):
        return functional.layer_norm(x, x.shape[-1:], w, b, 1e-5)

    functions = (bias_gelu, swiglu, norm_matmul, softmax, rmsnorm, layernorm)
    return {function.__name__: function for function in functions}.get(workload.kind)


def eager(torch, workload, inputs):
    function = _eager(torch, workload)
    if function is None:
        raise Absent(f"no {workload.kind}")
    return functools.partial(function, *inputs.values())


def compiled(torch, workload, inputs):
    function = _eager(torch, workload)
    if function is None:
        raise Absent(f"no {workload.kind}")
    torch._dynamo.reset()
    return functools.partial(torch.compile(function, dynamic=False), *inputs.values())
