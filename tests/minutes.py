"""Minutes of the tests by folder: where a second saved counts.

They are printed after every run of many tests; `--minutes FILE` also keeps them, dated.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

WORTH_A_TABLE = 100
"""Seconds; of a shorter run pytest's own `--durations` says enough."""


class Share(NamedTuple):
    """A folder's part of a run."""

    folder: str
    tests: int
    seconds: float


def folder_of(nodeid: str) -> str:
    """The folder of a test: `tests/ops`, or `teachgraph` for the doctests of all of it.

    >>> folder_of("tests/ops/test_rows.py::test_a_case_in_every_life[relu: scalar]")
    'tests/ops'
    >>> folder_of("teachgraph/nn/layer.py::teachgraph.nn.layer.Layer")
    'teachgraph'
    >>> folder_of("make lint")
    'make lint'
    """
    path = nodeid.partition("::")[0]
    top, *inside = Path(path).parts
    return f"{top}/{inside[0]}" if top == "tests" and len(inside) > 1 else top


def shares(reports: Iterable[pytest.TestReport]) -> list[Share]:
    """Every folder's tests and seconds, fixtures included, the longest first."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        folder = folder_of(report.nodeid)
        seconds[folder] += report.duration
        tests[folder].add(report.nodeid)
    found = [Share(folder, len(tests[folder]), seconds[folder]) for folder in seconds]
    return sorted(found, key=lambda share: -share.seconds)


def table(found: list[Share]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    yield "| folder | tests | minutes |"
    yield "|---|--:|--:|"
    for folder, tests, seconds in found:
        yield f"| {folder} | {tests:,} | {seconds / 60:.1f} |"
    tests, minutes = sum(s.tests for s in found), sum(s.seconds for s in found) / 60
    yield f"| all | {tests:,} | {minutes:.1f} |"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--minutes", metavar="FILE", help="keep the minutes by folder in this file"
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the table, and keep it where that is asked for."""
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    ]
    found = shares(reports)
    file = config.option.minutes
    if file is None and sum(share.seconds for share in found) < WORTH_A_TABLE:
        return
    terminalreporter.section("minutes by folder")
    for line in table(found):
        terminalreporter.line(line)
    if file is not None:
        Path(file).write_text(document(found, config.option.numprocesses), "utf-8")


def document(found: list[Share], processes: int | None) -> str:
    """The table, with when and how it was measured."""
    how = f"{processes or 1} processes on {os.cpu_count()} processors"
    lines = [
        "# Minutes of the tests by folder",
        "",
        f"Measured on {datetime.now(UTC):%Y-%m-%d} by `make full`, {how}: the times of",
        "single tests added up, with the fixtures they share.",
        "",
        *table(found),
    ]
    return "\n".join(lines) + "\n"
