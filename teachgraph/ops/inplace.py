"""In-place variants of sum, multiply and scale: the result replaces the first input.

Gradients are scaled and accumulated in place; these are the same ops with another
place for the result or, as `add_n`, with another name for it.
"""

from __future__ import annotations

from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, Op, op
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.math import scale

__all__ = [
    "add_n",
    "add_onto",
    "multiply_onto",
    "overwrite",
    "overwritten_by",
    "scale_onto",
]


def onto(op: Op) -> Op:
    """Create the in-place variant of an op, which stores its result in input 0."""
    return Op(op.kernel, type=op.type, inplace={"out": op.inputs[0]}, needs=op.needs)


add_n = Op(ops.sum_.kernel, type="sum", key="add_n", needs=ops.sum_.needs)
add_onto = onto(ops.sum_)
multiply_onto = onto(ops.elementwise_mul)
scale_onto = onto(scale)


@op(needs="two inputs of one shape and dtype")
def overwritten_by(x: Any, y: Any) -> Any:
    """out = y, which is stored in place of x.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: The dtypes differ.
    """
    if x.shape != y.shape:
        raise ShapeError(f"{list(y.shape)} in place of {list(x.shape)}")
    if x.dtype != y.dtype:
        raise DTypeError(f"{y.dtype} in place of {x.dtype}")
    return y


@overwritten_by.grad(of=("x",))
def overwritten_by_grad(dout: Any, x: Like) -> Any:
    """dx = 0: what x was has no influence any more."""
    return fill_any_like(dout)


overwrite = onto(overwritten_by)
