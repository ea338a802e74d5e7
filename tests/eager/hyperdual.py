"""Derivatives without a tape: numbers a + b e1 + c e2 + d e1 e2, where e1^2 = e2^2 = 0.

Calculating with them carries exact first and second derivatives forwards: after
x + v e1 + w e2 went in, b is the derivative along v and d is v' H w. Nothing is shared
with the reverse pass they are compared with (Fike and Alonso, 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Hyper:
    """An array of such numbers."""

    def __init__(self, a: Any, b: Any = 0.0, c: Any = 0.0, d: Any = 0.0) -> None:
        self.a = np.asarray(a, float)
        self.b, self.c, self.d = (np.broadcast_to(p, self.a.shape) for p in (b, c, d))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.a.shape

    def linear(self, function: Callable[[Array], Any]) -> Hyper:
        """A linear function of the whole array."""
        return Hyper(*map(function, (self.a, self.b, self.c, self.d)))

    def smooth(self, value: Array, slope: Array, curvature: Array) -> Hyper:
        """A function of each element, given with two derivatives."""
        second = curvature * self.b * self.c + slope * self.d
        return Hyper(value, slope * self.b, slope * self.c, second)

    def __add__(self, other: Any) -> Hyper:
        y = hyper(other)
        return Hyper(self.a + y.a, self.b + y.b, self.c + y.c, self.d + y.d)

    __radd__ = __add__

    def __neg__(self) -> Hyper:
        return self.linear(np.negative)

    def __sub__(self, other: Any) -> Hyper:
        return self + -hyper(other)

    def __rsub__(self, other: Any) -> Hyper:
        return hyper(other) + -self

    def __mul__(self, other: Any) -> Hyper:
        return bilinear(np.multiply, self, hyper(other))

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Hyper:
        return bilinear(np.matmul, self, hyper(other))

    def __truediv__(self, other: Any) -> Hyper:
        y = hyper(other)
        return self * y.smooth(1 / y.a, -1 / y.a**2, 2 / y.a**3)

    def __rtruediv__(self, other: Any) -> Hyper:
        return hyper(other) / self

    def __pow__(self, other: Any) -> Hyper:
        return exp(hyper(other) * log(self))

    def __getitem__(self, index: Any) -> Hyper:
        return self.linear(lambda part: part[index])

    def sum(self, axis: Any = None, keepdim: bool = False) -> Hyper:
        return self.linear(lambda part: part.sum(axis=axis, keepdims=keepdim))

    def mean(self, axis: Any = None, keepdim: bool = False) -> Hyper:
        return self.linear(lambda part: part.mean(axis=axis, keepdims=keepdim))

    def reshape(self, shape: Sequence[int]) -> Hyper:
        return self.linear(lambda part: part.reshape(shape))

    @property
    def T(self) -> Hyper:  # noqa: N802  NumPy's name
        return self.linear(np.transpose)


def hyper(value: Any) -> Hyper:
    """A number or array as one without derivatives."""
    return value if isinstance(value, Hyper) else Hyper(value)


def bilinear(function: Callable[..., Any], x: Hyper, y: Hyper) -> Hyper:
    """A product of whatever kind."""
    return Hyper(
        function(x.a, y.a),
        function(x.b, y.a) + function(x.a, y.b),
        function(x.c, y.a) + function(x.a, y.c),
        function(x.d, y.a)
        + function(x.b, y.c)
        + function(x.c, y.b)
        + function(x.a, y.d),
    )


def exp(x: Hyper) -> Hyper:
    value = np.exp(x.a)
    return x.smooth(value, value, value)


def log(x: Hyper) -> Hyper:
    return x.smooth(np.log(x.a), 1 / x.a, -1 / x.a**2)


def sqrt(x: Hyper) -> Hyper:
    value = np.sqrt(x.a)
    return x.smooth(value, 0.5 / value, -0.25 / value**3)


def tanh(x: Hyper) -> Hyper:
    value = np.tanh(x.a)
    slope = 1 - value**2
    return x.smooth(value, slope, -2 * value * slope)


def sigmoid(x: Hyper) -> Hyper:
    return 0.5 * (tanh(0.5 * x) + 1.0)


def square(x: Hyper) -> Hyper:
    return x * x


def relu(x: Hyper) -> Hyper:
    slope = (x.a > 0).astype(float)
    return x.smooth(x.a * slope, slope, np.zeros_like(x.a))


def softmax(x: Hyper) -> Hyper:
    power = exp(x - x.a.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdim=True)


def maximum(x: Hyper, y: Hyper) -> Hyper:
    first = (x.a > y.a).astype(float)
    return x * first + y * (1.0 - first)


def concat(parts: Sequence[Hyper], axis: int) -> Hyper:
    joined = [
        np.concatenate([getattr(part, name) for part in parts], axis)
        for name in ("a", "b", "c", "d")
    ]
    return Hyper(*joined)
