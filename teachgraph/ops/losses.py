"""Losses that are single ops, because a composition would not be stable.

`softmax.py` has softmax with cross entropy, `ctc.py` the loss of sequences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import all_in_range as in_range
from teachgraph.core.ops import reduce_to, where_labelled
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.activation import brelu, only_floating
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_max
from teachgraph.ops.gather import index_add
from teachgraph.ops.math import sigmoid
from teachgraph.ops.shape import reshape2, unsqueeze2
from teachgraph.ops.softmax import place

__all__ = [
    "bce_loss",
    "class_weight",
    "huber_loss",
    "kldiv_loss",
    "log_loss",
    "nll_loss",
    "sigmoid_cross_entropy_with_logits",
]

BESIDE = "floating numbers and, for each, a floating label"


def check_pair(x: Any, label: Any) -> None:
    """Require two floating arrays of one shape.

    Raises:
        DTypeError: A dtype is not floating.
        ShapeError: The shapes differ.
    """
    only_floating(x)
    only_floating(label)
    if x.shape != label.shape:
        shapes = f"{list(x.shape)} and {list(label.shape)}"
        raise ShapeError(f"shapes differ: {shapes}")


@op(outputs=("residual", "out"), needs="X and Y of one shape")
def huber_loss(x: Any, y: Any, *, delta: float = 1.0) -> Any:
    """out = r^2 / 2 if |r| <= delta, else delta (|r| - delta / 2), for r = y - x."""
    check_pair(x, y)
    residual = y - x
    size = np.abs(residual)
    straight = delta * (size - 0.5 * delta)
    return residual, np.where(size <= delta, 0.5 * residual * residual, straight)


@huber_loss.grad
def huber_loss_grad(
    dresidual: Any, dout: Any, residual: Any, x: Like, y: Like, *, delta: float
) -> Any:
    """dy = -dx = dout times the residual, clipped at delta."""
    slope = 0.0
    if dout is not None:
        slope = dout * brelu(residual, t_min=-delta, t_max=delta)
    if dresidual is not None:
        slope = dresidual + slope
    return lambda: reduce_to(-slope, x), lambda: reduce_to(slope, y)


LEAST_LOG = -100.0
LEAST_SPREAD = 1e-12


@op(key="binary_cross_entropy", needs=BESIDE + ", both between 0 and 1")
def bce_loss(x: Any, label: Any) -> Any:
    """out = -label log x - (1 - label) log(1 - x); no logarithm is below -100."""
    check_pair(x, label)
    if (x < 0).any() or (x > 1).any():
        raise InvalidValueError("a probability is below 0 or above 1")
    yes = np.maximum(np.log(x), LEAST_LOG)
    # The bound is Paddle's and PyTorch's: to be certain and wrong costs 100.
    no = np.maximum(np.log1p(-x), LEAST_LOG)
    return -label * yes - (1 - label) * no


@bce_loss.grad(of=("x",))
def bce_loss_grad(dout: Any, x: Any, label: Any) -> Any:
    """dx = dout (x - label) / (x (1 - x)), the divisor at least 1e-12."""
    # An array of x's dtype: float64 would widen the gradient of float32.
    least = np.asarray(LEAST_SPREAD, x.dtype)
    slope = (x - label) / elementwise_max(x * (1.0 - x), least)
    return reduce_to(dout * slope, x)


@op(needs=BESIDE + "; weights that broadcast to it")
def sigmoid_cross_entropy_with_logits(
    x: Any, label: Any, pos_weight: Any = None, *, ignore_index: int = -100
) -> Any:
    """out = w log(1 + exp(-x)) + (1 - label) x, the cross entropy of sigmoid(x).

    The weight w is 1 or `pos_weight`. A label equal to `ignore_index` has loss 0.
    """
    check_pair(x, label)
    # log(1 + exp(-x)) without overflow for large negative x.
    bent = np.logaddexp(0, -x)
    if pos_weight is not None:
        only_floating(pos_weight)
        bent = bent * pos_weight
    if bent.shape != x.shape:
        raise ShapeError(f"weights {list(pos_weight.shape)} for {list(x.shape)}")
    return ((bent + (1 - label) * x) * (label != ignore_index)).astype(x.dtype)


@sigmoid_cross_entropy_with_logits.grad(of=("x",))
def sigmoid_cross_entropy_with_logits_grad(
    dout: Any, x: Any, label: Any, pos_weight: Any, *, ignore_index: int
) -> Any:
    """dx = dout (1 - label - w sigmoid(-x))."""
    slope = sigmoid(-x) if pos_weight is None else sigmoid(-x) * pos_weight
    return reduce_to(dout * (1.0 - label - slope) * (label != ignore_index), x)


@op(key="kl_div", outputs=("loss",), needs="log-probabilities, and probabilities")
def kldiv_loss(x: Any, target: Any) -> Any:
    """loss = target (log target - x), and 0 where target is not above 0."""
    check_pair(x, target)
    some = target > 0
    # log 1 instead of log 0: the product with 0 would be NaN, before `where` drops it.
    loss = target * (np.log(np.where(some, target, 1)) - x)
    return np.where(some, loss, 0).astype(x.dtype)


@kldiv_loss.grad(of=("x",))
def kldiv_loss_grad(dloss: Any, x: Like, target: Any) -> Any:
    """dx = -target dloss where target is above 0."""
    return reduce_to(-dloss * target * (target > 0), x)


@op(outputs=("loss",), needs=BESIDE + ", both between 0 and 1")
def log_loss(predicted: Any, labels: Any, *, epsilon: float = 1e-4) -> Any:
    """loss = -y log(p + epsilon) - (1 - y) log(1 - p + epsilon)."""
    check_pair(predicted, labels)
    yes, no = np.log(predicted + epsilon), np.log(1 - predicted + epsilon)
    return (-labels * yes - (1 - labels) * no).astype(predicted.dtype)


@log_loss.grad(of=("predicted",))
def log_loss_grad(dloss: Any, predicted: Any, labels: Any, *, epsilon: float) -> Any:
    """dp = dloss ((1 - y) / (1 - p + epsilon) - y / (p + epsilon))."""
    no, yes = 1.0 - predicted + epsilon, predicted + epsilon
    return reduce_to(dloss * ((1.0 - labels) / no - labels / yes), predicted)


@op(needs="integer labels, and a weight [C] for each class")
def class_weight(weight: Any, label: Any, *, ignore_index: int = -100) -> Any:
    """The weight of each label's class, 0 for an ignored label."""
    if label.dtype.kind not in "iu":
        raise DTypeError(f"labels must be integers, got {label.dtype}")
    only_floating(weight)
    if weight.ndim != 1:
        raise ShapeError(f"the weights have shape {list(weight.shape)}, not [C]")
    ignored = label == ignore_index
    # An ignored label may be any number, -100 by default: no index.
    kept = np.where(ignored, 0, label)
    if not in_range(kept, len(weight)) and label.size:
        raise OutOfRangeError(f"labels must be >= 0 and < {len(weight)}")
    return np.where(ignored, 0, weight[kept] if len(weight) else 0).astype(weight.dtype)


@class_weight.grad(of=("weight",))
def class_weight_grad(dout: Any, weight: Like, label: Any, *, ignore_index: int) -> Any:
    """dweight[c] = the sum of dout where the label is c, and is not ignored."""
    counted = label != ignore_index
    at, added = reshape2(label * counted, shape=[-1]), reshape2(dout, shape=[-1])
    kept = added * reshape2(counted, shape=[-1])
    return index_add(fill_any_like(weight, value=0.0), kept, at, axis=0)


@op(outputs=("out", "total_weight"), needs="X [N, C, ...] and integer labels [N, ...]")
def nll_loss(
    x: Any,
    label: Any,
    weight: Any = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    """out = -weight[label] x[label]: the weighted mean, the sum, or each.

    The second output is the total weight of the labels that are not ignored.
    """
    only_floating(x)
    if x.ndim < 2 or label.ndim != x.ndim - 1:
        raise ShapeError(f"labels {list(label.shape)} do not fit to {list(x.shape)}")
    where, _ = where_labelled(x, np.expand_dims(label, 1), 1, ignore_index)
    weights = np.ones(x.shape[1], x.dtype) if weight is None else weight
    share = class_weight.kernel(weights, label, ignore_index=ignore_index)
    loss, total = -(x[where].squeeze(1) * share).astype(x.dtype), share.sum()
    if reduction == "none":
        return loss, total
    if reduction not in ("mean", "sum"):
        raise InvalidValueError(f"reduction {reduction!r} is none")
    return loss.sum() / (divisor(total) if reduction == "mean" else 1), total


def divisor(total: Any) -> Any:
    """Replace a total of 0 by 1, so that the mean of nothing is 0."""
    return total + (total == 0)


@nll_loss.grad(of=("x",))
def nll_loss_grad(
    dout: Any,
    x: Like,
    label: Any,
    weight: Any,
    total_weight: Any,
    *,
    ignore_index: int,
    reduction: str,
) -> Any:
    """dx[label] = -dout weight[label], divided by the total weight for a mean."""
    if dout is None:
        return fill_any_like(x, value=0.0)  # labels alone make the total weight
    if reduction == "mean":
        dout = dout / divisor(total_weight)
    if weight is None:
        dout = dout * (label != ignore_index)
    else:
        dout = dout * class_weight(weight, label, ignore_index=ignore_index)
    at = {"axis": 1, "ignore_index": ignore_index}
    return reduce_to(
        place(-unsqueeze2(dout, axes=[1]), x, unsqueeze2(label, axes=[1]), **at),
        x,
    )
