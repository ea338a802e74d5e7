"""The NumPy statements of the core's ops: what a NumPy expert would write for each.

They are registered for generated code (`op.numpy`), in the op's own names. Each is
given shapes and dtypes, and is None where the kernel's checks are not known to hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, Op
from teachgraph.core.ops import (
    Axes,
    Index,
    axes,
    elementwise_add,
    elementwise_mul,
    fill_constant,
    kept_labels,
    mul,
    reduce_mean,
    reduce_sum,
    relu,
    row_numbers,
    sgd,
    softmax_with_cross_entropy,
    sum_,
)
from teachgraph.ops.elementwise import elementwise_div, elementwise_sub
from teachgraph.ops.expressions import grad_numpy, numpy
from teachgraph.ops.math import assign, scale, tanh
from teachgraph.ops.matmul import matmul_v2

__all__ = ["in_step"]


@numpy(fill_constant)
def fill_constant_numpy(*, shape: Sequence[int], value: float, dtype: int) -> str:
    """An array of these sizes; one number needs no filling."""
    kind = dtypes.of_code(dtype)
    name = f"np.{kind.name}" if kind.kind in "fi" else f"np.dtype({kind.name!r})"
    if not shape and kind.kind == "f":
        return f"out = np.array(value, {name})"
    return f"out = np.full(shape, value, {name})"


@numpy(assign)
def assign_numpy(x: Like) -> str:
    """A copy."""
    return "out = np.array(x)"


def writes_as(op: Op, sign: str) -> None:
    """Write an op of inputs that need no alignment as NumPy's own operator."""

    @numpy(op)
    def operation(x: Like, y: Like, *, axis: int) -> str | None:
        """NumPy broadcasts as the op does, and its operators check what it checks."""
        aligned = axis in (-1, x.ndim - y.ndim) and x.ndim >= y.ndim
        # Paddle's quotient of integers is cut towards 0; NumPy's is a float.
        plain = x.dtype == y.dtype and (sign != "/" or x.dtype.kind == "f")
        return f"out = x {sign} y" if aligned and plain else None


for operation, sign in (
    (elementwise_add, "+"),
    (elementwise_sub, "-"),
    (elementwise_mul, "*"),
    (elementwise_div, "/"),
):
    writes_as(operation, sign)


def summed_bias(dout: Like, x: Like, y: Like, axis: int) -> str | None:
    """The sum in `dy` where y is like x, or a row beside the rows of x.

    None where that depends on sizes that are not known: one may be 1, and broadcast.
    """
    # With mixed dtypes the rule casts each gradient to the dtype of its input.
    if not dout.dtype == x.dtype == y.dtype or -1 in y.shape or dout.shape != x.shape:
        return None
    leading = x.ndim - y.ndim
    if (
        leading not in (0, 1)
        or axis not in (-1, leading)
        or x.shape[leading:] != y.shape
    ):
        return None
    return ".sum(axis=0)" if leading else ""


@grad_numpy(elementwise_add)
def elementwise_add_grad_numpy(
    dout: Like, x: Like, y: Like, *, axis: int
) -> str | None:
    """The gradient itself, for a row summed over the rows."""
    summed = summed_bias(dout, x, y, axis)
    return None if summed is None else f"dx = dout\ndy = dout{summed}"


@grad_numpy(elementwise_sub)
def elementwise_sub_grad_numpy(
    dout: Like, x: Like, y: Like, *, axis: int
) -> str | None:
    """The gradient, and what it is with the other sign."""
    summed = summed_bias(dout, x, y, axis)
    return None if summed is None else f"dx = dout\ndy = (-dout){summed}"


@grad_numpy(elementwise_mul)
def elementwise_mul_grad_numpy(
    dout: Like, x: Like, y: Like, *, axis: int
) -> str | None:
    """The gradient times the other factor."""
    summed = summed_bias(dout, x, y, axis)
    return None if summed is None else f"dx = dout * y\ndy = (dout * x){summed}"


@grad_numpy(elementwise_div)
def elementwise_div_grad_numpy(
    dout: Like, out: Like, x: Like, y: Like, *, axis: int
) -> str | None:
    """The gradient over y, which both have in common."""
    summed = summed_bias(dout, x, y, axis)
    if summed is None:
        return None
    return f"slope = dout / y\ndx = slope\ndy = (-slope * out){summed}"


@numpy(scale)
def scale_numpy(
    x: Like, *, scale: float, bias: float, bias_after_scale: bool
) -> str | None:
    """As little of scale x + bias as there is, of floating numbers."""
    if x.dtype.kind != "f":
        return None
    if bias == 0.0:
        return "out = x * scale"
    if scale == 1.0:
        return "out = x + bias"
    return "out = x * scale + bias" if bias_after_scale else "out = (x + bias) * scale"


@numpy(sum_)
def sum_numpy(*x: Like) -> str | None:
    """Two terms or more whose sizes are known to be the same."""
    same = all(term == x[0] for term in x) and -1 not in x[0].shape
    terms = [f"x_{position}" for position in range(len(x))]
    return f"out = {' + '.join(terms)}" if same and len(x) > 1 else None


@numpy(relu)
def relu_numpy(x: Like) -> str:
    """The larger of x and 0."""
    return "out = np.maximum(x, 0)"


@grad_numpy(relu)
def relu_grad_numpy(dout: Like, out: Like) -> str:
    """The gradient where relu let something through."""
    return "dx = dout * (out > 0)"


@numpy(tanh)
def tanh_numpy(x: Like) -> str | None:
    """NumPy's tanh, of floating numbers."""
    return "out = np.tanh(x)" if x.dtype.kind == "f" else None


@grad_numpy(tanh)
def tanh_grad_numpy(dout: Like, out: Like) -> str:
    """The rule's own formula."""
    return "dx = dout * (1.0 - out * out)"


@numpy(mul)
def mul_numpy(
    x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int
) -> str | None:
    """Of two matrices, their product."""
    plain = x.ndim == 2 == y.ndim and x_num_col_dims == 1 == y_num_col_dims
    return "out = x @ y" if plain else None


@grad_numpy(mul)
def mul_grad_numpy(
    dout: Like, x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int
) -> str | None:
    """Of two matrices, two products."""
    same = dout.ndim == x.ndim == y.ndim == 2 and dout.dtype == x.dtype == y.dtype
    if not same or not x_num_col_dims == 1 == y_num_col_dims:
        return None
    return "dx = dout @ y.T\ndy = x.T @ dout"


@numpy(matmul_v2)
def matmul_numpy(x: Like, y: Like, *, trans_x: bool, trans_y: bool) -> str | None:
    """Of two matrices, their product, transposed first if asked."""
    if not x.ndim == y.ndim == 2:
        return None
    return f"out = {'x.T' if trans_x else 'x'} @ {'y.T' if trans_y else 'y'}"


@grad_numpy(matmul_v2)
def matmul_grad_numpy(
    dout: Like, x: Like, y: Like, *, trans_x: bool, trans_y: bool
) -> str | None:
    """Of two matrices, two products, each transposed where its factor was."""
    same = dout.dtype == x.dtype == y.dtype
    if not same or not dout.ndim == x.ndim == y.ndim == 2:
        return None
    dx = f"dout @ {'y' if trans_y else 'y.T'}"
    dy = f"{'x' if trans_x else 'x.T'} @ dout"
    dx, dy = f"({dx}).T" if trans_x else dx, f"({dy}).T" if trans_y else dy
    return f"dx = {dx}\ndy = {dy}"


@numpy(reduce_sum)
def reduce_sum_numpy(
    x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The sum of floating numbers."""
    # NumPy would sum int32 in int64; the kernel names the dtype.
    if x.dtype.kind != "f" or not x.shape:
        return None
    return f"out = x.sum({arguments(x, dim, keep_dim, reduce_all=reduce_all)})"


def arguments(x: Like, dim: Sequence[int], keep_dim: bool, *, reduce_all: bool) -> str:
    """The arguments of NumPy's reductions, those that differ from its defaults."""
    along, named = axes(dim, x.ndim, reduce_all=reduce_all), list[str]()
    if along is not None:
        named.append(f"axis={along[0] if len(along) == 1 else along}")
    if keep_dim:
        named.append("keepdims=True")
    return ", ".join(named)


@grad_numpy(reduce_sum)
def reduce_sum_grad_numpy(
    dout: Like, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The gradient of a sum of everything, everywhere."""
    if dim or keep_dim or not x.shape or dout.shape:
        return None
    return f"dx = np.full({sizes_of(x)}, dout)"


def sizes_of(x: Like) -> str:
    """The shape of `x` as text: spelled out where all of it is known."""
    return "x.shape" if -1 in x.shape else str(tuple(x.shape))


def count_of(x: Like, along: Axes) -> str:
    """The number of elements of `x` along some dimensions, as text."""
    sizes = list(x.shape if along is None else (x.shape[axis] for axis in along))
    if -1 not in sizes:
        return str(prod(sizes))
    if along is None:
        return "x.size"
    return " * ".join(f"x.shape[{axis}]" for axis in along)


@numpy(reduce_mean)
def reduce_mean_numpy(
    x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The sum divided by the number of its terms."""
    if x.dtype.kind != "f":
        return None
    if not x.shape:
        return None if dim else "out = x / 1"
    # Not `x.mean`, which is Python in NumPy and costs more on small arrays.
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    count = count_of(x, along)
    count = f"({count})" if "*" in count else count
    return (
        f"out = x.sum({arguments(x, dim, keep_dim, reduce_all=reduce_all)}) / {count}"
    )


@grad_numpy(reduce_mean)
def reduce_mean_grad_numpy(
    dout: Like, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The gradient of a mean of everything, a share of it everywhere."""
    if dim or keep_dim or dout.shape:
        return None
    if not x.shape:
        return "dx = dout"
    return f"dx = np.full({sizes_of(x)}, dout / {count_of(x, None)})"


@numpy(softmax_with_cross_entropy)
def softmax_with_cross_entropy_numpy(
    logits: Like, label: Like, *, soft_label: bool, ignore_index: int, axis: int
) -> str | None:
    """Of one label a row, the formula; the labels' range is looked at."""
    known = one_a_row(logits, label, soft_label=soft_label, axis=axis)
    if not known or logits.dtype.kind != "f":
        return None
    return f"""\
if len(label) != len(logits): raise one_label_each(label, logits)
shifted = logits - logits.max(axis=1, keepdims=True)
power = np.exp(shifted)
total = power.sum(axis=1, keepdims=True)
softmax = power / total
picked, ignored = labelled(label, {logits.shape[1]}, ignore_index)
loss = np.log(total) - shifted[picked]
if ignored is not None: loss[ignored] = 0
"""


@grad_numpy(softmax_with_cross_entropy)
def softmax_with_cross_entropy_grad_numpy(
    dsoftmax: Like | None,
    dloss: Like | None,
    softmax: Like,
    label: Like,
    *,
    soft_label: bool,
    ignore_index: int,
    axis: int,
) -> str | None:
    """softmax - one_hot(label), row by row as much of it as arrives."""
    known = one_a_row(softmax, label, soft_label=soft_label, axis=axis)
    if not known or dsoftmax is not None or dloss is None or dloss.shape[1:] != (1,):
        return None
    if dloss.dtype != softmax.dtype:
        return None
    return f"""\
picked, ignored = labelled(label, {softmax.shape[1]}, ignore_index)
dlogits = softmax.copy()
dlogits[picked] -= 1
if ignored is not None: dlogits *= ~ignored
dlogits *= dloss
"""


def one_a_row(x: Like, label: Like, *, soft_label: bool, axis: int) -> bool:
    """Tell whether labels are int64 [N, 1] beside [N, C]: only their range is open."""
    columns = x.ndim == label.ndim == 2 and axis in (-1, 1)
    whole = label.dtype == np.int64 and not soft_label
    return columns and whole and label.shape[1] == 1 and x.shape[1] > 0


def one_label_each(label: Any, logits: Any) -> ShapeError:
    """The error for labels that are not one a row: a single one would count for all."""
    shape = [len(logits), 1]
    return ShapeError(f"labels must have shape {shape}, got {list(label.shape)}")


def labelled(label: Any, classes: int, ignore_index: int) -> tuple[Index, Any]:
    """The index of each row's label, and which labels to ignore, None for none.

    Raises:
        InvalidValueError: A label is out of range.
    """
    kept, ignored = kept_labels(label, classes, ignore_index)
    return (row_numbers(len(label)), kept), ignored


@numpy(sgd)
def sgd_numpy(param: Like, grad: Like, learning_rate: Like) -> str | None:
    """The formula, for a gradient of the parameter's shape and one rate."""
    if not in_step(param, grad) or learning_rate != ((), param.dtype):
        return None
    return "param_out = param - learning_rate * grad"


def in_step(param: Like, *others: Like) -> bool:
    """Tell whether all have one known shape, and one floating dtype."""
    floating = param.dtype.kind == "f" and -1 not in param.shape
    return floating and all(other == param for other in others)
