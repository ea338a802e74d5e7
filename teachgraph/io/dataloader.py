"""`DataLoader`: batches of a data set as Tensors, made here or in worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import repeat
from numbers import Real
from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.autograd.places import check_place
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.random import generator as the_generator
from teachgraph.errors import DataError
from teachgraph.io.checks import positive
from teachgraph.io.collate import default_collate_fn, default_convert_fn
from teachgraph.io.dataset import Dataset, IterableDataset, UnknownLengthError
from teachgraph.io.fetch import EndOfStream, Fetcher
from teachgraph.io.pool import Pool
from teachgraph.io.sampler import BatchSampler
from teachgraph.ops.as_list import as_list

__all__ = ["DataLoader"]


class DataLoader:
    """Iterable over the batches of a data set as Tensors; each `for` is one epoch.

    A batch has a Tensor of shape [batch, ...] for each field of the samples: a list of
    them for samples that are tuples, a dict for mappings, one Tensor for samples that
    are arrays or numbers. All have `stop_gradient=True`.

    Args:
        dataset: A Dataset, anything with `[i]` and `len`, or an IterableDataset.
        feed_list: Variables of a static program, for `return_list=False`.
        places: The CPU, the only place here.
        return_list: False yields a feed for `Executor.run` instead: a dict of arrays
            under the names of `feed_list`.
        batch_sampler: Yields lists of sample numbers; excludes the next three.
        batch_size: Samples per batch; None when the data set's samples are batches.
        shuffle: Visit the samples in a new random order each epoch.
        drop_last: Leave out a last batch that is not full.
        collate_fn: Makes a batch of a list of samples, instead of stacking the fields.
        num_workers: The number of processes that prefetch batches; 0 makes them in
            this process. The batches and their order are the same. Workers are forked
            on Linux; elsewhere they are spawned, and the data set and its functions
            must be defined at the top level of a module.
        use_buffer_reader: Accepted for Paddle's sake.
        prefetch_factor: The number of batches a worker makes ahead.
        use_shared_memory: Accepted for Paddle's sake; batches come through a pipe.
        timeout: Seconds to wait for a worker's batch; 0 waits for ever.
        worker_init_fn: Called in each worker with its number before anything else.
        persistent_workers: Reuse the workers in the next epoch; a new epoch ends the
            one before.

    At the start of an epoch every worker seeds its generators (teachgraph's, NumPy's
    global one and Python's) with the epoch's seed, drawn from the generator behind
    `seed`, plus its own number: runs with the same seed and number of workers repeat.

    Raises:
        DataError: Arguments that exclude each other; while iterating, samples of a
            batch that differ in shape or fields.
        WorkerError: A worker died or can't be started.
        WorkerTimeoutError: A batch took longer than `timeout`.
        Exception: Any error of the data set, in a worker too; the worker's traceback
            is attached as a note.

    In Paddle this is `paddle.io.DataLoader`.

    >>> from teachgraph.io import TensorDataset
    >>> dataset = TensorDataset([np.zeros((5, 2), "float32"), np.arange(5)])
    >>> for image, label in DataLoader(dataset, batch_size=2):
    ...     print(list(image.shape), label.numpy())
    [2, 2] [0 1]
    [2, 2] [2 3]
    [1, 2] [4]
    """

    def __init__(
        self,
        dataset: Dataset[Any] | Sequence[Any],
        feed_list: Sequence[Any] | None = None,
        places: Any = None,
        return_list: bool = True,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[Any], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        persistent_workers: bool = False,
    ) -> None:
        _check_workers(num_workers, timeout)
        if not return_list and feed_list is None:
            raise DataError("feed_list should be set when return_list=False")
        self.dataset = dataset
        self.feed_list = feed_list
        for place in as_list(places):
            check_place(place)
        self.places = places
        self.return_list = return_list
        self.num_workers = num_workers
        self.prefetch_factor = positive("prefetch_factor", prefetch_factor)
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.persistent_workers = persistent_workers
        self._own = _Own()
        self.drop_last = drop_last
        self.batch_size = batch_size
        self.batch_sampler = batch_sampler
        if isinstance(dataset, IterableDataset):
            _check_stream(shuffle, batch_sampler, batch_size)
        elif batch_sampler is not None:
            _check_own_batches(batch_size, shuffle, drop_last)
            self.batch_size = None
        elif batch_size is not None:
            self.batch_sampler = BatchSampler(
                dataset, None, shuffle, batch_size, drop_last
            )
        whole = batch_size is None and batch_sampler is None
        self.collate_fn = collate_fn or (
            default_convert_fn if whole else default_collate_fn
        )

    def __iter__(self) -> Iterator[Any]:
        """Start an epoch."""
        # Drawn without workers too: their number must not change later random numbers.
        seed = int(the_generator().integers(2**62))
        for batch in (
            self._from_workers(seed) if self.num_workers else self._from_this_process()
        ):
            yield _tensors(batch) if self.return_list else self._feed(batch)

    def __call__(self) -> Iterator[Any]:
        """Start an epoch: Paddle's programs write `loader()`."""
        return iter(self)

    def __len__(self) -> int:
        """Return the number of batches of an epoch.

        Raises:
            UnknownLengthError: The data set is a stream.
        """
        if isinstance(self.dataset, IterableDataset):
            raise UnknownLengthError
        batches: Any = (
            self.dataset if self.batch_sampler is None else self.batch_sampler
        )
        return len(batches)

    def _tasks(self) -> Iterator[Any]:
        """Yield the tasks of an epoch: lists of sample numbers; None for a stream."""
        if isinstance(self.dataset, IterableDataset):
            return repeat(None)
        if self.batch_sampler is not None:
            return iter(self.batch_sampler)
        return iter(range(len(self.dataset)))

    def _fetcher(self) -> Fetcher:
        return Fetcher(self.dataset, self.collate_fn, self.batch_size, self.drop_last)

    def _from_this_process(self) -> Iterator[Any]:
        fetch = self._fetcher()
        fetch.start()
        for task in self._tasks():
            try:
                batch = fetch(task)
            except EndOfStream:
                return
            yield batch

    def _from_workers(self, seed: int) -> Iterator[Any]:
        if not self.persistent_workers:
            with closing(self._workers()) as pool:
                yield from pool.epoch(self._tasks(), seed)
            return
        if self._own.pool is None or not self._own.pool.close.alive:
            self._own.pool = self._workers()
        yield from self._own.pool.epoch(self._tasks(), seed)

    def _workers(self) -> Pool:
        return Pool(
            self._fetcher(),
            self.num_workers,
            self.prefetch_factor,
            self.timeout,
            self.worker_init_fn,
        )

    def _feed(self, batch: Any) -> dict[str, Any]:
        """Build a feed: the batch's fields by the names of the feed_list."""
        names = [variable.name for variable in self.feed_list or ()]
        fields = batch if isinstance(batch, list | tuple) else [batch]
        if len(names) != len(fields):
            raise DataError(
                f"feed_list names {len(names)} variables {names}, but a batch of this "
                f"data set has {len(fields)} fields; give one variable for each"
            )
        return dict(zip(names, map(_array, fields), strict=True))


class _Own(threading.local):
    """The belongings of one thread that uses a DataLoader.

    Attributes:
        pool: Its persistent workers.
    """

    pool: Pool | None = None


def _tensors(batch: Any) -> Any:
    """Convert the batch's arrays to Tensors; text and other values are unchanged."""
    if isinstance(batch, np.ndarray | np.generic):
        return tensor_of(batch)
    if isinstance(batch, Mapping):
        return {key: _tensors(field) for key, field in batch.items()}
    if isinstance(batch, list | tuple):
        return [_tensors(field) for field in batch]
    return batch


def _array(field: Any) -> Any:
    return field.numpy() if isinstance(field, Tensor) else np.asarray(field)


def _check_workers(num_workers: int, timeout: float) -> None:
    if isinstance(num_workers, bool) or not isinstance(num_workers, int):
        raise DataError(f"num_workers should be a whole number, but got {num_workers}")
    if num_workers < 0:
        raise DataError("num_workers should be a non-negative value")
    if isinstance(timeout, bool) or not isinstance(timeout, Real):
        raise DataError(f"timeout should be a number, but got {timeout!r}")
    if not timeout >= 0:
        raise DataError(f"timeout should be a non-negative value, but got {timeout}")


def _check_stream(shuffle: bool, batch_sampler: Any, batch_size: int | None) -> None:
    if shuffle:
        raise DataError("IterableDataset not support shuffle, but got shuffle=True")
    if batch_sampler is not None:
        raise DataError("IterableDataset expect unspecified batch_sampler")
    if batch_size is not None:
        positive("batch_size", batch_size)


def _check_own_batches(batch_size: int | None, shuffle: bool, drop_last: bool) -> None:
    if batch_size != 1 or shuffle or drop_last:
        raise DataError(
            "batch_size/shuffle/drop_last should not be set when batch_sampler is given"
        )
