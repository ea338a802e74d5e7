"""The table of all `convert_...` functions, which converted code calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teachgraph.jit.container_changes import convert_outside, convert_rebound
from teachgraph.jit.convert_call import convert_call
from teachgraph.jit.convert_container import (
    convert_after,
    convert_change,
    convert_del,
    convert_delitem,
    convert_getattr,
    convert_getitem,
    convert_inplace,
    convert_known,
    convert_setattr,
    convert_setitem,
)
from teachgraph.jit.convert_for import convert_for
from teachgraph.jit.convert_ifelse import (
    convert_guard,
    convert_ifelse,
    convert_load,
    convert_nothing,
    convert_ternary,
    convert_undefined,
)
from teachgraph.jit.convert_logical import (
    convert_chain,
    convert_is_none,
    convert_logical_and,
    convert_logical_not,
    convert_logical_or,
)
from teachgraph.jit.convert_raise import (
    convert_assert,
    convert_raise,
    convert_raise_in_try,
)
from teachgraph.jit.convert_shape import convert_shape
from teachgraph.jit.convert_text import convert_text
from teachgraph.jit.convert_while import convert_while

__all__ = ["HELPERS"]

HELPERS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        convert_after,
        convert_assert,
        convert_call,
        convert_chain,
        convert_change,
        convert_del,
        convert_delitem,
        convert_for,
        convert_getattr,
        convert_getitem,
        convert_inplace,
        convert_guard,
        convert_ifelse,
        convert_is_none,
        convert_known,
        convert_load,
        convert_logical_and,
        convert_logical_not,
        convert_logical_or,
        convert_nothing,
        convert_outside,
        convert_rebound,
        convert_raise,
        convert_raise_in_try,
        convert_setattr,
        convert_setitem,
        convert_shape,
        convert_ternary,
        convert_text,
        convert_undefined,
        convert_while,
    )
}
