"""The ops of a first network: arithmetic, a matrix product, a loss and its update.

Each is a kernel in plain NumPy and a gradient rule made of ops. Rules of ops that
broadcast end in `reduce_to`, the adjoint of broadcasting. Ops that only rules use have
rules of their own in `teachgraph/ops/adjoints.py`, for second order. `infers` is given
where a kernel would be costly to try, or says less clearly what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import nan, prod
from typing import Any

import numpy as np

# By name: NumPy's module has a `__getattr__`, so Python takes longer for `np.add`.
from numpy import add, asarray, exp, log, maximum, multiply, subtract, uint64
from numpy.lib.array_utils import normalize_axis_tuple

from teachgraph.core import dtypes, random
from teachgraph.core.dtypes import float32
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, Op, Traced, op

Axes = tuple[int, ...] | None
Index = tuple[Any, ...]

FLOAT32 = dtypes.PADDLE_CODES[float32]

FLOATING = "floating numbers: x.astype('float32') makes some"
BROADCAST = (
    "shapes that broadcast: compared from the right, two sizes must be equal or one of "
    "them 1"
)
DIMENSIONS = "dimensions that X has, each named once"
LABELS = "logits [N, C] and integer labels [N, 1] with 0 <= label < C"
UPDATE = "floating parameters, a gradient of their shape and one learning rate"

add_along: Any = add.reduce


@op
def fill_constant(
    *, shape: Sequence[int], value: float = 0.0, dtype: int = FLOAT32
) -> Any:
    """Create an array of one value."""
    return np.full(tuple(shape), value, dtypes.of_code(dtype))


@fill_constant.infers
def infer_fill_constant(*, shape: Sequence[int], value: float, dtype: int) -> Any:
    """The shape of the attributes, without allocating it."""
    one = np.full((), value, dtypes.of_code(dtype))
    return [(np.broadcast_to(one, tuple(shape)).shape, one.dtype)]


def generator_of(seed: int) -> np.random.Generator:
    """Return the global generator, or a new one for an op with a seed."""
    return np.random.default_rng(seed) if seed else random.current[0]


@op(key="uniform", random=True)
def uniform_random(
    *,
    shape: Sequence[int],
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    dtype: int = FLOAT32,
    diag_num: int = 0,
    diag_step: int = 0,
    diag_val: float = 1.0,
) -> Any:
    """Draw uniformly from [min, max); `diag_num` elements are set to `diag_val`.

    The i-th of these has the flat index i (diag_step + 1).
    """
    numbers = generator_of(seed).uniform(min, max, tuple(shape))
    numbers.reshape(-1)[: diag_num * (diag_step + 1) : diag_step + 1] = diag_val
    return asarray(numbers, dtypes.of_code(dtype))


def promoted(x: Any, y: Any) -> tuple[Any, Any]:
    """Cast integers to the floats' dtype; NumPy would promote float32 to float64."""
    try:
        floating = x.dtype.kind == "f", y.dtype.kind == "f"
    except AttributeError:  # a bare number has no dtype, and takes that of the other
        return x, y
    if floating == (True, False):
        return x, y.astype(x.dtype)
    return (x.astype(y.dtype), y) if floating == (False, True) else (x, y)


def of_one_dtype(x: Like, *others: Like) -> np.dtype[Any]:
    """Look up the dtype of factors, none of which a product promotes."""
    for y in others:
        if x.dtype != y.dtype:
            raise DTypeError(
                f"it multiplies numbers of one dtype, not {x.dtype} with {y.dtype}: "
                "astype casts one to that of the other"
            )
    return x.dtype  # type: ignore[no-any-return]


def aligned(y: Any, ndim: int, axis: int) -> Any:
    """Append dimensions of 1 to `y`, so that its first one is at `axis` of `ndim`.

    That is how Paddle broadcasts: axis -1 aligns at the right as NumPy does.
    """
    trailing = 0 if axis == -1 else ndim - axis - y.ndim
    if trailing < 0 or axis < -1:
        raise ShapeError(f"{y.ndim} dimensions from {axis} on do not fit into {ndim}")
    return y.reshape(y.shape + (1,) * trailing) if trailing > 0 else y


def elementwise(name: str, ufunc: Callable[..., Any], doc: str) -> Op:
    """Create an op of two inputs that broadcast, from a NumPy ufunc or the like."""

    def kernel(x: Any, y: Any, *, axis: int = -1, out: Any = None) -> Any:
        try:
            if x.dtype is not y.dtype:
                x, y = promoted(x, y)
        except AttributeError:
            pass  # a bare number, which takes the dtype of the other
        return ufunc(x, y if axis == -1 else aligned(y, x.ndim, axis), out=out)

    kernel.__doc__ = doc
    return op(type=name, needs=BROADCAST)(kernel)


elementwise_add = elementwise("elementwise_add", add, "out = x + y.")
elementwise_mul = elementwise("elementwise_mul", multiply, "out = x y.")


@elementwise_add.grad
def elementwise_add_grad(dout: Any, x: Like, y: Like, *, axis: int) -> Any:
    """dx = dout, dy = dout."""
    return reduce_to(dout, x), reduce_to(dout, y, axis)


@elementwise_mul.grad
def elementwise_mul_grad(dout: Any, x: Any, y: Any, *, axis: int) -> Any:
    """dx = dout y, dy = dout x."""
    return (
        lambda: reduce_to(elementwise_mul(dout, y, axis=axis), x),
        lambda: reduce_to(dout * x, y, axis),
    )


@op(type="sum", key="sum", needs="inputs of one shape and dtype")
def sum_(*x: Any, out: Any = None) -> Any:
    """out = x1 + x2 + ...; accumulates the gradients of a value used several times."""
    first, *others = x
    for term in others:
        if term.shape != first.shape:
            raise ShapeError(f"shapes differ: {[*first.shape]} and {[*term.shape]}")
        if term.dtype != first.dtype:
            raise DTypeError(f"dtypes differ: {first.dtype} and {term.dtype}")
    if not others:
        return first
    total = add(first, others[0], out=out)
    for term in others[1:]:
        total += term
    return total


@op
def relu(x: Any, *, out: Any = None) -> Any:
    """out = max(x, 0)."""
    return maximum(x, 0, out=out)


@relu.grad
def relu_grad(dout: Any, out: Any) -> Any:
    """dx = dout where out > 0."""
    return dout * (out > 0)


@op(needs="a shape of X to which that of Y broadcasts")
def unbroadcast(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Sum `x` to the shape of `y`: the adjoint of broadcasting.

    Every dimension along which `y` would be broadcast is summed; the dtype is y's.
    """
    shape, kept = x.shape, y.shape
    if shape[1:] == kept != shape and axis != 0 and x.dtype is y.dtype:
        return add.reduce(x)  # a bias, repeated over the batch
    ndim, leading = len(shape), len(shape) - len(kept)
    bias = axis in (-1, leading) and () != y.shape == x.shape[-1:]
    if bias and x.dtype is y.dtype is float32 and x.size > 64 * y.shape[0]:
        return np.ones(x.size // y.shape[0], float32) @ matrix(x, leading)  # by BLAS
    trailing = 0 if axis == -1 else max(leading - axis, 0)
    narrow = (1,) * (leading - trailing) + tuple(y.shape) + (1,) * trailing
    axes = tuple(i for i in range(ndim) if narrow[i] == 1 and x.shape[i] != 1)
    total = add.reduce(x, axis=axes, keepdims=True) if axes else x
    return total.reshape(y.shape).astype(y.dtype, copy=False)


def reduce_to(dx: Any, x: Any, axis: int = -1) -> Any:
    """Reduce a gradient to the shape and dtype of its input (unbroadcast).

    It costs nothing if they agree. All gradients of broadcasting ops go through here.
    """
    if not isinstance(dx, Traced):
        same = dx.shape == x.shape and dx.dtype is x.dtype
        return dx if same else unbroadcast.kernel(dx, x, axis=axis)
    same = -1 not in x.shape and tuple(dx.shape) == tuple(x.shape)
    return dx if same and dx.dtype == x.dtype else unbroadcast(dx, x, axis=axis)


@op(needs="as many elements in X as in Y")
def reshape_as(x: Any, y: Any) -> Any:
    """Reshape `x` to the shape of `y`."""
    return x.reshape(y.shape)


@op(needs="as many columns in X as there are rows in Y")
def mul(x: Any, y: Any, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Any:
    """out = X Y, where each input is first flattened to a matrix.

    The first `x_num_col_dims` dimensions of x become rows and the others columns,
    likewise for y; the result has x's row dimensions and y's column dimensions.
    """
    of_one_dtype(x, y)
    if x.ndim == 2 == y.ndim and x_num_col_dims == 1 == y_num_col_dims:
        return x @ y
    check_columns(x, x_num_col_dims)
    check_columns(y, y_num_col_dims)
    out = matrix(x, x_num_col_dims) @ matrix(y, y_num_col_dims)
    return out.reshape(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:])


def matrix(x: Any, columns_from: int) -> Any:
    """Flatten `x` to a matrix: dimensions before `columns_from` are rows."""
    if len(x.shape) == 2:
        return x
    rows, columns = x.shape[:columns_from], x.shape[columns_from:]
    return x.reshape([-1 if -1 in rows else prod(rows), prod(columns)])


def check_columns(x: Any, columns_from: int) -> None:
    """Require a dimension for the rows and one for the columns."""
    if not 1 <= columns_from < x.ndim:
        raise ShapeError(f"columns from dimension {columns_from} on, of {x.ndim}")


@mul.infers
def infer_mul(x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int) -> Any:
    """Rows of X by columns of Y."""
    check_columns(x, x_num_col_dims)
    check_columns(y, y_num_col_dims)
    inner = prod(x.shape[x_num_col_dims:]), prod(y.shape[:y_num_col_dims])
    if inner[0] != inner[1]:
        raise ShapeError(f"X has {inner[0]} columns, Y has {inner[1]} rows")
    shape = x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:]
    return [(shape, of_one_dtype(x, y))]


@mul.grad
def mul_grad(
    dout: Any, x: Any, y: Any, *, x_num_col_dims: int, y_num_col_dims: int
) -> Any:
    """dX = dOut Y', dY = X' dOut, of the matrices."""
    rows, columns = matrix(x, x_num_col_dims), matrix(y, y_num_col_dims)
    dout = matrix(dout, x_num_col_dims)
    return lambda: reshaped_like(dout @ columns.T, x), lambda: reshaped_like(
        rows.T @ dout, y
    )


def reshaped_like(matrix: Any, x: Any) -> Any:
    """Reshape a matrix back to the shape and dtype of `x`, which was flattened."""
    matrix = matrix if matrix.dtype == x.dtype else matrix.astype(x.dtype)
    return matrix if len(x.shape) == 2 else reshape_as(matrix, x)


def axes(dim: Sequence[Any], ndim: int, *, reduce_all: bool) -> Axes:
    """Resolve the axes of a reduction to non-negative ones; None for all.

    A scalar counts as a vector of one element, with the axis 0 or -1.
    """
    if not dim:
        return None
    for axis in dim:
        check_integer(axis)
    along = normalize_axis_tuple(dim, max(ndim, 1))
    return None if reduce_all or not ndim else along


def check_integer(axis: Any) -> None:
    """Require an integer axis; a bool, which is an int to Python, is refused."""
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise DTypeError(f"an axis is an integer, got {axis!r}")


def size_along(shape: Sequence[int], along: Axes) -> int:
    """Number of elements that one result of a reduction combines."""
    return prod(shape) if along is None else prod(shape[axis] for axis in along)


@op(key="sum", needs=DIMENSIONS)
def reduce_sum(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`; integers and bool in int64."""
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    dtype = x.dtype if x.dtype.kind == "f" else np.int64
    return add_along(x, axis=along, keepdims=keep_dim, dtype=dtype)


@reduce_sum.grad
def reduce_sum_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """dx = dout broadcast to x's shape."""
    return spread(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)


@op(key="mean", needs=f"{FLOATING}, and {DIMENSIONS}")
def reduce_mean(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`, divided by the number of elements."""
    check_floating(x)
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    return add_along(x, axis=along, keepdims=keep_dim) / (
        size_along(x.shape, along) or nan
    )


def check_floating(x: Any) -> None:
    """Require a floating dtype."""
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} are no floating numbers")


@reduce_mean.grad
def reduce_mean_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """dx = dout / n, broadcast to x's shape."""
    back = spread if isinstance(dout, Traced) else spread.kernel
    return back(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all, mean=True)


@op(needs="what a reduction of Y along these dimensions gives")
def spread(
    x: Any,
    y: Any,
    *,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
    mean: bool = False,
) -> Any:
    """Broadcast `x`, a reduction's result, to `y`'s shape: the adjoint of a sum."""
    shape = y.shape
    along = axes(dim, len(shape), reduce_all=reduce_all)
    if mean:
        x = x / (size_along(shape, along) or nan)
    if along is not None and not keep_dim:
        x = np.expand_dims(x, along)
    out = np.empty(shape, x.dtype)
    out[...] = x
    return out


@op(outputs=("softmax", "loss"), needs=f"{LABELS}, or shares and soft_label=True")
def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    *,
    soft_label: bool = False,
    ignore_index: int = -100,
    axis: int = -1,
) -> Any:
    """loss = log sum exp(logits) - logits[label]; the other output is softmax(logits).

    With `soft_label` the label is a distribution: loss = -sum label log softmax.
    Positions whose label is `ignore_index` have loss 0.
    """
    shifted = logits - maximum.reduce(logits, axis=axis, keepdims=True)
    power = exp(shifted, casting="equiv")
    total = add.reduce(power, axis=axis, keepdims=True)
    probability = power / total
    if soft_label:
        if label.shape != logits.shape:
            raise ShapeError("soft labels must have the shape of the logits")
        logarithm = shifted - log(total)
        loss = -add.reduce(label * logarithm, axis=axis, keepdims=True)
        return probability, loss
    where, ignored = where_labelled(logits, label, axis, ignore_index)
    loss = log(total) - shifted[where]
    if ignored is not None:
        loss[ignored] = 0
    return probability, loss


@softmax_with_cross_entropy.grad(of=("logits",))
def softmax_with_cross_entropy_grad(
    dsoftmax: Any,
    dloss: Any,
    softmax: Any,
    label: Any,
    *,
    soft_label: bool,
    ignore_index: int,
    axis: int,
) -> Any:
    """dlogits = (softmax - one_hot(label)) dloss, plus the gradient through softmax."""
    dlogits = 0.0
    if dloss is not None:
        if soft_label:
            dlogits = reduce_to((softmax - label) * dloss, softmax)
        else:
            less = less_label if isinstance(softmax, Traced) else less_label.kernel
            dlogits = less(softmax, label, axis=axis, ignore_index=ignore_index) * dloss
    if dsoftmax is not None:
        dlogits = dlogits + through_softmax(dsoftmax, softmax, axis)
    return dlogits


def through_softmax(dout: Any, out: Any, axis: int) -> Any:
    """Multiply softmax's Jacobian, diag(out) - out out', with dout."""
    dim = [axis] if len(out.shape) else []
    along = reduce_sum(elementwise_mul(dout, out), dim=dim, keep_dim=True)
    return out * (dout - along)


@op
def less_label(
    softmax: Any, label: Any, *, axis: int = -1, ignore_index: int = -100
) -> Any:
    """out = softmax - one_hot(label); 0 where the label is ignored."""
    out, classes = softmax.copy(), softmax.shape[axis]
    if not -classes <= ignore_index < classes:
        try:
            out[entries(label, axis)] -= 1
            return out
        except IndexError:
            pass  # some labels are to be ignored
    where, ignored = where_labelled(softmax, label, axis, ignore_index)
    out[where] -= 1
    return out if ignored is None else out * ~ignored


def where_labelled(
    x: Any, label: Any, axis: int, ignore_index: int
) -> tuple[Index, Any]:
    """Compute the index of the labelled entries of `x`, and the mask of those ignored.

    Ignored labels are replaced by 0; the mask is None if there are none.
    """
    shape = [*x.shape]
    classes, shape[axis] = shape[axis], 1
    if label.dtype.kind not in "iu":
        raise DTypeError(f"labels must be integers, got {label.dtype}")
    if [*label.shape] != shape:
        raise ShapeError(f"labels must have shape {shape}, got {list(label.shape)}")
    kept, ignored = kept_labels(label, classes, ignore_index)
    return entries(kept, axis), ignored


def kept_labels(label: Any, classes: int, ignore_index: int) -> tuple[Any, Any]:
    """Labels with 0 for those to ignore, and which these are; each must be in range."""
    if all_in_range(label, classes) and not 0 <= ignore_index < classes:
        return label, None
    ignored = label == ignore_index
    kept = np.where(ignored, 0, label)
    if not all_in_range(kept, classes):
        wrong = kept.max() if kept.max() >= classes else kept.min()
        raise InvalidValueError(f"label expected >= 0 and < {classes}, but got {wrong}")
    return kept, ignored


def all_in_range(label: Any, classes: int) -> bool:
    """True if every label is one of 0 ... classes - 1; unsigned, -1 is the largest."""
    unsigned = label.view(uint64) if label.itemsize == 8 else label.astype(uint64)
    return not label.size or unsigned.item(unsigned.argmax()) < classes


def entries(label: Any, axis: int) -> Index:
    """Compute the index of the labelled entry of each position."""
    if label.ndim == 2 and axis in (-1, 1):
        return row_numbers(len(label)), label
    index: list[Any] = list(np.ogrid[tuple(map(slice, label.shape))])
    index[axis] = label
    return tuple(index)


row_numbers = lru_cache(maxsize=8)(lambda count: np.arange(count)[:, None])


@op(outputs=("param_out",), inplace={"param_out": "param"}, needs=UPDATE)
def sgd(param: Any, grad: Any, learning_rate: Any, *, out: Any = None) -> Any:
    """param <- param - learning_rate grad."""
    dtype = param.dtype
    if param.shape != grad.shape or not dtype is grad.dtype is float32:
        check_update(param, grad)
    if learning_rate.ndim:
        learning_rate = learning_rate.reshape(())
    step = asarray(multiply(learning_rate, grad, out, dtype=dtype))
    return subtract(param, step, step)  # in place: the step is no one else's


def check_update(param: Any, *others: Any) -> None:
    """Require gradient and accumulators of the parameter's shape and floating dtype."""
    if param.dtype.kind != "f":
        raise DTypeError(f"{param.dtype} is no dtype to step in")
    for other in others:
        if other.shape != param.shape:
            raise ShapeError(f"{[*other.shape]} beside a parameter {[*param.shape]}")
        if other.dtype != param.dtype:
            raise DTypeError(f"{other.dtype} beside a parameter {param.dtype}")
