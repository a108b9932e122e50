#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules that differ in their parameters alone, to judge the cost model by: what it estimates against what a GPU or ptxas says.

  cost_points.py --list
  cost_points.py --bundles DIR --compile-only [--nautilusc FILE]    compiles every point
  cost_points.py --bundles DIR --json FILE                          on the GPU: checks nothing, times each point; adds the estimates if the compiler is there
  cost_points.py --from-json FILE                                   rank correlation and regret per workload
  cost_points.py --registers --json FILE                            registers by the model and by ptxas, without a GPU
  cost_points.py --check-registers FILE                             the model of today against those of ptxas in FILE

Points of one workload are timed in one process, interleaved, on the same tensors."""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import bundles  # noqa: E402
from bundles import Variant  # noqa: E402
from workloads import Workload  # noqa: E402

HEAD = "module attributes {transform.with_named_sequence} {\n  transform.named_sequence @%s_schedule(%%kernel: !transform.any_op {transform.readonly}) {\n"
TAIL = "    transform.yield\n  }\n}\n"


def script(kernel, steps):
    """Schedule text of (op, rest of the line) pairs."""
    lines = [f"    transform.nautilus_scalar.{op} %kernel {rest} : !transform.any_op\n" for op, rest in steps]
    return HEAD % kernel + "".join(lines) + TAIL


def tiles(statement, grid, serial=()):
    """Steps that tile a statement's axes; those of `grid` are bound to blocks."""
    for axis, size in grid:
        yield "tile", f'"{statement}"["{axis}"] by {size}'
        yield "bind", f'"{statement}"["{axis}"]'
    for axis, size in serial:
        yield "tile", f'"{statement}"["{axis}"] by {size}'


def attention(name, spec, dims, rows, columns, dim=128, schedule=None):
    replace = (("D = 128, E = 128", f"D = {dim}, E = {dim}"),) if dim != 128 else ()
    causal = "causal" in spec
    workload = Workload("cost", name, "attention", dict(dims)["M"], spec, dims, replace, schedule or spec, causal)
    points = [
        Variant(f"i={i} j={j}", edits=((r'("S.0"\["i"\] by) \d+', rf"\1 {i}"), (r'("S.0"\["j"\] by) \d+', rf"\1 {j}")))
        for i, j in itertools.product(rows, columns)
    ]
    return workload, points


def products(name, spec, dims, kernel, statement, fused, sizes):
    workload = Workload("cost", name, "matmul", dict(dims)["M"], spec, dims)
    points = []
    for i, j, k in sizes:
        steps = [*tiles(statement, (("i", i), ("j", j)), (("k", k),))]
        steps += [("fuse", f'"{other}" into "{statement}"["j"]') for other in fused]
        points.append(Variant(f"i={i} j={j} k={k}", script=script(kernel, steps)))
    return workload, points


def rows(name, kind, spec, dims, reductions, maps, sizes):
    """Row reductions, each a kernel: rows of a block and columns per step; and the elementwise kernels."""
    workload = Workload("cost", name, kind, dict(dims)["M"], spec, dims)
    points = []
    for (i, j), (k, m) in sizes:
        steps = [step for s in reductions for step in tiles(s, (("i", i),), (("j", j),))]
        steps += [step for s in maps for step in tiles(s, (("i", k), ("j", m)))]
        points.append(Variant(f"reduce {i}x{j} map {k}x{m}", script=script(spec, steps)))
    return workload, points


def heads(batch, count, length):
    return (("B", batch), ("H", count), ("M", length), ("N", length))


def grouped(batch, groups, length):
    return (("B", batch), ("G", groups), ("R", 4), ("M", length), ("N", length))


def square(size, depth=None):
    return (("M", size), ("N", size), ("K", depth or size))


def all_points():
    """(workload, variants) pairs: at least 100 points over at least 8 workloads."""
    gemm = [(i, j, k) for i, j in ((64, 64), (64, 128), (128, 64), (128, 128), (64, 256), (128, 192), (128, 256), (256, 128), (256, 160)) for k in (32, 64)]
    row_sizes = [*itertools.product(((1, 1024), (2, 1024), (4, 1024), (8, 1024), (8, 256)), ((8, 128), (32, 128)))]
    return [
        attention("full d128", "attention", heads(1, 16, 4096), (64, 128), (32, 64, 96, 128, 160)),
        attention("full d128 long", "attention", heads(1, 16, 16384), (128, 192), (64, 80, 128, 160)),
        attention("full d128 short", "attention", heads(1, 8, 1024), (64, 128), (32, 64, 96, 128)),
        attention("full d64", "attention", heads(1, 16, 4096), (64, 128, 192), (64, 96, 128, 192), dim=64),
        attention("full d80", "attention", heads(1, 16, 4096), (64, 128, 192), (64, 96, 112), dim=80),
        attention("full d256", "attention", heads(1, 8, 4096), (64, 128), (32, 48, 64, 80), dim=256, schedule="attention_wide"),
        attention("causal d128", "attention_causal_gqa", grouped(1, 4, 4096), (64, 128), (32, 64, 96, 128)),
        attention("causal d64", "attention_causal_gqa", grouped(1, 4, 4096), (64, 128, 192), (64, 96, 128), dim=64),
        products("matmul 4096", "matmul", square(4096), "matmul", "C", ["C.cast"], gemm),
        products("matmul 1024", "matmul", square(1024, 4096), "matmul", "C", ["C.cast"], gemm),
        products("gelu 2048", "gelu_matmul", square(2048), "gelu_matmul", "T.0", ["T", "Y"], gemm),
        rows("softmax", "softmax", "softmax", (("M", 4096), ("N", 4096)), ["Y.max", "Y.sum"], ["Y.exp", "Y"], row_sizes),
        rows("rmsnorm", "rmsnorm", "rmsnorm", (("M", 8192), ("N", 4096)), ["Y.square"], ["Y"], row_sizes),
    ]


#===-- Estimates --------------------------------------------------------------===#


class Model:
    """The cost model, by way of nautilus-opt."""

    def __init__(self, nautilusc):
        self.compiler = bundles.Compiler(nautilusc)
        self.scalar = {}

    def estimate(self, workload, variant, directory):
        """(microseconds, registers of the last kernel, text); raises RuntimeError where the model says that there is none."""
        if workload.build not in self.scalar:
            spec = pathlib.Path(directory) / "spec.naut"
            spec.write_text(bundles.spec_text(workload))
            self.scalar[workload.build] = self.compiler.run([self.compiler.nautilusc, str(spec), "--compile-to=scalar"]).stdout
        schedule = pathlib.Path(directory) / "schedule.mlir"
        schedule.write_text(schedule_text(workload, variant))
        extents = ",".join(f"{k}={v}" for k, v in workload.dims)
        passes = f"builtin.module(nautilus-scalar-print-cost{{schedule={schedule} extents={extents}}})"
        text = self.compiler.run([self.compiler.opt, "-", f"--pass-pipeline={passes}", "-o", "/dev/null"], self.scalar[workload.build]).stdout
        total = re.search(r"^total +([\d.]+)", text, re.MULTILINE)
        last = text.strip().splitlines()[-2].split()
        return (float(total[1]) if total else None), int(last[7]) if total else None, text


def schedule_text(workload, variant):
    path = bundles.schedule_path(workload)
    return bundles.change(variant.script or path.read_text(), variant)


def estimate_all(nautilusc, wanted):
    """Label to estimate, by workload name."""
    model, result = Model(nautilusc), {}
    with tempfile.TemporaryDirectory() as directory:
        for workload, variants in wanted:
            for variant in variants:
                result.setdefault(workload.group, {})[variant.label] = model.estimate(workload, variant, directory)[0]
    return result


#===-- Registers --------------------------------------------------------------===#

# What hides a kernel's need from ptxas's report: the launch's bounds and the later split.
HIDING = r"^\s*(?:\.(?:maxntid|reqntid|minnctapersm|maxnreg)\b.*|setmaxnreg\..*;)$"


def registers_by_ptxas(ptxas, arch, ptx, directory):
    """Registers that the last kernel would use if it had as many as it likes, and bytes that it spills."""
    source = pathlib.Path(directory) / "kernel.ptx"
    source.write_text(re.sub(HIDING, "", ptx, flags=re.MULTILINE))
    entry = [name for name in re.findall(r"^\.visible \.entry (\w+)", ptx, re.MULTILINE) if not name.endswith("_general")][-1]
    said = subprocess.run([ptxas, f"-arch={arch}", "-v", "--entry", entry, "-o", os.devnull, str(source)], capture_output=True, text=True, timeout=300)
    if said.returncode:
        raise RuntimeError(said.stderr[-300:])
    return int(re.search(r"Used (\d+) registers", said.stderr)[1]), int(re.search(r"(\d+) bytes spill stores", said.stderr)[1])


def register_rows(nautilusc, ptxas, wanted):
    model = Model(nautilusc)

    def row(pair):
        workload, variant = pair
        with tempfile.TemporaryDirectory() as directory:
            _, registers, _ = Model(nautilusc).estimate(workload, variant, directory)
            if registers is None:
                return None
            spec, schedule = pathlib.Path(directory) / "spec.naut", pathlib.Path(directory) / "schedule.mlir"
            spec.write_text(bundles.spec_text(workload))
            schedule.write_text(schedule_text(workload, variant))
            ptx = model.compiler.run([model.compiler.nautilusc, str(spec), f"--schedule={schedule}", "--compile-to=ptx"]).stdout
            used, spilled = registers_by_ptxas(ptxas, "sm_90a", ptx, directory)
            return {"workload": workload.group, "point": variant.label, "model": registers, "ptxas": used, "spilled": spilled}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [r for r in pool.map(row, [(w, v) for w, variants in wanted for v in variants]) if r]


#===-- Ranks ------------------------------------------------------------------===#


def ranks(values):
    """Ranks from 0; equal values share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        members = list(group)
        for _, index in members:
            result[index] = sum(place for place, _ in members) / len(members)
    return result


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    covariance = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    spread = (sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y)) ** 0.5
    return covariance / spread if spread else 0.0


def report(rows):
    """One line per workload: correlation, what the model's first choice costs against the best point, whether the best is among its first three."""
    lines = ["| Workload | Points | Spearman | First choice / best | Best of first 3 / best | Estimate / time |", "|---|---:|---:|---:|---:|---:|"]
    for group in dict.fromkeys(row["workload"] for row in rows):
        here = [row for row in rows if row["workload"] == group and row.get("us") and row.get("estimate")]
        if len(here) < 3:
            continue
        by_model = sorted(here, key=lambda row: row["estimate"])
        best = min(row["us"] for row in here)
        ratio = sorted(row["estimate"] / row["us"] for row in here)[len(here) // 2]
        top = min(row["us"] for row in by_model[:3])
        lines.append(f"| {group} | {len(here)} | {spearman([r['estimate'] for r in here], [r['us'] for r in here]):.2f} | {by_model[0]['us'] / best:.2f} | {top / best:.2f} | {ratio:.2f} |")
    return "\n".join(lines)


#===-- On the GPU -------------------------------------------------------------===#


def time_workload(torch, workload, built):
    """Label to microseconds."""
    import measure
    import nautilus
    from bench import make_inputs

    kernels = {label: nautilus.load(str(bundle)) for label, bundle in built.items()}
    inputs, outputs = make_inputs(torch, next(iter(kernels.values())), workload)

    def call_of(kernel):
        return lambda: kernel(*inputs.values(), out=outputs)

    times = measure.side_by_side(torch, {label: call_of(kernel) for label, kernel in kernels.items()}, rounds=7, budget_s=20)
    return {label: t.median for label, t in times.items()}


def run(options, wanted):
    pairs = [(w, v) for w, variants in wanted for v in variants]
    with tempfile.TemporaryDirectory() as scratch:
        built = bundles.compile_all(options.nautilusc, pairs, options.bundles or scratch)
        failed = [(w, v, why) for w, v in pairs for bundle, why in [built[w.build, v]] if not bundle]
        for workload, variant, why in failed:
            print(f"no kernel: {workload.group} {variant.label}: {why.splitlines()[0] if why else ''}")
        print(f"{len(pairs) - len(failed)} of {len(pairs)} points compiled")
        if options.compile_only:
            return []
        import torch

        has_model = pathlib.Path(options.nautilusc).exists()
        estimates = json.loads(pathlib.Path(options.estimates).read_text()) if options.estimates else estimate_all(options.nautilusc, wanted) if has_model else {}
        rows = []
        for workload, variants in wanted:
            bundles_of = {v.label: built[workload.build, v][0] for v in variants if built[workload.build, v][0]}
            for label, us in time_workload(torch, workload, bundles_of).items():
                rows.append({"workload": workload.group, "point": label, "us": us, "estimate": estimates.get(workload.group, {}).get(label)})
                print(f"{workload.group:<20} {label:<28} {us:10.1f} us, estimate {rows[-1]['estimate'] or float('nan'):10.1f}", flush=True)
        return rows


def check_registers(options, wanted):
    """Whether today's estimates still rank as ptxas's registers in the file do; every fourth point, for time."""
    known = {(row["workload"], row["point"]): row["ptxas"] for row in json.loads(pathlib.Path(options.check_registers).read_text())[::4]}
    model, pairs = Model(options.nautilusc), []
    with tempfile.TemporaryDirectory() as directory:
        for workload, variants in wanted:
            for variant in variants:
                if (workload.group, variant.label) in known:
                    registers = model.estimate(workload, variant, directory)[1]
                    if registers is not None:
                        pairs.append((registers, known[workload.group, variant.label]))
    correlation = spearman(*zip(*pairs))
    print(f"{len(pairs)} points, rank correlation {correlation:.3f}")
    return 0 if correlation >= options.least else 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nautilusc", default=str(ROOT / "build" / "dev" / "bin" / "nautilusc"))
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--filter", default="", help="workloads whose name has this text")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--estimate", action="store_true", help="print or write the estimates alone")
    parser.add_argument("--estimates", help="file that --estimate wrote, for a machine without the compiler")
    parser.add_argument("--bundles", help="keep bundles in this directory, and use those that are there")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--registers", action="store_true")
    parser.add_argument("--check-registers")
    parser.add_argument("--least", type=float, default=0.9, help="rank correlation that --check-registers asks for")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--from-json")
    return parser.parse_args()


def main():
    options = parse()
    wanted = [pair for pair in all_points() if options.filter in pair[0].group]
    if options.list:
        for workload, variants in wanted:
            print(f"{workload.name}: {', '.join(v.label for v in variants)}")
        print(f"{sum(len(variants) for _, variants in wanted)} points, {len(wanted)} workloads")
        return 0
    if options.check_registers:
        return check_registers(options, wanted)
    if options.from_json:
        print(report(json.loads(pathlib.Path(options.from_json).read_text())))
        return 0
    if options.estimate:
        result = estimate_all(options.nautilusc, wanted)
        print(json.dumps(result, indent=1)) if not options.json else pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
        return 0
    if options.registers:
        rows = register_rows(options.nautilusc, options.ptxas, wanted)
        for row in rows:
            print(f"{row['workload']:<20} {row['point']:<28} model {row['model']:4} ptxas {row['ptxas']:4} spilled {row['spilled']}")
        print(f"{len(rows)} points, rank correlation {spearman([r['model'] for r in rows], [r['ptxas'] for r in rows]):.3f}")
    else:
        rows = run(options, wanted)
        print(report(rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
