"""Parameters and values of distributions as tensors of one shape and dtype.

A number or an array becomes a Tensor, or in a program a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import Traced
from teachgraph.ops.creation import assign_value
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions.creation import code_of, full
from teachgraph.ops.functions.joining import broadcast_tensors
from teachgraph.ops.functions.manipulation import expand
from teachgraph.ops.functions.math import cast
from teachgraph.ops.functions.reduce import sum

__all__ = [
    "arrays_or_tensors",
    "as_tensor",
    "as_value",
    "broadcast",
    "numbers_or_tensors",
    "repeated",
    "sample_shape",
    "sum_last",
]


def broadcast(*tensors: Any) -> list[Any]:
    """Expand tensors to the shape they broadcast to; equal shapes stay as they are."""
    shapes = {tuple(tensor.shape) for tensor in tensors}
    return list(tensors) if len(shapes) == 1 else list(broadcast_tensors(tensors))


def numbers_or_tensors(owner: str, **parameters: Any) -> list[Any]:
    """Convert parameters that are numbers or Tensors; broadcast them.

    Raises:
        DTypeError: A parameter is something else.
    """
    for name, value in parameters.items():
        if not isinstance(value, (Real, Traced)):
            message = f"{owner}: {name} is a number or a Tensor, not {describe(value)}"
            raise DTypeError.here(message)
    return broadcast(
        *(v if isinstance(v, Traced) else full([], v) for v in parameters.values())
    )


def arrays_or_tensors(owner: str, **parameters: Any) -> list[Any]:
    """Convert parameters that are all numbers or arrays, or all Tensors; broadcast.

    Arrays become float32, unless the first floating NumPy array is float64.

    Raises:
        DTypeError: A parameter is no number, array or Tensor.
        InvalidValueError: Some are Tensors and some are not.
    """
    values = list(parameters.values())
    names = " and ".join(parameters)
    if any(are_traced := [isinstance(value, Traced) for value in values]):
        if not all(are_traced):
            message = f"{owner}: {names} are all Tensors, or none is"
            raise InvalidValueError.here(message)
        return broadcast(*values)
    for name, value in parameters.items():
        if not isinstance(value, (Real, list, tuple, np.ndarray)):
            message = f"{owner}: {name} is a number, a list, an array or a Tensor"
            raise DTypeError.here(f"{message}, not {describe(value)}")
    floating = (v.dtype for v in values if isinstance(v, np.ndarray))
    dtype = next((d for d in floating if d in (np.float32, np.float64)), np.float32)
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype) for value in values))
    return [constant_tensor(array) for array in arrays]


def as_value(owner: str, value: Any, like: Any) -> Any:
    """Convert a value in the support to a tensor in the dtype of a parameter.

    Raises:
        DTypeError: It is no number, array or Tensor.
    """
    tensor = as_tensor(owner, value, like.dtype)
    return tensor if tensor.dtype == like.dtype else cast(tensor, like.dtype)


def as_tensor(owner: str, value: Any, dtype: Any = np.float32) -> Any:
    """Convert a number or an array to a tensor; a tensor stays as it is.

    Raises:
        DTypeError: It is no number, array or Tensor.
    """
    if isinstance(value, Traced):
        return value
    if not isinstance(value, (Real, list, tuple, np.ndarray)):
        message = f"{owner}: a value is a Tensor, not {describe(value)}"
        raise DTypeError.here(message)
    return constant_tensor(np.asarray(value, dtype))


def constant_tensor(array: np.ndarray[Any, Any]) -> Any:
    """Convert an array to a tensor of its dtype."""
    shape, dtype = list(array.shape), code_of(array.dtype)
    return assign_value(values=array.ravel(), shape=shape, dtype=dtype)


def sample_shape(owner: str, shape: Any) -> list[int]:
    """Convert the shape of a sample to a list of sizes.

    Raises:
        DTypeError: It is no sequence of numbers.
    """
    if not isinstance(shape, Iterable):
        message = f"{owner}: the shape of a sample is a list of sizes, not {shape!r}"
        raise DTypeError.here(message)
    return [int(size) for size in shape]


def repeated(parameter: Any, shape: Sequence[int]) -> Any:
    """Repeat a parameter along new leading dimensions.

    An unknown size, -1, stays as it is.
    """
    return expand(parameter, [*shape, *parameter.shape]) if shape else parameter


def sum_last(value: Any, count: int) -> Any:
    """Sum over the last `count` dimensions."""
    return sum(value, list(range(-count, 0))) if count > 0 else value
