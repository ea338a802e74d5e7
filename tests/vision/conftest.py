"""IDX files in small, written from the format's description rather than by our code."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest


def idx_bytes(array: np.ndarray) -> bytes:
    head = struct.pack(">BBBB", 0, 0, 8, array.ndim)
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return head + sizes + array.astype("uint8").tobytes()


class Pictures:
    """Twelve random images with labels, as arrays and as IDX bytes."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.images = rng.integers(0, 256, (12, 28, 28))
        self.labels = rng.integers(0, 10, 12)

    def files(self, part: str) -> dict[str, bytes]:
        return {
            f"{part}-images-idx3-ubyte": idx_bytes(self.images),
            f"{part}-labels-idx1-ubyte": idx_bytes(self.labels),
        }


class ToIdx(Protocol):
    def __call__(self, array: np.ndarray) -> bytes: ...


@pytest.fixture
def to_idx() -> ToIdx:
    return idx_bytes


@pytest.fixture
def pictures() -> Pictures:
    return Pictures(seed=1)


@pytest.fixture
def folder(tmp_path: Path, pictures: Pictures) -> Path:
    """A folder with both parts, the test part being the training part backwards."""
    for name, content in pictures.files("train").items():
        (tmp_path / name).write_bytes(content)
    backwards = Pictures(seed=1)
    backwards.images, backwards.labels = pictures.images[::-1], pictures.labels[::-1]
    for name, content in backwards.files("t10k").items():
        (tmp_path / name).write_bytes(content)
    return tmp_path
