"""`Digits`: 1,797 handwritten digits, bundled with the package."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.vision.datasets.images import LabelledImages, checked_mode

__all__ = ["Digits", "enlarge"]

SMALL, LARGE = 8, 28
INK = 16
"""The largest pixel value of the small images."""


class Digits(LabelledImages):
    """Handwritten digits in MNIST's format: 1,437 for training, 360 for testing.

    The images are the 8x8 counts (0..16) of scikit-learn's `load_digits`, enlarged to
    28x28 and 0..255 by `enlarge`. The split is fixed and stratified: with the images
    sorted by digit, in their original order within a digit, every fifth from the first
    on is a test image. Both parts keep the original order, which mixes the digits. The
    thirteen writers occur in both, so a test score measures new digits of known
    writers.

    Data: E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits,
    UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, its test set;
    CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.

    Args:
        mode: 'train' or 'test'.
        transform: Called with each image.
        backend: 'cv2' (arrays, the default) or 'pil' (Pillow's images).

    Raises:
        DataError: An unknown mode or backend, or the package's data file is damaged.

    >>> digits = Digits(mode="test")
    >>> image, label = digits[0]
    >>> len(digits), image.shape, image.dtype, label
    (360, (28, 28), dtype('float32'), array([0]))
    >>> digits.images.shape, digits.labels.shape
    ((360, 28, 28), (360, 1))
    """

    def __init__(
        self,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        backend: str | None = None,
    ) -> None:
        mode = checked_mode(mode)
        pixels, labels = _embedded()
        chosen = _is_test(labels) == (mode == "test")
        super().__init__(
            enlarge(pixels[chosen]), labels[chosen], mode, transform, backend
        )


def enlarge(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Scale images of 8x8 pixels 0..16 to 28x28 pixels 0..255, bilinearly.

    Pixel centres lie at half-integers, so output row i reads the input row
    s(i) = (i + 1/2) 8/28 - 1/2, clipped to 0..7, and weighs input row j by
    W[i, j] = max(0, 1 - |s(i) - j|). The columns have the same weights:
    Y = W X W^T * 255/16, rounded to integers, ties to even. It is computed in integer
    multiples of 1/56, so the images are equal to the bit on every machine.

    Args:
        pixels: uint8 [N, 8, 8].

    Returns:
        float32 [N, 28, 28].

    >>> ink = np.full((1, 8, 8), 16, "uint8")
    >>> enlarge(ink).min(), enlarge(ink // 2).max()
    (np.float32(255.0), np.float32(128.0))
    """
    unit = 2 * LARGE
    source = (2 * np.arange(LARGE) + 1) * SMALL - LARGE
    source = source.clip(0, unit * (SMALL - 1))
    distance = np.abs(source[:, None] - unit * np.arange(SMALL))
    weights = np.maximum(0, unit - distance)
    enlarged: NDArray[np.int64] = weights @ pixels.astype(np.int64) @ weights.T
    return np.rint(enlarged * 255 / (INK * unit**2)).astype(np.float32)


def _is_test(labels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark every fifth image of each digit."""
    chosen = np.zeros(len(labels), dtype="bool")
    chosen[np.argsort(labels, kind="stable")[::5]] = True
    return chosen


def _embedded() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Load the small images, uint8 [1797, 8, 8], and their labels, uint8 [1797]."""
    source = resources.files("teachgraph.vision.datasets") / "data" / "digits.npz"
    try:
        with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return arrays["images"], arrays["labels"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{source}, which is part of this package, is damaged ({error!r}); "
            "install teachgraph again"
        ) from error
