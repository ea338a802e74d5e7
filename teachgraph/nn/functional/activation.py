"""What bends the line: activations."""

from __future__ import annotations

from typing import Any

from teachgraph.ops import math
from teachgraph.ops import softmax as softmaxes

__all__ = [
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]

relu = math.relu
sigmoid = math.sigmoid
tanh = math.tanh


def softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """out = exp(x) / sum exp(x) along `axis`.

    In Paddle this is `paddle.nn.functional.softmax`.

    >>> import numpy as np
    >>> softmax(np.zeros((1, 4)))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    return softmaxes.softmax(x if dtype is None else x.astype(dtype), axis=axis)
