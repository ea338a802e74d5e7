"""Collect what a class hands in: one folder a student, never over what is there.

A learning platform gives a folder, or a zip, with an entry for each student: a folder,
a zip, or a notebook with the student's name before the lesson's.
"""

from __future__ import annotations

import filecmp
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from teachgraph.course.classroom.submissions import (
    NOTEBOOK,
    Submission,
    Unreadable,
    plain_files,
)
from teachgraph.course.table import CourseError, lessons

__all__ = ["Collected", "collect"]

_PLATFORM = re.compile(r"_\d+_assignsubmission_\w*$")
"""Moodle writes the number of a submission behind the student's name."""
_UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]")


@dataclass
class Collected:
    """The outcome of collecting.

    Attributes:
        students: By student, the files that are now in their folder.
        kept: Files that were there with another content, and stayed as they were.
        unreadable: Sentences about submissions that cannot be unpacked.
    """

    students: dict[str, list[str]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def collect(sources: list[Path], folder: Path) -> Collected:
    """Put what was handed in into a folder, with a folder in it for each student.

    Args:
        sources: Folders or zips, each with an entry for each student.
        folder: Made if it is not there. What is in it stays.

    Raises:
        CourseError: There is no such source, or one cannot be unpacked.
    """
    done = Collected()
    for source in sources:
        if not source.is_dir() and source.suffix != ".zip":
            raise CourseError(f"{source} is no folder and no zip.")
        with tempfile.TemporaryDirectory(prefix="teachgraph-class-") as room:
            whole = source
            if not source.is_dir():
                whole = Path(room, "whole")
                Submission(source.stem, source).unpack(whole)
            for number, entry in enumerate(entries(whole)):
                take(entry, Path(room, str(number)), folder, done)
    return done


def entries(folder: Path) -> Iterator[Path]:
    """The entries of a folder that are somebody's."""
    for path in sorted(folder.iterdir()):
        known = path.is_dir() or path.suffix in (".zip", NOTEBOOK)
        if known and not path.is_symlink() and not path.name.startswith((".", "__")):
            yield path


def take(entry: Path, room: Path, folder: Path, done: Collected) -> None:
    """Take one student's files; zips among them are unpacked."""
    room.mkdir()
    student = owner(entry) if entry.suffix == NOTEBOOK else named(entry)
    files = done.students.setdefault(student, [])
    try:
        if entry.suffix == NOTEBOOK:
            room = entry.parent
            paths = [entry]
        else:
            Submission(student, entry).unpack(room / "files")
            room /= "files"
            for archive in [path for path in plain_files(room) if is_zip(path)]:
                Submission(student, archive).unpack(archive.with_suffix(""))
                archive.unlink()
            paths = list(plain_files(room))
    except (Unreadable, FileExistsError) as error:
        done.unreadable.append(str(error))
        return
    for path in paths:
        target = folder / student / path.relative_to(room)
        if target.exists():
            if not filecmp.cmp(path, target, shallow=False):
                done.kept.append(str(target))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        files.append(str(path.relative_to(room)))


def is_zip(path: Path) -> bool:
    """Tell a zip by its name."""
    return path.suffix.lower() == ".zip"


def named(entry: Path) -> str:
    """The student that a folder or a zip is called after, as a safe name of a folder.

    >>> named(Path("Ada Lovelace_12_assignsubmission_file"))
    'Ada Lovelace'
    """
    name = entry.stem if is_zip(entry) else entry.name
    return _UNSAFE.sub("_", _PLATFORM.sub("", name)).strip(". ") or "_"


def owner(notebook: Path) -> str:
    """The student that a loose notebook is called after.

    >>> owner(Path("ada_02_the_tape.ipynb"))
    'ada'
    """
    stem = notebook.stem.removesuffix(".zh")
    for lesson in lessons():
        stem = stem.removesuffix(lesson.name)
    return named(Path(stem.strip("_- ") or notebook.stem))
