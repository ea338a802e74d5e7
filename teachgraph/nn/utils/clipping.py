"""Gradient clipping in place, between `backward` and `step`."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale all gradients in place by one factor to a total norm of at most max_norm.

    Args:
        parameters: The parameters whose `.grad` is clipped.
        max_norm: The largest norm of all gradients concatenated.
        norm_type: p of the norm (sum |g|^p)^(1/p); infinity for the largest |g|.
        error_if_nonfinite: Refuse a norm that is infinite or NaN.

    Returns:
        The norm before clipping.

    Raises:
        InvalidValueError: `norm_type` is not greater than 0, or the norm not finite.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.5, 2.0], stop_gradient=False)
    >>> (w * w).sum().backward()
    >>> clip_grad_norm_([w], 1.0).item(), [round(g, 4) for g in w.grad.tolist()]
    (5.0, [0.6, 0.8])

    In Paddle this is `paddle.nn.utils.clip_grad_norm_`.
    """
    grads = gradients(parameters)
    if not norm_type > 0:
        raise InvalidValueError.here(f"there is no norm of p = {norm_type}")
    if not grads:
        return Tensor.results(np.zeros((), np.float32))
    length = norm([norm([g.data.ravel()], norm_type) for g in grads], norm_type)
    if error_if_nonfinite and not isfinite(length):
        raise InvalidValueError.here(f"the gradients' norm is {length}")
    factor = min(1.0, max_norm / (length + 1e-6))
    for grad in grads:
        grad.data = np.asarray(grad.data * factor)
    return Tensor.results(np.array(length, grads[0].dtype))


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clip every element of every gradient in place to [-clip_value, clip_value].

    Raises:
        InvalidValueError: The bound is less than 0.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.5, -0.25], stop_gradient=False)
    >>> (w * w).sum().backward()
    >>> clip_grad_value_([w], 1.0)
    >>> w.grad.tolist()
    [1.0, -0.5]

    In Paddle this is `paddle.nn.utils.clip_grad_value_`.
    """
    if not clip_value >= 0:
        raise InvalidValueError.here(f"clip_value is 0 or more, got {clip_value}")
    for grad in gradients(parameters):
        grad.data = np.clip(grad.data, -clip_value, clip_value)


def gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """List the gradients that are not None."""
    several = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in several if p.grad is not None]


def norm(values: Any, p: float) -> float:
    """Compute the p-norm of all numbers."""
    sizes = np.abs(np.asarray(values, np.float64))
    return float(
        np.max(sizes, initial=0.0) if p == inf else (sizes**p).sum() ** (1 / p)
    )
