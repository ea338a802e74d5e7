"""Fed values, as arrays of the shapes and dtypes that a program declares."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import FeedError
from teachgraph.core.program import Variable, fits

__all__ = ["as_fed"]

Array = np.ndarray[Any, Any]


def as_fed(variable: Variable, value: Any, *, any_size: bool = False) -> Array:
    """Return a fed value as an array of the declared shape and dtype.

    Args:
        variable: The variable it is fed to.
        value: An array, or numbers of Python's in lists.
        any_size: True if only the number of dimensions is as declared.

    As in Paddle, dimensions of size 1 at the end may be missing; they stay away.

    Raises:
        FeedError: It is of another shape or dtype.
    """
    array = np.asarray(
        value if hasattr(value, "dtype") else from_python(variable, value)
    )
    if array.dtype != variable.dtype:
        raise FeedError.here(
            f"The data type of fed Variable {variable.name!r} must be "
            f"'{variable.dtype}', but received '{array.dtype}': give "
            f"{variable.name}.astype('{variable.dtype}')"
        )
    declared = (-1,) * len(variable.shape) if any_size else variable.shape
    taken = declared[: max(array.ndim, 1)]
    rest = declared[len(taken) :]
    if not fits(array.shape, taken) or not {1, -1}.issuperset(rest):
        raise FeedError.here(
            f"The fed Variable {variable.name!r} should have dimensions = "
            f"{len(variable.shape)}, shape = {variable.shape}, but received fed "
            f"shape {list(array.shape)} on each device: -1 takes any size, every "
            "other size is as declared"
        )
    return array


def from_python(variable: Variable, value: Any) -> Array:
    """Python's numbers in the declared dtype, unless that would change them."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise FeedError.here(
            f"the feed of {variable.name!r} is no array: {error}"
        ) from None
    if array.size and not np.can_cast(array.dtype, variable.dtype, "same_kind"):
        return array
    converted = array.astype(variable.dtype)
    exact = converted.dtype.kind == "f" or np.array_equal(converted, array)
    return converted if exact else array
