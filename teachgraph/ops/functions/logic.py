"""Comparisons, logical and bitwise functions, and `where`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Op, Traced
from teachgraph.ops import elementwise, logic
from teachgraph.ops.bare_numbers import is_number
from teachgraph.ops.error_message import refuse_none
from teachgraph.ops.functions.creation import assign, full
from teachgraph.ops.functions.math import of_one, of_two
from teachgraph.ops.functions.search import nonzero

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "equal_all",
    "greater_equal",
    "greater_than",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "where",
]


def two_present(op: Op) -> Callable[..., Any]:
    """Wrap an op of two inputs whose NumPy function takes None as well."""

    def function(x: Any, y: Any, name: Any = None) -> Any:
        refuse_none(x, y)
        return op(x, y)

    function.__name__, function.__doc__ = op.type, op.__doc__
    return function


equal = two_present(elementwise.equal)
not_equal = two_present(elementwise.not_equal)
less_than = of_two(elementwise.less_than)
less_equal = of_two(elementwise.less_equal)
greater_than = of_two(elementwise.greater_than)
greater_equal = of_two(elementwise.greater_equal)
equal_all = two_present(logic.equal_all)

isnan = of_one(logic.isnan_v2)
isinf = of_one(logic.isinf_v2)
isfinite = of_one(logic.isfinite_v2)


def logical(op: Op) -> Callable[..., Any]:
    """Wrap an op of one or two inputs as a function with an `out` argument."""

    def of_one(x: Any, out: Any = None, name: Any = None) -> Any:
        refuse_none(x)
        return op(x) if out is None else assign(op(x), out)

    def of_two(x: Any, y: Any, out: Any = None, name: Any = None) -> Any:
        refuse_none(x, y)
        return op(x, y) if out is None else assign(op(x, y), out)

    function = of_one if len(op.inputs) == 1 else of_two
    function.__name__, function.__doc__ = op.type, op.__doc__
    return function


logical_and = logical(logic.logical_and)
logical_or = logical(logic.logical_or)
logical_xor = logical(logic.logical_xor)
logical_not = logical(logic.logical_not)
bitwise_and = logical(logic.bitwise_and)
bitwise_or = logical(logic.bitwise_or)
bitwise_xor = logical(logic.bitwise_xor)
bitwise_not = logical(logic.bitwise_not)


def isclose(
    x: Any,
    y: Any,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    name: Any = None,
) -> Any:
    """True where |x - y| <= atol + rtol |y|.

    >>> import numpy as np
    >>> isclose(np.array([1.0, 2.0]), np.array([1.0 + 1e-9, 2.1]))
    array([ True, False])
    """
    return logic.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(
    x: Any,
    y: Any,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    name: Any = None,
) -> Any:
    """True if |x - y| <= atol + rtol |y| everywhere, a bool tensor of one element."""
    return logic.allclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """x where the condition holds, y elsewhere; all three broadcast.

    Args:
        condition: Booleans.
        x: A tensor or a number; of two numbers the result is float64 or int64.
        y: A tensor or a number; without x and y, the result is the indices where the
            condition holds, one tensor per dimension.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: The condition is not bool.
        InvalidValueError: Only one of x and y is given.

    >>> import numpy as np
    >>> where(np.array([True, False]), np.array([1.0, 2.0]), 0.0)
    array([1., 0.])
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise InvalidValueError.here("where takes both x and y, or neither")
    if is_number(x) and is_number(y) and isinstance(condition, Traced):
        dtype = np.result_type(np.array(x), np.array(y))
        x, y = (full([], value, dtype) for value in (x, y))
    return logic.where(x, y, condition)
