"""Samplers visit what they promise, and batch samplers lose and double nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teachgraph.core.random
from teachgraph.errors import DataError
from teachgraph.io import (
    BatchSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequenceSampler,
)


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield 1


@given(n=st.integers(0, 50), batch_size=st.integers(1, 12), drop_last=st.booleans())
def test_batches_are_the_order_cut_in_pieces(
    n: int, batch_size: int, drop_last: bool
) -> None:
    sampler = BatchSampler(range(n), batch_size=batch_size, drop_last=drop_last)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    visited = [index for batch in batches for index in batch]
    assert visited == list(range(n - n % batch_size if drop_last else n))
    assert all(len(batch) == batch_size for batch in batches[:-1])
    assert all(0 < len(batch) <= batch_size for batch in batches)


def test_a_random_order_visits_all_once_and_is_new_each_epoch() -> None:
    sampler = RandomSampler(range(100))
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second != list(range(100))
    assert all(type(index) is int for index in first)


def test_the_one_seed_decides_the_order() -> None:
    teachgraph.core.random.seed(3)
    first = list(BatchSampler(range(100), shuffle=True, batch_size=7))
    teachgraph.core.random.seed(3)
    assert list(BatchSampler(range(100), shuffle=True, batch_size=7)) == first
    teachgraph.core.random.seed(4)
    assert list(BatchSampler(range(100), shuffle=True, batch_size=7)) != first


def test_with_replacement_samples_repeat() -> None:
    drawn = list(RandomSampler(range(3), replacement=True, num_samples=50))
    assert len(drawn) == 50
    assert set(drawn) == {0, 1, 2}


def test_some_of_the_samples_are_drawn_without_repeating() -> None:
    sampler = RandomSampler(range(30), num_samples=10)
    assert len(sampler) == len(set(sampler)) == 10


def test_an_iterator_of_numbers_replaces_the_drawing() -> None:
    assert list(RandomSampler(range(3), generator=iter([2, 2, 0, 1]))) == [2, 2, 0]


def test_a_sampler_of_ones_own_is_cut_into_batches() -> None:
    class Odd(Sampler[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(1, len(self.data_source), 2))

    assert list(BatchSampler(sampler=Odd(range(8)), batch_size=3)) == [[1, 3, 5], [7]]
    assert list(SequenceSampler("ab")) == [0, 1]
    with pytest.raises(NotImplementedError, match="'__iter__' not implement"):
        iter(Sampler())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "either dataset or sampler should be set"),
        ({"dataset": [1], "sampler": [0]}, "should not set both dataset and sampler"),
        ({"sampler": 5}, "sampler should be either"),
        ({"sampler": [0], "shuffle": True}, "shuffle should be False when sampler is"),
        ({"dataset": Stream()}, "dataset should not be a .*IterableDataset"),
        ({"dataset": [1], "batch_size": 0}, "batch_size should be a positive integer"),
        ({"dataset": [1], "batch_size": 1.5}, "positive integer, but got 1.5"),
        ({"dataset": [1], "batch_size": True}, "positive integer, but got True"),
        ({"dataset": [1], "shuffle": 1}, "shuffle should be a boolean value"),
        ({"dataset": [1], "drop_last": None}, "drop_last should be a boolean value"),
    ],
)
def test_batch_samplers_say_what_they_cannot_do(
    arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        BatchSampler(**arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"num_samples": 4}, "got num_samples: 4 > data_source: 3"),
        ({"num_samples": 0}, "num_samples should be a positive integer, but got 0"),
        ({"replacement": "no"}, "replacement should be a boolean value"),
    ],
)
def test_random_samplers_say_what_they_cannot_do(
    arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        RandomSampler(range(3), **arguments)
