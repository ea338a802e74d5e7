"""Replacing several files as one: after a kill there are all the old or all the new.

The new contents are written under other names and flushed to the disk. Then a journal,
itself written whole, names them: with it the save has happened. Then each takes its
name, and the journal goes. Whoever finds a journal, because a process was killed or is
at it just now, finishes the renaming; where it may not write, it reads the files that
the journal names.

A program's document holds the checksums of the files that belong to it, so that files
of two saves are refused wherever they come from.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from os.path import relpath
from pathlib import Path
from typing import Any

from teachgraph.errors import DataError
from teachgraph.io.files import flush_folder, part_of, remove_parts, written_whole

__all__ = [
    "finish_saves",
    "newest",
    "refuse_mixture",
    "with_checksums",
    "write_together",
]

JOURNAL = ".saving"


def checksum(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def journal_of(path: Path) -> Path:
    """The journal of a save whose first file is `path`."""
    return path.with_name(f".{path.name}{JOURNAL}")


def journals_in(folder: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """The journals of a folder: for each file, its new content's name; "": it goes."""
    for journal in sorted(folder.glob(f".*{JOURNAL}")):
        with suppress(FileNotFoundError):  # its own process has just ended the save
            yield journal, json.loads(journal.read_bytes())


def newest(path: Path) -> Path:
    """The file that holds the last whole save of `path`: its own, as a rule."""
    for _, parts in journals_in(path.parent):
        part = path.with_name(parts.get(path.name) or path.name)
        if part.is_file():
            return part
    return path


def finish(folder: Path) -> None:
    """Finish the saves of a folder that have a journal."""
    for journal, parts in list(journals_in(folder)):
        for name, part in parts.items():
            if not part:
                (folder / name).unlink(missing_ok=True)
                continue
            with suppress(FileNotFoundError):  # it has its name already
                (folder / part).replace(folder / name)
        flush_folder(folder)
        journal.unlink(missing_ok=True)


def finish_saves(folder: Path) -> None:
    """Finish the saves of a folder before it is read, where that may be done."""
    with suppress(OSError):
        finish(folder)


def write_together(files: Mapping[Path, bytes], remove: Iterable[Path] = ()) -> None:
    """Replace some files of one folder, all of them or none.

    Args:
        files: The contents by path.
        remove: Files of the same folder that go.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_together({folder / "a": b"1", folder / "b": b"2"})
    >>> sorted(path.name for path in folder.iterdir())
    ['a', 'b']
    """
    first = next(iter(files))
    first.parent.mkdir(parents=True, exist_ok=True)
    finish(first.parent)
    parts: dict[str, Path] = {}
    try:
        for path, content in files.items():
            with part_of(path) as part:
                parts[relpath(path, first.parent)] = Path(part.name)
                part.write(content)
                part.flush()
                os.fsync(part.fileno())
        entries = {relpath(path, first.parent): "" for path in remove}
        for name, written in parts.items():
            entries[name] = relpath(written, first.parent)
        with written_whole(journal_of(first)) as journal:
            journal.write(json.dumps(entries).encode())
    except BaseException:
        for written in parts.values():
            written.unlink(missing_ok=True)
        raise
    finish(first.parent)
    remove_parts(first.parent)


def with_checksums(document: bytes, files: Mapping[str, bytes]) -> bytes:
    """A document, a JSON object in lines, that also holds checksums of other files.

    Args:
        document: The document.
        files: The contents of the other files, by the ends of their names.
    """
    sums = json.dumps({end: checksum(content) for end, content in files.items()})
    return document.removesuffix(b"\n}") + f',\n "checksums": {sums}\n}}'.encode()


def refuse_mixture(
    checksums: Mapping[str, Any], files: Mapping[str, Path], program: Path
) -> None:
    """Refuse files of which one is of another save than the program beside it.

    Args:
        checksums: Those that the program's document holds; none of older versions.
        files: The other files, by the ends of their names.
        program: The program's file, for the message.

    Raises:
        DataError: A file has another checksum.
    """
    for end, path in files.items():
        if (
            end in checksums
            and path.is_file()
            and checksums[end] != checksum(newest(path).read_bytes())
        ):
            raise DataError.here(
                f"{path} is of another save than {program}: one was written or "
                "copied without the other; save the model again"
            )
