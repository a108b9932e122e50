# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles workloads, also with passes left out or with another schedule: for ablations, and for the candidates of the tuner."""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ("scheduled", "applied", "vrtile", "matile", "nvvm")


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to compile a workload. The plain one is the compiler as it is."""

    label: str = ""  # in tables: "without ..."; empty for the plain one
    leave_out: tuple = ()  # passes, by their argument
    pass_options: tuple = ()  # (pass, option, value)
    cut: str = ""  # the schedule's step from whose first use on only bind steps stay; "all": none stays
    edits: tuple = ()  # (regular expression, replacement) on the schedule's text
    options: tuple = ()  # of nautilusc
    script: str = ""  # schedule to use in place of the workload's, as text

    @property
    def changes_script(self):
        return bool(self.cut or self.edits)


PLAIN = Variant()


def spec_text(workload):
    text = (ROOT / "examples" / f"{workload.spec}.naut").read_text()
    for old, new in workload.replace:
        text = text.replace(old, new)
    return text


def schedule_path(workload):
    return ROOT / "examples" / "schedules" / f"{workload.schedule}.mlir" if workload.schedule else None


def bundle_path(directory, workload, variant):
    return pathlib.Path(directory) / f"{workload.spec}_{zlib.crc32(repr((workload.build, variant)).encode()):08x}.naub"


def _pass_pattern(name):
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])(?:\{{([^}}]*)\}})?"


def remove_pass(pipeline, name):
    """The textual pipeline without this pass and without nests that are empty then."""
    pipeline = re.sub(_pass_pattern(name) + ",?", "", pipeline)
    pipeline = re.sub(r",?\s*[\w.]+\(\s*\)", "", pipeline)
    return re.sub(r"([(,])\s*,|,\s*(?=\))", r"\1", pipeline)


def set_option(pipeline, name, option, value):
    def write(match):
        others = [text for text in (match[1] or "").split() if not text.startswith(option + "=")]
        return f"{name}{{{' '.join([*others, f'{option}={value}'])}}}"

    return re.sub(_pass_pattern(name), write, pipeline)


class Compiler:
    def __init__(self, nautilusc):
        self.nautilusc = str(nautilusc)
        self.opt = str(pathlib.Path(nautilusc).with_name("nautilus-opt"))
        self._pipelines = {}

    def run(self, command, text=None):
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
        if result.returncode:
            raise RuntimeError(f"{pathlib.Path(command[0]).name}: {result.stderr.strip()[-600:]}")
        return result

    def pipeline(self, stage):
        """The passes of a stage, as one line."""
        if stage not in self._pipelines:
            said = self.run([self.opt, f"--nautilus-stage-{stage}", "--dump-pass-pipeline"], "module {}").stderr
            self._pipelines[stage] = " ".join(said[said.index("builtin.module(") :].split())
        return self._pipelines[stage]

    def scheduled(self, workload, spec, schedule, options):
        """IR with the script that the compiler or the file chose."""
        command = [self.nautilusc, spec, "--compile-to=scheduled", *options]
        return self.run(command + ([f"--schedule={schedule}"] if schedule else [])).stdout

    def compile(self, workload, variant, directory):
        """The bundle's path, and None or the reason why there is none."""
        bundle = bundle_path(directory, workload, variant)
        if bundle.exists():
            return bundle, None
        spec = bundle.with_suffix(".naut")
        spec.write_text(spec_text(workload))
        schedule = schedule_path(workload)
        try:
            if variant.script or (variant.changes_script and schedule):
                text = change(variant.script or schedule.read_text(), variant)
                schedule = bundle.with_suffix(".schedule.mlir")
                schedule.write_text(text)
            if variant.leave_out or variant.pass_options or (variant.changes_script and not schedule):
                self._by_stages(workload, variant, str(spec), schedule, bundle)
            else:
                chosen = [f"--schedule={schedule}"] if schedule else []
                self.run([self.nautilusc, str(spec), "-o", str(bundle), *chosen, *variant.options])
        except (RuntimeError, ValueError, subprocess.TimeoutExpired) as failure:
            return None, str(failure)
        return bundle, None

    def _by_stages(self, workload, variant, spec, schedule, bundle):
        """Runs the stages that change as textual pipelines. An unknown pass is an error: a variant that changes nothing would lie."""
        text = self.scheduled(workload, spec, schedule, variant.options)
        if not schedule:
            text = change(text, variant)
        changes = [(name,) for name in variant.leave_out] + list(variant.pass_options)
        last = "scheduled"
        for last in STAGES[1:]:
            here = [change for change in changes if re.search(_pass_pattern(change[0]), self.pipeline(last))]
            changes = [change for change in changes if change not in here]
            passes = self.pipeline(last)
            for name, *option in here:
                passes = set_option(passes, name, *option) if option else remove_pass(passes, name)
            text = self.run([self.opt, f"--pass-pipeline={passes}" if here else f"--nautilus-stage-{last}"], text).stdout
            if not changes:
                break
        if changes:
            raise ValueError(f"no pass {', '.join(name for name, *_ in changes)}")
        self.run([self.nautilusc, "-", f"--compile-from={last}", "-o", str(bundle)], text)


def change(text, variant):
    """The schedule's text as the variant wants it. A change that finds nothing to change is an error."""
    if variant.cut:
        text = cut(text, variant.cut)
    for pattern, replacement in variant.edits:
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        if not count:
            raise ValueError(f"the schedule has no {pattern!r}")
    return text


def cut(text, step):
    kept, found = [], False
    for line in text.splitlines(keepends=True):
        match = re.search(r"\btransform\.nautilus_scalar\.(\w+)", line)
        found = found or (match is not None and step in (match[1], "all"))
        if not (match and found and (step == "all" or match[1] != "bind")):
            kept.append(line)
    if not found:
        raise ValueError(f"the schedule has no step {step}")
    return "".join(kept)


def compile_all(nautilusc, wanted, directory):
    """(workload.build, variant) to (bundle or None, reason) for (workload, variant) pairs, each compiled once."""
    compiler = Compiler(nautilusc)
    os.makedirs(directory, exist_ok=True)
    distinct = {(workload.build, variant): (workload, variant) for workload, variant in wanted}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = pool.map(lambda pair: compiler.compile(*pair, directory), distinct.values())
        return dict(zip(distinct, built))
