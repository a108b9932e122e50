# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package on the shared runtime. A fake driver stands in for libcuda.so.1, fake tensors for a framework's."""

import ctypes
import json
import pathlib
import re
import struct
import sys
import tempfile
import threading
import types
import unittest

import nautilus

from .bundles import scale_manifest, write_bundle


class FakeDriver:
    """The records of the fake libcuda.so.1."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        if not hasattr(self.library, "fake_reset"):
            raise unittest.SkipTest("a real CUDA driver is in the way of the fake one")
        self.library.fake_launch_kernel.restype = ctypes.c_char_p
        self.library.fake_launch_param.restype = ctypes.c_void_p
        self.library.fake_launch_stream.restype = ctypes.c_uint64
        self.library.fake_reset()
        for size in (8, 8, 4, 8):
            self.library.fake_add_param(b"scale_k0", size)

    def _read_param(self, launch, param, code):
        address = self.library.fake_launch_param(launch, param)
        return struct.unpack(code, ctypes.string_at(address, struct.calcsize(code)))[0]

    @property
    def launches(self):
        return [
            types.SimpleNamespace(
                kernel=self.library.fake_launch_kernel(i).decode(),
                grid=self.library.fake_launch_grid(i, 0),
                stream=self.library.fake_launch_stream(i),
                params=[self._read_param(i, p, code) for p, code in enumerate("QQiQ")],
            )
            for i in range(self.library.fake_num_launches())
        ]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class FakeArray:
    """A DLPack producer with an address of its own."""

    def __init__(self, shape, address, code=2, bits=16, device=2):
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._tensor = DLTensor(
            address, device, 0, len(shape), code, bits, 1, ctypes.addressof(self._shape), None, 0, None, None
        )
        self.stream = None

    def __dlpack_device__(self):
        return (self._tensor.device_type, 0)

    def __dlpack__(self, stream=None):
        self.stream = stream
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b"dltensor", None)


class FakeTorchTensor:
    """As much of torch.Tensor as the package may use."""

    next_address = 0x100000

    def __init__(self, shape, dtype="torch.float16", device="cuda"):
        self.shape, self.dtype = tuple(shape), dtype
        self.device = types.SimpleNamespace(type=device, index=0)
        self.is_cuda = device == "cuda"
        self.address = FakeTorchTensor.next_address
        FakeTorchTensor.next_address += 0x10000

    def data_ptr(self):
        return self.address

    def stride(self):
        strides, step = [], 1
        for extent in reversed(self.shape):
            strides.insert(0, step)
            step *= extent
        return tuple(strides)

    def __dlpack__(self, stream=None):
        raise AssertionError("PyTorch tensors are read directly")


def make_fake_torch(made):
    """A module `torch` whose empty() records what it makes."""
    torch = types.ModuleType("torch")
    torch.Tensor = FakeTorchTensor
    torch.float16, torch.uint8 = "torch.float16", "torch.uint8"
    current = [types.SimpleNamespace(cuda_stream=0x55)]

    class StreamContext:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            current.append(self.stream)

        def __exit__(self, *unused):
            current.pop()

    def empty(shape, dtype, device):
        shape = (shape,) if isinstance(shape, int) else shape
        tensor = FakeTorchTensor(shape, dtype)
        made.append((tensor, current[-1].cuda_stream))
        return tensor

    torch.empty = empty
    torch.cuda = types.SimpleNamespace(
        current_stream=lambda device: current[-1],
        stream=StreamContext,
        ExternalStream=lambda handle, device: types.SimpleNamespace(cuda_stream=handle),
    )
    return torch


class RuntimeTest(unittest.TestCase):
    def setUp(self):
        self.driver = FakeDriver()
        self.kernel = nautilus.load(write_bundle(scale_manifest()))
        self.x = FakeArray((6, 32), 0x1000)
        self.s = FakeArray((8,), 0x2000, bits=32)
        self.o = FakeArray((6, 32), 0x3000)

    def test_describes_itself(self):
        self.assertEqual(self.kernel.name, "scale")
        self.assertEqual(self.kernel.dims[1], nautilus.Dim("G", None, 8))
        self.assertEqual(self.kernel.args[0], nautilus.Arg("X", "f16", (("B",), ("G", "R")), False))
        self.assertEqual(self.kernel.kernels[0].threads, 128)
        self.assertEqual(repr(self.kernel), "<nautilus.Kernel scale(X: f16[B, G*R], S: f32[G]) -> (O: f16[B, G*R])>")
        self.assertEqual(self.kernel.infer_dims(self.x, self.s), {"B": 6, "G": 8, "R": 4})

    def test_dlpack_call(self):
        result = self.kernel(self.x, self.s, self.o)
        self.assertIs(result, self.o)
        (launch,) = self.driver.launches
        self.assertEqual((launch.kernel, launch.grid, launch.stream), ("scale_k0", 6, 0))
        self.assertEqual(launch.params, [0x1000, 0x3000, 4, 0])
        self.assertEqual(self.x.stream, 1, "DLPack's number of the default stream")

    def test_out_and_stream(self):
        self.assertIs(self.kernel(self.x, self.s, out=self.o, stream=0x77), self.o)
        self.kernel(self.x, self.s, self.o, stream=types.SimpleNamespace(cuda_stream=0x78))
        self.assertEqual([launch.stream for launch in self.driver.launches], [0x77, 0x78])
        self.assertEqual(self.x.stream, 0x78)
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected a CUDA stream"):
            self.kernel(self.x, self.s, self.o, stream="fast")

    def test_errors(self):
        with self.assertRaisesRegex(nautilus.ArgumentError, "argument 'S': expected dtype f32, got f16"):
            self.kernel(self.x, FakeArray((8,), 0x2000), self.o)
        with self.assertRaisesRegex(ValueError, r"dim 0 \(B\) is 5, expected 6"):
            self.kernel(self.x, self.s, FakeArray((5, 32), 0x3000))
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected a CUDA tensor, got one on the CPU"):
            self.kernel(FakeArray((6, 32), 0x1000, device=1), self.s, self.o)
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected a tensor .* got int"):
            self.kernel(3, self.s, self.o)
        with self.assertRaisesRegex(nautilus.ArgumentError, "give out="):
            self.kernel(self.x, self.s)
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected 3 arguments"):
            self.kernel(self.x)
        with self.assertRaisesRegex(nautilus.UnsupportedError, "B is 1001"):
            self.kernel(FakeArray((1001, 32), 0x1000), self.s, FakeArray((1001, 32), 0x3000))
        self.assertEqual(self.driver.launches, [])

    def test_launch_error(self):
        self.driver.library.fake_set_result(b"launchKernel", 719)
        with self.assertRaisesRegex(nautilus.LaunchError, r"'scale_k0' .* CUDA_ERROR_FAKE \(719\)"):
            self.kernel(self.x, self.s, self.o)

    def test_workspace(self):
        kernel = nautilus.load(write_bundle(scale_manifest(workspace=100)))
        with self.assertRaisesRegex(nautilus.ArgumentError, "needs a workspace of 768 bytes"):
            kernel(self.x, self.s, self.o)
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected a workspace of 768 bytes, got 767"):
            kernel(self.x, self.s, self.o, workspace=FakeArray((767,), 0x9000, 1, 8))
        kernel(self.x, self.s, self.o, workspace=FakeArray((384,), 0x9000))
        self.assertEqual(self.driver.launches[0].params[3], 0x9000)

    def test_files(self):
        with tempfile.NamedTemporaryFile(suffix=".naub") as file:
            file.write(write_bundle(scale_manifest()))
            file.flush()
            self.assertEqual(nautilus.load(file.name).digest, self.kernel.digest)
        with self.assertRaises(nautilus.DriverError):
            nautilus.load("/nonexistent.naub")
        with self.assertRaisesRegex(nautilus.ArgumentError, "truncated"):
            nautilus.load(write_bundle(scale_manifest())[:-1])

    def test_close(self):
        self.kernel(self.x, self.s, self.o)
        self.assertEqual(self.driver.library.fake_num_unloads(), 0)
        self.kernel.close()
        self.assertEqual(self.driver.library.fake_num_unloads(), 1)
        self.kernel.close()
        with self.assertRaisesRegex(nautilus.ArgumentError, "closed"):
            self.kernel(self.x, self.s, self.o)

    def test_threads(self):
        failures = []

        def work(extent):
            try:
                for _ in range(200):
                    x = FakeArray((extent, 32), 0x1000)
                    self.assertEqual(self.kernel.infer_dims(x, self.s)["B"], extent)
            except Exception as error:  # Reported by the main thread.
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i + 1,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class TorchTest(unittest.TestCase):
    def setUp(self):
        self.driver = FakeDriver()
        self.made = []
        sys.modules["torch"] = make_fake_torch(self.made)
        self.addCleanup(sys.modules.pop, "torch")
        self.x = FakeTorchTensor((6, 32))
        self.s = FakeTorchTensor((8,), "torch.float32")

    def test_output_and_stream(self):
        kernel = nautilus.load(write_bundle(scale_manifest()))
        result = kernel(self.x, self.s)
        self.assertEqual(result.shape, (6, 32))
        (launch,) = self.driver.launches
        self.assertEqual(launch.params[:2], [self.x.address, result.address])
        self.assertEqual(launch.stream, 0x55, "the current stream")

    def test_allocates_on_the_stream_of_the_launch(self):
        kernel = nautilus.load(write_bundle(scale_manifest(workspace=100)))
        result = kernel(self.x, self.s, stream=0x66)
        self.assertEqual([(tensor.shape, stream) for tensor, stream in self.made], [((6, 32), 0x66), ((768,), 0x66)])
        self.assertEqual(self.driver.launches[0].stream, 0x66)
        self.assertEqual(self.driver.launches[0].params[3], self.made[1][0].address)
        self.assertIs(result, self.made[0][0])

    def test_given_output(self):
        kernel = nautilus.load(write_bundle(scale_manifest()))
        out = FakeTorchTensor((6, 32))
        self.assertIs(kernel(self.x, self.s, out=out), out)
        self.assertEqual(self.made, [])

    def test_errors(self):
        kernel = nautilus.load(write_bundle(scale_manifest()))
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected dtype f16, got bf16"):
            kernel(FakeTorchTensor((6, 32), "torch.bfloat16"), self.s)
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected CUDA tensors"):
            kernel(FakeTorchTensor((6, 32), device="cpu"), FakeTorchTensor((8,), "torch.float32", "cpu"))


class DocumentTest(unittest.TestCase):
    def test_example(self):
        page = (pathlib.Path(__file__).parents[2] / "docs" / "BundleFormat.md").read_text()
        manifest, program = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        manifest = json.loads(manifest)
        manifest["program"] = json.loads(f"[{program}]")
        manifest["kernels"][0]["params"] = [{"kind": "tensor_map"}]
        general = {"kind": "ptr"}, {"kind": "i64"}, {"kind": "i64"}
        manifest["kernels"].append(dict(manifest["kernels"][0], name="matmul_k1", params=general))
        self.assertEqual(nautilus.load(write_bundle(manifest)).name, "matmul")


class ImportTest(unittest.TestCase):
    def test_no_framework_is_imported(self):
        self.assertNotIn("torch", sys.modules)
        self.assertNotIn("numpy", sys.modules)


if __name__ == "__main__":
    unittest.main()
