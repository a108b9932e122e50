# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime on a real Hopper GPU with PyTorch; skipped elsewhere. The kernels are hand-written PTX (scale.ptx).

Set NAUTILUS_RUNTIME_LIBRARY to libnautilus_runtime.so and run
`python3 -m unittest tests.test_device` in the folder `python`.
"""

import pathlib
import time
import unittest

import nautilus

from .bundles import write_bundle


def _load_torch():
    """PyTorch if there is a device for this test, else None."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0) else None


def scale_bundle(factor):
    """O[M, N] = X[M, N] * factor in f32: by TMA where its rules hold, else strided loads. The general variant also clears
    a workspace, which it does not need."""
    program = [
        {"op": "dim", "id": 0, "name": "M"},
        {"op": "dim", "id": 1, "name": "N"},
        {"op": "address", "id": 2, "arg": "X"},
        {"op": "address", "id": 3, "arg": "O"},
        {"op": "stride", "id": 4, "arg": "X", "dim": 0},
        {"op": "stride", "id": 5, "arg": "X", "dim": 1},
        {"op": "mul", "id": 6, "a": 4, "b": {"const": 4}},
        {"op": "mod", "id": 7, "a": 2, "b": {"const": 16}},
        {"op": "mod", "id": 8, "a": 6, "b": {"const": 16}},
        {"op": "add", "id": 9, "a": 7, "b": 8},
        {"op": "eq", "id": 10, "a": 9, "b": {"const": 0}},
        {"op": "eq", "id": 11, "a": 5, "b": {"const": 1}},
        {"op": "and", "id": 12, "a": 10, "b": 11},
        {"op": "le", "id": 13, "a": 0, "b": {"const": 500000}},
        {"op": "and", "id": 14, "a": 12, "b": 13},
        {
            "op": "if",
            "cond": 14,
            "then": [
                {
                    "op": "tensor_map",
                    "id": 15,
                    "name": "X",
                    "address": 2,
                    "dtype": "f32",
                    "dims": [1, 0],
                    "strides": [6],
                    "box": [32, 8],
                    "swizzle": 0,
                    "l2": 128,
                },
                {"op": "ceildiv", "id": 16, "a": 1, "b": {"const": 32}},
                {"op": "ceildiv", "id": 17, "a": 0, "b": {"const": 8}},
                {"op": "launch", "kernel": 0, "grid": [16, 17], "args": [15, 3, 0, 1, {"f32": factor}]},
            ],
            "else": [
                {"op": "workspace", "id": 18, "bytes": {"const": 1000}},
                {"op": "memset", "address": 18, "bytes": {"const": 1000}, "byte": 255},
                {"op": "mul", "id": 19, "a": 0, "b": 1},
                {"op": "ceildiv", "id": 20, "a": 19, "b": {"const": 256}},
                {"op": "launch", "kernel": 1, "grid": [20], "args": [2, 3, 0, 1, 4, 5, {"f32": factor}]},
            ],
        },
    ]

    def kernel(name, kinds):
        return {
            "name": name,
            "module": "sm_90a",
            "threads": 256,
            "smem": 0,
            "params": [{"kind": kind} for kind in kinds.split()],
        }

    manifest = {
        "version": 1,
        "entry": "scale",
        "arch": "sm_90a",
        "dims": [{"name": "M", "size": -1}, {"name": "N", "size": -1}],
        "args": [
            {"name": "X", "dtype": "f32", "dims": [["M"], ["N"]]},
            {"name": "O", "dtype": "f32", "dims": [["M"], ["N"]], "out": True},
        ],
        "kernels": [
            kernel("scale_fast", "tensor_map ptr i32 i32 f32"),
            kernel("scale_general", "ptr ptr i64 i64 i64 i64 f32"),
        ],
        "program": program,
    }
    ptx = (pathlib.Path(__file__).parent / "scale.ptx").read_bytes()
    return write_bundle(manifest, [(2, "sm_90a", ptx)])


class DeviceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.torch = _load_torch()
        if cls.torch is None:
            raise unittest.SkipTest("needs PyTorch and a GPU of compute capability 9.0")
        cls.kernel = nautilus.load(scale_bundle(0.5))

    def check(self, x):
        self.assertTrue(self.torch.equal(self.kernel(x), x * 0.5), f"{tuple(x.shape)} {x.stride()}")

    def randn(self, *shape):
        return self.torch.randn(*shape, device="cuda")

    def test_sizes(self):
        for m, n in [(1, 1), (8, 32), (7, 33), (100, 64), (1000, 1004), (0, 5), (5, 0), (1, 4096), (600001, 4)]:
            self.check(self.randn(m, n))

    def test_strides(self):
        self.check(self.randn(64, 128).t())
        self.check(self.randn(64, 128)[:, 4:100])
        self.check(self.randn(64, 128)[:, 1:100])
        self.check(self.randn(64, 128)[::3, ::2])
        self.check(self.randn(1, 64).expand(9, 64))

    def test_stream_and_output(self):
        torch = self.torch
        stream = torch.cuda.Stream()
        x, out = self.randn(512, 512), torch.empty(512, 512, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            self.assertIs(self.kernel(x, out), out)
        stream.synchronize()
        self.assertTrue(torch.equal(out, x * 0.5))
        again = self.kernel(x, stream=stream)
        stream.synchronize()
        self.assertTrue(torch.equal(again, x * 0.5))

    def test_graph(self):
        torch = self.torch
        x = self.randn(256, 256)
        self.kernel(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.kernel(x)
        x.mul_(3)
        graph.replay()
        self.assertTrue(torch.equal(out, x * 0.5))

    def test_errors(self):
        with self.assertRaisesRegex(nautilus.ArgumentError, "expected dtype f32, got f16"):
            self.kernel(self.randn(4, 4).half())
        with self.assertRaisesRegex(nautilus.ArgumentError, "got one on the CPU"):
            self.kernel(self.torch.randn(4, 4), self.randn(4, 4))

    def test_overhead(self):
        x, out = self.randn(8, 32), self.randn(8, 32)
        for _ in range(100):
            self.kernel(x, out)
        self.torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(1000):
            self.kernel(x, out)
        each = (time.perf_counter() - start) * 1e3
        self.torch.cuda.synchronize()
        print(f"[{each:.1f} us per call from Python]", end=" ")
        self.assertLess(each, 100)


if __name__ == "__main__":
    unittest.main()
