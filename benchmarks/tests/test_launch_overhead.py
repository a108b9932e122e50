# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch benchmark on the fake driver: it runs, and the runtime's own part is far below what a launch costs."""

import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless("NAUTILUS_LAUNCH_OVERHEAD" in os.environ, "run by ctest, which names the program")
class LaunchOverhead(unittest.TestCase):
    def run_program(self, *arguments):
        environment = {**os.environ, "LD_LIBRARY_PATH": os.environ["NAUTILUS_FAKE_CUDA"]}
        return subprocess.run([os.environ["NAUTILUS_LAUNCH_OVERHEAD"], *arguments], capture_output=True, text=True, env=environment)

    def test_host_part(self):
        spec = importlib.util.spec_from_file_location("bundles_of_tests", ROOT / "python" / "tests" / "bundles.py")
        writer = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(writer)
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder) / "scale.naub"
            bundle.write_bytes(writer.write_bundle(writer.scale_manifest()))
            result = self.run_program(str(bundle), "B=4,G=2,R=8")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLess(float(re.search(r"nautilus_run +([\d.]+) us", result.stdout)[1]), 100)
            missing = self.run_program(str(bundle), "B=4")
            self.assertIn("no size for G", missing.stderr)

    def test_no_such_file(self):
        self.assertEqual(self.run_program("absent.naub").returncode, 1)


if __name__ == "__main__":
    unittest.main()
