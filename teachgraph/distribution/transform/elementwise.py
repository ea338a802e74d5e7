"""Transforms of single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of
from typing import Any

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Traced
from teachgraph.distribution import constraint, variable
from teachgraph.distribution.transform.base import Transform, Type
from teachgraph.nn.functional import sigmoid, softplus
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions.creation import zeros
from teachgraph.ops.functions.math import abs, atanh, exp, log, log1p, pow, tanh
from teachgraph.ops.functions.queries import broadcast_shape

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "TanhTransform",
]


class AbsTransform(Transform):
    """y = |x|, which is not injective: its inverse is the pair -y, y.

    In Paddle this is `paddle.distribution.AbsTransform`.

    >>> import teachgraph as tg
    >>> absolute = tg.distribution.AbsTransform()
    >>> [x.item() for x in absolute.inverse(tg.to_tensor(2.0))]
    [-2.0, 2.0]
    """

    _type = Type.SURJECTION
    _codomain = variable.positive

    def _forward(self, x: Any) -> Any:
        return abs(x)

    def _inverse(self, y: Any) -> Any:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        zero = zeros([], y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """y = loc + scale x.

    log |det J| = log |scale|, in the shape of the scale

    Args:
        loc: The shift, a Tensor.
        scale: The factor, a Tensor without zeros.

    Raises:
        DTypeError: A parameter is no Tensor.

    In Paddle this is `paddle.distribution.AffineTransform`.

    >>> import teachgraph as tg
    >>> affine = tg.distribution.AffineTransform(tg.to_tensor(1.0), tg.to_tensor(2.0))
    >>> affine.forward(tg.to_tensor([1.0, 2.0])).tolist()
    [3.0, 5.0]
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Any, scale: Any) -> None:
        self._loc = checked_tensor("AffineTransform", "loc", loc)
        self._scale = checked_tensor("AffineTransform", "scale", scale)

    @property
    def loc(self) -> Any:
        """The shift."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The factor."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        return self._loc + self._scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs(self._scale))

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        with_loc = broadcast_shape(shape, self._loc.shape)
        return tuple(broadcast_shape(with_loc, self._scale.shape))

    _inverse_shape = _forward_shape


class ExpTransform(Transform):
    """y = exp(x).

    log |det J| = x

    In Paddle this is `paddle.distribution.ExpTransform`.

    >>> import teachgraph as tg
    >>> tg.distribution.ExpTransform().inverse(tg.to_tensor(1.0)).item()
    0.0
    """

    _type = Type.BIJECTION
    _codomain = variable.positive

    def _forward(self, x: Any) -> Any:
        return exp(x)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return x


class PowerTransform(Transform):
    """y = x^power, for positive x.

    log |det J| = log |power x^(power - 1)|

    Args:
        power: The exponent, a Tensor without zeros.

    Raises:
        DTypeError: `power` is no Tensor.

    In Paddle this is `paddle.distribution.PowerTransform`.

    >>> import teachgraph as tg
    >>> square = tg.distribution.PowerTransform(tg.to_tensor(2.0))
    >>> square.forward(tg.to_tensor([1.0, 3.0])).tolist()
    [1.0, 9.0]
    """

    _type = Type.BIJECTION
    _codomain = variable.positive

    def __init__(self, power: Any) -> None:
        self._power = checked_tensor("PowerTransform", "power", power)

    @property
    def power(self) -> Any:
        """The exponent."""
        return self._power

    def _forward(self, x: Any) -> Any:
        return pow(x, self._power)

    def _inverse(self, y: Any) -> Any:
        return pow(y, 1.0 / self._power)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs(self._power * pow(x, self._power - 1.0)))

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return tuple(broadcast_shape(shape, self._power.shape))

    _inverse_shape = _forward_shape


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)), from the real numbers to (0, 1).

    log |det J| = -softplus(-x) - softplus(x)

    In Paddle this is `paddle.distribution.SigmoidTransform`.

    >>> import teachgraph as tg
    >>> tg.distribution.SigmoidTransform().forward(tg.to_tensor(0.0)).item()
    0.5
    """

    _codomain = variable.Variable(False, 0, constraint.Range(0.0, 1.0))

    def _forward(self, x: Any) -> Any:
        return sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return log(y) - log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-x) - softplus(x)


class TanhTransform(Transform):
    """y = tanh(x), from the real numbers to (-1, 1).

    log |det J| = log(1 - tanh(x)^2) = 2 (log 2 - x - softplus(-2 x)), which does not
    cancel where |x| is large

    In Paddle this is `paddle.distribution.TanhTransform`.

    >>> import teachgraph as tg
    >>> tanh = tg.distribution.TanhTransform()
    >>> tanh.forward_log_det_jacobian(tg.to_tensor(0.0)).item()
    0.0
    """

    _type = Type.BIJECTION
    _codomain = variable.Variable(False, 0, constraint.Range(-1.0, 1.0))

    def _forward(self, x: Any) -> Any:
        return tanh(x)

    def _inverse(self, y: Any) -> Any:
        return atanh(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return 2.0 * (log_of(2.0) - x - softplus(-2.0 * x))


def checked_tensor(owner: str, name: str, value: Any) -> Any:
    """Require a Tensor.

    Raises:
        DTypeError: It is something else.
    """
    if not isinstance(value, Traced):
        message = f"{owner}: {name} is a Tensor, not {describe(value)}"
        raise DTypeError.here(message)
    return value
