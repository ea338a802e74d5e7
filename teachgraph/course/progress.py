"""Progress of a learner: one JSON file on their machine, never sent anywhere.

It lies in the user's data folder, or in `TEACHGRAPH_HOME` if that is set. A damaged
file is set aside under another name and a new one begun: losing ticks is a pity,
not being able to go on would be worse.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from teachgraph.course.files import write_over

__all__ = ["Progress", "Record", "default_path", "load"]

VERSION = 1


@dataclass
class Record:
    """The progress in one lesson.

    `notebook` is the path of the learner's file, `tasks` the results of the last check
    by exercise, `hints` the number of hints read by exercise.
    """

    notebook: str = ""
    language: str = "en"
    passed: bool = False
    tasks: dict[str, bool] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)


@dataclass
class Progress:
    """All records, by lesson number; `set_aside` is where a damaged file went."""

    path: Path
    records: dict[str, Record] = field(default_factory=dict)
    set_aside: Path | None = None

    def record(self, number: str) -> Record:
        """Return the record of a lesson; create it if there is none."""
        return self.records.setdefault(number, Record())

    def save(self) -> None:
        """Write the file, replacing the old one in one step."""
        lessons = {number: asdict(self.records[number]) for number in self.records}
        write_over(self.path, {"version": VERSION, "lessons": lessons})


def default_path() -> Path:
    """Return the path of this user's progress file."""
    home = os.environ.get("TEACHGRAPH_HOME")
    if home:
        return Path(home) / "progress.json"
    import platformdirs

    return platformdirs.user_data_path("teachgraph") / "progress.json"


def load(path: Path | None = None) -> Progress:
    """Read the progress file; one that is damaged is set aside, never overwritten."""
    path = path or default_path()
    try:
        return Progress(path, _records(json.loads(path.read_text("utf-8"))))
    except FileNotFoundError:
        return Progress(path)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Progress(path, set_aside=_set_aside(path))


def _records(content: Any) -> dict[str, Record]:
    """Parse the records of a file's `content`; any error means that it is damaged."""
    if content["version"] != VERSION:
        raise ValueError(content["version"])
    records = {number: Record(**row) for number, row in content["lessons"].items()}
    for record in records.values():
        for name, value in asdict(Record()).items():
            _expect_kind(getattr(record, name), type(value))
        for ticked in record.tasks.values():
            _expect_kind(ticked, bool)
        for read in record.hints.values():
            _expect_kind(read, int)
    return records


def _expect_kind(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is not a {kind.__name__}")


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_suffix(f".damaged-{number}.json")).exists():
        number += 1
    path.replace(aside)
    return aside
