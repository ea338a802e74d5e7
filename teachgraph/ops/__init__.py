"""What can be computed, and its derivative: one file a family, `op.py` the contract."""

from teachgraph.ops import (
    creation,
    elementwise,
    linalg,
    math,
    metric,
    op,
    optimize,
    py_func,
    reduce,
    shape,
    softmax,
)

__all__ = [
    "creation",
    "elementwise",
    "linalg",
    "math",
    "metric",
    "op",
    "optimize",
    "py_func",
    "reduce",
    "shape",
    "softmax",
]
