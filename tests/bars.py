"""What is promised, what was measured: `python -m tests.bars` prints one table.

Tests and benchmarks note their figures; `widgets/BARS.md` says which command measures
which bar. `--noted` tells what was noted last, and runs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "tests" / "artefacts" / "bars"
TABLE = ROOT / "widgets" / "BARS.md"


@dataclass(frozen=True)
class Figure:
    """What was measured, and the bar that it must not pass.

    >>> Figure("paint", 412.4, 500, "ms")
    412.4 ms of 500 ms, met
    >>> Figure("contrast", 4.2, 4.5, "", at_least=True)
    4.2 of at least 4.5, MISSED
    """

    name: str
    figure: float
    bar: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is on the right side of its bar."""
        beyond = self.figure - self.bar
        return beyond >= 0 if self.at_least else beyond <= 0

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        least = "at least " if self.at_least else ""
        met = "met" if self.met else "MISSED"
        return f"{self.figure:,.7g}{unit} of {least}{self.bar:,.7g}{unit}, {met}"


def note(
    name: str, figure: float, bar: float, unit: str = "", *, at_least: bool = False
) -> Figure:
    """Keep a figure for the table, and print it beside its bar."""
    found = Figure(name, round(figure, 4), bar, unit, at_least)
    NOTES.mkdir(parents=True, exist_ok=True)
    values = {"figure": found.figure, "bar": bar, "unit": unit, "at_least": at_least}
    (NOTES / f"{name}.json").write_text(json.dumps(values) + "\n")
    print(f"{name}: {found}")
    return found


def noted(name: str) -> Figure | None:
    """A figure that was noted."""
    path = NOTES / f"{name}.json"
    return Figure(name, **json.loads(path.read_text())) if path.exists() else None


@dataclass(frozen=True)
class Row:
    """A row of the table of bars: what is promised, its figures, its commands."""

    promise: str
    names: tuple[str, ...]
    commands: tuple[str, ...]


def rows(text: str) -> Iterator[Row]:
    """The rows of the table in a Markdown text.

    >>> text = "| quick | a test | `pytest -k quick` | `paint`, `zoom` |"
    >>> next(rows(text)).names
    ('paint', 'zoom')
    """
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if len(cells) != 4 or "`" not in cells[3]:
            continue
        commands, names = (re.findall(r"`([^`]+)`", cell) for cell in cells[2:])
        yield Row(cells[0], tuple(names), tuple(commands))


def run(command: str) -> bool:
    """Run what measures a bar; return whether it ended well."""
    print(f"  {command}", flush=True)
    inside = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S602  a command of our own table
        command,
        shell=True,
        check=False,
        cwd=ROOT,
        env=inside,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-15:]), done.stderr[-600:], sep="\n")
    return done.returncode == 0


def tell(row: Row, failed: set[str]) -> bool:
    """Print a row; return whether all of its figures are there and met."""
    figures = [(name, noted(name)) for name in row.names]
    print(row.promise)
    for name, figure in figures:
        print(f"    {name:30}{figure or 'not measured'}")
    # A family of figures may have a table of all that they were measured on.
    table = NOTES / f"{row.names[0].rpartition('-')[0]}.txt"
    if table.exists():
        print(textwrap.indent(table.read_text("utf-8"), "    "), end="")
    for command in failed.intersection(row.commands):
        print(f"    FAILED: {command}")
    met = all(figure is not None and figure.met for _, figure in figures)
    return met and not failed.intersection(row.commands)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noted", action="store_true", help="only tell what was noted")
    parser.add_argument("-k", default="", help="only bars whose text holds this")
    arguments = parser.parse_args()
    wanted = [
        row for row in rows(TABLE.read_text("utf-8")) if arguments.k in row.promise
    ]
    commands = dict.fromkeys(command for row in wanted for command in row.commands)
    measured = () if arguments.noted else commands
    if measured:
        # What fails before it notes a figure must not pass for what it once was.
        for name in (name for row in wanted for name in row.names):
            (NOTES / f"{name}.json").unlink(missing_ok=True)
    failed = {command for command in measured if not run(command)}
    met = [tell(row, failed) for row in wanted]
    busy = f"{os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores"
    print(f"{sum(met)} of {len(met)} bars met; {busy}: wall times depend on it")
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
