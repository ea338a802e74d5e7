"""Scaled dot-product attention."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes
from teachgraph.core.errors import ShapeError
from teachgraph.nn.functional.common import dropout
from teachgraph.ops.attention import fused_softmax_mask_upper_triangle
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.shape import transpose2
from teachgraph.ops.softmax import softmax

__all__ = [
    "scaled_dot_product_attention",
]

FAR_BELOW = 1e9
"""Subtracted from masked scores, so that their exp is 0. Finite: with -inf the softmax
of a row without any allowed key would be NaN."""


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    name: str | None = None,
) -> Any:
    """Compute softmax(Q K' / sqrt(D) + mask) V, for each sample and head.

    Args:
        query: [N, queries, heads, D].
        key: [N, keys, heads, D].
        value: [N, keys, heads, D].
        attn_mask: Added to the scores [N, heads, queries, keys], to which it
            broadcasts; if it is bool, True marks keys that a query may attend to.
        dropout_p: The dropout probability of a weight while training.
        is_causal: Query i attends to keys 0 ... i only.
        training: Apply dropout.
        name: Accepted for Paddle's sake.

    Returns:
        [N, queries, heads, D].

    Raises:
        ShapeError: The inputs are not 4-D, or do not fit.

    Vaswani et al., 2017. In Paddle this is
    `paddle.nn.functional.scaled_dot_product_attention`.

    >>> import numpy as np
    >>> q, k = np.zeros((1, 1, 1, 2)), np.zeros((1, 2, 1, 2))
    >>> v = np.array([[1.0, 2.0], [3.0, 4.0]]).reshape(1, 2, 1, 2)
    >>> scaled_dot_product_attention(q, k, v).ravel()
    array([2., 3.])
    """
    for x in (query, key, value):
        if len(x.shape) != 4:
            raise ShapeError.here(
                f"attention takes [batch, length, heads, size], got {list(x.shape)}"
            )
    q, k, v = (transpose2(x, axis=[0, 2, 1, 3]) for x in (query, key, value))
    scores = matmul_v2(q * query.shape[-1] ** -0.5, k, trans_y=True)
    if attn_mask is not None:
        scores = scores + additive_mask(attn_mask, query.dtype)
    weights = (
        fused_softmax_mask_upper_triangle(scores) if is_causal else softmax(scores)
    )
    weights = dropout(weights, dropout_p, training=training)
    return transpose2(matmul_v2(weights, v), axis=[0, 2, 1, 3])


def additive_mask(mask: Any, dtype: Any) -> Any:
    """Convert a bool mask to numbers to add: 0 where it is True, else -1e9."""
    if mask.dtype != dtypes.bool:
        return mask
    return (mask.astype(dtype) - 1.0) * FAR_BELOW
