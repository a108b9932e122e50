# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables (Markdown) and plots (SVG) of benchmark rows: throughput against size, one picture per suite, one panel per group."""

import importlib.util
import math


def _unit(row):
    return "TB/s" if row["kind"] in ("softmax", "rmsnorm", "layernorm") else "TFLOP/s"


def _rate(row, times, quantile="median"):
    return row["work"] / times[quantile] / 1e6


def _timed(row, name, protocol="warm"):
    return row["results"].get(name, {}).get(protocol)


def best_ratio(row, ours, beside=("hand-written",)):
    """Time of the fastest right peer over ours, and its name; peers in `beside` and our own variants don't count."""
    times = {
        name: result["warm"]["median"]
        for name, result in row["results"].items()
        if name not in row["ours"] and name not in beside and "warm" in result
    }
    if not times or not _timed(row, ours):
        return None, None
    best = min(times, key=times.get)
    return times[best] / _timed(row, ours)["median"], best


def table(rows, ours):
    peers = []
    for row in rows:
        peers += [name for name in row["results"] if name not in peers]
    lines = ["| Workload | " + " | ".join(peers) + " | best peer / ours | error |", "|---|" + "---:|" * (len(peers) + 2)]
    for row in rows:
        cells = []
        for name in peers:
            times = _timed(row, name)
            result = row["results"].get(name)
            cells.append(f"{_rate(row, times):.3g}" if times else "wrong" if result else "–")
        ratio, best = best_ratio(row, ours)
        error = row["results"][ours]["error"]
        cells += [f"{ratio:.2f} ({best})" if ratio else "–", f"{error:.1e}" if error is not None else "NaN"]
        lines.append(f"| {row['workload']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def summary(rows, ours):
    lines = ["| Peer | workloads | geometric mean of peer / ours | least | most |", "|---|---:|---:|---:|---:|"]
    ratios = {"best of all": [best_ratio(row, ours)[0] for row in rows]}
    for row in rows:
        for name in row["results"]:
            if name != ours and _timed(row, name) and _timed(row, ours):
                ratios.setdefault(name, []).append(_timed(row, name)["median"] / _timed(row, ours)["median"])
    for name, values in ratios.items():
        values = [value for value in values if value]
        if values:
            mean = math.exp(sum(map(math.log, values)) / len(values))
            lines.append(f"| {name} | {len(values)} | {mean:.3f} | {min(values):.2f} | {max(values):.2f} |")
    return "\n".join(lines)


def has_plots():
    return importlib.util.find_spec("matplotlib") is not None


def plot(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: a smaller file
    from matplotlib import pyplot

    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    names = list(dict.fromkeys(name for row in rows for name in row["results"]))
    colours = {name: f"C{i}" for i, name in enumerate(names)}
    columns = min(4, len(groups))
    height = -(-len(groups) // columns)
    figure, axes = pyplot.subplots(height, columns, figsize=(4 * columns, 3 * height + 0.5), squeeze=False)
    for axis, (group, members) in zip(axes.flat, groups.items()):
        draw_group(axis, sorted(members, key=lambda row: row["size"]), colours)
        axis.set_title(group, fontsize=9)
    for axis in list(axes.flat)[len(groups) :]:
        axis.axis("off")
    lines = [pyplot.Line2D([], [], color=colours[name], marker="o", markersize=3) for name in names]
    figure.legend(lines, names, loc="lower center", ncols=min(len(names), 8), fontsize=8)
    figure.tight_layout(rect=(0, 0.5 / (3 * height + 0.5), 1, 1))
    figure.savefig(path)
    pyplot.close(figure)


def draw_group(axis, members, colours):
    """A line per competitor; bars from the 20th to the 80th percentile."""
    for name, colour in colours.items():
        timed = [(row, _timed(row, name)) for row in members if _timed(row, name)]
        if not timed:
            continue
        rates = [_rate(row, times) for row, times in timed]
        low = [max(rate - _rate(row, times, "p80"), 0) for rate, (row, times) in zip(rates, timed)]
        high = [max(_rate(row, times, "p20") - rate, 0) for rate, (row, times) in zip(rates, timed)]
        sizes = [row["size"] for row, _ in timed]
        axis.errorbar(sizes, rates, yerr=[low, high], color=colour, marker="o", markersize=3, capsize=2)
    axis.set_xscale("log", base=2)
    axis.set_ylim(bottom=0)
    axis.set_ylabel(_unit(members[0]))


def write(results, directory, ours):
    directory.mkdir(parents=True, exist_ok=True)
    failed = [row for row in results["rows"] if "failure" in row]
    rows = [row for row in results["rows"] if "failure" not in row]
    about = ", ".join(f"{key} {value}" for key, value in results["environment"].items() if value is not None)
    for suite in dict.fromkeys(row["suite"] for row in rows):
        members = [row for row in rows if row["suite"] == suite]
        text = [f"# Suite {suite}", "", about + ".", "", "TFLOP/s, or TB/s for memory-bound operators; medians of interleaved rounds.", ""]
        text += [summary(members, ours), "", table(members, ours), "", *absences(members)]
        (directory / f"{suite}.md").write_text("\n".join(text))
        if has_plots():
            plot(members, directory / f"{suite}.svg")
    if failed:
        lines = [f"- {row['workload']}: {row['failure']}" for row in failed]
        (directory / "failures.md").write_text("\n".join(["# Failures", "", *lines, ""]))


def absences(rows):
    """Which peers ran on none of these workloads, or not on all, and why."""
    reasons = {}
    for row in rows:
        for name, reason in row["absent"].items():
            reasons.setdefault((name, reason), []).append(row["workload"])
    return [f"- {name} is absent from {len(where)} of {len(rows)}: {reason}" for (name, reason), where in reasons.items()] + [""]
