# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Children that speak, die, hang and complain at length."""

import json
import pathlib
import sys
import types
import unittest
from unittest import mock

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]

import children  # noqa: E402

PROGRAM = """
import json, sys, time
print("ENV " + json.dumps({"device": "Test"}), flush=True)
sys.stderr.write("warning " * 50000)
for name in sys.argv[1:]:
    if name == "crash":
        sys.exit("crashed here")
    if name == "hang":
        time.sleep(60)
    print("noise")
    print("ROW " + json.dumps({"workload": name}))
"""


def fake_command(options, work, *more):
    return [sys.executable, "-c", PROGRAM, *[name for name, _ in work]]


@mock.patch.object(children, "command", fake_command)
class Children(unittest.TestCase):
    def run_names(self, *names, timeout=20):
        shown = []
        options = types.SimpleNamespace(timeout=timeout, prepare=2)
        work = [(name, {}) for name in names]
        results = children.run_all(work, options, lambda results: shown.append(json.dumps(results["rows"][-1])))
        self.assertEqual(len(shown), len(results["rows"]))
        return results

    def test_every_row_arrives(self):
        results = self.run_names(*"abcdef")
        self.assertEqual([row["workload"] for row in results["rows"]], list("abcdef"))
        self.assertEqual(results["environment"], {"device": "Test"})

    def test_a_crash_costs_one_row(self):
        rows = self.run_names("a", "crash", "b")["rows"]
        self.assertEqual([row["workload"] for row in rows], ["a", "crash", "b"])
        self.assertIn("crashed here", rows[1]["failure"])

    def test_silence_costs_one_row(self):
        rows = self.run_names("hang", "b", timeout=2)["rows"]
        self.assertIn("failure", rows[0])
        self.assertEqual(rows[1], {"workload": "b"})

    def test_prepare_ends(self):
        children.prepare([("a", {}), ("crash", {}), ("b", {})], types.SimpleNamespace(timeout=20, prepare=2))


if __name__ == "__main__":
    unittest.main()
