"""Samplers that weigh, choose, or share the work of an epoch among trainers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teachgraph.core.random
from teachgraph.errors import DataError
from teachgraph.io import (
    BatchSampler,
    DistributedBatchSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def test_a_subset_is_visited_whole_and_in_ever_new_orders() -> None:
    chosen = list(range(5, 100, 3))
    sampler = SubsetRandomSampler(chosen)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == chosen
    assert first != second
    assert len(sampler) == len(chosen)
    teachgraph.core.random.seed(5)
    again = list(sampler)
    teachgraph.core.random.seed(5)
    assert list(sampler) == again


def test_weights_are_the_shares_in_the_long_run() -> None:
    teachgraph.core.random.seed(0)
    drawn = list(WeightedRandomSampler([1, 0, 3, 4], num_samples=8000))
    shares = np.bincount(drawn, minlength=4) / 8000
    np.testing.assert_allclose(shares, [0.125, 0, 0.375, 0.5], atol=0.02)
    assert all(type(index) is int for index in drawn)


def test_without_replacement_none_is_drawn_twice() -> None:
    teachgraph.core.random.seed(0)
    sampler = WeightedRandomSampler([5, 0, 1, 2], 3, replacement=False)
    assert len(sampler) == 3
    assert sorted(sampler) == [0, 2, 3]
    batches = list(BatchSampler(sampler=sampler, batch_size=2))
    assert [len(batch) for batch in batches] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0, 0], 2), "should not all be 0"),
        (([1, -2], 2), "finite numbers from 0 on"),
        (([1, np.nan], 2), "finite numbers from 0 on"),
        (([[1, 2]], 2), "a line of"),
        (([], 2), "should not all be 0"),
        (([1, 2], 0), "num_samples should be a positive integer"),
        (([1, 2], 3, False), "only 2 have a positive weight"),
        (([1, 0], 2, False), "only 1 have a positive weight"),
        (([1, 2], 1, "no"), "replacement should be a boolean"),
    ],
)
def test_weights_that_make_no_sense_are_refused(arguments: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        WeightedRandomSampler(*arguments)


def test_an_empty_subset_is_refused() -> None:
    with pytest.raises(DataError, match="should be greater than 0"):
        SubsetRandomSampler([])


@given(
    n=st.integers(1, 40),
    size=st.integers(1, 6),
    trainers=st.integers(1, 5),
    shuffle=st.booleans(),
)
def test_trainers_together_visit_every_sample_and_do_equally_much(
    n: int, size: int, trainers: int, shuffle: bool
) -> None:
    samplers = [
        DistributedBatchSampler(range(n), size, trainers, rank, shuffle)
        for rank in range(trainers)
    ]
    epochs = [list(sampler) for sampler in samplers]
    assert [len(epoch) for epoch in epochs] == [len(sampler) for sampler in samplers]
    shares = [[index for batch in epoch for index in batch] for epoch in epochs]
    assert {len(share) for share in shares} == {-(-n // trainers)}
    counts = np.bincount([index for share in shares for index in share], minlength=n)
    assert counts.min() >= 1
    assert counts.sum() - n < trainers


PADDLES = [
    ((11, 2, 3), [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 0]]]),
    ((10, 3, 2), [[[0, 1, 2], [6, 7]], [[3, 4, 5], [8, 9]]]),
    ((3, 4, 2), [[[0, 1]], [[2, 0]]]),
    ((1, 2, 3), [[[0]], [[0]], [[0]]]),
]


@pytest.mark.parametrize(("sizes", "batches"), PADDLES)
def test_the_shares_are_paddles(
    sizes: tuple[int, int, int], batches: list[list[list[int]]]
) -> None:
    n, size, trainers = sizes
    for rank, expected in enumerate(batches):
        sampler = DistributedBatchSampler(range(n), size, trainers, rank)
        assert list(sampler) == expected


def test_an_epochs_order_depends_on_its_number_alone() -> None:
    sampler = DistributedBatchSampler(range(30), 4, 1, 0, shuffle=True)
    first, second = list(sampler), list(sampler)
    assert first != second
    assert sampler.epoch == 2
    resumed = DistributedBatchSampler(range(30), 4, 1, 0, shuffle=True)
    resumed.set_epoch(1)
    assert list(resumed) == second


def test_a_short_last_batch_can_be_dropped() -> None:
    sampler = DistributedBatchSampler(range(11), 2, 2, 0, drop_last=True)
    assert list(sampler) == [[0, 1], [4, 5], [8, 9]]
    sampler = DistributedBatchSampler(range(10), 3, 2, 1, drop_last=True)
    assert list(sampler) == [[3, 4, 5]]
    assert len(sampler) == 1


def test_the_environment_says_who_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert list(DistributedBatchSampler(range(4), 2)) == [[2, 3]]
    with pytest.raises(DataError, match="rank should be from 0 to 1: got 2"):
        DistributedBatchSampler(range(4), 2, rank=2)
