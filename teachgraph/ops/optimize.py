"""Update formulas: one op an optimizer, the same in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.errors import ShapeError
from teachgraph.ops.op import op

__all__ = ["sgd"]


@op(
    outputs=("param_out",),
    inplace={"param_out": "param"},
    needs="floating parameters, a gradient of their shape and one learning rate",
)
def sgd(param: Any, grad: Any, learning_rate: Any) -> Any:
    """param <- param - learning_rate grad."""
    if grad.shape != param.shape:
        raise ShapeError(
            f"a gradient {list(grad.shape)} for a parameter {list(param.shape)}"
        )
    if learning_rate.ndim:
        learning_rate = learning_rate.reshape(())
    return np.subtract(param, learning_rate * grad, dtype=param.dtype)
