"""In-place variants of sum, multiply and scale: the result replaces the first input.

Gradients are scaled and accumulated in place; these are the same ops with another
place for the result or, as `add_n`, with another name for it.
"""

from __future__ import annotations

from teachgraph.core import ops
from teachgraph.core.op import Op

__all__ = ["add_n", "add_onto", "multiply_onto", "scale_onto"]


def onto(op: Op) -> Op:
    """Create the in-place variant of an op, which stores its result in input 0."""
    return Op(op.kernel, type=op.type, inplace={"out": op.inputs[0]}, needs=op.needs)


add_n = Op(ops.sum_.kernel, type="sum", key="add_n", needs=ops.sum_.needs)
add_onto = onto(ops.sum_)
multiply_onto = onto(ops.elementwise_mul)
scale_onto = onto(ops.scale)
