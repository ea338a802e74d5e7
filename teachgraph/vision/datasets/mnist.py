"""MNIST and Fashion-MNIST: the original files, from a folder or downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.io.download import data_home
from teachgraph.io.download import download as fetch
from teachgraph.vision.datasets.idx import read_idx
from teachgraph.vision.datasets.images import (
    LabelledImages,
    checked_backend,
    checked_mode,
)

__all__ = ["MNIST", "FashionMNIST"]

SIDE, CLASSES = 28, 10


class MNIST(LabelledImages):
    """Handwritten digits: 60,000 for training, 10,000 for testing.

    With neither path, the files are looked for in `~/.cache/teachgraph/dataset/mnist`
    (or below `TEACHGRAPH_HOME`), and downloaded into it and verified if they are
    missing. With a path nothing is downloaded. Files may be plain or compressed with
    gzip; their names are `train-images-idx3-ubyte`,
    `train-labels-idx1-ubyte`, `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`,
    with or without `.gz`.

    Data: Y. LeCun, C. Cortes and C. Burges, The MNIST database of handwritten digits,
    http://yann.lecun.com/exdb/mnist/. Address and checksums are those of Paddle's
    `paddle.vision.datasets.MNIST`; torchvision lists the same checksums.

    Args:
        image_path: A file of images, or a folder with files of the names above.
        label_path: A file of labels; by default the one beside the images.
        mode: 'train' or 'test'.
        transform: Called with each image.
        download: False never uses the network.
        backend: 'cv2' (arrays, the default) or 'pil' (Pillow's images).

    Raises:
        DataError: A file is missing, damaged or can't be fetched; an unknown mode or
            backend.

    In Paddle this is `paddle.vision.datasets.MNIST`, whose default backend is 'pil'.

    >>> MNIST(mode="validation")
    Traceback (most recent call last):
    teachgraph.errors.DataError: mode should be ... 'test', but got 'validation'
    """

    NAME: ClassVar[str] = "mnist"
    URL_PREFIX: ClassVar[str] = "https://dataset.bj.bcebos.com/mnist/"
    MD5: ClassVar[Mapping[str, str]] = {
        "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
        "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
        "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
    }

    def __init__(
        self,
        image_path: str | os.PathLike[str] | None = None,
        label_path: str | os.PathLike[str] | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        mode = checked_mode(mode)
        backend = checked_backend(backend)
        part = "train" if mode == "train" else "t10k"
        folder = _folder(image_path, label_path)
        paths = [
            _explicit_file(path) or self._find(folder, f"{part}-{name}-ubyte", download)
            for path, name in ((image_path, "images-idx3"), (label_path, "labels-idx1"))
        ]
        images, labels = _read(*paths)
        super().__init__(images, labels, mode, transform, backend)

    def _find(self, folder: Path | None, name: str, download: bool) -> Path:
        """Find a file in `folder`, by default in the cache, downloading it there."""
        home = folder or data_home() / "dataset" / self.NAME
        packed = f"{name}.gz"
        for path in (home / name, home / packed):
            if path.is_file():
                return path
        part = name.partition("-")[0]
        needs = (
            f"{type(self).__name__} needs {part}-images-idx3-ubyte and "
            f"{part}-labels-idx1-ubyte, each as it is or as .gz, in {home}"
        )
        if folder is not None or not download:
            raise DataError(f"{home} has neither {name} nor {packed}. {needs}")
        try:
            return fetch(self.URL_PREFIX + packed, home / packed, self.MD5[packed])
        except DataError as error:
            raise DataError(f"{error}. {needs}") from error


class FashionMNIST(MNIST):
    """Images of clothes in MNIST's format: 60,000 for training, 10,000 for testing.

    The classes are T-shirt, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag
    and ankle boot. Arguments and files are those of MNIST.

    Data: H. Xiao, K. Rasul and R. Vollgraf (2017), Fashion-MNIST,
    https://github.com/zalandoresearch/fashion-mnist, MIT licence. The address is that
    of `paddle.vision.datasets.FashionMNIST`, the checksums are the authors' own.

    >>> FashionMNIST(mode="both")
    Traceback (most recent call last):
    teachgraph.errors.DataError: mode should be 'train' or 'test', but got 'both'
    """

    NAME: ClassVar[str] = "fashion-mnist"
    URL_PREFIX: ClassVar[str] = "https://dataset.bj.bcebos.com/fashion_mnist/"
    MD5: ClassVar[Mapping[str, str]] = {
        "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
        "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
        "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
    }


def _explicit_file(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the path if it names a file; None for a folder or None."""
    explicit = None if path is None else Path(path).expanduser()
    return None if explicit is None or explicit.is_dir() else explicit


def _folder(*paths: str | os.PathLike[str] | None) -> Path | None:
    """Folder of the files without an explicit path: that of the first explicit one."""
    for path in paths:
        if path is not None:
            explicit = Path(path).expanduser()
            return explicit if explicit.is_dir() else explicit.parent
    return None


def _read(
    image_path: Path, label_path: Path
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    images = read_idx(image_path, dimensions=3)
    labels = read_idx(label_path, dimensions=1)
    if images.shape[1:] != (SIDE, SIDE):
        rows, columns = images.shape[1:]
        raise DataError(
            f"{image_path} has images of {rows} x {columns} pixels; {SIDE} x {SIDE} "
            "were expected"
        )
    if len(images) != len(labels):
        raise DataError(
            f"{image_path} has {len(images)} images, but {label_path} has "
            f"{len(labels)} labels; they don't belong together"
        )
    if labels.size and labels.max() >= CLASSES:
        raise DataError(
            f"{label_path} has a label {labels.max()}; 0 to {CLASSES - 1} were expected"
        )
    return images, labels
