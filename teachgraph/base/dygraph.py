"""Paddle 2.6's `base.dygraph`, and its `base.dygraph.base`: 1.x's dynamic mode.

It differs from `fluid.dygraph` in one thing: before a mode is chosen it is dynamic.
"""

import sys
from typing import Any

from teachgraph.core import modes
from teachgraph.fluid import dygraph as _fluid
from teachgraph.fluid.dygraph import *  # noqa: F403
from teachgraph.fluid.dygraph import base as _base

base = sys.modules[f"{__name__}.base"] = sys.modules[__name__]


def enabled() -> bool:
    """True unless static mode was chosen.

    >>> enabled()
    True
    """
    return modes.in_dynamic_mode()


def to_variable(
    value: Any,
    name: str | None = None,
    zero_copy: bool | None = None,
    dtype: Any = None,
) -> Any:
    """A Tensor of an array, a list or a tuple.

    Raises:
        ModeError: Static mode was chosen.
        DTypeError: The value is something else.

    >>> to_variable([1.0, 2.0]).shape
    [2]
    """
    with modes.using(False if enabled() else modes.chosen()):
        return _base.to_variable(value, name, zero_copy, dtype)


def __getattr__(name: str) -> Any:
    return getattr(_base, name) if hasattr(_base, name) else getattr(_fluid, name)
