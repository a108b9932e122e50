# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each operator of the device check means, in PyTorch.

Each function takes the inputs by name (a dict of tensors) and the case's dims, and returns the outputs in order. Called with float64
tensors it is the truth: only the casts of docs/SpecLanguage.md round. Called with the tensors as they are stored it is the peer: what
PyTorch users run today (scaled_dot_product_attention, the norms of torch.nn.functional), on the same inputs."""

import math

import torch
import torch.nn.functional as F


def _wide(x):
    """At least f32, as norms and logarithms compute."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def matmul(t, _):
    return (t["A"] @ t["B"],)


def matmul_tn(t, _):
    return (t["A"].T @ t["B"],)


def matmul_nt(t, _):
    return (t["A"] @ t["B"].T,)


def matmul_tt(t, _):
    return (t["A"].T @ t["B"].T,)


def matmul_batched(t, _):
    return (torch.bmm(t["A"], t["W"].transpose(-1, -2)).to(torch.promote_types(t["A"].dtype, torch.float32)),)


def gelu_matmul(t, _):
    return (F.gelu(_wide(t["A"] @ t["B"] + t["C"])),)


def swiglu(t, _):
    return (_wide(F.silu(_wide(t["X"] @ t["U"])) * _wide(t["X"] @ t["V"])),)


def softmax_rows(t, _):
    return (torch.softmax(t["X"], -1),)


def logsumexp_rows(t, _):
    return (torch.logsumexp(_wide(t["X"]), -1),)


def matmul_fp8(t, _):
    a, b = (t[name].double() if t["a"].dtype == torch.float64 else t[name].float() for name in "AB")
    return ((a @ b.T) * t["a"][:, None] * t["b"][None, :],)


def reductions(t, sizes):
    x = _wide(t["X"])
    lowest = float("-inf")
    middle = x.amax(1) if sizes["B"] else x.new_full((sizes["A"], sizes["C"]), lowest)
    return (x.sum(0), middle, x.argmax(-1).to(torch.int32), x.sum())


def transpose(t, _):
    x = _wide(t["X"])
    return ((F.silu(x * t["scale"].to(x.dtype)[None, :, None]) + 0.5).clamp(min=0).mul(2).permute(2, 1, 0),)


def rope(t, _):
    x = _wide(t["X"])
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return (x * t["cosine"].to(x.dtype) + turned * t["sine"].to(x.dtype),)


def argmax_rows(t, _):
    return (torch.argmax(t["X"], -1).to(torch.int32),)


def variance_rows(t, _):
    x = _wide(t["X"])
    return (x.mean(-1), x.var(-1, correction=0))


def rmsnorm(t, _):
    x = _wide(t["X"])
    return (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * t["W"].to(x.dtype),)


def rmsnorm_matmul(t, _):
    return (rmsnorm(t, _)[0].to(t["U"].dtype) @ t["U"],)


def layernorm(t, _):
    x = _wide(t["X"])
    return (F.layer_norm(x, x.shape[-1:], t["W"].to(x.dtype), t["B"].to(x.dtype), 1e-5),)


def cross_entropy(t, _):
    logits = _wide(t["X"] @ t["W"].T)
    return (torch.logsumexp(logits, -1) - logits.gather(1, t["label"].long()[:, None])[:, 0],)


#  Attention: one function for the truth and the peer; a variant says how it changes the scores.


def _attention(t, change=None, lse=False, sink=None):
    q, k, v = t["Q"], t["K"], t["V"]
    group = q.shape[1] // max(k.shape[1], 1)
    m, n = q.shape[2], k.shape[2]
    i = torch.arange(m, device=q.device)[:, None]
    j = torch.arange(n, device=q.device)[None, :]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    plain = change is None and not lse and sink is None
    if plain and q.dtype != torch.float64 and q.numel():  # it gives nothing for an empty batch
        return (F.scaled_dot_product_attention(q, k, v),)
    scores = _wide(q @ k.transpose(-1, -2)) if q.dtype == torch.float64 else q.float() @ k.float().transpose(-1, -2)
    scores = scores / math.sqrt(q.shape[-1])
    if change is not None:
        scores = change(scores, i, j, m, n)
    if sink is not None:
        logits = sink.to(scores.dtype)[None, :, None, None].expand(*scores.shape[:3], 1)
        weights = torch.softmax(torch.cat([scores, logits], -1), -1)[..., :-1]
    else:
        weights = torch.softmax(scores, -1) if n else scores
    weights = torch.nan_to_num(weights, nan=0.0)  # rows without keys
    out = weights @ v.double() if q.dtype == torch.float64 else weights.to(v.dtype) @ v
    return (out, torch.logsumexp(scores, -1)) if lse else (out,)


def _hide(scores, where):
    return scores.masked_fill(where, float("-inf"))


def _causal(scores, i, j, m, n):
    return _hide(scores, j > i + (n - m))


def attention(t, _):
    return _attention(t)


def attention_causal_top_left(t, _):
    return _attention(t, lambda s, i, j, *_: _hide(s, j > i), lse=True)


def attention_causal_gqa(t, _):
    return _attention(t, _causal, lse=True)


def attention_alibi(t, _):
    slope = t["slopes"][None, :, None, None]
    return _attention(t, lambda s, i, j, m, n: _causal(s + slope.to(s.dtype) * (j - i - (n - m)), i, j, m, n))


def attention_bias_mask(t, _):
    return _attention(t, lambda s, *_: _hide(s + t["bias"].to(s.dtype)[None], ~t["keep"].bool()[:, None]))


def attention_sink(t, _):
    return _attention(t, _causal, sink=t["sink"])


def attention_softcap(t, _):
    return _attention(t, lambda s, i, j, m, n: _causal(50 * torch.tanh(s / 50), i, j, m, n))


def attention_window(t, _):
    return _attention(t, lambda s, i, j, m, n: _hide(s, (j > i + (n - m)) | (j <= i + (n - m) - 1024)))


#  Peers for timing, where the reference above isn't what a user would run.


def sdpa_timed(t, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
        return F.scaled_dot_product_attention(t["Q"], t["K"], t["V"], is_causal=causal, enable_gqa=True)


TIMED = {
    "attention": lambda t, _: sdpa_timed(t, causal=False),
    "attention_causal_gqa": lambda t, _: sdpa_timed(t, causal=True),  # the same function only where M == N
}
