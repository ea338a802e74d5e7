"""The embedded digits, from scikit-learn's; run as a script, writes them anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DATA = Path(__file__).parents[2] / "teachgraph" / "vision" / "datasets" / "data"
EMBEDDED = DATA / "digits.npz"


def original() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The images and labels scikit-learn ships, in bytes."""
    # Its import takes seconds: not where tests are collected.
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.images.astype("uint8"), digits.target.astype("uint8")


def main() -> None:
    """Write beside, then rename, so that a half file is never embedded."""
    images, labels = original()
    beside = EMBEDDED.with_name("beside.npz")
    np.savez_compressed(beside, images=images, labels=labels)
    beside.replace(EMBEDDED)


if __name__ == "__main__":
    main()
