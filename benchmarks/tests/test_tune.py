# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuner without a compiler or a GPU: candidates as scripts, the model's quality against hand counts, the report."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]

import bench  # noqa: E402
import tune  # noqa: E402

SCRIPT = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "C"["b"] by 1 : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["i"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["b"] : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["j"] by 64 : !transform.any_op
    transform.yield
  }
}
"""


class Candidates(unittest.TestCase):
    def test_tiles(self):
        self.assertEqual(tune.tiles(SCRIPT), [("C", "i", 128), ("C", "j", 64)])

    def test_settle(self):
        knob = '    %0 = transform.tune.knob<"C.i"> = 128 from options = [64, 128] -> !transform.any_param\n'
        text = SCRIPT.replace('"C"["i"] by 128 : !transform.any_op', '"C"["i"] by %0 : !transform.any_op, !transform.any_param')
        text = text.replace("    transform.nautilus_scalar.bind", knob + "    transform.nautilus_scalar.bind", 1)
        self.assertEqual(tune.settle(text), SCRIPT)
        self.assertEqual(tune.settle(text.replace("= 128 from", "= 128 : i64 from")), SCRIPT)

    def test_write(self):
        text = tune.write(SCRIPT, tune.Candidate((32, 256), "warps = 8"))
        self.assertEqual(tune.tiles(text), [("C", "i", 32), ("C", "j", 256)])
        self.assertIn('["b"] by 1 ', text)
        self.assertEqual(text.count('configure %kernel "C" <warps = 8>'), 1)
        self.assertLess(text.index("configure"), text.index("transform.yield"))

    def test_own_choice_comes_first_and_changes_nothing(self):
        found = tune.candidates(SCRIPT, 30)
        self.assertEqual(tune.write(SCRIPT, found[0]), SCRIPT)
        self.assertEqual(len(set(found)), 30)
        self.assertEqual(found, tune.candidates(SCRIPT, 30))

    def test_the_models_list(self):
        said = "lower bound 1.00 us\n    298.49 us  C.i=64 C.j=32 (warps 8, stages 2)\n    331.29 us  C.i=64 D.k=32\nmodule {\n"
        best = tune.ranked(SCRIPT, said)
        self.assertEqual(best, [tune.Candidate((64, 32), "warps = 8, stages = 2"), tune.Candidate((64, 64))])
        self.assertEqual(tune.candidates(SCRIPT, 8, best)[1:3], best)

    def test_merge(self):
        module = "module {\n  kernel @k {\n  }\n}\n"
        self.assertTrue(tune.merge(module, SCRIPT).startswith("module attributes {transform.with_named_sequence} {\n  kernel @k {"))
        self.assertEqual(tune.merge(module, SCRIPT).count("{"), tune.merge(module, SCRIPT).count("}"))


class Model(unittest.TestCase):
    def test_estimate(self):
        self.assertEqual(tune.parse_estimate("@k\nkernel us\nC 1.00\ntotal                    12.50\n"), 12.5)
        self.assertIsNone(tune.parse_estimate("total 0.00\nillegal: C: too many registers\n"))
        self.assertIsNone(tune.parse_estimate(""))

    def test_spearman(self):
        self.assertAlmostEqual(tune.spearman([1, 2, 3, 4], [10, 20, 30, 40]), 1)
        self.assertAlmostEqual(tune.spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1)
        self.assertAlmostEqual(tune.spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]), 0.8)
        self.assertIsNone(tune.spearman([1, 1, 1], [1, 2, 3]))

    def test_quality(self):
        found = tune.quality([(1, 12.0), (2, 10.0), (3, 20.0)])
        self.assertAlmostEqual(found["first"], 0.2)
        self.assertAlmostEqual(found["first 8"], 0.0)


class Winner(unittest.TestCase):
    def test_the_fastest_right_one_is_written(self):
        def entry(label, predicted):
            return {"workload": "w M=1", "label": label, "script": f"script {label}", "predicted": predicted, "bundle": label}

        def result(us, ok=True):
            return {"ok": ok, "warm": {"median": us}} if ok else {"ok": False}

        plan = [entry("a", 3.0), entry("b", 2.0), entry("c", 1.0), entry("d", 4.0)]
        results = {bench.OURS: result(30.0), "b": result(20.0), "c": result(0, ok=False), "d": result(40.0)}
        rows = {"rows": [{"workload": "w M=1", "results": results}]}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            tune.report(types.SimpleNamespace(folder=pathlib.Path(folder)), json.loads(json.dumps(plan)), rows)
            self.assertIn("script b", (pathlib.Path(folder) / "schedules" / "w-M-1.mlir").read_text())
        self.assertEqual(rows["rows"][0]["tuned"]["start us"], 30.0)
        self.assertAlmostEqual(rows["rows"][0]["tuned"]["model"]["spearman"], 1)


if __name__ == "__main__":
    unittest.main()
