#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times Nautilus beside its peers on a GPU machine with PyTorch, and draws the results.

  bench.py --suite paper|hand-written|gemm|memory|ablation [--filter TEXT] [--nautilusc FILE] [--json FILE] [--report DIR]
  bench.py --suite … --bundles DIR --compile-only    on the machine with the compiler; then, on the one with the GPU:
  bench.py --suite … --bundles DIR --json FILE
  bench.py --from-json FILE --report DIR             tables and plots of earlier results

Each workload runs in a child process under a timeout. Every competitor is checked against sampled rows in float64 before and after its
timing, its output poisoned with NaN each time; one that is wrong is reported, not timed. How times are taken: measure.py."""

import argparse
import dataclasses
import datetime
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import bundles  # noqa: E402
import children  # noqa: E402
import workloads  # noqa: E402

OURS = "Nautilus"
TOLERANCE = 1e-2  # relative error that only a wrong kernel exceeds; the errors themselves are in the results


def make_inputs(torch, kernel, workload):
    from nautilus.tensors import torch_dtype

    torch.manual_seed(zlib.crc32(workload.name.encode()))
    sizes = {d.name: d.size for d in kernel.dims if d.size is not None} | dict(workload.dims)
    tensors = {}
    for arg in kernel.args:
        shape = [workloads.math.prod(sizes[factor] for factor in factors) for factors in arg.dims]
        dtype = torch_dtype(arg.dtype)
        make = torch.empty if arg.is_output else torch.randn
        tensors[arg.name] = make(shape, device="cuda", dtype=dtype)
    split = kernel.num_inputs
    items = list(tensors.items())
    return dict(items[:split]), [tensor for _, tensor in items[split:]]


def check(torch, workload, call, outputs, rows, truth):
    """The relative error of the sampled rows; None if the output has NaN left."""
    for output in outputs:
        output.fill_(float("nan"))
    result = call()
    result = outputs[0] if result is None else result[0] if isinstance(result, tuple) else result
    torch.cuda.synchronize()
    got = workloads.take_rows(workload, result, rows).double()
    if torch.isnan(got).any():
        return None
    return ((got - truth).norm() / truth.norm()).item()


def competitors(torch, workload, kernels, inputs, outputs, chosen):
    """Name to call, and name to reason for the peers that can't run this. `kernels`: ours, by name."""
    import peers

    def launch(kernel):
        return lambda: kernel(*inputs.values(), out=outputs)

    found, absent = {name: launch(kernel) for name, kernel in kernels.items()}, {}
    for name, make in peers.all_peers().items():
        if name not in chosen:
            continue
        try:
            found[name] = make(torch, workload, inputs)
            found[name]()
            torch.cuda.synchronize()
        except peers.Absent as reason:
            absent[name] = str(reason)
            found.pop(name, None)
        except Exception as failure:  # a peer that cannot run this is not our failure
            absent[name] = f"{type(failure).__name__}: {failure}"[:200]
            found.pop(name, None)
    return found, absent


def run_workload(torch, workload, built, chosen, protocols, budget):
    """A row of the results. `built`: bundle of each of our kernels, by name."""
    import nautilus
    from measure import side_by_side

    kernels = {name: nautilus.load(bundle) for name, bundle in built.items()}
    inputs, outputs = make_inputs(torch, next(iter(kernels.values())), workload)
    length = outputs[0].shape[2 if workload.kind == "attention" else 0]
    rows = torch.arange(length, device="cuda") if length <= 32 else torch.randint(0, length, (32,), device="cuda")
    truth = workloads.sample(torch, workload, inputs, rows)
    calls, absent = competitors(torch, workload, kernels, inputs, outputs, chosen)
    row = {"workload": workload.name, **workload.record(), "work": workload.work(), "ours": list(kernels), "absent": absent, "results": {}}
    errors = {name: check(torch, workload, call, outputs, rows, truth) for name, call in calls.items()}
    right = {name: call for name, call in calls.items() if errors[name] is not None and errors[name] < TOLERANCE}
    times = {protocol: side_by_side(torch, right, protocol, budget_s=budget) for protocol in protocols}
    for name, call in calls.items():
        result = {"error": errors[name], "ok": name in right}
        if name in right:
            after = check(torch, workload, call, outputs, rows, truth)
            result["ok"] = after == errors[name] or (after is not None and after < TOLERANCE)
            result.update({protocol: dataclasses.asdict(times[protocol][name]) for protocol in protocols})
        row["results"][name] = result
    return row


def environment(torch):
    """What the figures depend on besides the code."""

    def version(package):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return None

    query = ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm,power.limit", "--format=csv,noheader"]
    driver, clock, power = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()[0].split(", ")
    found = {"date": datetime.date.today().isoformat(), "device": torch.cuda.get_device_name(), "driver": driver}
    found |= {"clock limit": clock, "power limit": power, "CUDA": torch.version.cuda, "cuDNN": torch.backends.cudnn.version()}
    return found | {package: version(package) for package in ("torch", "triton", "jax", "tilelang")}


def child(options):
    import torch

    print("ENV " + json.dumps(environment(torch)), flush=True)
    torch.backends.cuda.matmul.allow_tf32 = False
    by_name = {workload.name: workload for workload in choose(options)}
    for name, built in json.loads(options.child):
        try:
            protocols = [] if options.no_timing else options.protocols
            row = run_workload(torch, by_name[name], built, options.peers, protocols, options.budget)
        except Exception as failure:  # the table shows it
            row = {"workload": name, "failure": f"{type(failure).__name__}: {failure}"[:300]}
        torch.cuda.empty_cache()
        print("ROW " + json.dumps(row), flush=True)


def show(results, path):
    """Prints the last row and saves all of them: a run that is cut short keeps what it has."""
    print_row(results["rows"][-1])
    if path:
        pathlib.Path(path).write_text(json.dumps(results, indent=1) + "\n")


def print_row(row):
    if "failure" in row:
        print(f"FAIL {row['workload']}: {row['failure']}", flush=True)
        return
    ours = row["results"][OURS]
    shown = []
    for name, result in row["results"].items():
        if "warm" not in result:
            shown.append(f"{name} WRONG ({result['error']})")
            continue
        rate = row["work"] / result["warm"]["median"] / 1e6  # TFLOP/s or TB/s
        ratio = f" {result['warm']['median'] / ours['warm']['median']:.2f}x" if name != OURS and "warm" in ours else ""
        shown.append(f"{name} {rate:.3g}{ratio}")
    print(f"{row['workload']:<44} " + ", ".join(shown), flush=True)


def choose(options):
    """The workloads that the command line names."""
    chosen = [w for w in workloads.SUITES[options.suite]() if any(text in w.name for text in options.filter.split("|"))]
    if options.sizes:
        chosen = [workload for workload in chosen if workload.size in options.sizes]
    return chosen if options.written_schedules else [dataclasses.replace(workload, schedule="") for workload in chosen]


def compile_suite(options, directory):
    """What to run: (workload name, bundles by name) pairs; and how many did not compile."""
    chosen = choose(options)
    built = bundles.compile_all(options.nautilusc, [(w, v) for w in chosen for v in (bundles.PLAIN, *w.variants)], directory)
    for bundle, why in built.values():
        if why:
            print(f"FAIL {why[:300]}")
    failed = sum(bundle is None for bundle, _ in built.values())
    print(f"{len(built) - failed} bundles compiled, {failed} failed")
    work = []
    for workload in chosen:
        found = {v.label or OURS: built[workload.build, v][0] for v in (bundles.PLAIN, *workload.variants)}
        if found[OURS]:
            work.append((workload.name, {name: str(bundle) for name, bundle in found.items() if bundle}))
    return work, failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=list(workloads.SUITES), default="paper")
    parser.add_argument("--filter", default="", help="only workloads whose name has this text; several by |")
    parser.add_argument("--sizes", type=int, nargs="*", help="only these lengths or matrix edges")
    parser.add_argument("--nautilusc", default=str(ROOT / "build" / "dev" / "bin" / "nautilusc"))
    parser.add_argument("--bundles", help="keep bundles in this directory, and use those that are there")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument(
        "--written-schedules",
        action="store_true",
        help="those under examples/schedules, where there is one, in place of the compiler's choice",
    )
    parser.add_argument("--peers", nargs="*", help="only these peers (default: those of the suite)")
    parser.add_argument("--protocols", nargs="*", default=["warm"], choices=["warm", "cold"])
    parser.add_argument("--budget", type=float, default=4.0, help="seconds of timing per workload and protocol")
    parser.add_argument("--prepare", type=int, default=0, help="first compile the peers' kernels in that many processes at once")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that one workload may take")
    parser.add_argument("--json", help="write the results to this file")
    parser.add_argument("--from-json", help="report on these results instead of running")
    parser.add_argument("--report", help="write tables and plots to this directory")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--no-timing", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers is None:
        options.peers = workloads.PEERS[options.suite]
    return options


def main():
    options = parse()
    if options.child:
        return child(options)
    if options.from_json:
        results = json.loads(pathlib.Path(options.from_json).read_text())
    else:
        with tempfile.TemporaryDirectory() as scratch:
            work, failed = compile_suite(options, options.bundles or scratch)
            if options.compile_only:
                return 1 if failed else 0
            if options.prepare:
                children.prepare(work, options)
            results = children.run_all(work, options, lambda results: show(results, options.json))
    if options.report:
        import report

        report.write(results, pathlib.Path(options.report), OURS)
    rows = results["rows"]
    wrong = sum("failure" in row or not row["results"][OURS]["ok"] for row in rows)
    print(f"{len(rows) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
