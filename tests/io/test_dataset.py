"""Data sets: samples by number, in a stream, from arrays, chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.errors import DataError
from teachgraph.io import Dataset, IterableDataset, Subset, TensorDataset


class Unwritten(Dataset[int]):
    pass


class UnwrittenStream(IterableDataset[int]):
    pass


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield from (5, 6, 7)


def test_what_was_not_written_is_named_with_its_class() -> None:
    with pytest.raises(
        NotImplementedError, match="'__getitem__' not implement in class Unwritten"
    ):
        Unwritten()[0]
    with pytest.raises(
        NotImplementedError, match="'__len__' not implement in class Unwritten"
    ):
        len(Unwritten())
    with pytest.raises(
        NotImplementedError, match="'__iter__' not implement in class UnwrittenStream"
    ):
        iter(UnwrittenStream())


def test_a_stream_has_neither_numbers_nor_length_but_can_be_listed() -> None:
    with pytest.raises(RuntimeError, match="'__getitem__' should not be called"):
        Stream()[0]
    with pytest.raises(TypeError, match="length of IterableDataset not supported"):
        len(Stream())
    assert list(Stream()) == [5, 6, 7]


def test_a_tensor_dataset_cuts_arrays_and_tensors_alike() -> None:
    images = np.arange(12, dtype="float32").reshape(3, 2, 2)
    labels = tg.to_tensor([[4], [5], [6]])
    dataset = TensorDataset([images, labels])
    image, label = dataset[2]
    assert len(dataset) == 3
    np.testing.assert_array_equal(image, [[8, 9], [10, 11]])
    assert label.tolist() == [6]
    with pytest.raises(IndexError):
        dataset[3]


@pytest.mark.parametrize(
    "tensors",
    [[], [np.zeros((2, 3)), np.zeros((3, 2))], [np.zeros(()), np.zeros(())]],
    ids=["none", "lengths differ", "scalars"],
)
def test_tensors_that_cannot_be_cut_together_are_refused(tensors: list[Any]) -> None:
    with pytest.raises(DataError, match="not have same shape of the 1st dimension"):
        TensorDataset(tensors)


def test_a_subset_keeps_the_order_it_was_given() -> None:
    subset = Subset(TensorDataset([np.arange(10) * 10]), [7, 0, 7])
    assert [int(subset[i][0]) for i in range(len(subset))] == [70, 0, 70]
