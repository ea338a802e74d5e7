"""Readers, the 1.x way to hand out data, and what makes new readers of them.

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

from teachgraph.core.errors import DataError
from teachgraph.core.random import generator
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
    """A reader of what `func` makes of a sample of each reader.

    >>> list(map_readers(lambda x, y: x * y, lambda: [1, 2], lambda: [10, 20])())
    [10, 40]
    """

    def mapped() -> Iterator[Any]:
        return map(func, *(reader() for reader in readers))

    return mapped


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """A reader that mixes: of each `buf_size` samples at a time, in random order.

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
    """A reader of the readers' samples, one reader after another.

    >>> list(chain(lambda: [1, 2], lambda: [3])())
    [1, 2, 3]
    """

    def chained() -> Iterator[Any]:
        return in_turn.from_iterable(reader() for reader in readers)

    return chained


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """A reader of tuples: the fields of a sample of each reader, side by side.

    Args:
        readers: Samples that are tuples give their fields, others are a field.
        check_alignment: Whether all must end together; else the shortest one decides.

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
    """A reader of the first `n` samples.

    >>> list(firstn(lambda: range(100), 3)())
    [0, 1, 2]
    """

    def first() -> Iterator[Any]:
        return islice(iter(reader()), n)

    return first


def cache(reader: Reader) -> Reader:
    """A reader that reads once and remembers: the first epoch reads everything.

    >>> once = iter([1, 2])
    >>> cached = cache(lambda: once)
    >>> list(cached()), list(cached())
    ([1, 2], [1, 2])
    """
    kept: list[tuple[Any, ...]] = []

    def cached() -> Iterator[Any]:
        if not kept:
            kept.append(tuple(reader()))
        return iter(kept[0])

    return cached


def buffered(reader: Reader, size: int) -> Reader:
    """A reader that is up to `size` samples ahead, in a thread of its own.

    What the reader raises is raised here, when its sample's turn comes.

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
    """A reader of what `mapper` makes of each sample, in several threads.

    Args:
        mapper: Called with a sample.
        reader: Where the samples come from.
        process_num: How many threads.
        buffer_size: How many samples are on their way at most.
        order: Whether results keep the samples' order; else the first ready is first.

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
    """A pool of threads that nobody waits for when the reader is left early."""

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
