"""Unpacking of tar archives."""

from __future__ import annotations

import tarfile
from pathlib import Path

__all__ = ["unpack"]


def unpack(archive: Path, folder: Path) -> None:
    """Extract an archive into a folder, as data: no links or modes that reach outside.

    Before Python 3.11.4 `tarfile` checks nothing: the archive must be one of ours, or
    a package of an exact version.
    """
    with tarfile.open(archive) as tar:
        # An attribute, as `extractall` takes no filter before 3.11.4.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)  # noqa: S202  the filter above
