"""Reader combinators of Paddle 1.x: map, shuffle, chain, compose, buffer, cache.

A reader is a function without arguments that starts an epoch: it returns an iterator of
samples. In Paddle this is `paddle.reader`, in 1.x `fluid.io` as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain as in_turn
from itertools import islice, zip_longest
from typing import Any

from teachgraph.core.random import generator
from teachgraph.errors import DataError
from teachgraph.io.checks import flag, positive

__all__ = [
    "ComposeNotAligned",
    "buffered",
    "cache",
    "chain",
    "compose",
    "firstn",
    "map_readers",
    "shuffle",
    "xmap_readers",
]

Reader = Callable[[], Iterable[Any]]
_END = object()


class ComposeNotAligned(DataError):
    """Readers that were composed have different numbers of samples."""


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """Create a reader that applies `func` to one sample of each reader.

    >>> list(map_readers(lambda x, y: x * y, lambda: [1, 2], lambda: [10, 20])())
    [10, 40]
    """

    def mapped() -> Iterator[Any]:
        return map(func, *(reader() for reader in readers))

    return mapped


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Create a reader that shuffles within successive buffers of `buf_size` samples.

    Raises:
        DataError: `buf_size` is no positive integer.

    >>> sorted(shuffle(lambda: range(5), buf_size=3)())
    [0, 1, 2, 3, 4]
    """
    positive("buf_size", buf_size)

    def shuffled() -> Iterator[Any]:
        samples = iter(reader())
        while part := list(islice(samples, buf_size)):
            yield from (part[i] for i in generator().permutation(len(part)).tolist())

    return shuffled


def chain(*readers: Reader) -> Reader:
    """Create a reader of the readers' samples, one reader after another.

    >>> list(chain(lambda: [1, 2], lambda: [3])())
    [1, 2, 3]
    """

    def chained() -> Iterator[Any]:
        return in_turn.from_iterable(reader() for reader in readers)

    return chained


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """Create a reader of tuples that joins the fields of one sample of each reader.

    Args:
        readers: A tuple sample contributes its fields, any other one field.
        check_alignment: Require that all end together; else the shortest one decides.

    Raises:
        ComposeNotAligned: While reading: one ended before the others.

    >>> list(compose(lambda: [(1, 2), (3, 4)], lambda: [5, 6])())
    [(1, 2, 5), (3, 4, 6)]
    """
    flag("check_alignment", check_alignment)

    def composed() -> Iterator[tuple[Any, ...]]:
        for samples in zip_longest(*(reader() for reader in readers), fillvalue=_END):
            if any(sample is _END for sample in samples):
                if check_alignment:
                    raise ComposeNotAligned("outputs of readers are not aligned.")
                return
            yield tuple(in_turn.from_iterable(map(_fields, samples)))

    return composed


def firstn(reader: Reader, n: int) -> Reader:
    """Create a reader of the first `n` samples.

    >>> list(firstn(lambda: range(100), 3)())
    [0, 1, 2]
    """

    def first() -> Iterator[Any]:
        return islice(iter(reader()), n)

    return first


def cache(reader: Reader) -> Reader:
    """Create a reader that reads once, in the first epoch, and replays from memory.

    >>> once = iter([1, 2])
    >>> cached = cache(lambda: once)
    >>> list(cached()), list(cached())
    ([1, 2], [1, 2])
    """
    # A list of no or one tuple: an empty reader, too, is read only once.
    samples: list[tuple[Any, ...]] = []

    def cached() -> Iterator[Any]:
        if not samples:
            samples.append(tuple(reader()))
        return iter(samples[0])

    return cached


def buffered(reader: Reader, size: int) -> Reader:
    """Create a reader that prefetches up to `size` samples in a thread of its own.

    An error of the reader is raised in the consumer, at its sample's turn.

    Raises:
        DataError: `size` is no positive integer.

    >>> list(buffered(lambda: range(4), size=2)())
    [0, 1, 2, 3]
    """
    positive("size", size)

    def ahead() -> Iterator[Any]:
        samples = iter(reader())
        with _threads(1) as submit:
            due = deque(submit(next, samples, _END) for _ in range(size))
            while (sample := due.popleft().result()) is not _END:
                due.append(submit(next, samples, _END))
                yield sample

    return ahead


def xmap_readers(
    mapper: Callable[[Any], Any],
    reader: Reader,
    process_num: int,
    buffer_size: int,
    order: bool = False,
) -> Reader:
    """Create a reader that applies `mapper` to each sample, in several threads.

    Args:
        mapper: Called with a sample.
        reader: The source of samples.
        process_num: The number of threads.
        buffer_size: The largest number of samples in flight.
        order: Keep the samples' order; else results come as they are ready.

    Raises:
        DataError: A number that is no positive integer.

    >>> list(xmap_readers(lambda x: x * x, lambda: range(4), 2, 8, order=True)())
    [0, 1, 4, 9]
    """
    positive("process_num", process_num)
    positive("buffer_size", buffer_size)

    def mapped() -> Iterator[Any]:
        samples = iter(reader())
        with _threads(process_num) as submit:
            due = [submit(mapper, s) for s in islice(samples, buffer_size)]
            while due:
                done = due[0] if order else _first_done(due)
                due.remove(done)
                due += [submit(mapper, s) for s in islice(samples, 1)]
                yield done.result()

    return mapped


class _threads:  # noqa: N801  read as a function: with _threads(2) as submit
    """A thread pool that does not block when the reader is abandoned early."""

    def __init__(self, count: int) -> None:
        self.pool = ThreadPoolExecutor(count, thread_name_prefix="reader")

    def __enter__(self) -> Callable[..., Future[Any]]:
        return self.pool.submit

    def __exit__(self, *error: object) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)


def _first_done(due: list[Future[Any]]) -> Future[Any]:
    wait(due, return_when=FIRST_COMPLETED)
    return next(future for future in due if future.done())


def _fields(sample: Any) -> tuple[Any, ...]:
    return sample if isinstance(sample, tuple) else (sample,)
