"""Transforms made of others: over more event dimensions, and side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ShapeError,
)
from teachgraph.distribution import variable
from teachgraph.distribution.transform.base import (
    Transform,
    broadcast_log_det,
    check_transforms,
    log_det,
)
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions.joining import stack, unstack

__all__ = ["IndependentTransform", "StackTransform"]


class IndependentTransform(Transform):
    """A transform whose last batch dimensions belong to the event.

    Values are those of the base transform; log |det J| is summed over these dimensions.

    Args:
        base: The transform.
        reinterpreted_batch_rank: How many of the last batch dimensions, at least 1.

    Raises:
        DTypeError: `base` is no transform.
        InvalidValueError: The number of dimensions is not positive.

    In Paddle this is `paddle.distribution.IndependentTransform`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import ExpTransform, IndependentTransform
    >>> exp = IndependentTransform(ExpTransform(), 1)
    >>> exp.forward_log_det_jacobian(tg.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [3.0, 7.0]
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Transform):
            message = f"IndependentTransform: base is a transform, not {describe(base)}"
            raise DTypeError.here(message)
        if reinterpreted_batch_rank <= 0:
            message = "reinterpreted_batch_rank is 1 or more, not"
            raise InvalidValueError.here(
                f"IndependentTransform: {message} {reinterpreted_batch_rank}"
            )
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        rank = reinterpreted_batch_rank
        self._domain = variable.Independent(base._domain, rank)
        self._codomain = variable.Independent(base._codomain, rank)

    def _is_injective(self) -> bool:
        return self._base._is_injective()

    def _forward(self, x: Any) -> Any:
        return self._base.forward(x)

    def _inverse(self, y: Any) -> Any:
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log_det(self._base, x, self._domain.event_rank)

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._base.inverse_shape(shape)


class StackTransform(Transform):
    """Transforms side by side: each of a slice of x along an axis.

    Args:
        transforms: A transform for each slice.
        axis: The dimension of x that counts the slices.

    Raises:
        DTypeError: `transforms` is no list of transforms, or `axis` no integer.
        InvalidValueError: `transforms` is empty.

    In Paddle this is `paddle.distribution.StackTransform`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import AbsTransform, ExpTransform, StackTransform
    >>> pair = StackTransform([AbsTransform(), ExpTransform()], axis=-1)
    >>> pair.forward(tg.to_tensor([[-1.0, 0.0], [2.0, 0.0]])).tolist()
    [[1.0, 1.0], [2.0, 1.0]]
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0) -> None:
        check_transforms("StackTransform", transforms)
        if not isinstance(axis, int):
            message = f"StackTransform: axis is an integer, not {axis!r}"
            raise DTypeError.here(message)
        self._transforms, self._axis = transforms, axis
        self._domain = variable.Stack([t._domain for t in transforms], axis)
        self._codomain = variable.Stack([t._codomain for t in transforms], axis)

    @property
    def transforms(self) -> Sequence[Transform]:
        """The transforms of the slices."""
        return self._transforms

    @property
    def axis(self) -> int:
        """The dimension that counts the slices."""
        return self._axis

    def _is_injective(self) -> bool:
        return all(transform._is_injective() for transform in self._transforms)

    def _forward(self, x: Any) -> Any:
        return self._each(lambda transform, part: transform.forward(part), x)

    def _inverse(self, y: Any) -> Any:
        return self._each(lambda transform, part: transform.inverse(part), y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._each(broadcast_log_det, x)

    def _each(self, apply: Callable[[Transform, Any], Any], x: Any) -> Any:
        """Apply each transform to its slice, and stack the results.

        Raises:
            ShapeError: There is not a slice for each transform.
        """
        shape, count = list(x.shape), len(self._transforms)
        rank = len(shape)
        if not -rank <= self._axis < rank or shape[self._axis] != count:
            message = f"{shape} has not {count} slices along axis {self._axis}"
            raise ShapeError.here(f"StackTransform: {message}")
        slices = zip(self._transforms, unstack(x, self._axis), strict=True)
        return stack([apply(transform, part) for transform, part in slices], self._axis)
