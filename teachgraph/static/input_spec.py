"""Specifications of inputs: shape, dtype and name, before there is a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError

__all__ = ["InputSpec"]


class InputSpec:
    """Shape, dtype and name of an input.

    Args:
        shape: A list or tuple of sizes; None or a negative one for any size.
        dtype: Type of the elements.
        name: What it is called.
        stop_gradient: Whether no gradient goes to it.

    Raises:
        DTypeError: The shape is no list or tuple, or the dtype is unknown.
        InvalidValueError: A size is no integer.

    In Paddle this is `paddle.static.InputSpec`.

    >>> InputSpec([None, 4], "float32", "x")
    InputSpec(shape=(-1, 4), dtype=float32, name=x, stop_gradient=False)
    """

    def __init__(
        self,
        shape: Sequence[int | None],
        dtype: Any = "float32",
        name: str | None = None,
        stop_gradient: bool = False,
    ) -> None:
        self.shape = sizes(shape)
        self.dtype: np.dtype[Any] = dtypes.convert(dtype)
        self.name, self.stop_gradient = name, stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> InputSpec:
        """That of a Tensor or Variable; its name, too, unless another is given.

        Raises:
            DTypeError: It is neither.
        """
        if not hasattr(tensor, "stop_gradient"):
            raise DTypeError.here(
                f"Input `tensor` should be a Tensor, but received {type(tensor)}."
            )
        called = name or getattr(tensor, "name", None) or None
        return cls(list(tensor.shape), tensor.dtype, called)

    @classmethod
    def from_numpy(cls, ndarray: Any, name: str | None = None) -> InputSpec:
        """That of an array.

        >>> InputSpec.from_numpy(np.zeros((2, 3), "int64")).shape
        (2, 3)
        """
        return cls(list(np.shape(ndarray)), np.asarray(ndarray).dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Put a dimension in front, of this size; returns itself.

        Raises:
            DTypeError: The size is no integer.
            InvalidValueError: It is negative.
        """
        if isinstance(batch_size, (list, tuple)) and len(batch_size) == 1:
            (batch_size,) = batch_size
        if not isinstance(batch_size, int) or isinstance(batch_size, bool):
            raise DTypeError.here(
                "type(batch_size) should be `int`, but received "
                f"{type(batch_size).__name__}."
            )
        self.shape = (*sizes([batch_size]), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Take the first dimension away; returns itself.

        Raises:
            InvalidValueError: There is none.
        """
        if not self.shape:
            raise InvalidValueError.here(
                "Not support to unbatch a InputSpec when len(shape) == 0."
            )
        self.shape = self.shape[1:]
        return self

    def facts(self) -> tuple[Any, ...]:
        """The key that two specifications are compared by."""
        return self.shape, self.dtype, self.name, self.stop_gradient

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and self.facts() == other.facts()

    def __hash__(self) -> int:
        return hash(self.facts())

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape with -1 for any size.

    Raises:
        DTypeError: It is no list or tuple.
        InvalidValueError: A size is no integer.
    """
    if not isinstance(shape, (list, tuple)):
        raise DTypeError.here(
            "Type of `shape` in InputSpec should be one of (tuple, list), but "
            f"received {type(shape).__name__}."
        )
    for size in shape:
        whole = isinstance(size, (int, np.integer)) and not isinstance(size, bool)
        if size is not None and not whole:
            raise InvalidValueError.here(
                "Only value of type `int` and None are allowed in `shape` of "
                f"InputSpec, but received {size!r}"
            )
    return tuple(-1 if n is None or n < 0 else int(n) for n in shape)
