# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a page that are made by running the tools.

A comment before a fenced block says how the block is made:

    <!-- shown: nautilusc {spec} --compile-to=applied | nautilus_scalar.grid -->

`{spec}` is the first ```naut block of the page, as a file. After `|` come the parts of the output to show, each by a text in its first
line: a line alone, or with the region that it opens; `!` shows just the line. Without parts all of the output is shown. Layouts of memory
that say nothing (`strided<[?, ?], offset: ?>`) are left out.
"""
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(<!-- shown: (.*?) -->\n)(```\w*\n).*?(^```$)", re.S | re.M)
NOISE = [(re.compile(r", strided<\[[?, ]*\], offset: \?>"), ""), (re.compile(r"-9223372036854775808"), "?")]


def indentation(line):
    return len(line) - len(line.lstrip())


def part(lines, want):
    """The lines of the first op whose text contains `want`."""
    alone, want = want.startswith("! "), want.removeprefix("! ")
    for first, line in enumerate(lines):
        if want not in line:
            continue
        last = first
        if line.rstrip().endswith("{") and not alone:
            last += 1
            while indentation(lines[last]) > indentation(line) or lines[last].rstrip().endswith("{"):
                last += 1
        return [text[indentation(line):] if indentation(text) >= indentation(line) else text for text in lines[first:last + 1]]
    raise SystemExit(f"gen-docs: no '{want}' in the output to show")


def run(command, tools, spec):
    command, *wanted = [text.strip() for text in command.split(" | ")]
    arguments = [argument.format(spec=spec) for argument in shlex.split(command)]
    done = subprocess.run([str(Path(tools) / arguments[0]), *arguments[1:]], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"gen-docs: `{command}` fails:\n{done.stderr}")
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    for pattern, text in NOISE:
        lines = [pattern.sub(text, line) for line in lines]
    shown = []
    for i, want in enumerate(wanted):
        shown += ([""] if i and not want.startswith("! ") else []) + part(lines, want)
    return "\n".join(shown or lines) + "\n"


def expand(page, tools):
    """The page's text with all its shown blocks made anew."""
    text = page.read_text()
    spec = re.search(r"^```naut\n(.*?)^```$", text, re.S | re.M)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.naut"
        path.write_text(spec.group(1) if spec else "")
        return BLOCK.sub(lambda found: found.group(1) + found.group(3) + run(found.group(2), tools, path) + found.group(4), text)
