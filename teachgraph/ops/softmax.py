"""Softmax, and the losses that compare probabilities with labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.ops.elementwise import elementwise_mul
from teachgraph.ops.op import Like, op
from teachgraph.ops.reduce import reduce_sum

__all__ = [
    "cross_entropy2",
    "less_label",
    "pick",
    "place",
    "softmax",
    "softmax_with_cross_entropy",
]

LABELS = "logits [N, C] and integer labels [N, 1] with 0 <= label < C"


@op
def softmax(x: Any, *, axis: int = -1) -> Any:
    """out = exp(x) / sum exp(x) along `axis`, shifted by the maximum first."""
    power = np.exp(x - np.maximum.reduce(x, axis=axis, keepdims=True))
    return power / np.add.reduce(power, axis=axis, keepdims=True)


@softmax.grad
def softmax_grad(dout: Any, out: Any, *, axis: int) -> Any:
    """dx = out (dout - sum(dout out))."""
    return through_softmax(dout, out, axis)


def through_softmax(dout: Any, out: Any, axis: int) -> Any:
    """The product of softmax's Jacobian, diag(out) - out out', with dout."""
    along = reduce_sum(elementwise_mul(dout, out), dim=[axis], keep_dim=True)
    return out * (dout - along)


def in_range(label: Any, classes: int) -> bool:
    """Whether every label is one of 0 ... classes - 1."""
    if not label.size:
        return True
    unsigned = label.view(np.uint64) if label.itemsize == 8 else label.astype(np.uint64)
    return bool(np.maximum.reduce(unsigned, axis=None) < classes)  # -1 is the largest


def checked(label: Any, shape: tuple[int, ...], axis: int = -1) -> Any:
    """A label fit to pick from `shape`: integers, 1 along `axis`, none out of range."""
    if label.dtype.kind not in "iu":
        raise DTypeError(f"labels must be integers, got {label.dtype}")
    if label.ndim != len(shape) or label.shape[axis] != 1:
        raise ShapeError(f"labels must have size 1 along axis {axis}")
    if not in_range(label, shape[axis]):
        wrong = label.max() if label.max() >= shape[axis] else label.min()
        raise InvalidValueError(
            f"label expected >= 0 and < {shape[axis]}, but got {wrong}"
        )
    return label


def entries(label: Any, axis: int) -> tuple[Any, ...]:
    """The index that picks, for each position, the entry its label names."""
    if label.ndim == 2 and axis in (-1, 1):
        return np.arange(len(label))[:, None], label
    index: list[Any] = list(np.ogrid[tuple(map(slice, label.shape))])
    index[axis] = label
    return tuple(index)


def without_ignored(label: Any, classes: int, ignore_index: int) -> tuple[Any, Any]:
    """Labels with the ignored ones set to 0, and where those were (None: nowhere)."""
    if label.dtype.kind not in "iu" or in_range(label, classes):
        return label, None
    ignored = label == ignore_index
    return np.where(ignored, 0, label), ignored


@op(needs=LABELS)
def pick(x: Any, label: Any, *, axis: int = -1) -> Any:
    """The entry of `x` along `axis` that `label` names, kept as a dimension of 1."""
    return x[entries(checked(label, x.shape, axis), axis)]


@pick.grad(of=("x",))
def pick_grad(dout: Any, x: Like, label: Any, *, axis: int) -> Any:
    """Only the picked entry counts."""
    return place(dout, x, label, axis=axis)


@op
def place(
    x: Any, y: Any, label: Any, *, axis: int = -1, ignore_index: int = -100
) -> Any:
    """Zeros shaped like `y`, with `x` at the entries `label` names: pick's adjoint."""
    kept, _ = without_ignored(label, y.shape[axis], ignore_index)
    out = np.zeros(y.shape, x.dtype)
    out[entries(kept, axis)] = x
    return out


@place.grad(of=("x",))
def place_grad(dout: Any, label: Any, *, axis: int) -> Any:
    """Only the placed entry counts."""
    return pick(dout, label, axis=axis)


@op
def less_label(
    softmax: Any, label: Any, *, axis: int = -1, ignore_index: int = -100
) -> Any:
    """softmax - one_hot(label): how far a prediction is off; 0 where ignored."""
    hot = label == classes_along(axis, softmax)
    return (softmax - hot) * (label != ignore_index)


def classes_along(axis: int, x: Any) -> Any:
    """0, 1, 2, ... along `axis` of `x`, size 1 elsewhere."""
    classes = np.arange(x.shape[axis])
    if axis in (-1, x.ndim - 1):
        return classes
    return classes.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


@less_label.grad(of=("softmax",))
def less_label_grad(dout: Any, label: Any, *, ignore_index: int) -> Any:
    """The label is constant."""
    return counted(dout, label, ignore_index)


def counted(dloss: Any, label: Any, ignore_index: int) -> Any:
    """A gradient, 0 where the label says that the position does not count."""
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
    """loss = log sum exp(logits) - logits[label], and softmax(logits) beside it.

    With `soft_label` the label is a distribution: loss = -sum label log softmax.
    Positions whose label is `ignore_index` have loss 0.
    """
    shifted = logits - np.maximum.reduce(logits, axis=axis, keepdims=True)
    power = np.exp(shifted)
    total = np.add.reduce(power, axis=axis, keepdims=True)
    probability = power / total
    if soft_label:
        logarithm = shifted - np.log(total)
        loss = -np.add.reduce(label * logarithm, axis=axis, keepdims=True)
        return probability, loss
    kept, ignored = without_ignored(label, logits.shape[axis], ignore_index)
    where = entries(checked(kept, logits.shape, axis), axis)
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
    """dlogits = (softmax - one_hot(label)) dloss, plus what arrives at softmax."""
    dlogits = 0.0
    if dloss is not None:
        if soft_label:
            dlogits = (softmax - label) * dloss
        else:
            where = {"axis": axis, "ignore_index": ignore_index}
            dlogits = less_label(softmax, label, **where) * dloss
    if dsoftmax is not None:
        dlogits = dlogits + through_softmax(dsoftmax, softmax, axis)
    return dlogits


@op(outputs=("y", "match_x"), key="cross_entropy", needs="probabilities and " + LABELS)
def cross_entropy2(x: Any, label: Any, *, ignore_index: int = -100) -> Any:
    """y = -log x[label], for probabilities x; log 0 counts as -1e20.

    The 1.x loss: `match_x`, the probability of the right class, is kept for backward.
    """
    kept, ignored = without_ignored(label, x.shape[-1], ignore_index)
    match = x[entries(checked(kept, x.shape), -1)]
    if ignored is not None:
        match[ignored] = 1
    with np.errstate(divide="ignore"):
        return -np.maximum(np.log(match), x.dtype.type(-1e20)), match


@cross_entropy2.grad(of=("x",))
def cross_entropy_grad2(
    dy: Any, match_x: Any, x: Like, label: Any, *, ignore_index: int
) -> Any:
    """dx[label] = -dy / match_x."""
    slope = counted(-dy / match_x, label, ignore_index)
    return place(slope, x, label, ignore_index=ignore_index)
