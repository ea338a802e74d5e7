"""Writing files whole or not at all: beside the old one, flushed, then renamed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

__all__ = ["flush_folder", "part_of", "remove_parts", "written_whole"]

PART = ".part"


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` at the end of the block.

    Until then, and for good if the block raises, `path` is what it was. The bytes are
    on the disk before the name is theirs. The folder must be there.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> (folder / "a.txt").read_bytes(), len(list(folder.iterdir()))
    (b'whole', 1)
    """
    with part_of(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
        Path(file.name).replace(path)
    flush_folder(path.parent)
    remove_parts(path.parent, path.name)


@contextmanager
def part_of(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path`, with its rights; removed if the block raises.

    Its name begins with a dot and names this process.

    Raises:
        OSError: It cannot be written; the error names `path`.
    """
    start = f".{path.name}.{os.getpid()}."
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=start, suffix=PART, delete=False
        ) as file:
            try:
                set_mode(Path(file.name), like=path)
                yield cast(BinaryIO, file)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def remove_parts(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes have left of a file, or of all of a folder."""
    of = ".+" if name is None else re.escape(name)
    pattern = re.compile(rf"\.{of}\.(\d+)\.\w+{re.escape(PART)}")
    for entry in folder.iterdir():
        match = pattern.fullmatch(entry.name)
        if match is not None and not is_running(int(match[1])):
            entry.unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """True if there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


def set_mode(part: Path, *, like: Path) -> None:
    """Give a new file the rights of the one it replaces, or the usual ones."""
    if like.exists():
        shutil.copymode(like, part)
    else:
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)


def flush_folder(folder: Path) -> None:
    """Put a new name on the disk, where folders can be flushed."""
    if hasattr(os, "O_DIRECTORY"):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
