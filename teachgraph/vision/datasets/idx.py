"""Reader of IDX, the format of MNIST's files: a magic number, sizes, plain bytes.

    00 00 08 nn                 unsigned bytes in nn dimensions
    size 1 ... size nn          each four bytes, the highest first
    data                        row by row

Described by Y. LeCun, C. Cortes and C. Burges at http://yann.lecun.com/exdb/mnist/.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError

__all__ = ["read_idx"]

_GZIP_MAGIC = b"\x1f\x8b"
_LIMIT = 1 << 30
"""The largest number of bytes accepted; MNIST has 47 million."""
_CHUNK = 1 << 20


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """Read a file of unsigned bytes, plain or compressed with gzip.

    Memory grows with the actual data, whatever sizes the header claims.

    Args:
        path: The file; compression is detected from its content.
        dimensions: The expected number: 3 for images, 1 for labels.

    Returns:
        uint8, of the shape in the header.

    Raises:
        DataError: The file can't be read, is no such IDX file, is cut short, is too
            long, or was damaged.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels")
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4]))
    ...     read_idx(path, dimensions=1)
    array([5, 0, 4], dtype=uint8)
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            file = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
            shape = _shape(file, path, dimensions)
            return _data(file, path, shape)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _data(file: BinaryIO, path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    count = math.prod(shape)
    promised = f"{' x '.join(map(str, shape))} = {count:,} bytes of data"
    if count > _LIMIT:
        raise DataError(
            f"{path} promises {promised}; more than {_LIMIT:,} were not expected"
        )
    data = bytearray()
    while len(data) <= count and (chunk := file.read(_CHUNK)):
        data += chunk
    if len(data) != count:
        actual = f"{len(data):,}" if len(data) < count else "more"
        raise DataError(f"{path} promises {promised}, but has {actual}")
    return np.frombuffer(data, "uint8").reshape(shape)


def _shape(file: BinaryIO, path: Path, dimensions: int) -> tuple[int, ...]:
    magic = file.read(4)
    expected = bytes([0, 0, 8, dimensions])
    if magic != expected:
        raise DataError(
            f"{path} is not an IDX file of bytes in {dimensions} dimensions: it should "
            f"start with {expected.hex(' ')}, not with {magic.hex(' ') or 'nothing'}"
        )
    sizes = file.read(4 * dimensions)
    if len(sizes) != 4 * dimensions:
        raise DataError(f"{path} ends within its header of {4 + 4 * dimensions} bytes")
    return tuple(np.frombuffer(sizes, ">u4").tolist())
