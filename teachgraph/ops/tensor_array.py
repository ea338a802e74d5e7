"""Tensor arrays (`LoDTensorArray`): lists of arrays as values of a program.

Writing creates a new tensor array, as every kernel creates new values; its parts are
shared. The gradient of a tensor array is a tensor array of gradients.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import Like, op
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.inline_rules import inline_grad

__all__ = [
    "TensorArray",
    "array_zeros_like",
    "create_array",
    "lod_array_length",
    "read_from_array",
    "write_to_array",
    "zeros_like",
]

NEEDS = "I: one whole number, from 0 to the array's length"


class TensorArray:
    """Immutable list of arrays."""

    def __init__(self, parts: Iterable[Any]) -> None:
        self._parts = tuple(parts)

    @property
    def parts(self) -> tuple[Any, ...]:
        """Tuple of the arrays."""
        return self._parts

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the first part."""
        return self.parts[0].shape if self.parts else ()

    @property
    def dtype(self) -> Any:
        """Dtype of the parts."""
        return self.parts[0].dtype if self.parts else dtypes.float32

    def __len__(self) -> int:
        return len(self.parts)

    def __add__(self, other: TensorArray) -> TensorArray:
        if isinstance(other, OnePart):
            return other + self
        return TensorArray(a + b for a, b in zip(self.parts, other.parts, strict=True))

    def __mul__(self, factor: float) -> TensorArray:
        return TensorArray(part * factor for part in self.parts)

    def zeros(self) -> TensorArray:
        """Create an array of zeros in the shape of each part."""
        return TensorArray(zeros_like(part) for part in self.parts)

    def replaced(self, i: int, value: Any) -> TensorArray:
        """Replace part `i`, or append it."""
        return TensorArray((*self.parts[:i], value, *self.parts[i + 1 :]))


class OnePart(TensorArray):
    """Sparse tensor array: zeros like another array, except for one part.

    A loop reads an array part by part, so its backward accumulates as many of these as
    there are parts. Adding one touches one part: the zeros are created only on access.
    """

    def __init__(self, like: TensorArray, at: int, value: Any) -> None:
        self.like, self.at, self.value = like, at, value

    @cached_property
    def _parts(self) -> tuple[Any, ...]:  # type: ignore[override]
        return self.like.zeros().replaced(self.at, self.value).parts

    def __len__(self) -> int:
        return len(self.like)

    def __add__(self, other: TensorArray) -> TensorArray:
        return other.replaced(self.at, other.parts[self.at] + self.value)


def zeros_like(value: Any) -> Any:
    """Create zeros in the shape of an array, or of each part of a tensor array."""
    return value.zeros() if isinstance(value, TensorArray) else np.zeros_like(value)


def array_index(i: Any, length: int) -> int:
    """Convert an index to a number, and check it.

    Raises:
        OutOfRangeError: The index is out of range.
    """
    number = int(np.reshape(i, ()))
    if not 0 <= number < length:
        raise OutOfRangeError(f"the index is {number}, but the array holds {length}")
    return number


@op
def create_array(*, dtype: int = dtypes.PADDLE_CODES[dtypes.float32]) -> Any:
    """Create an empty tensor array."""
    return TensorArray([])


@create_array.infers
def create_array_spec(*, dtype: int) -> Any:
    """The shapes of future parts are unknown."""
    return [((), dtypes.of_code(dtype))]


@op(needs=NEEDS)
def write_to_array(x: Any, i: Any, array: Any = None) -> Any:
    """Write `x` at `i`: replace a part, or append."""
    array = TensorArray([]) if array is None else array
    return array.replaced(array_index(i, len(array) + 1), x)


@write_to_array.infers
def write_to_array_spec(x: Like, i: Like, array: Like | None) -> Any:
    """A tensor array's spec is that of the part written last."""
    return [(x.shape, x.dtype)]


@inline_grad(write_to_array)
def write_to_array_grad(dout: Any, i: Any, array: Any) -> Any:
    """dx = dout[i], darray = dout with zeros at i."""
    return (
        lambda: read_from_array(dout, i),
        None,
        None if array is None else lambda: write_away(dout, i, array),
    )


@op(needs=NEEDS)
def read_from_array(x: Any, i: Any) -> Any:
    """out = x[i]."""
    return x.parts[array_index(i, len(x))]


@read_from_array.infers
def read_from_array_spec(x: Like, i: Like) -> Any:
    """A part's spec."""
    return [(x.shape, x.dtype)]


@inline_grad(read_from_array)
def read_from_array_grad(dout: Any, x: Any, i: Any) -> Any:
    """dx = dout at i, zeros elsewhere."""
    return lambda: place_in_array(dout, x, i), None


@op(needs=NEEDS)
def place_in_array(value: Any, x: Any, i: Any) -> Any:
    """Zeros like the parts of `x`, with `value` at `i`."""
    return OnePart(x, array_index(i, len(x)), value)


@inline_grad(place_in_array, of=("value",))
def place_in_array_grad(dout: Any, i: Any) -> Any:
    """dvalue = dout[i]."""
    return lambda: read_from_array(dout, i)


@op(needs=NEEDS)
def write_away(x: Any, i: Any, like: Any) -> Any:
    """Truncate to the length of `like`, and write zeros at `i`."""
    shorter = TensorArray(x.parts[: len(like)])
    at = array_index(i, len(x))
    # At the end: `write_to_array` appended the part, so `like` does not have it.
    if at == len(like):
        return shorter
    return shorter.replaced(at, zeros_like(x.parts[at]))


@inline_grad(write_away, of=("x",))
def write_away_grad(dout: Any, x: Any, i: Any) -> Any:
    """dx = dout with zeros at i and after dout's end."""
    return lambda: write_zeros(dout, i, x)


@op(needs=NEEDS)
def write_zeros(x: Any, i: Any, like: Any) -> Any:
    """Write zeros at `i`; append them if `i` is the last part of `like`."""
    at = array_index(i, len(like))
    return x.replaced(at, zeros_like(like.parts[at]))


@write_zeros.infers
def write_zeros_spec(x: Like, i: Like, like: Like) -> Any:
    """x's spec."""
    return [(x.shape, x.dtype)]


@inline_grad(write_zeros, of=("x",))
def write_zeros_grad(dout: Any, x: Any, i: Any) -> Any:
    """dx = dout with zeros at i."""
    return lambda: write_away(dout, i, x)


@op
def array_zeros_like(x: Any) -> Any:
    """Create zeros like each part."""
    return x.zeros()


@place_in_array.infers
def place_in_array_spec(value: Like, x: Like, i: Like) -> Any:
    """x's spec."""
    return [(x.shape, x.dtype)]


@write_away.infers
def write_away_spec(x: Like, i: Like, like: Like) -> Any:
    """The spec of `like`: an empty array has no shape yet, nor has its gradient."""
    return [(like.shape, like.dtype)]


@array_zeros_like.infers
def array_zeros_like_spec(x: Like) -> Any:
    """x's spec."""
    return [(x.shape, x.dtype)]


@op
def lod_array_length(x: Any) -> Any:
    """Number of parts of a tensor array."""
    return np.array([len(x)], np.int64)


@lod_array_length.infers
def lod_array_length_spec(x: Like) -> Any:
    """One integer."""
    return [((1,), np.dtype(np.int64))]
