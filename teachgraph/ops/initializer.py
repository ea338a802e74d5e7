"""Initializers: each chooses one creation op with its attributes.

In dynamic mode the op runs at once, in static mode it is appended to the startup
program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, prod, sqrt
from typing import Any, Protocol

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Op
from teachgraph.core.ops import fill_constant, uniform_random
from teachgraph.ops.creation import assign_value
from teachgraph.ops.sampling import (
    gaussian_random,
    orthogonal_random,
    truncated_gaussian_random,
)

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "global_default",
    "set_global_initializer",
]

Operation = tuple[Op, dict[str, Any]]


class Initializer(Protocol):
    """Base of initializers, which choose an op for a parameter's shape."""

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """Return the creation op and its attributes."""

    def __call__(self, param: Any, block: Any = None) -> None:
        """Give a parameter its first values, now or, in a program, when that runs."""
        op, attrs = self.operation(param.shape, param.dtype)
        param.written_by(op, **attrs)


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Compute fan_in and fan_out of a weight.

    A matrix is [in, out]; a convolution's filter [out, in, ...] counts its window.

    >>> fans([784, 100]), fans([6, 1, 5, 5])
    ((784, 100), (25, 150))
    """
    if len(shape) < 2:
        size = prod(shape)
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    window = prod(shape[2:])
    return shape[1] * window, shape[0] * window


def total_fan(given: XavierUniform | XavierNormal, shape: Sequence[int]) -> int:
    """Compute fan_in + fan_out, as given or from the shape."""
    ins, outs = fans(shape)
    return max((given.fan_in or ins) + (given.fan_out or outs), 1)


def described(
    shape: Sequence[int], dtype: np.dtype[Any], **more: Any
) -> dict[str, Any]:
    """Build the attributes of a creation op in Paddle's form."""
    return {"shape": list(shape), "dtype": dtypes.PADDLE_CODES[dtype], **more}


@dataclass(frozen=True)
class Constant(Initializer):
    """Every element is `value`."""

    value: float = 0.0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `fill_constant` op."""
        return fill_constant, described(shape, dtype, value=float(self.value))


@dataclass(frozen=True)
class Uniform(Initializer):
    """Uniform over [low, high)."""

    low: float = -1.0
    high: float = 1.0
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an interval whose end is before its start.

        Raises:
            InvalidValueError: It is.
        """
        if self.high < self.low:
            raise InvalidValueError.here(
                f"high should be low or greater, got low={self.low}, high={self.high}"
            )

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `uniform_random` op."""
        limits = {"min": self.low, "max": self.high, "seed": self.seed}
        return uniform_random, described(shape, dtype, **limits)


@dataclass(frozen=True)
class Normal(Initializer):
    """Normally distributed about `mean`."""

    mean: float = 0.0
    std: float = 1.0
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `gaussian_random` op."""
        moments = {"mean": self.mean, "std": self.std, "seed": self.seed}
        return gaussian_random, described(shape, dtype, **moments)


@dataclass(frozen=True)
class TruncatedNormal(Initializer):
    """Normally distributed about `mean`, truncated at 2 `std`."""

    mean: float = 0.0
    std: float = 1.0
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `truncated_gaussian_random` op."""
        moments = {"mean": self.mean, "std": self.std, "seed": self.seed}
        return truncated_gaussian_random, described(shape, dtype, **moments)


@dataclass(frozen=True)
class XavierUniform(Initializer):
    """Uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    It approximately preserves the variance of activations and gradients.

    >>> op, attrs = XavierUniform().operation([1, 10], dtypes.float32)
    >>> op.type, round(attrs["max"], 8)
    ('uniform_random', 0.73854895)
    """

    fan_in: int | None = None
    fan_out: int | None = None
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `uniform_random` op."""
        limit = sqrt(6.0 / total_fan(self, shape))
        return Uniform(-limit, limit, seed=self.seed).operation(shape, dtype)


@dataclass(frozen=True)
class XavierNormal(Initializer):
    """Normal with deviation sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    fan_in: int | None = None
    fan_out: int | None = None
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `gaussian_random` op."""
        std = sqrt(2.0 / total_fan(self, shape))
        return Normal(0.0, std, seed=self.seed).operation(shape, dtype)


GAINS = {
    **dict.fromkeys(("sigmoid", "linear", "conv1d", "conv2d", "conv3d"), 1.0),
    **dict.fromkeys((f"conv{n}d_transpose" for n in (1, 2, 3)), 1.0),
    "tanh": 5.0 / 3.0,
    "relu": sqrt(2.0),
    "selu": 3.0 / 4.0,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain that compensates for a nonlinearity's loss of variance.

    Args:
        nonlinearity: "relu", "leaky_relu", "tanh", "selu", "sigmoid", "linear" or a
            convolution.
        param: The slope of a leaky ReLU below 0, by default 0.01.

    Raises:
        InvalidValueError: No gain is known.

    >>> calculate_gain("leaky_relu", 1.0), round(calculate_gain("relu"), 4)
    (1.0, 1.4142)
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return sqrt(2.0 / (1.0 + slope**2))
    if nonlinearity not in GAINS:
        known = ", ".join([*GAINS, "leaky_relu"])
        raise InvalidValueError.here(
            f"no gain is known of {nonlinearity!r}, only of {known}"
        )
    return GAINS[nonlinearity]


def kaiming_std(given: KaimingUniform | KaimingNormal, shape: Sequence[int]) -> float:
    """Compute gain / sqrt(fan_in), the deviation that preserves the variance."""
    gain = calculate_gain(given.nonlinearity, given.negative_slope)
    return gain / sqrt(max(given.fan_in or fans(shape)[0], 1))


@dataclass(frozen=True)
class KaimingNormal(Initializer):
    """Normal with deviation gain / sqrt(fan_in) (He et al., 2015)."""

    fan_in: int | None = None
    negative_slope: float = 0.0
    nonlinearity: str = "relu"
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `gaussian_random` op."""
        std = kaiming_std(self, shape)
        return Normal(0.0, std, seed=self.seed).operation(shape, dtype)


@dataclass(frozen=True)
class KaimingUniform(Initializer):
    """Uniform within gain sqrt(3 / fan_in) (He et al., 2015).

    >>> op, attrs = KaimingUniform().operation([2, 3], dtypes.float32)
    >>> round(attrs["max"], 7)
    1.7320508
    """

    fan_in: int | None = None
    negative_slope: float = 0.0
    nonlinearity: str = "relu"
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `uniform_random` op."""
        limit = sqrt(3.0) * kaiming_std(self, shape)
        return Uniform(-limit, limit, seed=self.seed).operation(shape, dtype)


@dataclass(frozen=True)
class Orthogonal(Initializer):
    """Orthogonal rows or columns of norm `gain` (Saxe et al., 2014).

    In Paddle's startup program this is `gaussian_random`, `qr` and five ops more; here
    it is one.
    """

    gain: float = 1.0
    name: str | None = field(default=None, repr=False)
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """An `orthogonal_random` op."""
        how = {"gain": float(self.gain), "seed": self.seed}
        return orthogonal_random, described(shape, dtype, **how)


@dataclass(frozen=True)
class Dirac(Initializer):
    """Identity convolution: 1 in the middle of filter i, channel i.

    With `groups`, each group of filters separately. Paddle scatters the ones into
    zeros; here they are one `assign_value`.
    """

    groups: int = 1
    name: str | None = field(default=None, repr=False)

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """An `assign_value` op.

        Raises:
            ShapeError: It is no shape of filters, or the groups do not divide them.
        """
        if not 3 <= len(shape) <= 5 or self.groups < 1 or shape[0] % self.groups:
            raise ShapeError.here(
                "Dirac is for filters [out, in, 1 to 3 sizes], and out in "
                f"{self.groups} equal groups; got {list(shape)}"
            )
        filters = np.zeros(tuple(shape), dtype)
        middle = [size // 2 for size in shape[2:]]
        height = shape[0] // self.groups
        for first in range(0, shape[0], height):
            for i in range(min(height, shape[1])):
                filters[(first + i, i, *middle)] = 1.0
        return assign_value, described(shape, dtype, values=filters.ravel())


class Bilinear(Initializer):
    """Filters of a transposed convolution that upsamples images bilinearly.

    (Paddle 2.6 computes the row index without rounding, so its filters are not
    symmetric.)
    """

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """An `assign_value` op.

        Raises:
            ShapeError: The filters are not square.
        """
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ShapeError.here(f"Bilinear is for square filters, got {list(shape)}")
        factor = ceil(shape[3] / 2)
        centre = (2 * factor - 1 - factor % 2) / (2 * factor)
        near = 1.0 - np.abs(np.arange(shape[3]) / factor - centre)
        filters = np.broadcast_to(np.outer(near, near), tuple(shape)).astype(dtype)
        return assign_value, described(shape, dtype, values=filters.ravel())


class Assign(Initializer):
    """Given values: a list, an array or a Tensor."""

    def __init__(self, value: Any, name: str | None = None) -> None:
        self.value = np.asarray(value)
        if self.value.dtype.kind not in "biuf":
            raise DTypeError.here(f"Assign takes numbers, got {value!r}")

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """An `assign_value` op; values that do not fill the shape keep their own."""
        if prod(shape) != self.value.size:
            shape = self.value.shape
        return assign_value, described(shape, dtype, values=self.value.flatten())


class _Wishes:
    """The initializers set by `set_global_initializer`."""

    weight: Initializer | None = None
    bias: Initializer | None = None


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """Set the default initializers of parameters created from now on.

    A parameter's own attr takes precedence. None restores the defaults.

    In Paddle this is `paddle.nn.initializer.set_global_initializer`.
    """
    _Wishes.weight, _Wishes.bias = weight_init, bias_init


def global_default(*, is_bias: bool) -> Initializer | None:
    """Return the global initializer, or None."""
    return _Wishes.bias if is_bias else _Wishes.weight
