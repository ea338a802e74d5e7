"""Data sets made of data sets lose no sample and double none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teachgraph.core.random
from teachgraph.errors import DataError
from teachgraph.io import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    DataLoader,
    IterableDataset,
    TensorDataset,
    random_split,
)


class Counter(IterableDataset[int]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        yield from range(self.n)


def test_side_by_side_every_field_is_there() -> None:
    images = TensorDataset([np.arange(3) * 10, np.arange(3)])
    both = ComposeDataset([images, ["a", "b", "c"], [[7], [8], [9]]])
    assert len(both) == 3
    assert [both[2][0], both[2][1], *both[2][2:]] == [20, 2, "c", 9]


@given(lengths=st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_one_after_another_numbers_run_through(lengths: list[int]) -> None:
    parts = [[(i, j) for j in range(n)] for i, n in enumerate(lengths)]
    whole = ConcatDataset(parts)
    expected = [sample for part in parts for sample in part]
    assert len(whole) == len(expected)
    assert [whole[i] for i in range(len(whole))] == expected
    assert [whole[-i] for i in range(1, len(whole) + 1)] == expected[::-1]
    for outside in (len(whole), -len(whole) - 1):
        with pytest.raises(IndexError, match=f"sample {outside} of {len(whole)}"):
            whole[outside]


def test_streams_are_chained_and_can_be_started_again() -> None:
    chain = ChainDataset([Counter(2), Counter(0), Counter(3)])
    assert list(chain) == list(chain) == [0, 1, 0, 1, 2]
    assert [b.tolist() for b in DataLoader(chain, batch_size=3)] == [[0, 1, 0], [1, 2]]


@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_a_split_deals_every_sample_out_once(counts: list[int]) -> None:
    letters = [object() for _ in range(sum(counts))]
    parts = random_split(letters, counts)
    assert [len(part) for part in parts] == counts
    dealt = [id(part[i]) for part in parts for i in range(len(part))]
    assert sorted(dealt) == sorted(map(id, letters))


def test_fractions_are_rounded_down_and_the_first_get_the_rest() -> None:
    for n, fractions, counts in [
        (10, [0.5, 0.3, 0.2], [5, 3, 2]),
        (11, [0.5, 0.5], [6, 5]),
        (10, [0.34, 0.33, 0.33], [4, 3, 3]),
        (5, [1.0], [5]),
        (7, [1 / 3] * 3, [3, 2, 2]),
    ]:
        parts = random_split(range(n), fractions)
        assert [len(part) for part in parts] == counts


def test_a_split_repeats_with_its_seed_and_with_the_one_seed() -> None:
    def deal(generator: Any = None) -> list[list[int]]:
        parts = random_split(range(50), [20, 30], generator)
        return [list(part.indices) for part in parts]

    assert deal(3) == deal(3) == deal(np.random.default_rng(3)) != deal(4)
    teachgraph.core.random.seed(1)
    first, second = deal(), deal()
    teachgraph.core.random.seed(1)
    assert deal() == first != second


@pytest.mark.parametrize(
    ("lengths", "says"),
    [
        ([3, 3], "does not equal the length"),
        ([0.5, 0.6], "does not equal the length"),
        ([1], "does not equal the length"),
        ([-1, 11], "negative length"),
    ],
)
def test_splits_that_do_not_add_up_are_refused(lengths: list[float], says: str) -> None:
    with pytest.raises(DataError, match=says):
        random_split(range(10), lengths)


def test_a_generator_of_no_use_is_refused() -> None:
    with pytest.raises(DataError, match=r"a seed from 0 on .* got 'luck'"):
        random_split(range(2), [2], generator="luck")


@pytest.mark.parametrize(
    ("kind", "parts", "says"),
    [
        (ComposeDataset, [], "input datasets are empty"),
        (ConcatDataset, [], "input datasets are empty"),
        (ComposeDataset, ["ab", "c"], r"should be same, but got \[2, 1\]"),
        (ComposeDataset, [Counter(1)], "should not get an IterableDataset"),
        (ConcatDataset, ["a", Counter(1)], "should not get an IterableDataset"),
        (ChainDataset, [Counter(1), "ab"], "one or more IterableDatasets"),
        (ChainDataset, [], "one or more IterableDatasets"),
    ],
)
def test_what_cannot_be_combined_is_refused(kind: Any, parts: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        kind(parts)
