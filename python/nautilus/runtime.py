# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads bundles and calls them: a thin layer over the C ABI of libnautilus_runtime.so."""

import contextlib
import ctypes
import dataclasses
import json
import os
import weakref

from .errors import ArgumentError
from .library import check, get_library
from .tensors import CUDA, Packer, describe, get_torch, is_torch, torch_dtype


@dataclasses.dataclass(frozen=True)
class Dim:
    """A named dim. `size` is None if it is dynamic, `hint` the size that the schedule was made for, or None."""

    name: str
    size: int | None
    hint: int | None


@dataclasses.dataclass(frozen=True)
class Arg:
    """An argument. `dims` has, per tensor dim, the names of the dims whose product is its extent."""

    name: str
    dtype: str
    dims: tuple[tuple[str, ...], ...]
    is_output: bool


@dataclasses.dataclass(frozen=True)
class KernelInfo:
    """A device kernel of a bundle. `registers` (per thread) is None if not recorded."""

    name: str
    threads: int
    shared_bytes: int
    cluster: tuple[int, int, int]
    registers: int | None


def _uses_workspace(program):
    return any(
        instruction["op"] == "workspace"
        or (
            instruction["op"] == "if"
            and (_uses_workspace(instruction["then"]) or _uses_workspace(instruction.get("else", ())))
        )
        for instruction in program
    )


def _stream_handle(stream):
    """An integer handle, or an object that has one as `cuda_stream` (PyTorch) or `ptr` (CuPy)."""
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr"):
        handle = getattr(stream, name, None)
        if isinstance(handle, int):
            return handle
    raise ArgumentError(f"expected a CUDA stream (handle or stream object), got {type(stream).__name__}")


class Kernel:
    """A loaded bundle. Call it with tensors; see `__call__`. May be used from several threads."""

    def __init__(self, library, handle):
        self._library = library
        self._handle = handle
        # Code that has run may still be running or be part of a CUDA graph: only close() unloads it.
        self._finalizer = weakref.finalize(self, library.nautilus_bundle_free, handle)
        self._finalizer.atexit = False
        self._packer = Packer()
        self.manifest = json.loads(library.nautilus_bundle_manifest(handle))
        self.digest = library.nautilus_bundle_digest(handle).decode()
        self.name = self.manifest["entry"]
        self.dims = tuple(
            Dim(d["name"], None if d["size"] < 0 else d["size"], None if d.get("hint", -1) < 0 else d["hint"])
            for d in self.manifest["dims"]
        )
        self.args = tuple(
            Arg(a["name"], a["dtype"], tuple(map(tuple, a["dims"])), a.get("out", False)) for a in self.manifest["args"]
        )
        self.kernels = tuple(
            KernelInfo(
                k["name"], k["threads"], k["smem"], tuple(k.get("cluster", (1, 1, 1))), k.get("registers") or None
            )
            for k in self.manifest["kernels"]
        )
        self.num_inputs = sum(not arg.is_output for arg in self.args)
        self._needs_workspace = _uses_workspace(self.manifest["program"])

    def __repr__(self):
        def show(arg):
            return f"{arg.name}: {arg.dtype}[{', '.join('*'.join(dim) or '1' for dim in arg.dims)}]"

        inputs = ", ".join(map(show, self.args[: self.num_inputs]))
        outputs = ", ".join(map(show, self.args[self.num_inputs :]))
        return f"<nautilus.Kernel {self.name}({inputs}) -> ({outputs})>"

    def close(self):
        """Waits for the devices on which the kernel ran and unloads its code. The object cannot be used afterwards."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._finalizer.detach()
            self._library.nautilus_bundle_free(handle)

    def infer_dims(self, *tensors):
        """The sizes of the named dims, as a dict, for the inputs (or all arguments). Any device will do."""
        return self._infer([describe(tensor, 1) for tensor in tensors])

    def __call__(self, *tensors, out=None, stream=None, workspace=None):
        """Launches on `stream` and returns the output, or a tuple of several.

        tensors: the inputs, or the inputs and the outputs; PyTorch tensors or any objects with `__dlpack__`, on one CUDA device.
        out: the outputs to write, if they are not among `tensors`; made by PyTorch if PyTorch tensors are given.
        stream: a handle or a stream object; by default PyTorch's current stream, else the default stream.
        workspace: a tensor for the kernel's scratch memory; made by PyTorch likewise.

        The first call on a device loads the code there, so make one before capturing a CUDA graph.
        Raises ArgumentError, UnsupportedError, DriverError or LaunchError; unless it is the last, nothing has been launched.
        """
        if self._handle is None:
            raise ArgumentError(f"'{self.name}' is closed")
        if out is not None:
            tensors += tuple(out) if isinstance(out, (tuple, list)) else (out,)
        torch_tensor = next((t for t in tensors if is_torch(t) and t.is_cuda), None)
        handle = self._get_stream(stream, torch_tensor)
        described = [describe(tensor, handle) for tensor in tensors]
        allocator = self._allocating_on(stream, handle, torch_tensor)
        if len(tensors) == self.num_inputs < len(self.args):
            with allocator():
                outputs = self._make_outputs(described, torch_tensor)
            described += [describe(tensor, handle) for tensor in outputs]
        else:
            outputs = tensors[self.num_inputs :]
        count = len(described)
        address = self._packer.pack(described)
        scratch = (0, 0, None)
        if self._needs_workspace:
            scratch = self._get_workspace(address, count, workspace, torch_tensor, allocator, handle)
        self._finalizer.detach()
        status = self._library.nautilus_run(self._handle, address, count, scratch[0], scratch[1], handle)
        check(self._library, status)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _get_stream(self, stream, torch_tensor):
        if stream is not None:
            return _stream_handle(stream)
        if torch_tensor is not None:
            return get_torch().cuda.current_stream(torch_tensor.device).cuda_stream
        return 0

    def _allocating_on(self, stream, handle, torch_tensor):
        """A context in which PyTorch allocates for the stream of the launch."""
        if stream is None or torch_tensor is None:
            return contextlib.nullcontext
        cuda = get_torch().cuda
        if handle == cuda.current_stream(torch_tensor.device).cuda_stream:
            return contextlib.nullcontext
        return lambda: cuda.stream(cuda.ExternalStream(handle, device=torch_tensor.device))

    def _infer(self, described):
        dims = (ctypes.c_int64 * max(len(self.dims), 1))()
        address = self._packer.pack(described)
        check(self._library, self._library.nautilus_infer_dims(self._handle, address, len(described), dims))
        return {dim.name: size for dim, size in zip(self.dims, dims)}

    def _make_outputs(self, inputs, torch_tensor):
        sizes = self._infer(inputs)
        if torch_tensor is None:
            on_cpu = any(tensor[1] != CUDA for tensor in inputs)
            raise ArgumentError(
                f"'{self.name}': expected CUDA tensors"
                if on_cpu
                else f"'{self.name}': outputs are made for PyTorch tensors only, give out="
            )
        outputs = []
        for arg in self.args[self.num_inputs :]:
            shape = []
            for factors in arg.dims:
                extent = 1
                for factor in factors:
                    extent *= sizes[factor]
                shape.append(extent)
            outputs.append(get_torch().empty(shape, dtype=torch_dtype(arg.dtype), device=torch_tensor.device))
        return tuple(outputs)

    def _get_workspace(self, address, count, workspace, torch_tensor, allocator, stream):
        """(address, bytes, object that keeps it alive) for a call."""
        size = ctypes.c_uint64()
        status = self._library.nautilus_workspace_bytes(self._handle, address, count, ctypes.byref(size))
        check(self._library, status)
        if size.value == 0:
            return 0, 0, None
        if workspace is None:
            if torch_tensor is None:
                raise ArgumentError(f"'{self.name}': needs a workspace of {size.value} bytes, give workspace=")
            torch = get_torch()
            with allocator():
                workspace = torch.empty(size.value, dtype=torch.uint8, device=torch_tensor.device)
        data, kind, _, _, bits, lanes, shape, _, offset, keep = describe(workspace, stream)
        if kind != CUDA:
            raise ArgumentError(f"'{self.name}': expected the workspace on a CUDA device")
        elements = 1
        for extent in shape:
            elements *= extent
        return data + offset, elements * bits * lanes // 8, keep


def load(source):
    """Loads a bundle from a path, or from bytes. Raises ArgumentError, UnsupportedError or DriverError."""
    library = get_library()
    handle = ctypes.c_void_p()
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        status = library.nautilus_bundle_load_memory(data, len(data), ctypes.byref(handle))
    else:
        status = library.nautilus_bundle_load(os.fsencode(source), ctypes.byref(handle))
    check(library, status)
    return Kernel(library, handle.value)
