#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plain measuring tuner: other tile sizes and launch options of a schedule, each compiled, checked and timed; the fastest is written down.

  tune.py --suite gemm --filter TEXT --folder DIR --compile-only     where the compiler is; then, on the machine with the GPU:
  tune.py --suite gemm --filter TEXT --folder DIR [--json FILE]

Start is what the compiler chooses, or the workload's file under examples/schedules (--written-schedules). With a compiler that can estimate, the
candidates it ranks best come first, and the report says how well it ranked: Spearman's correlation over the candidates, how far its first
choice is behind the fastest, and how far the best of its first eight is. Winners are written to DIR/schedules, one file per workload."""

import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import sys

import bench
import bundles
import children
import workloads

SIZES = (32, 64, 128, 192, 256)
LAUNCHES = ("", "warps = 4", "warps = 8", "warps = 12", "stages = 2", "stages = 3", "persistent", "persistent, order = longest_first")
TILE = re.compile(r'(nautilus_scalar\.tile %\w+ "([^"]+)"\["([^"]+)"\] by )(\d+)')
KNOB = re.compile(r"^ *(%\w+) = transform\.tune\.knob<[^>]*> = (\d+)(?: : i64)? from options .*\n", re.MULTILINE)
BY_KNOB = re.compile(r" by (%\w+) : !transform\.any_op, !transform\.any_param")
BIND = re.compile(r'nautilus_scalar\.bind (%\w+) "([^"]+)"\["')
RANKED = re.compile(r"^ *[\d.]+ us ((?: \S+=\d+)+)(.*)$", re.MULTILINE)
YIELD = re.compile(r"^ *transform\.yield", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Candidate:
    sizes: tuple  # of the tiles that are larger than 1, in the script's order
    launch: str = ""  # options of every launch, as configure writes them

    @property
    def label(self):
        return "x".join(map(str, self.sizes)) + (f" <{self.launch}>" if self.launch else "")


def tiles(script):
    """(statement, axis, size) of each tile step that is larger than 1."""
    return [(match[2], match[3], int(match[4])) for match in TILE.finditer(script) if int(match[4]) > 1]


def write(script, candidate):
    """The script with the candidate's sizes, and its launch options on every launch."""
    sizes = iter(candidate.sizes)
    script = TILE.sub(lambda match: match[1] + (str(next(sizes)) if int(match[4]) > 1 else match[4]), script)
    if not candidate.launch:
        return script
    launches = dict((match[2], match[1]) for match in BIND.finditer(script))
    steps = "".join(
        f'    transform.nautilus_scalar.configure {kernel} "{statement}" <{candidate.launch}> : !transform.any_op\n'
        for statement, kernel in launches.items()
    )
    return YIELD.sub(lambda match: steps + match[0], script, count=1)


def ranked(script, said):
    """The candidates that the cost model lists, best first, as --nautilus-scalar-print-cost=rank=N prints them."""
    found = []
    for sizes, launches in RANKED.findall(said):
        sizes = dict(re.findall(r"(\S+)=(\d+)", sizes))
        launches = re.findall(r"warps (\d+), stages (\d+)", launches)
        launch = "warps = {}, stages = {}".format(*launches[0]) if len(launches) == 1 else ""
        found.append(Candidate(tuple(int(sizes.get(f"{name}.{axis}", size)) for name, axis, size in tiles(script)), launch))
    return found


def candidates(script, count, best=(), launches=LAUNCHES):
    """The script's own choice first, then half from `best`, then its neighbours by one number, then others at random (always the same)."""
    own = Candidate(tuple(size for *_, size in tiles(script)))
    grid = [Candidate(sizes) for sizes in itertools.product(SIZES, repeat=len(own.sizes))]
    near = [c for c in grid if sum(a != b for a, b in zip(c.sizes, own.sizes)) == 1]
    near += [dataclasses.replace(own, launch=launch) for launch in launches]
    rest = [dataclasses.replace(c, launch=launch) for c in grid for launch in launches]
    random.Random(0).shuffle(rest)
    return list(dict.fromkeys([own, *best[: count // 2], *near, *rest]))[:count]


def parse_estimate(text):
    """Microseconds that --nautilus-scalar-print-cost names for all kernels together; None where it calls the schedule illegal."""
    total = re.search(r"^total +([\d.]+)", text, re.MULTILINE)
    return float(total[1]) if total and "illegal:" not in text else None


def estimate(compiler, workload, module, more=""):
    """What the cost model says of a module with a script; nothing if this compiler has none or it refuses."""
    extents = ",".join(f"{name}={size}" for name, size in workload.dims)
    try:
        said = compiler.run([compiler.opt, "-", f"--nautilus-scalar-print-cost=extents={extents}{more}"], module)
    except RuntimeError:
        return ""
    return said.stdout + said.stderr


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    for at, group in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        group = list(group)
        for _, index in group:
            found[index] = sum(position for position, _ in group) / len(group)
    return found


def spearman(a, b):
    """Correlation of the ranks; None where one side does not vary."""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    products = [sum((x - mean) * (y - mean) for x, y in zip(*pair)) for pair in ((a, b), (a, a), (b, b))]
    return products[0] / (products[1] * products[2]) ** 0.5 if products[1] and products[2] else None


def quality(points):
    """How well the model ranked (predicted, measured) points: correlation, and loss of its first choice and of its first eight."""
    points = sorted(points)
    best = min(measured for _, measured in points)
    loss = lambda count: min(measured for _, measured in points[:count]) / best - 1  # noqa: E731
    return {"points": len(points), "spearman": spearman(*zip(*points)), "first": loss(1), "first 8": loss(8)}


def settle(script):
    """The script with the selected values of its knobs as numbers."""
    sizes = {match[1]: match[2] for match in KNOB.finditer(script)}
    return BY_KNOB.sub(lambda match: f" by {sizes[match[1]]} : !transform.any_op", KNOB.sub("", script))


def start_script(compiler, workload):
    path = bundles.schedule_path(workload)
    if path:
        return settle(path.read_text())
    spec = bundles.spec_text(workload)
    text = compiler.run([compiler.nautilusc, "-", "--compile-to=scheduled"], spec).stdout
    sequence = text[text.index("transform.named_sequence") : text.rindex("}")]
    return settle(f"module attributes {{transform.with_named_sequence}} {{\n  {sequence}}}\n")


def compile_candidates(options, chosen):
    """Bundles and estimates of each workload's candidates, as plan.json keeps them."""
    compiler = bundles.Compiler(options.nautilusc)

    def make(workload, module, script, candidate):
        text = write(script, candidate)
        bundle, why = compiler.compile(workload, bundles.Variant(candidate.label, script=text), options.folder)
        entry = {"workload": workload.name, "label": candidate.label, "script": text}
        entry["predicted"] = parse_estimate(estimate(compiler, workload, merge(module, text)))
        return entry | {"bundle": bundle and bundle.name, "failure": why and why[:300]}

    jobs = []
    for workload in chosen:
        module = compiler.run([compiler.nautilusc, "-", "--compile-to=scalar"], bundles.spec_text(workload)).stdout
        script = start_script(compiler, workload)
        best = ranked(script, estimate(compiler, workload, merge(module, script), f" rank={options.candidates}"))
        jobs += [(workload, module, script, candidate) for candidate in candidates(script, options.candidates, best)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: make(*job), jobs))


def merge(module, script):
    """The module with the script's sequence in it."""
    sequence = script[script.index("transform.named_sequence") : script.rindex("}")]
    head, tail = module.rstrip().rsplit("}", 1)
    return head.replace("module {", "module attributes {transform.with_named_sequence} {", 1) + f"  {sequence}}}{tail}\n"


def measure(options, plan):
    """Rows of results; the first candidate of each workload, the script as it was, stands for ours."""
    work = {}
    for entry in plan:
        if entry["bundle"]:
            kernels = work.setdefault(entry["workload"], {})
            kernels[entry["label"] if kernels else bench.OURS] = str(options.folder / entry["bundle"])
    return children.run_all(list(work.items()), options, lambda results: bench.show(results, options.json))


def report(options, plan, results):
    """Winners to files; one line per workload."""
    (options.folder / "schedules").mkdir(exist_ok=True)
    for row in results["rows"]:
        if "failure" in row:
            continue
        mine = [entry for entry in plan if entry["workload"] == row["workload"] and entry["bundle"]]
        labels = [bench.OURS, *[entry["label"] for entry in mine[1:]]]
        timed = [(entry, row["results"][label]["warm"]["median"]) for entry, label in zip(mine, labels) if row["results"][label]["ok"]]
        if not timed:
            continue
        winner, least = min(timed, key=lambda pair: pair[1])
        name = re.sub(r"\W+", "-", row["workload"]).strip("-")
        (options.folder / "schedules" / f"{name}.mlir").write_text(f"// {winner['label']}: {least:.1f} us\n{winner['script']}")
        row["tuned"] = {"winner": winner["label"], "us": least, "start us": timed[0][1]}
        points = [(entry["predicted"], measured) for entry, measured in timed if entry["predicted"] is not None]
        if len(points) > 2:
            row["tuned"]["model"] = quality(points)
        print(f"{row['workload']}: {json.dumps(row['tuned'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=list(workloads.SUITES), default="gemm")
    parser.add_argument("--filter", default="", help="only workloads whose name has this text; several by |")
    parser.add_argument("--candidates", type=int, default=24, help="per workload")
    parser.add_argument("--written-schedules", action="store_true", help="start from those under examples/schedules, where there is one")
    parser.add_argument("--nautilusc", default=str(bundles.ROOT / "build" / "dev" / "bin" / "nautilusc"))
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for bundles, plan.json and winners")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--budget", type=float, default=6.0, help="seconds of timing per workload")
    parser.add_argument("--timeout", type=int, default=180, help="seconds that one workload may take")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    options.peers, options.protocols = [], ["warm"]
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "plan.json"
    if not file.exists():
        chosen = [w for w in workloads.SUITES[options.suite]() if any(text in w.name for text in options.filter.split("|"))]
        if not options.written_schedules:
            chosen = [dataclasses.replace(workload, schedule="") for workload in chosen]
        file.write_text(json.dumps(compile_candidates(options, chosen), indent=1) + "\n")
    plan = json.loads(file.read_text())
    failed = sum(entry["bundle"] is None for entry in plan)
    print(
        f"{len(plan) - failed} candidates compiled, {failed} not; {sum(entry['predicted'] is not None for entry in plan)} have an estimate"
    )
    if options.compile_only:
        return 0
    results = measure(options, plan)
    report(options, plan, results)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
