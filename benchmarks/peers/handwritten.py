# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hand-written attention kernels of handwritten_kernels.py: what the back end can reach when a person writes the loop.

Their cubins are built on the machine with LLVM (`python3 benchmarks/peers/handwritten_kernels.py DIR`) and found in the folder that the
environment variable NAUTILUS_HANDWRITTEN names. Launched through the driver with tensor maps of their own."""

import ctypes
import json
import math
import os
import pathlib

from . import Absent

# (causal, head dim) to kernel, persistent grid, and order of the tiles.
CHOICE = {
    (False, 64): ("full_d64", True, "natural"),
    (False, 80): ("full_d80", False, "natural"),
    (False, 96): ("full_d96", False, "natural"),
    (False, 128): ("full_d128", True, "natural"),
    (False, 192): ("full_d192", False, "natural"),
    (False, 256): ("full_d256", False, "natural"),
    (True, 64): ("causal_d64", True, "longest first"),
    (True, 80): ("causal_d80", True, "longest first"),
    (True, 96): ("causal_d96", True, "longest first"),
    (True, 128): ("causal_d128", True, "longest first"),
}
L2_SECTION_BYTES = 32 << 20
MULTIPROCESSORS = 132
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
FLOAT16, SWIZZLE_128B, PROMOTE_L2_128B = 6, 3, 2


def _check(result, what):
    if result:
        raise RuntimeError(f"{what}: CUDA driver error {result}")


def _tensor_map(driver, tensor, rows):
    """A map of (batch, head, row, dim) in slabs of 64 columns, and the memory that holds it."""
    batch, heads, length, dim = tensor.shape
    memory = ctypes.create_string_buffer(256)
    address = (ctypes.addressof(memory) + 63) & ~63
    u64, u32 = ctypes.c_uint64, ctypes.c_uint32
    if dim % 64:
        extents, strides, box = (dim, length, batch * heads), (dim * 2, length * dim * 2), (64, rows, 1)
    else:
        slabs = dim // 64
        extents, strides, box = (64, length, slabs, batch * heads), (dim * 2, 128, length * dim * 2), (64, rows, slabs, 1)
    rank = len(extents)
    result = driver.cuTensorMapEncodeTiled(
        ctypes.c_void_p(address),
        FLOAT16,
        rank,
        ctypes.c_void_p(tensor.data_ptr()),
        (u64 * rank)(*extents),
        (u64 * (rank - 1))(*strides),
        (u32 * rank)(*box),
        (u32 * rank)(*[1] * rank),
        0,
        SWIZZLE_128B,
        PROMOTE_L2_128B,
        0,
    )
    _check(result, "tensor map")
    return address, memory


def _section(heads_total, group, length, dim):
    """Heads whose keys and values fit the level-2 cache together."""
    section = 1
    while section * 2 <= max(1, L2_SECTION_BYTES // (length * dim * 4)):
        section *= 2
    section = min(section * group, heads_total)
    while heads_total % section:
        section -= 1
    return section


def make(torch, workload, inputs):
    folder = os.environ.get("NAUTILUS_HANDWRITTEN")
    if not folder:
        raise Absent("NAUTILUS_HANDWRITTEN names no folder with its kernels")
    q, k, v = inputs.get("Q"), inputs.get("K"), inputs.get("V")
    if workload.kind != "attention" or q.dtype != torch.float16 or (workload.causal, q.shape[3]) not in CHOICE:
        raise Absent("no such kernel")
    batch, heads, length, dim = q.shape
    name, persistent, order = CHOICE[workload.causal, dim]
    meta = json.loads((pathlib.Path(folder) / "index.json").read_text())[name]
    driver = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _check(driver.cuModuleLoadData(ctypes.byref(module), (pathlib.Path(folder) / f"{name}.cubin").read_bytes()), "load")
    _check(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), "function")
    _check(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, meta["shared_bytes"]), "shared memory")
    out = torch.empty_like(q)
    counter = torch.zeros(64, dtype=torch.int32, device="cuda")
    group = heads // k.shape[1]
    tiles = -(-length // meta["rows"])
    total = tiles * batch * heads
    longest_first = order == "longest first"
    section = _section(batch * heads, group, k.shape[2], dim) if longest_first else 1
    maps = [_tensor_map(driver, *pair) for pair in ((q, 64), (k, meta["keys"]), (v, meta["keys"]), (out, 64))]
    scale = math.log2(math.e) / math.sqrt(dim)
    i32, f32 = ctypes.c_int32, ctypes.c_float
    values = [i32(k.shape[2]), i32(tiles), i32(total), i32(section), i32(longest_first), i32(group), f32(scale), f32(-scale)]
    values.append(ctypes.c_uint64(counter.data_ptr()))
    parameters = (ctypes.c_void_p * 13)(*[address for address, _ in maps], *[ctypes.addressof(value) for value in values])
    grid = min(total, MULTIPROCESSORS) if persistent else total

    def call(keep=(maps, values, counter, module)):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _check(driver.cuLaunchKernel(function, grid, 1, 1, meta["threads"], 1, 1, meta["shared_bytes"], stream, parameters, None), "launch")
        return out

    return call
