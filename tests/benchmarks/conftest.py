"""Prints, after the timings, how each contender compares with its rival."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from math import log
from typing import Any

BARS = {
    ("8-8-4 batch 8", "eager"): 4.0,
    ("8-8-4 batch 8", "static"): 1.3,
    ("784-100-10 batch 256", "eager"): 1.3,
    ("784-100-10 batch 256", "static"): 1.1,
}

# A file of PyTorch's environment, which pytest would import in search of doctests.
collect_ignore = [] if find_spec("torch") else ["torch_steps.py"]

CONVOLUTION = 1.5
"""What a convolution may take, times the product that it is made of."""


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    session = getattr(config, "_benchmarksession", None)
    measured = getattr(session, "benchmarks", ())
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for found in measured:
        groups[found.group][found.name] = found.stats.min
    lines = [
        f"{found.name}: {found.stats.min * 1e3:.3f} ms, "
        f"{found.stats.min / theirs:.2f} x PyTorch's"
        f"{against(found.extra_info['bar'], found.stats.min / theirs)}"
        for found in measured
        if (theirs := found.extra_info.get("PyTorch"))
    ]
    lines += [
        f"{group}: {name} takes {time / hand:.2f} x NumPy by hand"
        f"{verdict(group, name, time / hand)}"
        for group, times in groups.items()
        if (hand := times.pop("by_hand", None))
        for name, time in times.items()
    ]
    lines += [growth(found) for found in of_programs(measured)]
    if lines:
        terminalreporter.section("ratios, by the fastest round of each")
        terminalreporter.write_line("\n".join(lines))


def of_programs(measured: Iterable[Any]) -> Iterator[list[Any]]:
    """What was measured of programs of several sizes, by group, the largest last."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for found in measured:
        if "operators" in found.extra_info:
            groups[found.group].append(found)
    for group in groups.values():
        yield sorted(group, key=lambda found: found.extra_info["operators"])


def growth(found: list[Any]) -> str:
    """The time for the largest program, and with which power of its size it grows."""
    sizes = [one.extra_info["operators"] for one in found]
    times = [one.stats.min for one in found]
    line = f"{found[0].group}: {sizes[-1]} operators in {times[-1]:.2f} s"
    line += against(found[-1].extra_info["bar"], times[-1])
    if len(found) > 1:
        power = log(times[-1] / times[0]) / log(sizes[-1] / sizes[0])
        line += f", growing with their power {power:.2f}"
    return line


def verdict(group: str, name: str, ratio: float) -> str:
    found = BARS.get((group, name), CONVOLUTION if name == "ours" else None)
    return "" if found is None else against(found, ratio)


def against(bar: float, ratio: float) -> str:
    return f" (bar {bar}: {'pass' if ratio <= bar else 'miss'})"
