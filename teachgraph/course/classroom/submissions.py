"""Submissions of a class: a folder or a zip for each student, read and never changed.

A zip is somebody else's: what it would unpack is counted first, and nothing of it gets
out of the folder it is unpacked into.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from teachgraph.course.table import CourseError, lessons

__all__ = ["Submission", "Unreadable", "copy_files", "notebooks", "submissions"]

MOST_BYTES = 200 << 20
MOST_FILES = 2000
"""A submission with more is not a notebook's."""

NOTEBOOK = ".ipynb"


class Unreadable(CourseError):
    """A submission that cannot be unpacked, or is too large."""


@dataclass(frozen=True)
class Submission:
    """The files that a student has handed in.

    Attributes:
        student: The name of the folder or the zip.
        path: The folder or the zip.
    """

    student: str
    path: Path

    def unpack(self, folder: Path) -> None:
        """Copy the files into a new folder; links are left out.

        Raises:
            Unreadable: It is no zip, or too much.
        """
        folder.mkdir(parents=True)
        if self.path.is_dir():
            copy_files(self.path, folder)
        else:
            unzip(self.path, folder)


def submissions(folder: Path) -> list[Submission]:
    """The submissions in a folder, by student.

    Raises:
        CourseError: There are none, or two of one student.
    """
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}.")
    handed_in = [
        Submission(path.name if path.is_dir() else path.stem, path)
        for path in sorted(folder.iterdir())
        if not path.name.startswith((".", "__"))
        and not path.is_symlink()
        and (path.is_dir() or path.suffix.lower() == ".zip")
    ]
    names = [one.student for one in handed_in]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CourseError(
            f"{folder} has a folder and a zip of {', '.join(twice)}: remove one."
        )
    if not handed_in:
        raise CourseError(
            f"{folder} has no submission: it should have a folder or a zip a student."
        )
    return handed_in


def copy_files(source: Path, target: Path) -> None:
    """Copy the plain files below a folder."""
    count = size = 0
    for path in plain_files(source):
        count, size = count + 1, size + path.stat().st_size
        expect_little(source, count, size)
        copied = target / path.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)


def plain_files(folder: Path) -> Iterator[Path]:
    """The files below a folder, without links, hidden folders and the like."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(top, name)
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def unzip(path: Path, target: Path) -> None:
    """Unpack a zip, none of whose files gets out of the folder."""
    try:
        with ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
            expect_little(path, len(files), sum(one.file_size for one in files))
            for one in files:
                name = PurePosixPath(one.filename.replace("\\", "/"))
                kind = stat.S_IFMT(one.external_attr >> 16)
                if name.is_absolute() or ".." in name.parts:
                    raise Unreadable(f"{path.name} has a file outside of it: {name}")
                if kind in (0, stat.S_IFREG) and "__MACOSX" not in name.parts:
                    archive.extract(one, target)
    except (BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise Unreadable(f"{path.name} can't be unpacked: {error}") from error


def expect_little(path: Path, count: int, size: int) -> None:
    """Raise Unreadable for what is more than a class hands in."""
    if count > MOST_FILES or size > MOST_BYTES:
        raise Unreadable(
            f"{path.name} is too much: over {MOST_FILES} files or "
            f"{MOST_BYTES >> 20} MB unpacked."
        )


def notebooks(folder: Path) -> dict[str, list[Path]]:
    """The notebooks below a folder by number of their lesson, the likeliest first.

    A notebook that does not say which lesson it is of is known by its name.
    """
    by_lesson: dict[str, list[Path]] = {}
    names = {lesson.number: lesson.name for lesson in lessons() if lesson.built}
    for path in plain_files(folder):
        if path.suffix == NOTEBOOK and (number := lesson_of(path, names)):
            by_lesson.setdefault(number, []).append(path)
    for number, paths in by_lesson.items():
        own = {f"{names[number]}{end}{NOTEBOOK}" for end in ("", ".zh")}
        paths.sort(key=lambda path: (path.name not in own, len(path.parts), str(path)))
    return by_lesson


def lesson_of(path: Path, names: Mapping[str, str]) -> str:
    """The number of the lesson that a notebook is of, empty if it is of none.

    Args:
        path: The notebook.
        names: The lessons' names by number.
    """
    for number, name in names.items():
        if name in path.name:
            return number
    try:
        content = json.loads(path.read_text("utf-8"))
        number = content["metadata"]["teachgraph"]["lesson"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return number if isinstance(number, str) and number in names else ""
