# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nautilus is compared with. Each peer is a function of (torch, workload, inputs) that returns a call without arguments which gives
the output, or raises `Absent` with the reason why it cannot run here."""


class Absent(Exception):
    """The peer has no kernel for this workload, or isn't installed."""


def all_peers():
    """Name to maker, in the order of the tables."""
    from . import handwritten, libraries, triton_attention

    return {
        "cuDNN": libraries.cudnn_attention,
        "FlashAttention-2": libraries.flash_attention,
        "FlexAttention": libraries.flex_attention,
        "Triton": triton_attention.make,
        "hand-written": handwritten.make,
        "cuBLAS": libraries.cublas,
        "PyTorch": libraries.eager,
        "torch.compile": libraries.compiled,
    }
