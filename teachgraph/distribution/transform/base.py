"""The base class of transforms, and chains of them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NoReturn

from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ShapeError,
    at_user_line,
)
from teachgraph.distribution import variable
from teachgraph.distribution.distribution import Distribution, UndefinedError
from teachgraph.distribution.parameters import as_tensor, broadcast, sum_last
from teachgraph.ops.error_message import describe

__all__ = [
    "ChainTransform",
    "Transform",
    "Type",
    "broadcast_log_det",
    "check_rank",
    "check_transforms",
    "log_det",
]


class Type(Enum):
    """The kinds of maps."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind: Type) -> bool:
        """Compute whether different numbers have different images."""
        return kind in (cls.BIJECTION, cls.INJECTION)


class Transform:
    """A differentiable map y = f(x) of random variables.

    If f is injective, y has the density p_Y(y) = p_X(x) / |det J_f(x)|, with x the
    inverse of y and J_f the Jacobian matrix of f.

    A subclass gives `_forward`, `_inverse` and one of `_forward_log_det_jacobian` and
    `_inverse_log_det_jacobian`; `_type`, the `Type` of map; if it changes shapes,
    `_forward_shape` and `_inverse_shape`; and if an event is no single number, the
    random variables `_domain` and `_codomain`.

    In Paddle this is `paddle.distribution.Transform`.

    >>> import teachgraph as tg
    >>> class Cube(tg.distribution.Transform):
    ...     def _forward(self, x):
    ...         return x ** 3
    ...
    ...     def _forward_log_det_jacobian(self, x):
    ...         return tg.log(3.0 * x ** 2)
    >>> cube = Cube()
    >>> cube.forward(tg.to_tensor(2.0)).item()
    8.0
    >>> round(cube.forward_log_det_jacobian(tg.to_tensor(2.0)).item(), 4)
    2.4849
    """

    _type = Type.INJECTION
    _domain: variable.Variable = variable.real
    _codomain: variable.Variable = variable.real

    def _is_injective(self) -> bool:
        return Type.is_injective(self._type)

    def __call__(self, input: Any) -> Any:
        """Transform a tensor or a distribution, or compose two transforms.

        Args:
            input: A Tensor; or a distribution, for its `TransformedDistribution`; or a
                transform, for the `ChainTransform` that first applies this one.
        """
        if isinstance(input, Distribution):
            from teachgraph.distribution.transformed_distribution import (
                TransformedDistribution,
            )

            return TransformedDistribution(input, [self])
        if isinstance(input, Transform):
            return ChainTransform([self, input])
        return self.forward(input)

    def forward(self, x: Any) -> Any:
        """Compute y = f(x).

        Raises:
            DTypeError: x is no Tensor.
            ShapeError: x has fewer dimensions than an event.
        """
        return self._forward(self._checked(x, self._domain))

    def inverse(self, y: Any) -> Any:
        """Compute the x for which f(x) = y; it raises the errors of `forward`."""
        return self._inverse(self._checked(y, self._codomain))

    def forward_log_det_jacobian(self, x: Any) -> Any:
        """Compute log |det J_f(x)|, over the dimensions of an event.

        Raises:
            UndefinedError: The transform is not injective.
            DTypeError: x is no Tensor.
            ShapeError: x has fewer dimensions than an event.
        """
        x = self._checked(x, self._domain)
        if not self._is_injective():
            message = f"{type(self).__name__} is not injective"
            hint = "it has no log-determinant of a Jacobian matrix"
            raise UndefinedError(at_user_line(f"{message}: {hint}"))
        if hasattr(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        if not hasattr(self, "_inverse_log_det_jacobian"):
            self._lacks("_forward_log_det_jacobian")
        return -self._inverse_log_det_jacobian(self._forward(x))

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """Compute that of the inverse, -log |det J_f(x)| with x the inverse of y."""
        y = self._checked(y, self._codomain)
        if hasattr(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if not hasattr(self, "_forward_log_det_jacobian"):
            self._lacks("_inverse_log_det_jacobian")
        return -self._forward_log_det_jacobian(self._inverse(y))

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Infer the shape of y from that of x.

        Raises:
            DTypeError: The shape is no sequence.
            ShapeError: It does not fit the transform.
        """
        return self._forward_shape(self._checked_shape(shape))

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Infer the shape of x from that of y; it raises as `forward_shape` does."""
        return self._inverse_shape(self._checked_shape(shape))

    def _forward(self, x: Any) -> Any:
        self._lacks("_forward")

    def _inverse(self, y: Any) -> Any:
        self._lacks("_inverse")

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return shape

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return shape

    def _lacks(self, method: str) -> NoReturn:
        message = f"{type(self).__name__} has no {method}"
        raise UndefinedError(at_user_line(message))

    def _checked(self, value: Any, space: variable.Variable) -> Any:
        tensor = as_tensor(type(self).__name__, value)
        check_rank(type(self).__name__, tensor.shape, space.event_rank)
        return tensor

    def _checked_shape(self, shape: Any) -> Sequence[int]:
        if not isinstance(shape, Sequence):
            message = f"a shape is a list of sizes, not {describe(shape)}"
            raise DTypeError.here(f"{type(self).__name__}: {message}")
        return shape


class ChainTransform(Transform):
    """Transforms one after the other, y = f_n(... f_1(x)).

    log |det J| = sum log |det J_i|, each at what the transforms before give

    Args:
        transforms: The transforms, the first to be applied first.

    Raises:
        DTypeError: `transforms` is no list of transforms.
        InvalidValueError: It is empty.

    In Paddle this is `paddle.distribution.ChainTransform`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import ChainTransform, ExpTransform, TanhTransform
    >>> chain = ChainTransform([TanhTransform(), ExpTransform()])
    >>> chain.forward(tg.to_tensor(0.0)).item()
    1.0
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        check_transforms("ChainTransform", transforms)
        self.transforms = transforms
        first, last = transforms[0]._domain, transforms[-1]._codomain
        self._domain = with_rank(first, self._rank_before())
        self._codomain = with_rank(last, self._rank_after())

    def _rank_before(self) -> int:
        """The least rank of x for which the input of each transform has its rank."""
        rank = self.transforms[-1]._codomain.event_rank
        for transform in reversed(self.transforms):
            domain, codomain = transform._domain, transform._codomain
            rank += domain.event_rank - codomain.event_rank
            rank = max(rank, domain.event_rank)
        return rank

    def _rank_after(self) -> int:
        """The rank of y for that of x."""
        rank = self.transforms[0]._domain.event_rank
        for transform in self.transforms:
            domain, codomain = transform._domain, transform._codomain
            rank += codomain.event_rank - domain.event_rank
            rank = max(rank, codomain.event_rank)
        return rank

    def _is_injective(self) -> bool:
        return all(transform._is_injective() for transform in self.transforms)

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for transform in reversed(self.transforms):
            y = transform.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        total, rank = 0.0, self._domain.event_rank
        for transform in self.transforms:
            total = total + log_det(transform, x, rank)
            x = transform.forward(x)
            rank += transform._codomain.event_rank - transform._domain.event_rank
        return total

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        return shape


def check_rank(owner: str, shape: Sequence[int], rank: int) -> None:
    """Require the dimensions of an event.

    Raises:
        ShapeError: There are fewer.
    """
    if len(shape) < rank:
        message = f"{owner}: {list(shape)} has fewer than the {rank} dimensions"
        raise ShapeError.here(f"{message} of an event")


def broadcast_log_det(transform: Transform, x: Any) -> Any:
    """Compute log |det J(x)| for each event of x, also where it is the same for all."""
    determinant = transform.forward_log_det_jacobian(x)
    if transform._domain.event_rank > 0:
        return determinant
    return broadcast(determinant, x)[0]


def log_det(transform: Transform, x: Any, rank: int) -> Any:
    """Compute log |det J(x)| where the last `rank` dimensions of x are the event."""
    added = rank - transform._domain.event_rank
    if added <= 0:
        return transform.forward_log_det_jacobian(x)
    return sum_last(broadcast_log_det(transform, x), added)


def with_rank(space: variable.Variable, rank: int) -> variable.Variable:
    """Extend a random variable to a rank."""
    return variable.Independent(space, rank - space.event_rank)


def check_transforms(owner: str, transforms: Any) -> None:
    """Require a list of transforms.

    Raises:
        DTypeError: It is something else.
        InvalidValueError: It is empty.
    """
    if not isinstance(transforms, Sequence) or not all(
        isinstance(transform, Transform) for transform in transforms
    ):
        message = f"{owner}: transforms is a list of transforms"
        raise DTypeError.here(message)
    if not transforms:
        raise InvalidValueError.here(f"{owner}: there is no transform")
