"""Paddle 1.x's `fluid.LoDTensor`, also called `fluid.Tensor`: a value for a feed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.core.errors import ModeError, NotInitializedError
from teachgraph.ops.left_out import LOD, absent

__all__ = ["LoDTensor", "Tensor"]


class LoDTensor:
    """A value that is set and read as an array; it has no levels of detail here.

    >>> value = LoDTensor()
    >>> value.set(np.ones((2, 3), "float32"), None)
    >>> value.shape(), value.lod(), float(np.array(value).sum())
    ([2, 3], [], 6.0)
    """

    def __init__(self) -> None:
        self.array: np.ndarray[Any, Any] | None = None

    @classmethod
    def of(cls, array: Any) -> Self:
        """Build one that holds a copy of an array."""
        value = cls()
        value.set(np.atleast_1d(array))
        return value

    def set(self, array: Any, place: Any = None) -> None:
        """Take a copy of an array."""
        self.array = np.array(array)

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return [0] if self.array is None else list(self.array.shape)

    def lod(self) -> list[list[int]]:
        """The levels of detail: none."""
        return []

    recursive_sequence_lengths = lod

    def set_lod(self, levels: Any) -> None:
        """Take no levels of detail.

        Raises:
            ModeError: There are some.
        """
        if levels:
            raise ModeError.here(LOD)

    set_recursive_sequence_lengths = set_lod

    def _is_initialized(self) -> bool:
        return self.array is not None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.array is None:
            raise NotInitializedError.here("this LoDTensor has no value: set()")
        return np.array(self.array, dtype=dtype)


Tensor = LoDTensor

if not TYPE_CHECKING:
    __getattr__ = absent("fluid.lod_tensor")
