"""Writing files whole or not at all: beside the old one, flushed, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

__all__ = ["flush_folder", "written_whole"]


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
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
    ) as file:
        part = Path(file.name)
        try:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
            set_mode(part, like=path)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    flush_folder(path.parent)


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
