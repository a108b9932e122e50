# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nautilus is compared with. Each peer is a function of (torch, workload, inputs) that returns a call without arguments which gives
the output, or raises `Absent` with the reason why it cannot run here."""


class Absent(Exception):
    """The peer has no kernel for this workload, or isn't installed."""


def fastest(torch, build, configs):
    """The fastest call of `build(config)` on this shape. Configurations that don't compile or run are passed over; none left is `Absent`."""
    best, least, failure = None, None, "no configuration"
    for config in configs:
        try:
            call = build(config)
            call()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            start.record()
            for _ in range(3):
                call()
            end.record()
            torch.cuda.synchronize()
        except Exception as error:  # too large a tile, say
            failure = f"{type(error).__name__}: {error}"
            continue
        if best is None or start.elapsed_time(end) < least:
            best, least = call, start.elapsed_time(end)
    if best is None:
        raise Absent(failure[:200])
    return best


def all_peers():
    """Name to maker, in the order of the tables."""
    from . import handwritten, libraries, mosaic_attention, tilelang_attention, triton_attention

    return {
        "cuDNN": libraries.cudnn_attention,
        "FlashAttention-2": libraries.flash_attention,
        "FlashAttention-3": libraries.flash_attention_3,
        "FlashAttention-4": libraries.flash_attention_4,
        "FlexAttention": libraries.flex_attention,
        "Triton": triton_attention.make,
        "TileLang": tilelang_attention.make,
        "Mosaic GPU": mosaic_attention.make,
        "hand-written": handwritten.make,
        "cuBLAS": libraries.cublas,
        "PyTorch": libraries.eager,
        "torch.compile": libraries.compiled,
    }
