# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of any framework as the C ABI's NautilusTensor (DLPack's DLTensor), without importing a framework.

A described tensor is a tuple (data, device_type, device_id, code, bits, lanes, shape, strides, byte_offset, keep):
DLPack's fields, strides in elements or None, and an object that keeps the memory alive.
"""

import ctypes
import struct
import sys
import threading

from .errors import ArgumentError

CPU, CUDA = 1, 2

_TORCH_TYPES = {
    "float16": (2, 16),
    "bfloat16": (4, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "float8_e4m3fn": (10, 8),
    "float8_e5m2": (12, 8),
    "int8": (0, 8),
    "int16": (0, 16),
    "int32": (0, 32),
    "int64": (0, 64),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "bool": (6, 8),
}
_TORCH_NAMES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "bool": "bool",
}
_torch_codes = {}

_GetPointer = ctypes.pythonapi.PyCapsule_GetPointer
_GetPointer.restype = ctypes.c_void_p
_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

# data, device type and id, ndim, code, bits, lanes, shape, strides, byte offset.
_TENSOR = struct.Struct("=QiiiBBHQQQ")


def get_torch():
    """PyTorch if the program has imported it, else None."""
    return sys.modules.get("torch")


def is_torch(tensor):
    torch = get_torch()
    return torch is not None and isinstance(tensor, torch.Tensor)


def torch_dtype(name):
    """PyTorch's type for a manifest's dtype."""
    return getattr(get_torch(), _TORCH_NAMES[name])


def _describe_torch(tensor):
    codes = _torch_codes.get(tensor.dtype)
    if codes is None:
        codes = _TORCH_TYPES.get(str(tensor.dtype).removeprefix("torch."), (3, 0))
        _torch_codes[tensor.dtype] = codes
    device = tensor.device
    kind = CUDA if device.type == "cuda" else CPU if device.type == "cpu" else 0
    return (
        tensor.data_ptr(),
        kind,
        device.index or 0,
        codes[0],
        codes[1],
        1,
        tuple(tensor.shape),
        tensor.stride(),
        0,
        tensor,
    )


def _describe_dlpack(tensor, stream):
    kind, _ = tensor.__dlpack_device__()
    # DLPack's numbers for streams: 1 is CUDA's legacy default stream; 0 is ambiguous and not allowed.
    capsule = tensor.__dlpack__(stream=stream or 1) if kind == CUDA else tensor.__dlpack__()
    address = _GetPointer(capsule, b"dltensor")
    fields = _TENSOR.unpack(ctypes.string_at(address, _TENSOR.size))
    data, kind, device, ndim, code, bits, lanes, shape, strides, offset = fields

    def read(pointer):
        return tuple((ctypes.c_int64 * ndim).from_address(pointer)) if pointer and ndim else ()

    return (
        data,
        kind,
        device,
        code,
        bits,
        lanes,
        read(shape),
        read(strides) if strides else None,
        offset,
        (tensor, capsule),
    )


def describe(tensor, stream):
    """Describes a PyTorch tensor or any other object with `__dlpack__`."""
    if is_torch(tensor):
        return _describe_torch(tensor)
    if not hasattr(tensor, "__dlpack__"):
        raise ArgumentError(f"expected a tensor (an object with __dlpack__), got {type(tensor).__name__}")
    return _describe_dlpack(tensor, stream)


class _Layout:
    """One block of memory for the tensors of a call with these ranks: pointers, tensors, shapes, strides."""

    def __init__(self, ranks):
        count = len(ranks)
        words = sum(2 * rank for rank in ranks)
        self.struct = struct.Struct("=" + "Q" * count + "QiiiBBHQQQ" * count + "q" * words)
        self.buffer = ctypes.create_string_buffer(max(self.struct.size, 1))
        self.address = ctypes.addressof(self.buffer)
        tensors = self.address + 8 * count
        self.pointers = [tensors + _TENSOR.size * i for i in range(count)]
        self.shapes = []
        at = tensors + _TENSOR.size * count
        for rank in ranks:
            self.shapes.append((at, at + 8 * rank))
            at += 16 * rank


class Packer:
    """Lays described tensors out for the C ABI; keeps one block per thread and list of ranks."""

    def __init__(self):
        self._local = threading.local()

    def pack(self, described):
        """The address of an array of pointers to tensors, valid until this thread's next pack."""
        ranks = tuple([len(tensor[6]) for tensor in described])
        layouts = self._local.__dict__
        layout = layouts.get(ranks)
        if layout is None:
            layout = layouts[ranks] = _Layout(ranks)
        fields = list(layout.pointers)
        tail = []
        for (data, kind, device, code, bits, lanes, shape, strides, offset, _), (at, strides_at) in zip(
            described, layout.shapes
        ):
            if strides is None:
                strides, strides_at = shape, 0
            fields += (data, kind, device, len(shape), code, bits, lanes, at, strides_at, offset)
            tail += shape
            tail += strides
        layout.struct.pack_into(layout.buffer, 0, *fields, *tail)
        return layout.address
