# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times calls side by side on one GPU.

Every round times every competitor once, in rotating order, so that clocks and temperature are shared. Calls queue up behind a sleeping GPU:
the host's time is in no figure. Two protocols: `warm` runs calls back to back on the same inputs; `cold` overwrites the level-2 cache before
each call."""

import dataclasses

SLEEP_CLOCKS = 2_000_000  # about 1 ms: the host enqueues a round in that time
FLUSH_BYTES = 256 << 20  # several times the level-2 cache


@dataclasses.dataclass
class Times:
    """Microseconds per call."""

    median: float
    p20: float
    p80: float

    @classmethod
    def of(cls, values):
        ordered = sorted(values)
        at = lambda q: ordered[min(int(q * len(ordered)), len(ordered) - 1)]  # noqa: E731
        return cls(at(0.5), at(0.2), at(0.8))


def _events(torch, count):
    return [torch.cuda.Event(enable_timing=True) for _ in range(count)]


def _time_one(torch, call, calls):
    start, end = _events(torch, 2)
    start.record()
    for _ in range(calls):
        call()
    end.record()
    return start, end, calls


def side_by_side(torch, competitors, protocol="warm", rounds=12, round_us=2000, budget_s=4.0):
    """Times of each of `competitors` (name to call without arguments). Calls shorter than `round_us` are repeated within a round."""
    import time

    calls = {}
    for name, call in competitors.items():
        call()
        torch.cuda.synchronize()
        start, end, _ = _time_one(torch, call, 2)
        torch.cuda.synchronize()
        calls[name] = 1 if protocol == "cold" else max(1, min(20, int(round_us / max(start.elapsed_time(end) * 500, 1))))
    scratch = torch.empty(FLUSH_BYTES if protocol == "cold" else 1, dtype=torch.uint8, device="cuda")
    samples = {name: [] for name in competitors}
    names = list(competitors)
    begin = time.monotonic()
    for index in range(rounds + 1):
        if index > 3 and time.monotonic() - begin > budget_s:
            break
        for name in names[index % len(names) :] + names[: index % len(names)]:
            torch.cuda._sleep(SLEEP_CLOCKS)
            if protocol == "cold":
                scratch.fill_(index)
            start, end, count = _time_one(torch, competitors[name], calls[name])
            torch.cuda.synchronize()
            if index:  # the first round warms up
                samples[name].append(start.elapsed_time(end) * 1000 / count)
    return {name: Times.of(values) for name, values in samples.items()}
