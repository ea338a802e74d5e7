"""A DataLoader hands out what the data set holds, and says what is amiss."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teachgraph as tg
import teachgraph.core.random
from teachgraph.errors import DataError
from teachgraph.io import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
)

IMAGES = np.arange(20, dtype="float32").reshape(5, 2, 2)
LABELS = np.arange(5).reshape(5, 1)


def pairs() -> TensorDataset:
    return TensorDataset([IMAGES, LABELS])


class Counter(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield from range(5)


def test_fields_come_as_a_list_of_tensors_without_gradient() -> None:
    batches = list(DataLoader(pairs(), batch_size=2))
    assert [type(batch) for batch in batches] == [list] * 3
    for image, label in batches:
        assert isinstance(image, tg.Tensor)
        assert image.stop_gradient
        assert (image.dtype, label.dtype) == ("float32", "int64")
    np.testing.assert_array_equal(np.concatenate([b[0] for b in batches]), IMAGES)
    np.testing.assert_array_equal(np.concatenate([b[1] for b in batches]), LABELS)


def test_each_for_is_an_epoch_and_calling_starts_one_too() -> None:
    loader = DataLoader(pairs(), batch_size=2, drop_last=True)
    assert [len(list(loader)), len(list(loader)), len(list(loader()))] == [2, 2, 2]
    assert len(loader) == 2


@given(n=st.integers(1, 30), size=st.integers(1, 9), drop=st.booleans())
def test_nothing_is_lost_and_nothing_doubled(n: int, size: int, drop: bool) -> None:
    loader = DataLoader(range(n), batch_size=size, shuffle=True, drop_last=drop)
    batches = [batch.tolist() for batch in loader]
    seen = [number for batch in batches for number in batch]
    assert len(batches) == len(loader)
    assert len(seen) == len(set(seen)) == (n - n % size if drop else n)
    assert set(seen) <= set(range(n))


def test_images_and_labels_stay_together_when_shuffled() -> None:
    teachgraph.core.random.seed(0)
    for image, label in DataLoader(pairs(), batch_size=3, shuffle=True):
        np.testing.assert_array_equal(image.numpy()[:, 0, 0], 4 * label.numpy()[:, 0])


@pytest.mark.parametrize(
    ("samples", "dtype"),
    [([3, 4], "int64"), ([0.5, 1.5], "float64"), ([True, False], "bool")],
)
def test_numbers_come_as_one_tensor(samples: list[Any], dtype: str) -> None:
    (batch,) = DataLoader(samples, batch_size=2)
    assert isinstance(batch, tg.Tensor)
    assert batch.dtype == dtype
    assert batch.tolist() == samples


def test_mappings_stay_mappings_and_text_stays_text() -> None:
    samples = [{"x": np.float32(i), "name": f"n{i}", "nest": (i, [i])} for i in (1, 2)]
    (batch,) = DataLoader(samples, batch_size=2)
    assert batch["x"].tolist() == [1.0, 2.0]
    assert batch["x"].dtype == "float32"
    assert batch["name"] == ["n1", "n2"]
    assert batch["nest"][0].tolist() == batch["nest"][1][0].tolist() == [1, 2]


def test_samples_may_be_tensors() -> None:
    samples = [tg.to_tensor([1.0, 2.0]), tg.to_tensor([3.0, 4.0])]
    (batch,) = DataLoader(samples, batch_size=2)
    assert batch.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_batch_sampler_of_ones_own_decides() -> None:
    sampler = BatchSampler(sampler=[4, 0, 2], batch_size=2)
    loader = DataLoader(pairs(), batch_sampler=sampler)
    assert [label.tolist() for _, label in loader] == [[[4], [0]], [[2]]]
    assert len(loader) == 2


def test_a_collate_function_of_ones_own_decides() -> None:
    loader = DataLoader(
        [3, 4, 5], batch_size=3, collate_fn=lambda s: np.array([sum(s)])
    )
    assert [batch.tolist() for batch in loader] == [[12]]


def test_without_batch_size_the_samples_are_batches() -> None:
    loader = DataLoader(pairs(), batch_size=None)
    assert len(loader) == 5
    image, label = next(iter(loader))
    assert image.shape == [2, 2]
    assert label.tolist() == [0]
    assert list(DataLoader(Counter(), batch_size=None)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("drop", "last"), [(False, [4]), (True, [2, 3])])
def test_a_stream_is_cut_into_batches(drop: bool, last: list[int]) -> None:
    loader = DataLoader(Counter(), batch_size=2, drop_last=drop)
    assert [batch.tolist() for batch in loader][-1] == last


def test_an_endless_stream_is_read_no_further_than_asked() -> None:
    asked = []

    class Endless(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            while True:
                asked.append(len(asked))
                yield asked[-1]

    batches = iter(DataLoader(Endless(), batch_size=3))
    next(batches)
    assert next(batches).tolist() == [3, 4, 5]
    assert len(asked) == 6


def test_as_a_feed_fields_go_by_the_names_of_the_variables() -> None:
    variables = [SimpleNamespace(name="image"), SimpleNamespace(name="label")]
    loader = DataLoader(pairs(), variables, return_list=False, batch_size=5)
    (feed,) = loader
    assert list(feed) == ["image", "label"]
    np.testing.assert_array_equal(feed["image"], IMAGES)
    assert type(feed["label"]) is np.ndarray
    with pytest.raises(DataError, match=r"1 variables \['image'\].* has 2 fields"):
        list(DataLoader(pairs(), variables[:1], return_list=False))


class Ragged(Dataset[Any]):
    def __init__(self, samples: list[Any]) -> None:
        self.samples = samples

    def __getitem__(self, index: int) -> Any:
        return self.samples[index]

    def __len__(self) -> int:
        return len(self.samples)


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        (
            [(np.zeros(3), 0), (np.zeros(3), 1), (np.zeros(4), 2)],
            r"shape not same .* sample\[0\] of .* sample 0 has \(3,\), .* 2 has \(4,\)",
        ),
        ([{"x": [1]}, {"x": [1, 2]}], r"fields number not same .* sample\['x'\]"),
        ([(1, 2), (1, 2, 3)], "fields number not same among samples in a batch"),
        ([{"x": 1}, {"y": 1}], "names of fields not same"),
        ([1, np.zeros(2)], r"sample 0 has \(\), that of sample 1 has \(2,\)"),
        ([object(), object()], "batch data can only contain: .* sample is a object"),
    ],
    ids=["shape", "inner list", "tuple", "keys", "number and array", "object"],
)
def test_samples_that_do_not_fit_are_a_typed_error(
    samples: list[Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        list(DataLoader(Ragged(samples), batch_size=len(samples)))


def test_batches_before_a_bad_one_still_come() -> None:
    loader = DataLoader(Ragged([[1, 1], [2, 2], [3], [4, 4]]), batch_size=2)
    batches = iter(loader)
    assert [field.tolist() for field in next(batches)] == [[1, 2], [1, 2]]
    with pytest.raises(DataError):
        next(batches)


def test_what_a_data_set_raises_reaches_the_user_as_it_is() -> None:
    with pytest.raises(KeyError, match="lost"):
        list(DataLoader(Subscriptable()))


class Subscriptable(Dataset[Any]):
    def __getitem__(self, index: int) -> Any:
        raise KeyError("lost")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("dataset", "options", "says"),
    [
        (
            pairs(),
            {"batch_sampler": [[0]], "batch_size": 2},
            "when batch_sampler is giv",
        ),
        (
            pairs(),
            {"batch_sampler": [[0]], "shuffle": True},
            "when batch_sampler is giv",
        ),
        (
            pairs(),
            {"batch_sampler": [[0]], "drop_last": True},
            "batch_sampler is given",
        ),
        (pairs(), {"batch_size": 0}, "batch_size should be a positive integer"),
        (pairs(), {"return_list": False}, "feed_list should be set when return_list"),
        (pairs(), {"num_workers": -1}, "num_workers should be a non-negative value"),
        (pairs(), {"num_workers": 1.5}, "num_workers should be a whole number"),
        (pairs(), {"prefetch_factor": 0}, "prefetch_factor should be a positive"),
        (pairs(), {"timeout": -1}, "timeout should be a non-negative value"),
        (Counter(), {"shuffle": True}, "IterableDataset not support shuffle"),
        (Counter(), {"batch_sampler": [[0]]}, "expect unspecified batch_sampler"),
        (Counter(), {"batch_size": -1}, "batch_size should be a positive integer"),
    ],
)
def test_loaders_say_what_they_cannot_do(
    dataset: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        DataLoader(dataset, **options)


def test_the_length_of_a_stream_is_unknown() -> None:
    with pytest.raises(DataError, match="length of IterableDataset not supported"):
        len(DataLoader(Counter()))


def test_paddles_other_options_pass_and_unknown_ones_do_not() -> None:
    loader = DataLoader(
        pairs(), use_shared_memory=False, use_buffer_reader=False, timeout=5
    )
    assert len(list(loader)) == 5
    with pytest.raises(TypeError, match="num_worker"):
        DataLoader(pairs(), num_worker=2)
