"""CIFAR-10 and CIFAR-100, read from the binary archives.

A record is one byte for the class (two in CIFAR-100: the coarse and the fine class) and
3 x 32 x 32 bytes of pixels, the red ones first, then green and blue, row by row.
Described at https://www.cs.toronto.edu/~kriz/cifar.html. The archives for Python hold
pickles, which could run code; they are not read.
"""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.io.dataset import Dataset
from teachgraph.io.download import data_home
from teachgraph.io.download import download as fetch
from teachgraph.vision.datasets.images import checked_backend, checked_mode

__all__ = ["Cifar10", "Cifar100"]

SIDE, CHANNELS = 32, 3
PIXELS = CHANNELS * SIDE * SIDE
_LIMIT = 50_000
"""No file of CIFAR has more records."""


class Cifar10(Dataset[tuple[Any, NDArray[np.int64]]]):
    """Colour photographs of 10 classes: 50,000 for training, 10,000 for testing.

    The classes are airplane, automobile, bird, cat, deer, dog, frog, horse, ship and
    truck. Sample i is an image, float32 [32, 32, 3] from 0 to 255, and its class, int64
    []. A transform takes the image as uint8.

    Data: A. Krizhevsky (2009), Learning Multiple Layers of Features from Tiny Images,
    https://www.cs.toronto.edu/~kriz/cifar.html, its binary version.

    Args:
        data_file: The archive `cifar-10-binary.tar.gz`, or a folder with its `.bin`
            files; by default the archive in `~/.cache/teachgraph/dataset/cifar`, which
            is downloaded and verified if it is missing.
        mode: 'train' or 'test'.
        transform: Called with each image.
        download: False never uses the network.
        backend: 'cv2' (arrays, the default) or 'pil' (Pillow's images).

    Raises:
        DataError: A file is missing, damaged or can't be fetched; an unknown mode or
            backend.

    In Paddle this is `paddle.vision.datasets.Cifar10`, which reads the pickled archive.

    >>> Cifar10(mode="both")
    Traceback (most recent call last):
    teachgraph.errors.DataError: mode should be 'train' or 'test', but got 'both'
    """

    ARCHIVE: ClassVar[str] = "cifar-10-binary.tar.gz"
    URL: ClassVar[str] = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
    MD5: ClassVar[str] = "c32a1d4ab5d03f1284b67883e8d87530"
    FILES: ClassVar[dict[str, tuple[str, ...]]] = {
        "train": tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
        "test": ("test_batch.bin",),
    }
    LABELS: ClassVar[int] = 1
    CLASSES: ClassVar[int] = 10

    def __init__(
        self,
        data_file: str | os.PathLike[str] | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        self.mode = checked_mode(mode)
        self.backend = checked_backend(backend)
        self.transform = transform
        source = self._find(data_file, download)
        parts = [self._records(source, name) for name in self.FILES[self.mode]]
        records = np.concatenate(parts)
        planes = records[:, self.LABELS :].reshape(-1, CHANNELS, SIDE, SIDE)
        self.images: NDArray[np.uint8] = planes.transpose(0, 2, 3, 1)
        self.labels: NDArray[np.int64] = records[:, self.LABELS - 1].astype("int64")

    def __getitem__(self, index: int) -> tuple[Any, NDArray[np.int64]]:
        """Return image and class of sample `index`."""
        image: Any = np.ascontiguousarray(self.images[index])
        if self.backend == "pil":
            image = import_module("PIL.Image").fromarray(image)
        if self.transform is not None:
            image = self.transform(image)
        if isinstance(image, np.ndarray):
            image = image.astype("float32")
        return image, np.array(self.labels[index])

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.labels)

    def _find(self, data_file: Any, download: bool) -> Path:
        if data_file is not None:
            return Path(data_file).expanduser()
        cached = data_home() / "dataset" / "cifar" / self.ARCHIVE
        if cached.is_file():
            return cached
        if not download:
            raise DataError(f"{cached} is missing, and download=False")
        return fetch(self.URL, cached, self.MD5)

    def _records(self, source: Path, name: str) -> NDArray[np.uint8]:
        """Read the records of one file: uint8 [N, labels and pixels]."""
        length = self.LABELS + PIXELS
        data = _content(source, name, _LIMIT * length)
        count, rest = divmod(len(data), length)
        if rest or not 0 < count <= _LIMIT:
            raise DataError(
                f"{name} of {source} has {len(data):,} bytes, which is not 1 to "
                f"{_LIMIT:,} records of {length}"
            )
        records = np.frombuffer(data, "uint8").reshape(count, length)
        worst = records[:, self.LABELS - 1].max()
        if worst >= self.CLASSES:
            raise DataError(
                f"{name} of {source} has a class {worst}; 0 to {self.CLASSES - 1} were "
                "expected"
            )
        return records


class Cifar100(Cifar10):
    """Colour photographs of 100 classes: 50,000 for training, 10,000 for testing.

    The label is the fine class. Arguments are those of Cifar10; the archive is
    `cifar-100-binary.tar.gz`, its files are `train.bin` and `test.bin`.

    In Paddle this is `paddle.vision.datasets.Cifar100`.

    >>> Cifar100(mode="both")
    Traceback (most recent call last):
    teachgraph.errors.DataError: mode should be 'train' or 'test', but got 'both'
    """

    ARCHIVE: ClassVar[str] = "cifar-100-binary.tar.gz"
    URL: ClassVar[str] = "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"
    MD5: ClassVar[str] = "03b5dce01913d631647c71ecec9e9cb8"
    FILES: ClassVar[dict[str, tuple[str, ...]]] = {
        "train": ("train.bin",),
        "test": ("test.bin",),
    }
    LABELS: ClassVar[int] = 2
    CLASSES: ClassVar[int] = 100


def _content(source: Path, name: str, limit: int) -> bytes:
    """Read a file of a folder or a tar archive, at most `limit` + 1 bytes.

    Nothing is unpacked, so the paths in an archive can't write any file.
    """
    try:
        if source.is_dir():
            with (source / name).open("rb") as file:
                return file.read(limit + 1)
        with tarfile.open(source) as archive:
            for member in archive:
                if member.isfile() and Path(member.name).name == name:
                    stream = archive.extractfile(member)
                    return b"" if stream is None else stream.read(limit + 1)
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise DataError(f"{name} of {source} cannot be read: {error}") from error
    raise DataError(
        f"{source} has no {name}: it should be CIFAR's binary version (those for "
        "Python hold pickles, which are not read)"
    )
