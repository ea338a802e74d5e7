"""gcd, lcm, hypot, heaviside, nextafter, sign; mantissa and exponent."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes, ops
from teachgraph.ops import elementwise, numbers
from teachgraph.ops import math as maths
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.functions.math import cast, of_two

__all__ = [
    "frexp",
    "gcd",
    "heaviside",
    "hypot",
    "lcm",
    "ldexp",
    "nextafter",
    "sgn",
]

gcd = of_two(numbers.gcd)
lcm = of_two(numbers.lcm)
nextafter = of_two(numbers.nextafter)
heaviside = of_two(numbers.elementwise_heaviside)


def frexp(x: Any, name: Any = None) -> Any:
    """Mantissa and exponent: x = mantissa 2^exponent, the mantissa from 0.5 to 1.

    >>> import numpy as np
    >>> frexp(np.array([6.0, -0.25]))
    (array([ 0.75, -0.5 ]), array([ 3., -1.]))
    """
    return numbers.frexp(x)


def ldexp(x: Any, y: Any, name: Any = None) -> Any:
    """x times 2 to the power y; integers give float32.

    >>> import numpy as np
    >>> ldexp(np.array([0.75, -0.5]), np.array([3, -1]))
    array([ 6.  , -0.25])
    """
    x, y = floating(x), floating(y)
    two = fill_any_like(y, value=2.0)
    return ops.elementwise_mul(x, elementwise.elementwise_pow(two, y))


def hypot(x: Any, y: Any, name: Any = None) -> Any:
    """sqrt(x^2 + y^2), the longest side of a right triangle.

    >>> import numpy as np
    >>> hypot(np.array([3.0]), np.array([4.0]))
    array([5.])
    """
    x, y = floating(x), floating(y)
    squares = ops.elementwise_add(maths.square(x), maths.square(y))
    return maths.sqrt(squares)


def floating(x: Any) -> Any:
    """Cast integers to float32; return anything else unchanged."""
    return x if is_floating(x.dtype) else cast(x, dtypes.float32)


def sgn(x: Any, name: Any = None) -> Any:
    """The sign: -1, 0 or 1."""
    return maths.sign(x)
