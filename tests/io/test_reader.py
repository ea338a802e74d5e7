"""The 1.x readers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teachgraph.core.random
from teachgraph import reader
from teachgraph.errors import DataError
from teachgraph.io import batch


def counting() -> Iterator[int]:
    yield from range(5)


def test_a_reader_of_batches_can_be_started_again() -> None:
    pairs = batch(counting, batch_size=2)
    assert list(pairs()) == list(pairs()) == [[0, 1], [2, 3], [4]]


def test_the_short_batch_can_be_dropped() -> None:
    assert list(batch(counting, 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(batch(counting, 5, drop_last=True)()) == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize("size", [0, -1, 2.0, None])
def test_a_batch_size_must_be_a_positive_integer(size: int) -> None:
    with pytest.raises(DataError, match="batch_size should be a positive integer"):
        batch(counting, size)


def squares() -> Iterator[int]:
    return (i * i for i in range(5))


def drain(reader: Callable[[], Iterable[Any]]) -> list[Any]:
    return list(reader())


def test_readers_can_be_started_again() -> None:
    for made in (
        reader.map_readers(str, counting),
        reader.chain(counting, squares),
        reader.compose(counting, squares),
        reader.firstn(counting, 2),
        reader.cache(counting),
        reader.buffered(counting, 2),
        reader.xmap_readers(str, counting, 2, 2, order=True),
        batch(reader.shuffle(counting, 5), 5),
    ):
        assert len(drain(made)) == len(drain(made)) > 0


def test_readers_are_put_together() -> None:
    assert drain(reader.map_readers(max, counting, squares)) == [0, 1, 4, 9, 16]
    assert drain(reader.chain(counting, squares))[4:7] == [4, 0, 1]
    pairs = reader.compose(counting, squares)
    assert drain(reader.compose(pairs, counting))[2] == (2, 4, 2)
    assert drain(reader.firstn(counting, 2)) == [0, 1]
    assert drain(reader.firstn(counting, 99)) == [0, 1, 2, 3, 4]


def test_readers_side_by_side_must_end_together() -> None:
    short = reader.firstn(counting, 3)
    for readers in ((short, counting), (counting, short)):
        with pytest.raises(reader.ComposeNotAligned, match="not aligned"):
            drain(reader.compose(*readers))
        assert len(drain(reader.compose(*readers, check_alignment=False))) == 3
    assert issubclass(reader.ComposeNotAligned, ValueError)


@given(n=st.integers(0, 40), size=st.integers(1, 50))
def test_shuffling_moves_nothing_further_than_its_buffer(n: int, size: int) -> None:
    mixed = drain(reader.shuffle(lambda: range(n), size))
    for start in range(0, n, size):
        part = range(start, min(n, start + size))
        assert sorted(mixed[start : start + size]) == list(part)


def test_shuffling_repeats_with_the_seed() -> None:
    mixed = reader.shuffle(lambda: range(50), 50)
    teachgraph.core.random.seed(1)
    first, second = drain(mixed), drain(mixed)
    teachgraph.core.random.seed(1)
    assert drain(mixed) == first != second


def test_a_cache_reads_once() -> None:
    epochs = []

    def read() -> Iterator[int]:
        epochs.append(1)
        yield from (3, 4)

    cached = reader.cache(read)
    assert epochs == []
    assert drain(cached) == drain(cached) == [3, 4]
    assert epochs == [1]


def test_a_buffer_is_ahead_but_no_further_than_asked() -> None:
    read = []

    def noted() -> Iterator[int]:
        for i in range(100):
            read.append(i)
            yield i

    samples = iter(reader.buffered(noted, 3)())
    assert next(samples) == 0
    deadline = time.monotonic() + 20
    while len(read) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert read == [0, 1, 2, 3]


@pytest.mark.parametrize("order", [True, False])
def test_many_threads_map_every_sample_once(order: bool) -> None:
    def slow_first(i: int) -> int:
        time.sleep(0.05 if i == 0 else 0)
        return i * i

    mapped = drain(reader.xmap_readers(slow_first, lambda: range(20), 4, 6, order))
    assert sorted(mapped) == [i * i for i in range(20)]
    assert (mapped == sorted(mapped)) is order


def broken() -> Iterator[int]:
    yield 1
    raise OSError("no disk")


@pytest.mark.parametrize(
    "made",
    [
        reader.buffered(broken, 3),
        reader.xmap_readers(str, broken, 2, 1),
        reader.xmap_readers(lambda i: [][i], counting, 2, 2),
    ],
)
def test_what_goes_wrong_in_a_thread_is_raised(made: Any) -> None:
    with pytest.raises((OSError, IndexError), match=r"no disk|out of range"):
        drain(made)


def test_threads_end_with_their_reader() -> None:
    for made in (
        reader.buffered(counting, 2),
        reader.xmap_readers(str, counting, 3, 3),
    ):
        samples = iter(made())
        next(samples)
        samples.close()
    deadline = time.monotonic() + 20
    while named("reader") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert named("reader") == []


def named(prefix: str) -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith(prefix)]


@pytest.mark.parametrize(
    "call",
    [
        lambda: reader.shuffle(counting, 0),
        lambda: reader.buffered(counting, -1),
        lambda: reader.xmap_readers(str, counting, 0, 1),
        lambda: reader.xmap_readers(str, counting, 1, 1.5),
    ],
)
def test_sizes_must_be_positive_integers(call: Callable[[], Any]) -> None:
    with pytest.raises(DataError, match="should be a positive integer"):
        call()
