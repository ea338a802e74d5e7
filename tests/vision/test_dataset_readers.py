"""Paddle 1's readers of digits hand out flat images between -1 and 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import teachgraph as paddle
from teachgraph import dataset
from teachgraph.vision.datasets import Digits


def test_mnist_is_what_paddle_1_gave(folder: Path, pictures: Any) -> None:
    samples = list(dataset.mnist.train(folder)())
    assert len(samples) == 12
    for (image, label), pixels, digit in zip(
        samples, pictures.images, pictures.labels, strict=True
    ):
        assert (image.dtype, type(label), label) == ("float32", int, digit)
        np.testing.assert_allclose(image, pixels.reshape(784) / 255 * 2 - 1, atol=1e-6)
    backwards = [label for _, label in dataset.mnist.test(folder)()]
    assert backwards == pictures.labels[::-1].tolist()


def test_a_1_x_program_reads_digits_in_batches() -> None:
    reader = paddle.batch(
        paddle.reader.shuffle(paddle.dataset.digits.train(), buf_size=2000),
        batch_size=64,
    )
    batches = list(reader())
    assert [len(batch) for batch in batches] == [64] * 22 + [29]
    labels = sorted(label for batch in batches for _, label in batch)
    assert labels == sorted(Digits().labels[:, 0].tolist())
    images = np.array([image for batch in batches for image, _ in batch])
    assert (images.shape, images.min(), images.max()) == ((1437, 784), -1, 1)
