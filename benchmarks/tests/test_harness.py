# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the harness that need no GPU: suites, counts of work, reports, compile variants. Run by `python3 -m unittest` in benchmarks."""

import json
import pathlib
import sys
import tempfile
import unittest

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "peers")]

import bundles  # noqa: E402
import handwritten_attention  # noqa: E402
import handwritten_kernels  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402


def named(suite, text):
    return next(workload for workload in workloads.SUITES[suite]() if workload.name.startswith(text))


class Suites(unittest.TestCase):
    def test_paper_has_every_model_batch_and_length(self):
        rows = list(workloads.paper())
        self.assertEqual(len(rows), 9 * 2 * 6)
        self.assertEqual(len({row.name for row in rows}), len(rows))
        self.assertEqual({row.size for row in rows}, {1 << n for n in range(10, 16)})
        glm = dict(named("paper", "GLM-4 B=8").dims)
        self.assertEqual((glm["B"], glm["G"], glm["R"]), (8, 2, 16))
        self.assertFalse(named("paper", "ViT d80").causal)

    def test_groups_of_query_heads(self):
        for name, groups, ratio in [("Qwen2 grouped", 4, 7), ("Qwen2 multi-head", 28, 1), ("Qwen3 grouped", 8, 4)]:
            dims = dict(named("paper", name).dims)
            self.assertEqual((dims["G"], dims["R"]), (groups, ratio))

    def test_every_file_exists(self):
        for suite in workloads.SUITES.values():
            for workload in suite():
                self.assertTrue(bundles.spec_text(workload), workload.name)
                for old, new in workload.replace:
                    self.assertIn(new, bundles.spec_text(workload))
                if workload.schedule:
                    self.assertTrue(bundles.schedule_path(workload).is_file(), workload.name)

    def test_every_suite_has_peers(self):
        for suite in workloads.SUITES:
            self.assertLessEqual(set(workloads.PEERS[suite]), set(peers.all_peers()))


class Work(unittest.TestCase):
    def test_attention(self):
        full = workloads._attention("s", "g", 2, 3, 3, 256, 80, causal=False)
        self.assertEqual(full.work(), 2 * 3 * (2 * 256 * 256 * 80) * 2)
        causal = workloads._attention("s", "g", 2, 32, 8, 256, 128, causal=True)
        self.assertEqual(causal.work(), 2 * 32 * (2 * 256 * 256 * 128))

    def test_products(self):
        self.assertEqual(named("gemm", "matmul M=1024,").work(), 2 * 1024**3)
        self.assertEqual(named("gemm", "swiglu M=4096").work(), 4 * 4096**3)

    def test_bytes(self):
        self.assertEqual(named("memory", "rmsnorm").work(), 2 * 8192 * 4096 * 2)
        self.assertTrue(named("memory", "softmax").is_memory_bound)


def row(group, size, times, ours=10.0):
    results = {"Nautilus": {"error": 3e-4, "ok": True, "warm": {"median": ours, "p20": ours * 0.9, "p80": ours * 1.1}}}
    for name, us in times.items():
        timed = {"warm": {"median": us, "p20": us, "p80": us}} if us else {}
        results[name] = {"error": 3e-4 if us else None, "ok": bool(us), **timed}
    record = {"suite": "s", "group": group, "kind": "attention", "size": size, "work": 5_000_000_000, "ours": ["Nautilus"]}
    return {"workload": f"{group} {size}", **record, "absent": {}, "results": results}


class Report(unittest.TestCase):
    rows = [row("a", 1024, {"x": 20.0, "y": 15.0, "hand-written": 5.0}), row("a", 2048, {"x": 5.0, "y": None})]

    def test_best_peer_is_the_fastest_right_one(self):
        self.assertEqual(report.best_ratio(self.rows[0], "Nautilus"), (1.5, "y"))
        self.assertEqual(report.best_ratio(self.rows[1], "Nautilus"), (0.5, "x"))

    def test_table(self):
        text = report.table(self.rows, "Nautilus")
        self.assertIn("| a 1024 | 500 | 250 | 333 | 1e+03 | 1.50 (y) | 3.0e-04 |", text)
        self.assertIn("wrong", text)

    def test_summary_is_geometric(self):
        self.assertIn("| x | 2 | 1.000 | 0.50 | 2.00 |", report.summary(self.rows, "Nautilus"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            failed = {"workload": "b", "failure": "out of memory"}
            results = {"environment": {"device": "Test"}, "rows": [*self.rows, failed]}
            report.write(json.loads(json.dumps(results)), pathlib.Path(folder), "Nautilus")
            self.assertIn("out of memory", (pathlib.Path(folder) / "failures.md").read_text())
            self.assertIn("# Suite s\n\ndevice Test.", (pathlib.Path(folder) / "s.md").read_text())
            if report.has_plots():
                self.assertIn("<svg", (pathlib.Path(folder) / "s.svg").read_text())

    def test_quantiles(self):
        times = measure.Times.of([5.0, 1.0, 2.0, 4.0, 3.0])
        self.assertEqual((times.p20, times.median, times.p80), (2.0, 3.0, 5.0))


class Variants(unittest.TestCase):
    pipeline = "builtin.module( a-b{x=1 y=2}, k.kernel( a ), a, m.kernel( a-b, c ) )"

    def test_remove_pass(self):
        without = bundles.remove_pass(self.pipeline, "a").replace(" ", "")
        self.assertEqual(without, "builtin.module(a-b{x=1y=2},m.kernel(a-b,c))")
        self.assertEqual(bundles.remove_pass("builtin.module(c, a)", "a"), "builtin.module(c)")

    def test_set_option(self):
        self.assertIn("a-b{y=2 x=7}", bundles.set_option(self.pipeline, "a-b", "x", "7"))
        self.assertIn("a-b{x=7}, c", bundles.set_option(self.pipeline, "a-b", "x", "7"))

    def test_changes_must_change_something(self):
        edits = bundles.Variant(edits=((r"by \d+", "by 64"),))
        self.assertEqual(bundles.change("tile by 128", edits), "tile by 64")
        with self.assertRaises(ValueError):
            bundles.change("tile 128", edits)
        with self.assertRaises(ValueError):
            bundles.change("transform.nautilus_scalar.fuse", bundles.Variant(cut="roll"))

    def test_script_up_to_first_roll(self):
        workload = next(workloads.ablation())
        script = bundles.schedule_path(workload).read_text()
        text = bundles.cut(script, "roll")
        self.assertIn('fuse %kernel "P.max"', text)
        self.assertNotIn("O.cast", text)
        self.assertEqual(text.count(".bind "), script.count(".bind "))
        self.assertNotIn("transform.nautilus_scalar", bundles.cut(script, "all"))
        self.assertIn("transform.yield", bundles.cut(script, "all"))

    def test_bundles_of_variants_differ(self):
        workload = next(workloads.ablation())
        paths = {bundles.bundle_path("d", workload, variant) for variant in (bundles.PLAIN, *workload.variants)}
        self.assertEqual(len(paths), 1 + len(workload.variants))


class FakeTorch:
    """Events on a clock that calls advance."""

    now = 0.0

    class cuda:
        @staticmethod
        def synchronize():
            pass

        class Event:
            def __init__(self, enable_timing):
                self.time = None

            def record(self):
                self.time = FakeTorch.now

            def elapsed_time(self, other):
                return other.time - self.time


class Peers(unittest.TestCase):
    def test_fastest_passes_over_what_fails(self):
        def build(config):
            if config == "too large":
                raise RuntimeError("shared memory")

            def call():
                FakeTorch.now += config
                return config

            return call

        self.assertEqual(peers.fastest(FakeTorch, build, [3, "too large", 1, 2])(), 1)
        with self.assertRaisesRegex(peers.Absent, "shared memory"):
            peers.fastest(FakeTorch, build, ["too large"])

    def test_peers_without_a_kernel_say_so(self):
        workload = named("memory", "softmax")
        for name in ("cuDNN", "Triton", "TileLang", "Mosaic GPU", "cuBLAS"):
            with self.assertRaises(peers.Absent):
                peers.all_peers()[name](None, workload, {})


class HandWritten(unittest.TestCase):
    def test_every_kernel_is_emitted(self):
        for name, options in handwritten_kernels.KERNELS.items():
            kernel = handwritten_attention.Attention(options)
            text = kernel.module(name)
            self.assertIn(f"define ptx_kernel void @{name}(", text)
            self.assertLessEqual(kernel.describe()["shared_bytes"], 232448)

    def test_kernels_of_the_launcher_exist(self):
        from peers import handwritten

        for (causal, dim), (name, *_) in handwritten.CHOICE.items():
            options = handwritten_kernels.KERNELS[name]
            self.assertEqual((options.causal, options.head_dim), (causal, dim))

    def test_causal_needs_square_tiles(self):
        with self.assertRaises(AssertionError):
            handwritten_attention.Attention(handwritten_kernels.Options(causal=True, consumers=3))


if __name__ == "__main__":
    unittest.main()
