"""Inputs of eager ops that are no Tensors: arrays, numbers and lists, as constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import asarray, ndarray

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Traced
from teachgraph.core.tensor import Tensor, adopt
from teachgraph.errors import MixedModeError
from teachgraph.ops.bare_numbers import dtype_with_number as dtype_beside
from teachgraph.ops.bare_numbers import is_number

__all__ = ["adopting"]


@adopt.wrap
def adopting(refuse: Callable[[Any, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Adopt arrays, numbers and lists, where the core refuses them."""
    return lambda value, beside: Tensor(numeric(value, beside))


def numeric(value: Any, beside: Tensor) -> ndarray[Any, Any]:
    """Convert a number or a list; a number gets the dtype of what it meets.

    Raises:
        MixedModeError: It is a Variable of a static program.
        DTypeError: It is nothing an op can compute with.
    """
    if isinstance(value, Traced):
        raise MixedModeError
    if is_number(value):
        return asarray(value, dtype_beside(beside.data.dtype, value))
    array = asarray(value)
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"nothing can be computed with {value!r}")
    return array
