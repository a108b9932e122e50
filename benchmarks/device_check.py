#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, runs, checks and times the case list on a GPU machine with PyTorch (no LLVM needed there).

  device_check.py --nautilusc build/static/bin/nautilusc [--filter TEXT] [--time] [--json FILE]
  device_check.py --bundles DIR --compile-only     on the machine with the compiler; then, on the one with the GPU:
  device_check.py --bundles DIR --time

Each group of cases with one bundle runs in a child process under a timeout. A case passes if its error against float64 is at most
1.1 times PyTorch's on the same inputs (plus one part in 10^7), every output element was written (outputs start as NaN), the guard
bytes around every tensor are intact, nothing outside the inputs was read (it is NaN), and three runs give the same bits."""

import argparse
import json
import os
import pathlib
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
    poison = float("nan") if dtype.is_floating_point else -1
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
        inside.fill_(float("nan") if copy.dtype.is_floating_point else -1)
    return bool(torch.isnan(copy).all() if copy.dtype.is_floating_point else (copy == -1).all())


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
        values = torch.randn(shape_of(arg), device="cuda") * case.scale if dtype.is_floating_point else torch.randint(0, 2, shape_of(arg), device="cuda")
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
    row["repeat"] = all(torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)) for other in results[1:] for a, b in zip(results[0], other) if a.numel())
    truth = reference({k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}, sizes)
    peer = reference(inputs, sizes)
    row["error"] = max(error(torch, o, t) for o, t in zip(results[0], truth))
    row["peer"] = max(error(torch, p.to(o.dtype), t) for o, p, t in zip(results[0], peer, truth))
    row["ok"] = row["guards"] and row["repeat"] and row["error"] <= 1.1 * row["peer"] + 1e-7
    if time_it and case.timed:
        row.update(measure(torch, lambda: kernel(*inputs.values(), out=results[0]), lambda: reference(inputs, sizes)))
    return row


def measure(torch, ours, peer, rounds=25):
    """Interleaved medians in microseconds."""
    times = {"us": [], "peer_us": []}
    for _ in range(rounds):
        for key, call in (("us", ours), ("peer_us", peer)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times[key].append(start.elapsed_time(end) * 1000)
    return {key: sorted(values[3:])[len(values[3:]) // 2] for key, values in times.items()}


def child(bundle, names, time_it):
    import torch

    import nautilus

    torch.backends.cuda.matmul.allow_tf32 = False
    kernel = nautilus.load(bundle)
    for case in case_list.all_cases():
        if case.name in names:
            try:
                row = run_case(torch, kernel, case, time_it)
            except Exception as failure:  # the table shows it
                row = {"case": case.name, "ok": False, "failure": f"{type(failure).__name__}: {failure}"[:300]}
            print("ROW " + json.dumps(row), flush=True)


def run_group(bundle, group, time_it, timeout):
    command = [sys.executable, __file__, "--child", str(bundle), "--names", json.dumps([c.name for c in group])] + (["--time"] if time_it else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        text, note = done.stdout, done.stderr.strip()[-300:]
    except subprocess.TimeoutExpired as expired:
        text, note = (expired.stdout or b"").decode(), f"timeout after {timeout} s"
    rows = [json.loads(line[4:]) for line in text.splitlines() if line.startswith("ROW ")]
    seen = {row["case"] for row in rows}
    return rows + [{"case": c.name, "ok": False, "failure": note or "no result"} for c in group if c.name not in seen]


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
    parser.add_argument("--timeout", type=int, default=120, help="seconds for the cases of one bundle")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--bundles", help="keep bundles in this directory, and use those that are there")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--names", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child, set(json.loads(options.names)), options.time)
    groups = {}
    for case in case_list.all_cases():
        if options.filter in case.name:
            groups.setdefault(case.build, []).append(case)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.bundles or scratch
        os.makedirs(directory, exist_ok=True)
        for group in groups.values():
            bundle, failure = compile_bundle(options.nautilusc, group[0], directory)
            if options.compile_only:
                print(f"{'ok  ' if bundle else 'FAIL'} {group[0].build} {failure or ''}")
                continue
            done = run_group(bundle, group, options.time, options.timeout) if bundle else [{"case": c.name, "ok": False, "failure": failure[:300]} for c in group]
            rows += done
            for row in done:
                print_row(row)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    failed = sum(not row["ok"] for row in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
