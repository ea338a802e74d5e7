"""Data sets of files in folders: one folder per class, or images without classes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from teachgraph.errors import DataError
from teachgraph.io.dataset import Dataset
from teachgraph.vision.image import image_load

__all__ = ["DatasetFolder", "ImageFolder"]

IMAGES = (
    ".bmp",
    ".jpeg",
    ".jpg",
    ".npy",
    ".pgm",
    ".png",
    ".ppm",
    ".tif",
    ".tiff",
    ".webp",
)
Path_ = str | os.PathLike[str]


class DatasetFolder(Dataset[tuple[Any, int]]):
    """Data set of files by class: `root/cat/1.png`, `root/dog/old/2.png`, ...

    Sample i is a loaded file and the number of its class; classes are the folders in
    `root`, in alphabetical order.

    Args:
        root: The folder of folders.
        loader: Loads a file; by default `teachgraph.vision.image_load`.
        extensions: The suffixes of the files to include, by default those of images.
        transform: Called with each loaded sample.
        is_valid_file: A predicate on paths, instead of `extensions`.

    Attributes:
        classes: The names of the classes.
        class_to_idx: The number of each class.
        samples: Paths with the numbers of their classes.
        targets: The numbers alone.

    Raises:
        DataError: `root` is no folder or has no such file, or both `extensions` and
            `is_valid_file` are given.

    In Paddle this is `paddle.vision.datasets.DatasetFolder`.

    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as root:
    ...     for name in ("cat", "dog"):
    ...         Path(root, name).mkdir()
    ...         np.save(Path(root, name, "1.npy"), np.full((2, 2), len(name), "uint8"))
    ...     dataset = DatasetFolder(root)
    ...     dataset.classes, dataset[1]
    (['cat', 'dog'], (array([[3, 3],
           [3, 3]], dtype=uint8), 1))
    """

    def __init__(
        self,
        root: Path_,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        self.root = os.fspath(root)
        self.loader = loader or image_load
        self.transform = transform
        self.extensions = extensions
        wanted = _predicate(extensions, is_valid_file)
        self.classes = [
            path.name for path in _sorted_entries(Path(root)) if path.is_dir()
        ]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = [
            (str(path), number)
            for name, number in self.class_to_idx.items()
            for path in _files(Path(root, name))
            if wanted(str(path))
        ]
        self.targets = [number for _, number in self.samples]
        if not self.samples:
            raise DataError(
                f"Found 0 files in subfolders of: {root}. Each class has a folder of "
                f"its own there, with files ending in {', '.join(extensions or IMAGES)}"
            )

    def __getitem__(self, index: int) -> tuple[Any, int]:
        """Load file `index`; return it with the number of its class."""
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.samples)


class ImageFolder(Dataset[list[Any]]):
    """Data set of all images in a folder, recursively; sample i is a list of one.

    Args:
        root: The folder.
        loader: Loads a file; by default `teachgraph.vision.image_load`.
        extensions: The suffixes of the files to include, by default those of images.
        transform: Called with each loaded sample.
        is_valid_file: A predicate on paths, instead of `extensions`.

    Attributes:
        samples: The paths.

    Raises:
        DataError: `root` is no folder or has no such file, or both `extensions` and
            `is_valid_file` are given.

    In Paddle this is `paddle.vision.datasets.ImageFolder`.

    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as root:
    ...     np.save(Path(root, "1.npy"), np.array([[7]], "uint8"))
    ...     ImageFolder(root)[0]
    [array([[7]], dtype=uint8)]
    """

    def __init__(
        self,
        root: Path_,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        self.root = os.fspath(root)
        self.loader = loader or image_load
        self.transform = transform
        self.extensions = extensions
        wanted = _predicate(extensions, is_valid_file)
        self.samples = [str(path) for path in _files(Path(root)) if wanted(str(path))]
        if not self.samples:
            raise DataError(
                f"Found 0 files in: {root}. Files wanted end in "
                f"{', '.join(extensions or IMAGES)}"
            )

    def __getitem__(self, index: int) -> list[Any]:
        """Load file `index`; return it in a list."""
        sample = self.loader(self.samples[index])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.samples)


def _predicate(
    extensions: Sequence[str] | None, is_valid_file: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    if is_valid_file is None:
        ends = tuple(end.lower() for end in extensions or IMAGES)
        return lambda path: path.lower().endswith(ends)
    if extensions is not None:
        raise DataError("extensions and is_valid_file should not both be given")
    return is_valid_file


def _sorted_entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error}") from error


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file in the folder, recursively, sorted by name."""
    for path in _sorted_entries(folder):
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
