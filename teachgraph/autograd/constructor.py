"""Calls of the class `Tensor`: the values are copied, as Paddle's constructor does.

What ops return is built by `Tensor.results`, which copies nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.autograd.places import check_place
from teachgraph.core import tensor as core
from teachgraph.core.errors import DTypeError

__all__ = ["Constructor"]


class Constructor(type):
    """The class of the class Tensor: a call takes Paddle's arguments."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Build a Tensor of values; a subclass by its own `__init__`."""
        if "results" not in vars(cls):
            return super().__call__(*args, **kwargs)
        return constructed(cls, *args, **kwargs)


def constructed(
    cls: Any,
    value: Any = None,
    place: Any = None,
    persistable: bool = False,
    zero_copy: bool = False,
    name: str | None = None,
    stop_gradient: bool = True,
) -> Any:
    """A Tensor of an array's values, or of a Tensor's in its memory; without, empty.

    Raises:
        InvalidValueError: The place is not the CPU.
        DTypeError: The value is something else, or no array of numbers.
    """
    check_place(place)
    if value is None:
        value = np.zeros(0, np.float32)
    if isinstance(value, core.Tensor):
        tensor: Any = cls.detach(value)
    else:
        tensor = cls.results(array_of(value, zero_copy))
    tensor.stop_gradient = stop_gradient
    tensor.persistable = persistable
    if name:
        tensor.name = name
    return tensor


def array_of(value: Any, zero_copy: bool) -> Any:
    """An array's values, in memory of their own unless with `zero_copy`."""
    if (
        not isinstance(value, (np.ndarray, np.generic))
        or value.dtype.kind not in "biuf"
    ):
        message = (
            "Tensor(...) takes an array of numbers or a Tensor, got "
            f"{type(value).__name__}; to_tensor takes numbers and lists as well"
        )
        raise DTypeError.here(message)
    return np.asarray(value) if zero_copy else np.array(value)
