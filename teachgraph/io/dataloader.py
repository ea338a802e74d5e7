"""From a data set to batches of Tensors, one epoch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.eager import Tensor, to_tensor
from teachgraph.errors import DataError
from teachgraph.io.checks import positive
from teachgraph.io.collate import default_collate_fn, default_convert_fn
from teachgraph.io.dataset import Dataset, IterableDataset, UnknownLengthError
from teachgraph.io.reader import batch as batched
from teachgraph.io.sampler import BatchSampler

__all__ = ["DataLoader", "WorkersNotSupportedError"]


class WorkersNotSupportedError(DataError, NotImplementedError):
    """A DataLoader was asked for worker processes, which come in a later version."""


_NO_EFFECT = {
    "use_buffer_reader",
    "prefetch_factor",
    "use_shared_memory",
    "timeout",
    "worker_init_fn",
    "persistent_workers",
}


class DataLoader:
    """Batches of a data set as Tensors; each `for` over it is one epoch.

    A batch has a Tensor of shape [batch, ...] for each field of the samples: a list of
    them for samples that are tuples, a dict for mappings, one Tensor for samples that
    are arrays or numbers. All have `stop_gradient=True`.

    Args:
        dataset: A Dataset, anything with `[i]` and `len`, or an IterableDataset.
        feed_list: Variables of a static program, for `return_list=False`.
        places: Accepted for Paddle's sake; there is one place, the CPU.
        return_list: False yields a feed for `Executor.run` instead: a dict of arrays
            under the names of `feed_list`.
        batch_sampler: Yields lists of sample numbers; excludes the next three.
        batch_size: Samples a batch; None when the data set's samples are batches.
        shuffle: Visit the samples in a new random order each epoch.
        drop_last: Leave out a last batch that is not full.
        collate_fn: Makes a batch of a list of samples, instead of stacking the fields.
        num_workers: 0; worker processes come in a later version.
        ignored: Paddle's options for workers and read-ahead (`use_buffer_reader`,
            `prefetch_factor`, `use_shared_memory`, `timeout`, `worker_init_fn`,
            `persistent_workers`), which change no batch.

    Raises:
        DataError: Arguments that exclude each other; while iterating, samples of a
            batch that don't fit together.
        WorkersNotSupportedError: `num_workers` is not 0.
        TypeError: An option that Paddle's DataLoader doesn't have either.

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
        **ignored: Any,
    ) -> None:
        _check_options(num_workers, ignored)
        if not return_list and feed_list is None:
            raise DataError("feed_list should be set when return_list=False")
        self.dataset = dataset
        self.feed_list = feed_list
        self.places = places
        self.return_list = return_list
        self.num_workers = num_workers
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
        for samples in self._groups():
            batch = self.collate_fn(samples)
            yield _tensors(batch) if self.return_list else self._feed(batch)

    def __call__(self) -> Iterator[Any]:
        """Start an epoch: Paddle's programs write `loader()`."""
        return iter(self)

    def __len__(self) -> int:
        """How many batches an epoch has.

        Raises:
            UnknownLengthError: The data set is a stream.
        """
        if isinstance(self.dataset, IterableDataset):
            raise UnknownLengthError
        batches: Any = (
            self.dataset if self.batch_sampler is None else self.batch_sampler
        )
        return len(batches)

    def _groups(self) -> Iterator[Any]:
        """What `collate_fn` is given: lists of samples, or whole batches."""
        if self.batch_sampler is not None:
            for indices in self.batch_sampler:
                yield [self.dataset[i] for i in indices]
        elif self.batch_size is not None:
            yield from batched(self._samples, self.batch_size, self.drop_last)()
        else:
            yield from self._samples()

    def _samples(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return iter(self.dataset)
        return (self.dataset[i] for i in range(len(self.dataset)))

    def _feed(self, batch: Any) -> dict[str, Any]:
        """The batch's fields under the names of the feed_list."""
        names = [variable.name for variable in self.feed_list or ()]
        fields = batch if isinstance(batch, list | tuple) else [batch]
        if len(names) != len(fields):
            raise DataError(
                f"feed_list names {len(names)} variables {names}, but a batch of this "
                f"data set has {len(fields)} fields; give one variable for each"
            )
        return dict(zip(names, map(_array, fields), strict=True))


def _tensors(batch: Any) -> Any:
    """The batch with its arrays as Tensors; text and the like stay as they are."""
    if isinstance(batch, np.ndarray | np.generic):
        return to_tensor(batch)
    if isinstance(batch, Mapping):
        return {key: _tensors(field) for key, field in batch.items()}
    if isinstance(batch, list | tuple):
        return [_tensors(field) for field in batch]
    return batch


def _array(field: Any) -> Any:
    return field.numpy() if isinstance(field, Tensor) else np.asarray(field)


def _check_options(num_workers: int, ignored: Mapping[str, Any]) -> None:
    if unknown := sorted(set(ignored) - _NO_EFFECT):
        raise TypeError(f"DataLoader has no option {', '.join(unknown)}")
    if num_workers < 0:
        raise DataError("num_workers should be a non-negative value")
    if num_workers > 0:
        raise WorkersNotSupportedError(
            f"num_workers={num_workers}: worker processes come in a later version; "
            "num_workers=0 loads the same batches in this process"
        )


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
