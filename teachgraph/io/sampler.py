"""Samplers: orders in which samples are visited, and batches of sample numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import numpy as np

from teachgraph.core.random import generator as the_generator
from teachgraph.errors import DataError
from teachgraph.io.checks import flag, positive
from teachgraph.io.dataset import IterableDataset

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

Choice = TypeVar("Choice")


class Sampler(Generic[Choice]):
    """Base of samplers; subclasses define `__iter__`, and `__len__` where it is known.

    In Paddle this is `paddle.io.Sampler`.

    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter(reversed(range(len(self.data_source))))
    >>> list(Backwards("abc"))
    [2, 1, 0]
    """

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Choice]:
        """Start a new epoch."""
        name = type(self).__name__
        raise NotImplementedError(f"'__iter__' not implement in class {name}")


class SequenceSampler(Sampler[int]):
    """Sampler of 0, 1, 2, ..., N - 1.

    In Paddle this is `paddle.io.SequenceSampler`.

    >>> list(SequenceSampler("abc"))
    [0, 1, 2]
    """

    def __iter__(self) -> Iterator[int]:
        """Yield the sample numbers in order."""
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        """Return N."""
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Sampler of a new random order each epoch, drawn from the generator behind `seed`.

    Args:
        data_source: Any object of length N.
        replacement: False visits no sample twice; True draws with replacement.
        num_samples: The number of samples to visit, N by default.
        generator: An iterator of sample numbers to use instead of drawing.

    Raises:
        DataError: `num_samples` is not positive, or exceeds N without replacement.

    In Paddle this is `paddle.io.RandomSampler`.

    >>> sorted(RandomSampler("abcd"))
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Iterator[int] | None = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = flag("replacement", replacement)
        self._num_samples = num_samples
        self.generator = generator
        positive("num_samples", self.num_samples)
        if not replacement and self.num_samples > len(data_source):
            raise DataError(
                "num_samples should be smaller than or equal to length of data_source "
                f"when replacement is False, but got num_samples: {num_samples} > "
                f"data_source: {len(data_source)}"
            )

    @property
    def num_samples(self) -> int:
        """Number of samples of an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        """Draw the order of one epoch."""
        if self.generator is not None:
            drawn = zip(range(self.num_samples), self.generator, strict=False)
            return (index for _, index in drawn)
        rng, n = the_generator(), len(self.data_source)
        if self.replacement:
            return iter(rng.integers(n, size=self.num_samples).tolist())
        return iter(rng.permutation(n)[: self.num_samples].tolist())

    def __len__(self) -> int:
        """Return the number of samples of an epoch."""
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Sampler of given sample numbers, in a new random order each epoch.

    Raises:
        DataError: `indices` is empty.

    In Paddle this is `paddle.io.SubsetRandomSampler`.

    >>> sorted(SubsetRandomSampler([8, 2, 5]))
    [2, 5, 8]
    """

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__(indices)
        if len(indices) == 0:
            raise DataError("the length of `indices` should be greater than 0")
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        """Draw the order of one epoch."""
        order = the_generator().permutation(len(self.indices))
        return (self.indices[place] for place in order.tolist())

    def __len__(self) -> int:
        """Return the number of indices."""
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Sampler that draws sample i with probability weights[i] / sum(weights).

    Args:
        weights: A non-negative number for each sample.
        num_samples: The number of samples to draw.
        replacement: False draws none twice; the rest is drawn by the remaining weights.

    Raises:
        DataError: Weights that are empty, negative, not finite, all zero or not 1-D;
            without replacement, fewer positive weights than samples to draw.

    In Paddle this is `paddle.io.WeightedRandomSampler`.

    >>> drawn = list(WeightedRandomSampler([0.0, 1.0, 3.0], num_samples=100))
    >>> len(drawn), set(drawn)
    (100, {1, 2})
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True
    ) -> None:
        super().__init__(weights)
        self.weights = np.asarray(weights, "float64")
        self.num_samples = positive("num_samples", num_samples)
        self.replacement = flag("replacement", replacement)
        _check_weights(self.weights, None if replacement else num_samples)

    def __iter__(self) -> Iterator[int]:
        """Draw one epoch."""
        drawn = the_generator().choice(
            len(self.weights),
            self.num_samples,
            self.replacement,
            self.weights / self.weights.sum(),
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        """Return the number of samples to draw."""
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Sampler of lists of `batch_size` numbers; the last list may be shorter.

    Args:
        dataset: Any object with a length; visited in order, or shuffled.
        sampler: An order of visit, instead of `dataset`.
        shuffle: Visit `dataset` in a new random order each epoch.
        batch_size: The number of sample numbers in a list.
        drop_last: Leave out a shorter last list.

    Raises:
        DataError: Neither or both of `dataset` and `sampler`, an IterableDataset,
            `shuffle` with a sampler, a `batch_size` that is no positive integer.

    In Paddle this is `paddle.io.BatchSampler`.

    >>> list(BatchSampler("abcdefgh", batch_size=3))
    [[0, 1, 2], [3, 4, 5], [6, 7]]
    >>> list(BatchSampler(sampler=[4, 2, 0], batch_size=2, drop_last=True))
    [[4, 2]]
    """

    def __init__(
        self,
        dataset: Sized | None = None,
        sampler: Iterable[int] | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset)
        self.sampler = _order(dataset, sampler, flag("shuffle", shuffle))
        self.shuffle = shuffle
        self.batch_size = positive("batch_size", batch_size)
        self.drop_last = flag("drop_last", drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        """Cut the order of one epoch into lists."""
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        """Return the number of lists: N / batch_size, rounded up unless `drop_last`.

        Raises:
            TypeError: The sampler has no length.
        """
        full, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return full + (rest > 0 and not self.drop_last)


def _check_weights(weights: np.ndarray[Any, Any], wanted: int | None) -> None:
    if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
        raise DataError(
            f"weights should be a line of finite numbers from 0 on, but got {weights}"
        )
    useful = np.count_nonzero(weights)
    if useful == 0:
        raise DataError("weights should not all be 0")
    if wanted is not None and wanted > useful:
        raise DataError(
            f"{wanted} samples can't be drawn without replacement: only {useful} have "
            "a positive weight"
        )


def _order(
    dataset: Sized | None, sampler: Iterable[int] | None, shuffle: bool
) -> Iterable[int]:
    if sampler is not None:
        if dataset is not None:
            raise DataError("should not set both dataset and sampler")
        if shuffle:
            raise DataError("shuffle should be False when sampler is set")
        if not isinstance(sampler, Iterable):
            raise DataError(
                "sampler should be either teachgraph.io.Sampler or Iterable, "
                f"but got {type(sampler)}"
            )
        return sampler
    if dataset is None:
        raise DataError("either dataset or sampler should be set")
    if isinstance(dataset, IterableDataset):
        raise DataError("dataset should not be a teachgraph.io.IterableDataset")
    return RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
