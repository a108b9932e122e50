# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs workloads in child processes: what crashes or hangs costs its own row only."""

import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

BENCH = pathlib.Path(__file__).resolve().parent / "bench.py"


def command(options, work, *more):
    """A child of bench.py for these (workload name, bundles by name) pairs."""
    words = [sys.executable, str(BENCH), "--suite", options.suite, "--budget", str(options.budget), "--child", json.dumps(work)]
    words += ["--written-schedules"] if options.written_schedules else []
    return [*words, "--protocols", *options.protocols, "--peers", *options.peers, *more]


class Child:
    """A running child and the lines that it has printed. Its errors go to a file: a full pipe would stop it."""

    def __init__(self, words):
        self._errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def line(self, timeout):
        """The next line; None at the end, or after that many seconds of silence."""
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            return None

    def end(self):
        """Kills what still runs; the end of what it said."""
        self.process.kill()
        self.process.wait()
        self._reader.join(timeout=10)
        with self._errors, self.process.stdout:
            self._errors.seek(0)
            return self._errors.read().strip()[-300:]


def run_all(work, options, show):
    """Environment and rows of all (workload name, bundles by name) pairs; `show` is called with the results after each new row."""
    results = {"environment": {}, "rows": []}
    while work:
        child, done = Child(command(options, work)), 0
        while line := child.line(options.timeout):
            if line.startswith("ENV "):
                results["environment"] = json.loads(line[4:])
            elif line.startswith("ROW "):
                results["rows"].append(json.loads(line[4:]))
                done += 1
                show(results)
        reason = child.end()
        if done < len(work):
            results["rows"].append({"workload": work[done][0], "failure": reason or "died or went silent"})
            done += 1
            show(results)
        work = work[done:]
    return results


def prepare(work, options):
    """Compiles the peers' kernels for these workloads into their caches, in several processes at once; times nothing."""
    shares = [work[i :: options.prepare] for i in range(options.prepare)]
    running = [Child(command(options, share, "--no-timing")) for share in shares if share]
    for child in running:
        while child.line(options.timeout):
            pass
        child.end()
