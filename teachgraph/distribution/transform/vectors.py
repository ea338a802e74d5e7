"""Transforms of vectors and arrays: reshapes, and maps onto the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.distribution import constraint, variable
from teachgraph.distribution.transform.base import Transform, Type, check_rank
from teachgraph.nn.functional import log_sigmoid, sigmoid, softmax
from teachgraph.ops.functions.creation import arange, full_like, ones_like
from teachgraph.ops.functions.joining import concat
from teachgraph.ops.functions.manipulation import reshape
from teachgraph.ops.functions.math import log
from teachgraph.ops.functions.reduce import sum
from teachgraph.ops.functions.scan import cumprod, cumsum

__all__ = ["ReshapeTransform", "SoftmaxTransform", "StickBreakingTransform"]

REALS = variable.Independent(variable.real, 1)
SIMPLEX = variable.Variable(False, 1, constraint.simplex)


class ReshapeTransform(Transform):
    """Numbers as events of another shape.

    log |det J| = 0

    Args:
        in_event_shape: The shape of an event of x.
        out_event_shape: That of y, with as many elements.

    Raises:
        DTypeError: A shape is no list of sizes.
        ShapeError: The shapes have different numbers of elements.

    In Paddle this is `paddle.distribution.ReshapeTransform`.

    >>> import teachgraph as tg
    >>> reshape = tg.distribution.ReshapeTransform((2, 3), (3, 2))
    >>> reshape.forward(tg.ones([5, 2, 3])).shape, reshape.forward_shape((5, 2, 3))
    ([5, 3, 2], (5, 3, 2))
    """

    _type = Type.BIJECTION

    def __init__(
        self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]
    ) -> None:
        for shape in (in_event_shape, out_event_shape):
            if not isinstance(shape, Sequence):
                message = f"an event shape is a list of sizes, not {shape!r}"
                raise DTypeError.here(f"ReshapeTransform: {message}")
        before, after = tuple(in_event_shape), tuple(out_event_shape)
        if prod(before) != prod(after):
            message = f"{list(before)} has {prod(before)} elements, {list(after)}"
            raise ShapeError.here(f"ReshapeTransform: {message} has {prod(after)}")
        self._in_event_shape, self._out_event_shape = before, after
        self._domain = variable.Independent(variable.real, len(before))
        self._codomain = variable.Independent(variable.real, len(after))

    @property
    def in_event_shape(self) -> tuple[int, ...]:
        """The shape of an event of x."""
        return self._in_event_shape

    @property
    def out_event_shape(self) -> tuple[int, ...]:
        """The shape of an event of y."""
        return self._out_event_shape

    def _forward(self, x: Any) -> Any:
        return reshape(x, self._forward_shape(x.shape))

    def _inverse(self, y: Any) -> Any:
        return reshape(y, self._inverse_shape(y.shape))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        flat = reshape(x, [*self._batch(x.shape, self._in_event_shape), -1])
        return sum(full_like(flat, 0.0), -1)

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._batch(shape, self._in_event_shape) + self._out_event_shape

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._batch(shape, self._out_event_shape) + self._in_event_shape

    def _batch(self, shape: Sequence[int], event: tuple[int, ...]) -> tuple[int, ...]:
        """The dimensions before those of the event.

        Raises:
            ShapeError: The shape does not end in that of the event.
        """
        border = len(shape) - len(event)
        if border < 0 or tuple(shape[border:]) != event:
            message = f"{list(shape)} does not end in the event shape {list(event)}"
            raise ShapeError.here(f"ReshapeTransform: {message}")
        return tuple(shape[:border])


class SoftmaxTransform(Transform):
    """y = softmax(x) over the last dimension, onto the simplex.

    It is not injective, for softmax(x + c) = softmax(x): the inverse, log y, is the one
    of these x for which sum exp(x) = 1.

    In Paddle this is `paddle.distribution.SoftmaxTransform`.

    >>> import teachgraph as tg
    >>> tg.distribution.SoftmaxTransform().forward(tg.ones([4])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    _type = Type.OTHER
    _domain, _codomain = REALS, SIMPLEX

    def _forward(self, x: Any) -> Any:
        return softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_rank("SoftmaxTransform", shape, 1)
        return shape

    _inverse_shape = _forward_shape


class StickBreakingTransform(Transform):
    """Break a stick of length 1 into k + 1 parts, by k real numbers.

    z_i = sigmoid(x_i - log(k - i)) is the share that is broken off what is left of the
    stick, for i = 0, ..., k - 1:

    y_i = z_i (1 - z_0) ... (1 - z_(i-1)), y_k = (1 - z_0) ... (1 - z_(k-1))

    so that x = 0 gives equal parts.

    In Paddle this is `paddle.distribution.StickBreakingTransform`.

    >>> import teachgraph as tg
    >>> stick = tg.distribution.StickBreakingTransform()
    >>> stick.forward(tg.zeros([3])).numpy().round(4)
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """

    _type = Type.BIJECTION
    _domain, _codomain = REALS, SIMPLEX

    def _forward(self, x: Any) -> Any:
        share = sigmoid(self._shifted(x))
        left = cumprod(1.0 - share, -1)
        one = ones_like(x[..., :1])
        return concat([share, one], -1) * concat([one, left], -1)

    def _inverse(self, y: Any) -> Any:
        parts = y[..., :-1]
        left = 1.0 - cumsum(parts, -1)
        return log(parts) - log(left) + self._offsets(parts)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # The matrix is triangular: dy_i / dx_i = y_i (1 - z_i).
        parts = self._forward(x)[..., :-1]
        return sum(log_sigmoid(-self._shifted(x)) + log(parts), -1)

    def _shifted(self, x: Any) -> Any:
        return x - self._offsets(x)

    def _offsets(self, x: Any) -> Any:
        """Compute log(k - i): how many parts are still to come after this one."""
        return log(arange(x.shape[-1], 0, -1, dtype=x.dtype))

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_rank("StickBreakingTransform", shape, 1)
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_rank("StickBreakingTransform", shape, 1)
        return (*shape[:-1], shape[-1] - 1)
