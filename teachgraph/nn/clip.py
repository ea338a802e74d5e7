"""Gradient clipping by value, by norm and by global norm, for optimizers.

A clip maps (parameter, gradient) pairs, of Tensors or of Variables, to pairs.
Gradients of parameters with `need_clip=False` are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isnan, nan
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import find
from teachgraph.core.ops import fill_constant
from teachgraph.ops.clipping import clip_by_norm, squared_l2_norm
from teachgraph.ops.elementwise import elementwise_div, elementwise_max
from teachgraph.ops.inplace import add_n, multiply_onto
from teachgraph.ops.math import sqrt

__all__ = ["ClipGradBase", "ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]

Pairs = list[tuple[Any, Any]]


class ClipGradBase:
    """Base of gradient clippings.

    In Paddle this is `paddle.nn.ClipGradBase`.
    """

    def __call__(self, params_grads: Iterable[tuple[Any, Any]]) -> Pairs:
        """Return the pairs with clipped gradients, and tell the observers."""
        if not observers:
            return self.clipped(params_grads)
        announce("clip_begin", self)
        try:
            return self.clipped(params_grads)
        finally:
            announce("clip_end", self)

    def clipped(self, params_grads: Iterable[tuple[Any, Any]]) -> Pairs:
        """Clip the gradients that need it, and pass the others on."""
        pairs = [(p, detached(g)) for p, g in params_grads if g is not None]
        wanted = [(p, g) for p, g in pairs if getattr(p, "need_clip", True)]
        clipped = dict(self.clip(wanted)) if wanted else {}
        return [(p, clipped.get(p, g)) for p, g in pairs]

    def clip(self, pairs: Pairs) -> Pairs:
        """Clip the gradients of at least one pair, all of which need it."""
        raise NotImplementedError


class ClipGradByValue(ClipGradBase):
    """Clip each element to [min, max].

    Args:
        max: The upper bound.
        min: The lower bound; by default -max, for which max must be greater than 0.

    Raises:
        InvalidValueError: The bounds are no numbers, or `min` is above `max`.

    >>> import teachgraph as tg
    >>> w, dw = tg.to_tensor([1.0, 1.0]), tg.to_tensor([3.0, -0.5])
    >>> ClipGradByValue(1.0)([(w, dw)])[0][1].tolist()
    [1.0, -0.5]

    In Paddle this is `paddle.nn.ClipGradByValue`.
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = positive("max", max) if min is None else number("max", max)
        self.min = -self.max if min is None else number("min", min)
        if self.min > self.max:
            raise InvalidValueError.here(
                f"min {self.min} is greater than max {self.max}"
            )

    def clip(self, pairs: Pairs) -> Pairs:
        """Clip element by element."""
        clip = find("clip")
        return [(p, clip(g, min=self.min, max=self.max)) for p, g in pairs]

    def __str__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


class ClipGradByNorm(ClipGradBase):
    """Scale each gradient to a norm of at most clip_norm.

    Args:
        clip_norm: The largest norm sqrt(sum(g^2)).

    Raises:
        InvalidValueError: `clip_norm` is no number greater than 0.

    >>> import teachgraph as tg
    >>> w, dw = tg.to_tensor([1.0, 1.0]), tg.to_tensor([3.0, -4.0])
    >>> ClipGradByNorm(2.5)([(w, dw)])[0][1].tolist()
    [1.5, -2.0]

    In Paddle this is `paddle.nn.ClipGradByNorm`.
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = positive("clip_norm", clip_norm)

    def clip(self, pairs: Pairs) -> Pairs:
        """Clip gradient by gradient."""
        return [(p, clip_by_norm(g, max_norm=self.clip_norm)) for p, g in pairs]

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class ClipGradByGlobalNorm(ClipGradBase):
    """Scale all gradients by one factor to a global norm of at most clip_norm.

    The factor is clip_norm / max(clip_norm, norm).

    Args:
        clip_norm: The largest norm of all gradients concatenated.
        group_name: Accepted for Paddle's sake.
        auto_skip_clip: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: `clip_norm` is no number greater than 0.

    >>> import teachgraph as tg
    >>> w, dw, db = (tg.to_tensor(x) for x in ([1.0], [3.0], [-4.0]))
    >>> [g.tolist() for _, g in ClipGradByGlobalNorm(2.5)([(w, dw), (w + 1.0, db)])]
    [[1.5], [-2.0]]

    In Paddle this is `paddle.nn.ClipGradByGlobalNorm`.
    """

    def __init__(
        self,
        clip_norm: float,
        group_name: str = "default_group",
        auto_skip_clip: bool = False,
    ) -> None:
        self.clip_norm = positive("clip_norm", clip_norm)
        self.group_name = group_name

    def __call__(self, params_grads: Iterable[tuple[Any, Any]]) -> Pairs:
        """Return the pairs with clipped gradients; with none to clip, all of them."""
        pairs = list(params_grads)
        none = all(g is None or not getattr(p, "need_clip", True) for p, g in pairs)
        return pairs if none else super().__call__(pairs)

    def clip(self, pairs: Pairs) -> Pairs:
        """Scale all gradients by one factor."""
        squares = in_widest_dtype([squared_l2_norm(g) for _, g in pairs])
        length = sqrt(add_n(*squares))
        allowed = number_like(self.clip_norm, length)
        # No branch on the norm, which has no value while a program is built.
        factor = elementwise_div(allowed, elementwise_max(allowed, length))
        return [(p, scaled(g, factor)) for p, g in pairs]

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def detached(grad: Any) -> Any:
    """A gradient in a memory of its own, so that ops in place leave `.grad` alone."""
    return Tensor.results(grad.data) if isinstance(grad, Tensor) else grad


def in_widest_dtype(values: list[Any]) -> list[Any]:
    """Cast values to the widest dtype among them."""
    widest = np.result_type(*(x.dtype for x in values))
    return [x if x.dtype == widest else x.astype(widest) for x in values]


def number_like(value: float, beside: Any) -> Any:
    """Create a number [1] with the dtype and in the mode of a tensor."""
    attrs = {"shape": [1], "value": value, "dtype": dtypes.PADDLE_CODES[beside.dtype]}
    return beside.apply(fill_constant, (), attrs)


def scaled(grad: Any, factor: Any) -> Any:
    """Multiply a gradient in place by a factor of shape [1]."""
    if factor.dtype != grad.dtype:
        factor = factor.astype(grad.dtype)
    return multiply_onto(grad, factor if grad.shape else factor.reshape([]))


def number(name: str, value: Any) -> float:
    """Convert a bound to a float.

    Raises:
        InvalidValueError: The bound is no number.
    """
    try:
        bound = float(value)
    except (TypeError, ValueError):
        bound = nan
    if isnan(bound):
        raise InvalidValueError.here(f"{name} is a number, got {value!r}")
    return bound


def positive(name: str, value: Any) -> float:
    """Require a finite bound greater than 0.

    Raises:
        InvalidValueError: The bound is not.
    """
    bound = number(name, value)
    if not 0.0 < bound < inf:
        raise InvalidValueError.here(f"{name} must be greater than 0, got {value!r}")
    return bound
