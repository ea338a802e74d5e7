"""Progress of a learner: one JSON file on their machine, never sent anywhere.

It lies in the user's data folder, or in `TEACHGRAPH_HOME` if that is set. It is changed
under a lock, so that of two checks at once neither is lost. A damaged file is set aside
under another name and a new one begun: losing ticks is a pity, not being able to go on
would be worse.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from teachgraph.course.files import write_over

__all__ = ["HOME", "Progress", "Record", "changing", "default_path", "load"]

VERSION = 2

HOME = "TEACHGRAPH_HOME"
"""The variable of the environment that names the folder of the progress file."""


@dataclass
class Record:
    """The progress in one lesson.

    Attributes:
        notebooks: The learner's files, by language.
        language: That of the file they worked on last.
        passed: Whether every exercise was right in the last check.
        tasks: By exercise, whether it was right then.
        answers: By exercise, the learner's own code, once it was right.
        hints: By exercise, the number of hints read.
    """

    notebooks: dict[str, str] = field(default_factory=dict)
    language: str = "en"
    passed: bool = False
    tasks: dict[str, bool] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)


@dataclass
class Progress:
    """All records, by lesson number; `set_aside` is where a damaged file went."""

    path: Path
    records: dict[str, Record] = field(default_factory=dict)
    set_aside: Path | None = None

    def record(self, number: str) -> Record:
        """The record of a lesson; a new one if there is none."""
        return self.records.setdefault(number, Record())

    def answers(self) -> dict[str, str]:
        """The learner's own code of every exercise they have passed."""
        return {
            task: code
            for record in self.records.values()
            for task, code in record.answers.items()
        }

    def save(self) -> None:
        """Write the file, replacing the old one in one step."""
        lessons = {number: asdict(self.records[number]) for number in self.records}
        write_over(self.path, {"version": VERSION, "lessons": lessons})


def default_path() -> Path:
    """The path of this user's progress file."""
    home = os.environ.get(HOME)
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


@contextmanager
def changing(path: Path | None = None) -> Iterator[Progress]:
    """The progress, to be changed: nobody else changes it meanwhile."""
    from filelock import FileLock

    path = path or default_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):
        kept = load(path)
        yield kept
        kept.save()


def _records(content: Any) -> dict[str, Record]:
    """Parse the records of a file's `content`; any error means that it is damaged."""
    if content["version"] not in (1, VERSION):
        raise ValueError(content["version"])
    rows = content["lessons"].items()
    return {number: _record(dict(row)) for number, row in rows}


def _record(row: dict[str, Any]) -> Record:
    if "notebook" in row:  # version 1 knew one file a lesson
        path = row.pop("notebook")
        _expect_kind(path, str)
        row["notebooks"] = {row.get("language", "en"): path} if path else {}
    record = Record(**row)
    kinds = get_type_hints(Record)
    for one in fields(Record):
        value, kind = getattr(record, one.name), kinds[one.name]
        _expect_kind(value, getattr(kind, "__origin__", kind))
        if isinstance(value, dict):
            for key, inner in value.items():
                _expect_kind(key, str)
                _expect_kind(inner, kind.__args__[1])
    return record


def _expect_kind(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is not a {kind.__name__}")


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_suffix(f".damaged-{number}.json")).exists():
        number += 1
    path.replace(aside)
    return aside
