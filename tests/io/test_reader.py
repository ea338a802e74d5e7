"""The 1.x readers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from teachgraph.errors import DataError
from teachgraph.io import batch


def counting() -> Iterator[int]:
    yield from range(5)


def test_a_reader_of_batches_can_be_started_again() -> None:
    reader = batch(counting, batch_size=2)
    assert list(reader()) == list(reader()) == [[0, 1], [2, 3], [4]]


def test_the_short_batch_can_be_dropped() -> None:
    assert list(batch(counting, 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(batch(counting, 5, drop_last=True)()) == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize("size", [0, -1, 2.0, None])
def test_a_batch_size_must_be_a_positive_integer(size: int) -> None:
    with pytest.raises(DataError, match="batch_size should be a positive integer"):
        batch(counting, size)
