# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each operator of the device check means, in PyTorch: once in float64 (the truth), once as users run it today (the peer).

Each function takes the inputs by name (a dict of tensors, already in the wanted type) and the case's dims; it returns the outputs in order.
The float64 reading rounds only where the spec has an explicit cast (docs/SpecLanguage.md, Numbers)."""

import math

import torch
import torch.nn.functional as F


def _rounded(value, like):
    """A factor computed in f32 whose partner is stored in a 16-bit float is rounded to that type, also in the truth."""
    return value.to(like.dtype).to(value.dtype) if like is not None and like.dtype in (torch.float16, torch.bfloat16) else value


def matmul(t, _):
    return (t["A"] @ t["B"],)


def matmul_nt(t, _):
    return (t["A"] @ t["B"].transpose(-1, -2),)


def matmul_tn(t, _):
    return (t["A"].transpose(-1, -2) @ t["B"],)


def matmul_tt(t, _):
    return (t["A"].transpose(-1, -2) @ t["B"].transpose(-1, -2),)


def softmax_rows(t, _):
    return (torch.softmax(t["X"], -1),)


def logsumexp_rows(t, _):
    return (torch.logsumexp(t["X"].to(torch.promote_types(t["X"].dtype, torch.float32)), -1),)


def rmsnorm(t, _, eps=1e-6):
    x = t["X"].to(torch.promote_types(t["X"].dtype, torch.float32))
    return ((x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * t["W"].to(x.dtype)),)


def layernorm(t, _, eps=1e-5):
    x = t["X"].to(torch.promote_types(t["X"].dtype, torch.float32))
    return (F.layer_norm(x, x.shape[-1:], t["W"].to(x.dtype), t["B"].to(x.dtype), eps),)


def _scores(t, dims):
    q, k = t["Q"], t["K"]
    group = q.shape[1] // k.shape[1]
    return q @ k.repeat_interleave(group, 1).transpose(-1, -2) / math.sqrt(q.shape[-1])


def _attend(t, scores):
    v = t["V"].repeat_interleave(t["Q"].shape[1] // t["V"].shape[1], 1)
    dead = torch.isinf(scores.amax(-1, keepdim=True)) if scores.shape[-1] else torch.ones_like(scores[..., :1], dtype=torch.bool)
    weights = torch.softmax(scores.float() if scores.dtype != torch.float64 else scores, -1)
    weights = torch.where(dead, torch.zeros_like(weights), weights)
    lse = torch.logsumexp(scores.float() if scores.dtype != torch.float64 else scores, -1)
    return weights.to(v.dtype) @ v, lse


def _positions(t):
    m, n = t["Q"].shape[2], t["K"].shape[2]
    i = torch.arange(m, device=t["Q"].device)[:, None]
    j = torch.arange(n, device=t["Q"].device)[None, :]
    return i, j, m, n


def attention(t, dims):
    return _attend(t, _scores(t, dims))


def attention_causal(t, dims):
    """Bottom-right alignment: the last query sees the last key."""
    i, j, m, n = _positions(t)
    return _attend(t, _scores(t, dims).masked_fill(j > i + (n - m), float("-inf")))


def attention_causal_top_left(t, dims):
    i, j, _, _ = _positions(t)
    return _attend(t, _scores(t, dims).masked_fill(j > i, float("-inf")))
