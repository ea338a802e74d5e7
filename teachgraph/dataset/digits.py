"""The bundled digits as readers, in the form of `teachgraph.dataset.mnist`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from teachgraph.dataset.mnist import Sample, reader_creator
from teachgraph.vision.datasets import Digits

__all__ = ["test", "train"]


def train() -> Callable[[], Iterator[Sample]]:
    """Create a reader of the 1,437 training images.

    >>> image, label = next(train()())
    >>> image.shape, float(image.min()), type(label)
    ((784,), -1.0, <class 'int'>)
    """
    return reader_creator(Digits("train"))


def test() -> Callable[[], Iterator[Sample]]:
    """Create a reader of the 360 test images.

    >>> len(list(test()()))
    360
    """
    return reader_creator(Digits("test"))
