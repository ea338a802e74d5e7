"""What can be computed, and its derivative: one file a family, `op.py` the contract."""

from teachgraph.ops import (
    activation,
    columns,
    conv,
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
    windows,
)

__all__ = [
    "activation",
    "columns",
    "conv",
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
    "windows",
]
