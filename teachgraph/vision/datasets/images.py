"""`LabelledImages`: base of the data sets in MNIST's format; argument checks."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.io.dataset import Dataset
from teachgraph.vision.image import get_image_backend

__all__ = ["LabelledImages"]


class LabelledImages(Dataset[tuple[Any, NDArray[np.int64]]]):
    """Grey images with labels; sample i is `(images[i], labels[i])`.

    Attributes:
        images: float32 [N, 28, 28], integers from 0 (paper) to 255 (ink).
        labels: int64 [N, 1], from 0 to 9.
        mode: 'train' or 'test'.
        transform: Called with each image, or None.
        backend: 'cv2' returns images as arrays, 'pil' as Pillow's images.

    >>> import numpy as np
    >>> images = np.full((2, 28, 28), 255, "uint8")
    >>> dataset = LabelledImages(images, [3, 5], transform=lambda image: image / 255)
    >>> image, label = dataset[1]
    >>> image.shape, image.dtype, float(image[0, 0]), label
    ((28, 28), dtype('float32'), 1.0, array([5]))
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        backend: str | None = None,
    ) -> None:
        self.images: NDArray[np.float32] = np.asarray(images, "float32")
        self.labels: NDArray[np.int64] = np.asarray(labels, "int64").reshape(-1, 1)
        self.mode = mode
        self.transform = transform
        self.backend = checked_backend(backend)

    def __getitem__(self, index: int) -> tuple[Any, NDArray[np.int64]]:
        """Return copies of image and label `index`.

        Returns:
            The image, float32 [28, 28] unless changed by `transform` or 'pil', and the
            label, int64 [1].
        """
        image: Any = self.images[index].copy()
        if self.backend == "pil":
            image = import_module("PIL.Image").fromarray(image.astype("uint8"))
        if self.transform is not None:
            image = self.transform(image)
        if isinstance(image, np.ndarray):
            image = image.astype("float32", copy=False)
        return image, self.labels[index].copy()

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)


def checked_mode(mode: str) -> str:
    """Require 'train' or 'test', in any capitalisation; return it in lower case.

    Raises:
        DataError: The mode is neither.

    >>> checked_mode("Test")
    'test'
    """
    lower = str(mode).lower()
    if lower not in {"train", "test"}:
        raise DataError(f"mode should be 'train' or 'test', but got {mode!r}")
    return lower


def checked_backend(backend: str | None) -> str:
    """Require 'cv2' (arrays) or 'pil'; None is the one set by `set_image_backend`.

    Raises:
        DataError: The backend is neither, or 'pil' without Pillow installed.

    >>> checked_backend(None)
    'cv2'
    """
    backend = get_image_backend() if backend is None else backend
    if backend == "pil":
        try:
            import_module("PIL.Image")
        except ImportError as error:
            raise DataError("backend 'pil' needs Pillow: pip install pillow") from error
    elif backend != "cv2":
        raise DataError(
            f"Expected backend are one of ['pil', 'cv2'], but got {backend!r}"
        )
    return backend
