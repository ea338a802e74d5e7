"""Negative log-likelihood losses of Gaussian and Poisson distributions."""

from __future__ import annotations

from math import log, pi
from typing import Any

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn.functional.reduction import check_reduction, reduced
from teachgraph.ops import elementwise, logic, math
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.shape import unsqueeze2

__all__ = ["gaussian_nll_loss", "poisson_nll_loss"]


def gaussian_nll_loss(
    input: Any,
    label: Any,
    variance: Any,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of (log v + (input - label)^2 / v) / 2.

    Args:
        input: Predicted means [..., n].
        label: The targets; they broadcast.
        variance: The variances v, [..., n], [..., 1] or [...].
        full: Add the constant log(2 pi) / 2.
        epsilon: The lower bound of a variance; below it the gradient is 0.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The variance has another shape.

    In Paddle this is `paddle.nn.functional.gaussian_nll_loss`.

    >>> import numpy as np
    >>> x, one = np.array([1.0, 4.0]), np.ones(2)
    >>> gaussian_nll_loss(x, np.array([1.0, 2.0]), one, reduction="none")
    array([0., 2.])
    """
    check_reduction(reduction)
    sizes, own = list(input.shape), list(variance.shape)
    if own == sizes[:-1] and own != sizes:
        variance = unsqueeze2(variance, axes=[-1])
    elif own not in (sizes, [*sizes[:-1], 1]):
        message = f"gaussian_nll_loss: a variance {own} for an input {sizes}"
        raise ShapeError.here(message)
    least = fill_any_like(variance, value=float(epsilon))
    variance = elementwise.elementwise_max(variance, least)
    squares = math.square(elementwise.elementwise_sub(input, label))
    loss = (math.log(variance) + squares / variance) * 0.5
    return reduced(loss + 0.5 * log(2.0 * pi) if full else loss, reduction)


def poisson_nll_loss(
    input: Any,
    label: Any,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of exp(input) - label input, a Poisson loss without log(label!).

    Args:
        input: Logarithms of the predicted rates, or the rates if not `log_input`.
        label: The observed counts.
        log_input: The input holds logarithms.
        full: Add Stirling's approximation of log(label!).
        epsilon: Keeps the logarithm of a rate finite.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: `epsilon` is not positive.

    In Paddle this is `paddle.nn.functional.poisson_nll_loss`.

    >>> import numpy as np
    >>> poisson_nll_loss(np.zeros(2), np.array([0.0, 3.0]))
    np.float64(1.0)
    """
    check_reduction(reduction)
    if epsilon <= 0:
        message = f"poisson_nll_loss: epsilon is positive, got {epsilon}"
        raise InvalidValueError.here(message)
    if log_input:
        loss = math.exp(input) - label * input
    else:
        loss = input - label * math.log(input + epsilon)
    return reduced(loss + stirling(label) if full else loss, reduction)


def stirling(label: Any) -> Any:
    """Approximate log(n!) by n log n - n + log(2 pi n) / 2 where n > 1, else by 0."""
    # Clipped to 1, so that the branch `where` discards has a finite gradient, too.
    one = fill_any_like(label, value=1.0)
    n = elementwise.elementwise_max(label, one)
    log_factorial = n * math.log(n) - n + math.log(n * (2.0 * pi)) * 0.5
    return logic.where(
        log_factorial, fill_any_like(label), elementwise.greater_than(label, one)
    )
