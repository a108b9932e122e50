#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, runs, checks and times the case list on a GPU machine with PyTorch (no LLVM needed there).

  device_check.py --nautilusc build/static/bin/nautilusc [--filter TEXT] [--time] [--json FILE]
  device_check.py --bundles DIR --compile-only     on the machine with the compiler; then, on the one with the GPU:
  device_check.py --bundles DIR --time

Cases run in a child process under a timeout. A case passes if its error against float64 is at most
1.1 times PyTorch's on the same inputs (plus one part in 10^6: tensor cores truncate as they accumulate f32), every output element was written (outputs start as NaN), the guard
bytes around every tensor are intact, nothing outside the inputs was read (it is NaN), and three runs give the same bits."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import cases as case_list  # noqa: E402

GUARD = 256  # elements before and after each tensor


def compile_bundle(nautilusc, case, directory):
    """The path of the case's bundle, or the compiler's text on failure."""
    text = (ROOT / "examples" / f"{case.spec}.naut").read_text()
    for old, new in case.replace:
        text = text.replace(old, new)
    spec = pathlib.Path(directory) / f"{case.spec}_{zlib.crc32(repr(case.build).encode())}.naut"
    bundle = spec.with_suffix(".naub")
    if bundle.exists():
        return bundle, None
    spec.write_text(text)
    command = [nautilusc, str(spec), "-o", str(bundle)]
    if case.schedule:
        command.append(f"--schedule={ROOT / 'examples' / 'schedules' / (case.schedule + '.mlir')}")
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return (bundle, None) if result.returncode == 0 else (None, result.stderr.strip())


def poison_of(torch, dtype):
    return float("nan") if dtype.is_floating_point else True if dtype == torch.bool else -1


def make_tensor(torch, shape, dtype, layout, fill):
    """A tensor in the middle of a larger allocation full of NaN (or -1), and that allocation."""
    rank = len(shape)
    order = list(range(rank))
    if layout == "transposed" and rank >= 2:
        order[-1], order[-2] = order[-2], order[-1]
    padding = {"strided": 8, "offset": 0}.get(layout, 0)
    strides, step = [0] * rank, 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1) + (padding if dim == order[-1] else 0)
    offset = GUARD + (3 if layout == "offset" else 0)
    size = offset + step + GUARD
    poison = poison_of(torch, dtype)
    storage = torch.full((size,), poison, dtype=dtype, device="cuda")
    view = storage.as_strided(shape, strides, offset)
    if fill is not None and view.numel():
        view.copy_(fill)
    return view, storage


def untouched(torch, view, storage):
    """Whether everything outside the view still holds the poison."""
    copy = storage.clone()
    inside = copy.as_strided(view.shape, view.stride(), view.storage_offset())
    if view.numel():
        inside.fill_(poison_of(torch, copy.dtype))
    return bool(torch.isnan(copy.float()).all() if copy.dtype.is_floating_point else (copy == poison_of(torch, copy.dtype)).all())


def error(torch, got, want):
    """Relative L2 error; infinities and NaNs must stand in the same places."""
    got, want = got.double(), want.double()
    if got.shape != want.shape:
        return float("inf")
    if not torch.equal(torch.isfinite(got), torch.isfinite(want)) or not torch.equal(got[~torch.isfinite(got)], want[~torch.isfinite(want)]):
        return float("inf")
    got, want = got[torch.isfinite(got)], want[torch.isfinite(want)]
    scale = want.norm().item()
    return (got - want).norm().item() / (scale if scale else 1.0)


def run_case(torch, kernel, case, time_it):
    torch.manual_seed(zlib.crc32(case.name.encode()))
    import references
    from nautilus.tensors import torch_dtype

    reference = getattr(references, case.reference)

    sizes = {d.name: d.size for d in kernel.dims if d.size is not None} | case.dims

    def shape_of(arg):
        result = []
        for factors in arg.dims:
            extent = 1
            for factor in factors:
                extent *= sizes[factor]
            result.append(extent)
        return result

    inputs, storages = {}, []
    for arg in kernel.args[: kernel.num_inputs]:
        dtype = torch_dtype(arg.dtype)
        values = torch.randn(shape_of(arg), device="cuda") * case.scale if dtype.is_floating_point else torch.randint(0, 2 if dtype == torch.bool else max(sizes.get("N", 2), 1), shape_of(arg), device="cuda")
        view, storage = make_tensor(torch, shape_of(arg), dtype, case.layout, values.to(dtype))
        inputs[arg.name] = view
        storages.append((view, storage))
    results = []
    for _ in range(3):
        outputs = []
        for arg in kernel.args[kernel.num_inputs :]:
            view, storage = make_tensor(torch, shape_of(arg), torch_dtype(arg.dtype), case.layout, None)
            outputs.append(view)
            storages.append((view, storage))
        kernel(*inputs.values(), out=outputs)
        torch.cuda.synchronize()
        results.append(outputs)
    row = {"case": case.name, "guards": all(untouched(torch, v, s) for v, s in storages)}
    row["repeat"] = all(torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8)) for other in results[1:] for a, b in zip(results[0], other) if a.numel())
    truth = reference({k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}, sizes)
    peer = reference(inputs, sizes)
    row["error"] = max(error(torch, o, t) for o, t in zip(results[0], truth))
    row["peer"] = max(error(torch, p.to(o.dtype), t) for o, p, t in zip(results[0], peer, truth))
    row["ok"] = row["guards"] and row["repeat"] and row["error"] <= 1.1 * row["peer"] + 1e-6
    if time_it and case.timed:
        timed_peer = references.TIMED.get(case.reference, reference)
        row.update(measure(torch, lambda: kernel(*inputs.values(), out=results[0]), lambda: timed_peer(inputs, sizes)))
    return row


def measure(torch, ours, peer, rounds=12, calls=10):
    """Interleaved medians in microseconds per call. The calls queue up behind a sleeping GPU: the host's time is in neither."""
    times = {"us": [], "peer_us": []}
    for _ in range(rounds):
        for key, call in (("us", ours), ("peer_us", peer)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(4_000_000)
            start.record()
            for _ in range(calls):
                call()
            end.record()
            torch.cuda.synchronize()
            times[key].append(start.elapsed_time(end) * 1000 / calls)
    return {key: sorted(values[2:])[len(values[2:]) // 2] for key, values in times.items()}


def child(work, time_it):
    """Runs (bundle, names) pairs; says which case it begins, so that the parent knows whom to blame for a crash or hang."""
    import torch

    import nautilus

    torch.backends.cuda.matmul.allow_tf32 = False
    cases = {case.name: case for case in case_list.all_cases()}
    for bundle, names in work:
        kernel = None
        for name in names:
            print("START " + name, flush=True)
            try:
                kernel = kernel or nautilus.load(bundle)
                row = run_case(torch, kernel, cases[name], time_it)
            except Exception as failure:  # the table shows it
                row = {"case": name, "ok": False, "failure": f"{type(failure).__name__}: {failure}"[:300]}
            print("ROW " + json.dumps(row), flush=True)


def run_all(work, time_it, timeout):
    """The rows of all cases; a child that crashes or stays silent for `timeout` seconds is replaced by one for the cases that are left."""
    rows = []
    while work:
        command = [sys.executable, __file__, "--child", json.dumps(work)] + (["--time"] if time_it else [])
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        current, done = None, set()
        while select.select([process.stdout], [], [], timeout)[0]:
            line = process.stdout.readline()
            if not line:
                break
            if line.startswith("START "):
                current = line[6:].rstrip("\n")
            elif line.startswith("ROW "):
                rows.append(json.loads(line[4:]))
                done.add(rows[-1]["case"])
                print_row(rows[-1])
        silent = process.poll() is None
        process.kill()
        note = f"no answer for {timeout} s" if silent and current not in done else process.stderr.read().strip()[-300:]
        left = [(bundle, [n for n in names if n not in done]) for bundle, names in work]
        if any(names for _, names in left):
            first = current if current and current not in done else next(names[0] for _, names in left if names)
            rows.append({"case": first, "ok": False, "failure": note or "the process died"})
            print_row(rows[-1])
            left = [(bundle, [n for n in names if n != first]) for bundle, names in left]
        work = [(bundle, names) for bundle, names in left if names]
    return rows


def print_row(row):
    if "failure" in row:
        print(f"FAIL {row['case']}: {row['failure']}", flush=True)
        return
    flags = "".join(f" {k}!" for k in ("guards", "repeat") if not row[k])
    timing = f"  {row['us']:.1f} us, PyTorch {row['peer_us']:.1f} us, {row['peer_us'] / row['us']:.2f}x" if "us" in row else ""
    print(f"{'ok  ' if row['ok'] else 'FAIL'} {row['case']:<64} error {row['error']:.3e} PyTorch {row['peer']:.3e}{flags}{timing}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nautilusc", default=str(ROOT / "build" / "static" / "bin" / "nautilusc"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--timeout", type=int, default=60, help="seconds that one case may take")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--bundles", help="keep bundles in this directory, and use those that are there")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(json.loads(options.child), options.time)
    groups = {}
    for case in case_list.all_cases():
        if options.filter in case.name:
            groups.setdefault(case.build, []).append(case)
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.bundles or scratch
        os.makedirs(directory, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            built = list(pool.map(lambda group: compile_bundle(options.nautilusc, group[0], directory), groups.values()))
        rows, work = [], []
        for group, (bundle, failure) in zip(groups.values(), built):
            if bundle:
                work.append((str(bundle), [case.name for case in group]))
                continue
            rows += [{"case": case.name, "ok": False, "failure": failure[:300]} for case in group]
        for row in rows:
            print_row(row)
        if options.compile_only:
            print(f"{len(work)} bundles compiled, {len(groups) - len(work)} failed")
            return 1 if rows else 0
        rows += run_all(work, options.time, options.timeout)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    failed = sum(not row["ok"] for row in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
