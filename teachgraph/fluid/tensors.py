"""Paddle 1.x's layers on tensors: shapes, reductions, comparisons, creation."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.core import op as ops
from teachgraph.core import ops as core_ops
from teachgraph.fluid.aliases import alias
from teachgraph.nn import functional
from teachgraph.ops import clipping, functions, scan
from teachgraph.static import default_main_program

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "assign",
    "clip",
    "clip_by_norm",
    "create_tensor",
    "crop",
    "cumsum",
    "diag",
    "elementwise_floordiv",
    "elementwise_mod",
    "expand",
    "expand_as",
    "eye",
    "flatten",
    "gather",
    "gather_nd",
    "gaussian_random",
    "has_inf",
    "has_nan",
    "isfinite",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "mul",
    "multiplex",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "range",
    "rank",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reverse",
    "scatter",
    "scatter_nd",
    "scatter_nd_add",
    "shape",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "sum",
    "sums",
    "transpose",
    "unbind",
    "uniform_random",
    "unsqueeze",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
]

OVER_DIMENSIONS = "input, dim=None, keep_dim=False, name=None"
OVER = {"dim": "axis", "keep_dim": "keepdim"}
reduce_sum = alias(functions.sum, OVER_DIMENSIONS, **OVER)
reduce_mean = alias(functions.mean, OVER_DIMENSIONS, **OVER)
reduce_max = alias(functions.max, OVER_DIMENSIONS, **OVER)
reduce_min = alias(functions.min, OVER_DIMENSIONS, **OVER)
reduce_prod = alias(functions.prod, OVER_DIMENSIONS, **OVER)
reduce_all = alias(functions.all, OVER_DIMENSIONS, **OVER)
reduce_any = alias(functions.any, OVER_DIMENSIONS, **OVER)

argmax = alias(functions.argmax, "x, axis=0")
argmin = alias(functions.argmin, "x, axis=0")
cumsum = alias(scan.cumsum, "x, axis=None, exclusive=None, reverse=None")

clip = alias(functions.clip, "x, min, max, name=None")
clip_by_norm = alias(clipping.clip_by_norm, "x, max_norm, name=None")

squeeze = alias(functions.squeeze, "input, axes, name=None", axes="axis")
unsqueeze = alias(functions.unsqueeze, "input, axes, name=None", axes="axis")
transpose = alias(functions.transpose, "x, perm, name=None")
stack = alias(functions.stack, "x, axis=0")
unstack = alias(functions.unstack, "x, axis=0, num=None")
unbind = alias(functions.unbind, "input, axis=0")
split = alias(functions.split, "input, num_or_sections, dim=-1, name=None", dim="axis")
expand = alias(
    functions.tile, "x, expand_times, name=None", expand_times="repeat_times"
)


def repeated_as(x: Any, target: Any) -> Any:
    """Repeat `x` to the shape of `target`: each size divides the target's.

    A size that is not known until a run is the target's, or 1.
    """
    sizes = [*zip(x.shape, target.shape, strict=True)]
    if all(size > 0 and wanted > 0 == wanted % size for size, wanted in sizes):
        return functions.tile(x, [wanted // size for size, wanted in sizes])
    return functions.expand_as(x, target)


expand_as = alias(repeated_as, "x, target_tensor, name=None", target_tensor="target")
reverse = alias(functions.flip, "x, axis")
crop = alias(functions.crop, "x, shape=None, offsets=None, name=None")
pad = alias(
    functional.pad,
    "x, paddings, pad_value=0.0, name=None",
    paddings="pad",
    pad_value="value",
)
slice = alias(functions.slice, "input, axes, starts, ends")
strided_slice = alias(functions.strided_slice, "input, axes, starts, ends, strides")

gather = alias(functions.gather, "input, index, overwrite=True", overwrite="")
gather_nd = alias(functions.gather_nd, "input, index, name=None")
scatter = alias(functions.scatter, "input, index, updates, name=None, overwrite=True")
scatter_nd = alias(functions.scatter_nd, "index, updates, shape, name=None")
scatter_nd_add = alias(functions.scatter_nd_add, "ref, index, updates, name=None")
multiplex = alias(functions.multiplex, "inputs, index")
where = alias(functions.nonzero, "condition")

logical_and = alias(functions.logical_and, "x, y, out=None, name=None")
logical_or = alias(functions.logical_or, "x, y, out=None, name=None")
logical_xor = alias(functions.logical_xor, "x, y, out=None, name=None")
logical_not = alias(functions.logical_not, "x, out=None, name=None")

shape = alias(functions.shape, "input")
rank = alias(functions.rank, "input")
size = alias(functions.numel, "input")
mul = alias(core_ops.mul, "x, y, x_num_col_dims=1, y_num_col_dims=1, name=None")
assign = alias(functions.assign, "input, output=None")
zeros_like = alias(functions.zeros_like, "x, out=None")
ones_like = alias(functions.ones_like, "x, out=None")
elementwise_mod = alias(
    ops.find("elementwise_mod"), "x, y, axis=-1, act=None, name=None"
)
elementwise_floordiv = alias(
    ops.find("elementwise_floordiv"), "x, y, axis=-1, act=None, name=None"
)

zeros = alias(functions.zeros, "shape, dtype, force_cpu=False")
ones = alias(functions.ones, "shape, dtype, force_cpu=False")
linspace = alias(functions.linspace, 'start, stop, num, dtype="float32"')
range = alias(functions.arange, "start, end, step, dtype")
diag = alias(functions.diag, "diagonal")
uniform_random = alias(
    functions.uniform, 'shape, dtype="float32", min=-1.0, max=1.0, seed=0'
)
gaussian_random = alias(
    functions.gaussian, 'shape, mean=0.0, std=1.0, seed=0, dtype="float32"'
)


def sum(x: Any) -> Any:
    """Compute the sum of tensors of one shape; return a single tensor as it is."""
    return functions.add_n(x)


def sums(input: Any, out: Any = None) -> Any:
    """Compute the sum of tensors; write it to `out` if present."""
    total = functions.add_n(input)
    return total if out is None else functions.assign(total, out)


def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: Sequence[int] | None = None,
    dtype: Any = "float32",
) -> Any:
    """Create identity matrices, one for each element of `batch_shape`."""
    matrix = functions.eye(num_rows, num_columns, dtype)
    if not batch_shape:
        return matrix
    matrix = functions.reshape(matrix, [1] * len(batch_shape) + [*matrix.shape])
    return functions.tile(matrix, [*batch_shape, 1, 1])


def argsort(
    input: Any, axis: int = -1, descending: bool = False, name: Any = None
) -> tuple[Any, Any]:
    """Sort along an axis; return the elements and their indices."""
    index = functions.argsort(input, axis, descending)
    return functions.sort(input, axis, descending), index


def flatten(x: Any, axis: int = 1, name: Any = None) -> Any:
    """Flatten to a matrix: the dimensions before `axis` are rows, the others columns.

    >>> import numpy as np
    >>> flatten(np.zeros((2, 3, 4)), axis=2).shape
    (6, 4)
    """
    sizes = list(x.shape)
    rows, columns = sizes[:axis], sizes[axis:]
    unknown = min(columns, default=1) < 0
    if unknown:
        return functions.reshape(x, [prod(rows), -1])
    return functions.reshape(x, [-1 if x.shape else 1, prod(columns)])


def one_hot(input: Any, depth: int, allow_out_of_range: bool = False) -> Any:
    """Create one-hot vectors; [N, 1] gives [N, depth].

    >>> import numpy as np
    >>> one_hot(np.array([[1], [0]]), 3)
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    last = len(input.shape) > 1 and input.shape[-1] == 1
    classes = functions.squeeze(input, -1) if last else input
    return functional.one_hot(classes, depth)


def create_tensor(
    dtype: Any, name: str | None = None, persistable: bool = False
) -> Any:
    """Create a variable for an operator to write to."""
    block = default_main_program().current_block()
    return block.create_var(name, dtype=dtype, persistable=persistable)


def has_inf(x: Any) -> Any:
    """True if an element is infinite."""
    return functions.any(functions.isinf(x))


def has_nan(x: Any) -> Any:
    """True if an element is NaN."""
    return functions.any(functions.isnan(x))


def isfinite(x: Any) -> Any:
    """True if every element is finite."""
    return functions.all(functions.isfinite(x))
