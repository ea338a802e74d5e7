"""Handles of a predictor's inputs and outputs, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import (
    FeedError,
    InvalidValueError,
    NotInitializedError,
)
from teachgraph.planning.feeds import as_fed
from teachgraph.static.variable import Variable

__all__ = ["InputHandle", "OutputHandle"]

Array = np.ndarray[Any, Any]


class InputHandle:
    """An input of a predictor.

    In Paddle this is a `paddle.inference.Tensor`.
    """

    def __init__(self, variable: Variable) -> None:
        self._variable = variable
        self.value: Array | None = None
        self._shape: list[int] | None = None

    def name(self) -> str:
        """Return the name of the variable."""
        return self._variable.name

    def reshape(self, shape: Sequence[int]) -> None:
        """Declare the shape of the next array, in other sizes than the model's too.

        Raises:
            InvalidValueError: The model takes another number of dimensions.
        """
        declared = self._variable.shape
        if len(shape) != len(declared):
            message = f"{self.name()!r} is shaped {list(declared)}, not {list(shape)}"
            raise InvalidValueError.here(message)
        self._shape = list(shape)

    def shape(self) -> list[int]:
        """Return the shape of its array; before, that of `reshape` or of the model."""
        if self.value is not None:
            return list(self.value.shape)
        return list(self._variable.shape) if self._shape is None else self._shape

    def type(self) -> Any:
        """Return the dtype of the variable."""
        return self._variable.dtype

    def copy_from_cpu(self, data: Any) -> None:
        """Copy an array into the handle.

        Raises:
            FeedError: The array has another number of dimensions, or another dtype.
        """
        array = as_fed(self._variable, np.asarray(data), any_size=True)
        if self._shape is not None and list(array.shape) != self._shape:
            message = f"{self.name()!r} is to be {self._shape}, not {array.shape}"
            raise FeedError.here(message)
        self.value = np.array(array)

    def share_external_data(self, data: Any) -> None:
        """Use an array without a copy; it must not change until the next one is set."""
        self.value = as_fed(self._variable, np.asarray(data), any_size=True)


class OutputHandle:
    """An output of a predictor.

    In Paddle this is a `paddle.inference.Tensor`.
    """

    def __init__(self, variable: Variable) -> None:
        self._variable = variable
        self.value: Array | None = None

    def name(self) -> str:
        """Return the name of the variable."""
        return self._variable.name

    def shape(self) -> list[int]:
        """Return the shape of its array; before the first run, that of the model."""
        return list(self._variable.shape if self.value is None else self.value.shape)

    def type(self) -> Any:
        """Return the dtype of the variable."""
        return self._variable.dtype

    def copy_to_cpu(self) -> Array:
        """Return a copy of the array of the last run.

        Raises:
            NotInitializedError: Nothing has been run.
        """
        if self.value is None:
            message = f"{self.name()!r} has no value yet: call run() first"
            raise NotInitializedError.here(message)
        return np.array(self.value)
