"""Base classes of data sets: indexed, streamed, of tensors, and subsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from teachgraph.errors import DataError

__all__ = [
    "Dataset",
    "IterableDataset",
    "Subset",
    "TensorDataset",
    "UnknownLengthError",
]

Sample = TypeVar("Sample")


class UnknownLengthError(DataError, TypeError):
    """The length of a stream is unknown.

    A TypeError, because `list(stream)` calls `len` and ignores only a TypeError.
    """

    def __init__(self) -> None:
        super().__init__("length of IterableDataset not supported")


class Dataset(Generic[Sample]):
    """Base of indexed data sets; subclasses define `__getitem__` and `__len__`.

    Raises:
        NotImplementedError: One of the two is called and was not defined.

    In Paddle this is `paddle.io.Dataset`.

    >>> class Squares(Dataset):
    ...     def __getitem__(self, index):
    ...         return index**2
    ...     def __len__(self):
    ...         return 4
    >>> [Squares()[i] for i in range(len(Squares()))]
    [0, 1, 4, 9]
    """

    def __getitem__(self, index: int) -> Sample:
        """Return the sample with this number."""
        raise NotImplementedError(_missing("__getitem__", self))

    def __len__(self) -> int:
        """Return the number of samples."""
        raise NotImplementedError(_missing("__len__", self))


class IterableDataset(Dataset[Sample]):
    """Base of streams, which can't be indexed; subclasses define `__iter__`.

    Raises:
        NotImplementedError: `__iter__` was not defined.
        RuntimeError: The stream is indexed.
        UnknownLengthError: `len` is called.

    In Paddle this is `paddle.io.IterableDataset`.

    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         yield from (3, 2, 1)
    >>> list(Countdown())
    [3, 2, 1]
    """

    def __iter__(self) -> Iterator[Sample]:
        """Start the stream."""
        raise NotImplementedError(_missing("__iter__", self))

    def __getitem__(self, index: int) -> NoReturn:
        """Refuse: a stream has no sample numbers."""
        raise RuntimeError(
            "'__getitem__' should not be called for IterableDataset "
            + type(self).__name__
        )

    def __len__(self) -> NoReturn:
        """Refuse: the length of a stream is unknown."""
        raise UnknownLengthError


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Data set of the rows of arrays or Tensors.

    Sample i is `(tensors[0][i], tensors[1][i], ...)`.

    Args:
        tensors: Each of shape [N, ...], all with the same N.

    Raises:
        DataError: No tensors, one without an axis, or different first axes.

    In Paddle this is `paddle.io.TensorDataset`.

    >>> import numpy as np
    >>> dataset = TensorDataset([np.arange(6).reshape(3, 2), np.array([7, 8, 9])])
    >>> image, label = dataset[1]
    >>> image.tolist(), int(label), len(dataset)
    ([2, 3], 8, 3)
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        shapes = [tuple(tensor.shape) for tensor in tensors]
        if not shapes or () in shapes or len({shape[0] for shape in shapes}) != 1:
            raise DataError(
                "tensors not have same shape of the 1st dimension: TensorDataset takes "
                f"one or more tensors of shape [N, ...] with one N, but got {shapes}"
            )
        self.tensors = tuple(tensors)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        """Return row `index` of every tensor."""
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        """Return N, the common length of the first axis."""
        return int(self.tensors[0].shape[0])


class Subset(Dataset[Sample]):
    """Subset of another data set, in the order of `indices`.

    In Paddle this is `paddle.io.Subset`.

    >>> letters = Subset("abcdef", [5, 0, 0])
    >>> [letters[i] for i in range(len(letters))]
    ['f', 'a', 'a']
    """

    def __init__(
        self, dataset: Dataset[Sample] | Sequence[Sample], indices: Sequence[int]
    ) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Sample:
        """Return the sample at position `index` of the subset."""
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        """Return the number of indices."""
        return len(self.indices)


def _missing(method: str, owner: object) -> str:
    return f"'{method}' not implement in class {type(owner).__name__}"
