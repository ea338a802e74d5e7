"""Softmax, log-softmax and cross entropy losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.elementwise import elementwise_mul
from teachgraph.ops.math import FLOATING, exp
from teachgraph.ops.reduce import reduce_sum
from teachgraph.ops.shape import reduce_to

__all__ = [
    "cross_entropy2",
    "less_label",
    "log_softmax",
    "pick",
    "place",
    "softmax",
    "softmax_with_cross_entropy",
]

Index = tuple[Any, ...]

LABELS = "logits [N, C] and integer labels [N, 1] with 0 <= label < C"


@op(needs=FLOATING)
def softmax(x: Any, *, axis: int = -1) -> Any:
    """out = exp(x) / sum exp(x) along `axis`, shifted by the maximum first."""
    largest = np.maximum.reduce(x, axis=axis, keepdims=True)
    power = np.exp(x - largest, casting="equiv")
    return power / np.add.reduce(power, axis=axis, keepdims=True)


@softmax.grad
def softmax_grad(dout: Any, out: Any, *, axis: int) -> Any:
    """dx = out (dout - sum(dout out))."""
    return through_softmax(dout, out, axis)


def through_softmax(dout: Any, out: Any, axis: int) -> Any:
    """Multiply softmax's Jacobian, diag(out) - out out', with dout."""
    dim = [axis] if len(out.shape) else []
    along = reduce_sum(elementwise_mul(dout, out), dim=dim, keep_dim=True)
    return out * (dout - along)


@op(needs=FLOATING)
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """out = x - log sum exp(x) along `axis`, shifted by the maximum first."""
    shifted = x - np.maximum.reduce(x, axis=axis, keepdims=True)
    power = np.exp(shifted, casting="equiv")
    return shifted - np.log(np.add.reduce(power, axis=axis, keepdims=True))


@log_softmax.grad
def log_softmax_grad(dout: Any, out: Any, *, axis: int) -> Any:
    """dx = dout - exp(out) sum(dout)."""
    dim = [axis] if len(out.shape) else []
    return dout - exp(out) * reduce_sum(dout, dim=dim, keep_dim=True)


def in_range(label: Any, classes: int) -> bool:
    """True if every label is one of 0 ... classes - 1; unsigned, -1 is the largest."""
    unsigned = label.view(np.uint64) if label.itemsize == 8 else label.astype(np.uint64)
    return bool(np.maximum.reduce(unsigned, None, initial=0) < classes)


def where_labelled(
    x: Any, label: Any, axis: int, ignore_index: int
) -> tuple[Index, Any]:
    """Compute the index of the labelled entries of `x`, and the mask of ignored labels.

    Ignored labels are replaced by 0; the mask is None if there are none.

    Raises:
        DTypeError: The labels are no integers.
        ShapeError: They do not have size 1 along the axis and x's sizes elsewhere.
        InvalidValueError: A label is out of range.
    """
    shape = [*x.shape]
    classes, shape[axis] = shape[axis], 1
    if label.dtype.kind not in "iu":
        raise DTypeError(f"labels must be integers, got {label.dtype}")
    if [*label.shape] != shape:
        raise ShapeError(f"labels must have shape {shape}, got {list(label.shape)}")
    kept, ignored = counting(label, classes, ignore_index)
    return entries(kept, axis), ignored


def counting(label: Any, classes: int, ignore_index: int) -> tuple[Any, Any]:
    """Labels with 0 for those to ignore, and which these are; None for none.

    Raises:
        InvalidValueError: A label is out of range.
    """
    if in_range(label, classes) and not 0 <= ignore_index < classes:
        return label, None
    ignored = label == ignore_index
    kept = np.where(ignored, 0, label)
    if not in_range(kept, classes):
        wrong = kept.max() if kept.max() >= classes else kept.min()
        raise InvalidValueError(f"label expected >= 0 and < {classes}, but got {wrong}")
    return kept, ignored


def entries(label: Any, axis: int) -> Index:
    """Compute the index of the labelled entry of each position."""
    if label.ndim == 2 and axis in (-1, 1):
        return np.arange(len(label))[:, None], label
    index: list[Any] = list(np.ogrid[tuple(map(slice, label.shape))])
    index[axis] = label
    return tuple(index)


@op(needs=LABELS)
def pick(x: Any, label: Any, *, axis: int = -1, ignore_index: int = -100) -> Any:
    """Gather the labelled entry of `x` along `axis`, which keeps size 1.

    For an ignored label it is the first entry, whose value the caller masks.
    """
    return x[where_labelled(x, label, axis, ignore_index)[0]]


@pick.grad(of=("x",))
def pick_grad(dout: Any, x: Like, label: Any, *, axis: int, ignore_index: int) -> Any:
    """dx = zeros with dout at the labelled entries."""
    return place(dout, x, label, axis=axis, ignore_index=ignore_index)


@op(needs="a number for each label, labels [N, 1] and the shape [N, C]")
def place(
    x: Any, y: Any, label: Any, *, axis: int = -1, ignore_index: int = -100
) -> Any:
    """Zeros shaped like `y` with `x` at the labelled entries: the adjoint of `pick`."""
    out = np.zeros(y.shape, x.dtype)
    if x.shape != label.shape:
        raise ShapeError(f"{list(x.shape)} numbers for {list(label.shape)} labels")
    out[where_labelled(out, label, axis, ignore_index)[0]] = x
    return out


@place.grad(of=("x",))
def place_grad(dout: Any, label: Any, *, axis: int, ignore_index: int) -> Any:
    """dx = dout at the labelled entries."""
    return pick(dout, label, axis=axis, ignore_index=ignore_index)


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


@less_label.grad(of=("softmax",))
def less_label_grad(dout: Any, label: Any, *, ignore_index: int) -> Any:
    """dsoftmax = dout, 0 where ignored."""
    return counted(dout, label, ignore_index)


def counted(dloss: Any, label: Any, ignore_index: int) -> Any:
    """Mask a gradient: 0 where the label is ignored."""
    return dloss * (label != ignore_index)


@op(outputs=("softmax", "loss"), needs=LABELS)
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
    shifted = logits - np.maximum.reduce(logits, axis=axis, keepdims=True)
    power = np.exp(shifted, casting="equiv")
    total = np.add.reduce(power, axis=axis, keepdims=True)
    probability = power / total
    if soft_label:
        if label.shape != logits.shape:
            raise ShapeError("soft labels must have the shape of the logits")
        logarithm = shifted - np.log(total)
        loss = -np.add.reduce(label * logarithm, axis=axis, keepdims=True)
        return probability, loss
    where, ignored = where_labelled(logits, label, axis, ignore_index)
    loss = np.log(total) - shifted[where]
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
            where = {"axis": axis, "ignore_index": ignore_index}
            dlogits = less_label(softmax, label, **where) * dloss
    if dsoftmax is not None:
        dlogits = dlogits + through_softmax(dsoftmax, softmax, axis)
    return dlogits


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
    rows = np.arange(len(label))[:, None]
    if len(label) and not 0 <= ignore_index < classes:
        largest = np.maximum.reduce(label.view(np.uint64), axis=None)
        if largest < classes:  # a negative one would be the largest
            return (rows, label), None
    kept, ignored = counting(label, classes, ignore_index)
    return (rows, kept), ignored


@softmax_with_cross_entropy.numpy
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


@softmax_with_cross_entropy.grad_numpy
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


@op(outputs=("y", "match_x"), needs="probabilities and " + LABELS)
def cross_entropy2(x: Any, label: Any, *, ignore_index: int = -100) -> Any:
    """y = -log x[label], for probabilities x; log 0 counts as -1e20.

    The 1.x loss: `match_x`, the probability of the right class, is saved for backward.
    """
    where, ignored = where_labelled(x, label, -1, ignore_index)
    match = x[where]
    if ignored is not None:
        match[ignored] = 1
    logarithm = np.log(match, casting="equiv")
    return -np.maximum(logarithm, x.dtype.type(-1e20)), match


@cross_entropy2.grad(of=("x",))
def cross_entropy_grad2(
    dy: Any, dmatch_x: Any, match_x: Any, x: Like, label: Any, *, ignore_index: int
) -> Any:
    """dx[label] = -dy / match_x, plus the gradient of match_x itself."""
    slope = 0.0 if dy is None else -dy / match_x
    slope = slope if dmatch_x is None else slope + dmatch_x
    slope = counted(slope, label, ignore_index)
    return place(slope, x, label, ignore_index=ignore_index)
