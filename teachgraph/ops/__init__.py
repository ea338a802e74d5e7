"""What can be computed, and its derivative: one file a family, `op.py` the contract."""

from teachgraph.ops import (
    activation,
    creation,
    elementwise,
    linalg,
    losses,
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
    "activation",
    "creation",
    "elementwise",
    "linalg",
    "losses",
    "math",
    "metric",
    "op",
    "optimize",
    "py_func",
    "reduce",
    "shape",
    "softmax",
]
