"""L2 norm of a tensor, and clipping by norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import op

__all__ = ["clip_by_norm", "squared_l2_norm", "squares"]


def squares(x: Any) -> Any:
    """The sum of the squares of all elements."""
    flat = x.ravel()
    return flat @ flat


@op(needs="floating numbers: x.astype('float32') makes some")
def squared_l2_norm(x: Any) -> Any:
    """out = the sum of the squares of all elements, of shape [1]."""
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} has no norm here")
    return squares(x).reshape(1)


@squared_l2_norm.grad
def squared_l2_norm_grad(dout: Any, x: Any) -> Any:
    """dx = 2 x dout."""
    return x * 2.0 * dout.reshape([])


@op(needs="floating numbers and a max_norm greater than 0")
def clip_by_norm(x: Any, *, max_norm: float) -> Any:
    """x scaled to the norm max_norm if its norm is larger."""
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} cannot be clipped by norm")
    if not max_norm > 0.0:
        raise InvalidValueError(f"max_norm is greater than 0, got {max_norm}")
    length = float(np.sqrt(squares(x)))
    return x * (max_norm / length if length > max_norm else 1.0)
