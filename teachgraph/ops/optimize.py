"""Update formulas: one op an optimizer, the same in both modes."""

from __future__ import annotations

from typing import Any

from teachgraph.ops.op import op

__all__ = ["sgd"]


@op(
    outputs=("param_out",),
    inplace={"param_out": "param"},
    needs="a gradient of the parameter's shape",
)
def sgd(param: Any, grad: Any, learning_rate: Any) -> Any:
    """param <- param - learning_rate grad."""
    return param - learning_rate * grad
