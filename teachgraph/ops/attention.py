"""Causal softmax, Paddle's fused op for attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import op
from teachgraph.core.ops import through_softmax
from teachgraph.ops.softmax import softmax

__all__ = ["fused_softmax_mask_upper_triangle"]


@op(needs="floating scores [..., queries, keys]")
def fused_softmax_mask_upper_triangle(x: Any) -> Any:
    """Softmax of each row over columns 0 ... i of row i; the rest is 0."""
    if x.dtype.kind != "f":
        raise DTypeError(f"scores are floating, not {x.dtype}")
    if x.ndim < 2:
        raise ShapeError(f"scores are [..., queries, keys], not {list(x.shape)}")
    seen = np.tri(*x.shape[-2:]) > 0
    return softmax.kernel(np.where(seen, x, -np.inf).astype(x.dtype, copy=False))


@fused_softmax_mask_upper_triangle.grad
def fused_softmax_mask_upper_triangle_grad(dout: Any, out: Any) -> Any:
    """Softmax's gradient: masked columns get 0, as out is 0 there."""
    return through_softmax(dout, out, -1)
