"""Data sets composed of data sets: zipped, concatenated, chained, or split."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from teachgraph.errors import DataError
from teachgraph.io.checks import drawing
from teachgraph.io.dataset import Dataset, IterableDataset, Subset

__all__ = ["ChainDataset", "ComposeDataset", "ConcatDataset", "random_split"]


class ComposeDataset(Dataset[tuple[Any, ...]]):
    """Zipped data sets: sample i has the fields of every data set's sample i.

    Args:
        datasets: One or more, all of the same length.

    Raises:
        DataError: The list is empty, a data set is a stream, or the lengths differ.

    In Paddle this is `paddle.io.ComposeDataset`.

    >>> both = ComposeDataset(["ab", [(1, 2), (3, 4)]])
    >>> len(both), both[1]
    (2, ('b', 3, 4))
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = _some("ComposeDataset", datasets)
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) != 1:
            raise DataError(f"lengths of datasets should be same, but got {lengths}")

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        """Join the fields of sample `index` of every data set."""
        samples = [dataset[index] for dataset in self.datasets]
        return tuple(field for sample in samples for field in _fields(sample))

    def __len__(self) -> int:
        """Return the common length."""
        return len(self.datasets[0])


class ConcatDataset(Dataset[Any]):
    """Concatenated data sets, with consecutive sample numbers.

    Args:
        datasets: One or more.

    Raises:
        DataError: The list is empty, or a data set is a stream.
        IndexError: The sample number is out of range.

    In Paddle this is `paddle.io.ConcatDataset`.

    >>> letters = ConcatDataset(["abc", "", "de"])
    >>> len(letters), letters[2], letters[3], letters[-1]
    (5, 'c', 'd', 'e')
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = _some("ConcatDataset", datasets)
        self.cumulative_sizes = list(
            accumulate(len(dataset) for dataset in self.datasets)
        )

    def __getitem__(self, index: int) -> Any:
        """Return sample `index`, counted across all the data sets."""
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"sample {index} of {len(self)} in all")
        which = bisect_right(self.cumulative_sizes, place)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][place - start]

    def __len__(self) -> int:
        """Return the total number of samples."""
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset[Any]):
    """Concatenated streams.

    Args:
        datasets: One or more IterableDatasets.

    Raises:
        DataError: The list is empty, or a data set is no stream.

    In Paddle this is `paddle.io.ChainDataset`.

    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         yield from (2, 1)
    >>> list(ChainDataset([Countdown(), Countdown()]))
    [2, 1, 2, 1]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        kinds = [isinstance(dataset, IterableDataset) for dataset in self.datasets]
        if not kinds or not all(kinds):
            raise DataError("ChainDataset takes one or more IterableDatasets")

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the streams, one after another."""
        for dataset in self.datasets:
            yield from dataset


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Any = None
) -> list[Subset[Any]]:
    """Split a data set at random into disjoint subsets.

    Args:
        dataset: A data set of N samples.
        lengths: The sizes of the parts, which sum to N; or fractions that sum to 1:
            a part gets floor(fraction * N) samples, and the remaining samples go to
            the first parts, one each.
        generator: A seed or a NumPy generator; None draws from the one behind `seed`.

    Raises:
        DataError: The lengths sum neither to N nor to 1, or one is negative.

    In Paddle this is `paddle.io.random_split`.

    >>> train, test = random_split("abcdefghij", [0.7, 0.3], generator=0)
    >>> len(train), len(test), sorted([*train.indices, *test.indices])
    (7, 3, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    n = len(dataset)
    counts = _counts(n, lengths)
    order = drawing(generator).permutation(n).tolist()
    edges = [0, *accumulate(counts)]
    return [Subset(dataset, order[start:end]) for start, end in pairwise(edges)]


def _counts(n: int, lengths: Sequence[float]) -> list[int]:
    if any(length < 0 for length in lengths):
        raise DataError(f"a part can't have a negative length: {list(lengths)}")
    whole = all(isinstance(length, int | np.integer) for length in lengths)
    if whole and sum(lengths) == n:
        return [int(length) for length in lengths]
    if not whole and math.isclose(sum(lengths), 1):
        counts = [math.floor(n * fraction) for fraction in lengths]
        left = n - sum(counts)
        return [count + (i < left) for i, count in enumerate(counts)]
    raise DataError(
        f"sum of input lengths does not equal the length of the input dataset: "
        f"{list(lengths)} for {n} samples; give whole numbers, {n} together, or "
        "fractions, 1 together"
    )


def _some(name: str, datasets: Iterable[Any]) -> list[Any]:
    """Require at least one data set, and that all can be indexed."""
    indexable = list(datasets)
    if not indexable:
        raise DataError(f"{name} takes one or more data sets; input datasets are empty")
    if any(isinstance(dataset, IterableDataset) for dataset in indexable):
        raise DataError(f"{name} should not get an IterableDataset: it has no numbers")
    return indexable


def _fields(sample: Any) -> Sequence[Any]:
    return sample if isinstance(sample, tuple | list) else [sample]
