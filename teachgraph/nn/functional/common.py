"""Products with weights, and what stands between layers."""

from __future__ import annotations

from typing import Any

from teachgraph.ops import elementwise, linalg
from teachgraph.static import Variable, naming

__all__ = [
    "linear",
]


def linear(x: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """out = x W + b.

    Args:
        x: [..., in].
        weight: [in, out].
        bias: [out], or None.
        name: What a Program calls the layer, instead of `linear_N`.

    In Paddle this is `paddle.nn.functional.linear`.

    >>> import numpy as np
    >>> linear(np.ones((1, 2)), np.ones((2, 3)), np.ones(3))
    array([[3., 3., 3.]])
    """
    if isinstance(x, Variable):
        with naming.layer("linear", name):
            return affine(x, weight, bias)
    return affine(x, weight, bias)


def affine(x: Any, weight: Any, bias: Any) -> Any:
    """x W + b."""
    out = linalg.matmul_v2(x, weight)
    return out if bias is None else elementwise.elementwise_add(out, bias)
