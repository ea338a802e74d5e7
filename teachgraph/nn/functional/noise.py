"""Random activations: Gumbel softmax and randomised leaky ReLU."""

from __future__ import annotations

from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.functional.activation import leaky_relu
from teachgraph.ops import elementwise, logic, math
from teachgraph.ops import softmax as softmaxes
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.functions.indexing import one_hot
from teachgraph.ops.functions.manipulation import moveaxis
from teachgraph.ops.functions.search import argmax, without_gradient
from teachgraph.ops.sampling import gaussian_like

__all__ = ["gumbel_softmax", "rrelu"]


def exponential_like(x: Any) -> Any:
    """Draw exponentially distributed numbers in the shape of `x`.

    Half the squared norm of a normal 2-vector is exponentially distributed (the
    Box-Muller method, inverted).
    """
    first, second = (math.square(gaussian_like(x)) for _ in range(2))
    return (first + second) * 0.5


def gumbel_softmax(
    x: Any,
    temperature: float = 1.0,
    hard: bool = False,
    axis: int = -1,
    name: str | None = None,
) -> Any:
    """Compute softmax((x + g) / temperature): a differentiable draw from softmax(x).

    g is Gumbel noise, -log of an exponential variable. The lower the temperature, the
    nearer the result is to one-hot.

    Args:
        x: Logits.
        temperature: Above 0.
        hard: Return a one-hot result, with the gradient of the soft one.
        axis: The axis of the classes.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The temperature is not positive.

    Source: Jang et al. 2016, https://arxiv.org/abs/1611.01144. In Paddle this is
    `paddle.nn.functional.gumbel_softmax`.

    >>> import teachgraph as tg
    >>> gumbel_softmax(tg.zeros([3, 4]), hard=True).sum(1).tolist()
    [1.0, 1.0, 1.0]
    """
    if temperature <= 0:
        message = f"gumbel_softmax: the temperature is above 0, got {temperature}"
        raise InvalidValueError.here(message)
    noisy = elementwise.elementwise_sub(x, math.log(exponential_like(x)))
    soft = softmaxes.softmax(noisy * (1.0 / temperature), axis=axis)
    if not hard:
        return soft
    winner = one_hot(argmax(soft, axis), x.shape[axis]).astype(x.dtype)
    # Straight-through: the difference counts as a constant in backward.
    correction = without_gradient(
        elementwise.elementwise_sub(moveaxis(winner, -1, axis), soft)
    )
    return soft + correction


def rrelu(
    x: Any,
    lower: float = 1.0 / 8.0,
    upper: float = 1.0 / 3.0,
    training: bool = True,
    name: str | None = None,
) -> Any:
    """out = x where x >= 0, else x times a slope drawn from [lower, upper].

    When not training the slope is their mean.

    Raises:
        InvalidValueError: Not 0 <= lower <= upper <= 1.

    Source: Xu et al. 2015, https://arxiv.org/abs/1505.00853. In Paddle this is
    `paddle.nn.functional.rrelu`.

    >>> import numpy as np
    >>> rrelu(np.array([-4.0, 2.0]), 0.25, 0.75, training=False)
    array([-2.,  2.])
    """
    if not 0 <= lower <= upper <= 1:
        message = f"rrelu: 0 <= lower <= upper <= 1, got {lower} and {upper}"
        raise InvalidValueError.here(message)
    if not training:
        return leaky_relu(x, (lower + upper) / 2.0)
    slope = math.exp(-exponential_like(x)) * (upper - lower) + lower
    positive = elementwise.greater_equal(x, fill_any_like(x))
    return logic.where(x, ops.elementwise_mul(x, slope), positive)
