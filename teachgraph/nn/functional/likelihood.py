"""Losses of a guess and how sure it is: minus the logarithm of a likelihood."""

from __future__ import annotations

from math import log, pi
from typing import Any

from teachgraph.core.errors import InvalidValueError, ShapeError, at_user_line
from teachgraph.nn.functional.reduction import check_reduction, reduced
from teachgraph.ops import elementwise, logic, math
from teachgraph.ops import shape as shapes
from teachgraph.ops.creation import fill_any_like

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
    """The mean of (log v + (input - label)^2 / v) / 2: a normal distribution's.

    Args:
        input: Guessed means [..., n].
        label: What they should have been; it broadcasts.
        variance: The variances v, [..., n], [..., 1] or [...].
        full: Whether log(2 pi) / 2, which does not depend on anything, is added.
        epsilon: The least a variance counts for; below it has no gradient.
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
    sizes, given = list(input.shape), list(variance.shape)
    if given == sizes[:-1] and given != sizes:
        variance = shapes.unsqueeze2(variance, axes=[-1])
    elif given not in (sizes, [*sizes[:-1], 1]):
        told = f"gaussian_nll_loss: a variance {given} for an input {sizes}"
        raise ShapeError(at_user_line(told))
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
    """The mean of exp(input) - label input: a Poisson distribution's, but for label!.

    Args:
        input: Logarithms of the guessed rates, or the rates if not `log_input`.
        label: How often it happened.
        log_input: Whether the input holds logarithms.
        full: Whether Stirling's approximation of log(label!) is added.
        epsilon: What keeps the logarithm of a rate finite.
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
        told = f"poisson_nll_loss: epsilon is positive, got {epsilon}"
        raise InvalidValueError(at_user_line(told))
    if log_input:
        loss = math.exp(input) - label * input
    else:
        loss = input - label * math.log(input + epsilon)
    return reduced(loss + stirling(label) if full else loss, reduction)


def stirling(label: Any) -> Any:
    """log(label!) nearly: n log n - n + log(2 pi n) / 2 where n > 1, else 0."""
    one = fill_any_like(label, value=1.0)
    n = elementwise.elementwise_max(label, one)
    found = n * math.log(n) - n + math.log(n * (2.0 * pi)) * 0.5
    return logic.where(
        found, fill_any_like(label), elementwise.greater_than(label, one)
    )
