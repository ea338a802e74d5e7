"""MNIST as readers of (image, label), the image between -1 (paper) and 1 (ink).

In Paddle this is `paddle.dataset.mnist`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph.vision.datasets import MNIST, LabelledImages

__all__ = ["reader_creator", "test", "train"]

Sample = tuple[NDArray[np.float32], int]


def train(image_path: Any = None) -> Callable[[], Iterator[Sample]]:
    """Create a reader of the 60,000 training images.

    Args:
        image_path: A folder with MNIST's files; without one they are downloaded.

    Raises:
        DataError: A file is missing, can't be fetched, or isn't what it should be.
    """
    return reader_creator(MNIST(image_path, mode="train"))


def test(
    image_path: Any = None,  # noqa: PT028  Paddle's name, not a test of ours
) -> Callable[[], Iterator[Sample]]:
    """Create a reader of the 10,000 test images; see `train`."""
    return reader_creator(MNIST(image_path, mode="test"))


def reader_creator(dataset: LabelledImages) -> Callable[[], Iterator[Sample]]:
    """Create a reader of (image, label): image flat, pixel/255 * 2 - 1; label an int.

    >>> black = LabelledImages(np.full((1, 28, 28), 255), [7])
    >>> image, label = next(reader_creator(black)())
    >>> image.shape, image.dtype, float(image.min()), label
    ((784,), dtype('float32'), 1.0, 7)
    """

    def reader() -> Iterator[Sample]:
        for image, label in zip(dataset.images, dataset.labels, strict=True):
            yield image.reshape(-1) / np.float32(255) * 2 - 1, int(label[0])

    return reader
