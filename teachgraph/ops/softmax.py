"""Softmax, log-softmax and cross entropy losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, Traced, op
from teachgraph.core.ops import (
    FLOATING,
    LABELS,
    reduce_sum,
    through_softmax,
    where_labelled,
)
from teachgraph.ops.adjoints import unless_ignored
from teachgraph.ops.math import exp

__all__ = [
    "cross_entropy2",
    "log_softmax",
    "pick",
    "place",
    "softmax",
]


@op(needs=FLOATING)
def softmax(x: Any, *, axis: int = -1) -> Any:
    """out = exp(x) / sum exp(x) along `axis`, shifted by the maximum first."""
    if not x.size:
        # The maximum of nothing is an error in NumPy.
        return np.array(x)
    power = np.exp(x - shift(x, axis), casting="equiv")
    return power / np.add.reduce(power, axis=axis, keepdims=True)


MANY = 1 << 12
"""Elements from which on looking at all of them is worth its two calls."""

SPREAD = {"e": 4.0, "f": 40.0, "d": 350.0}
"""Differences whose exponential is far from underflow, for each dtype."""


def shift(x: Any, axis: int) -> Any:
    """Return the maximum along `axis`, or that of all x if the smallest is not far off.

    In many short rows NumPy takes longer to find each maximum than for all the rest.
    """
    if x.size >= MANY:
        largest = np.maximum.reduce(x, axis=None)
        if largest - np.minimum.reduce(x, axis=None) < SPREAD.get(x.dtype.char, 0.0):
            return largest
    return np.maximum.reduce(x, axis=axis, keepdims=True)


@softmax.grad
def softmax_grad(dout: Any, out: Any, *, axis: int) -> Any:
    """dx = out (dout - sum(dout out))."""
    last = len(out.shape) - 1
    traced = isinstance(dout, Traced) or isinstance(out, Traced)
    if axis in (-1, last) and last >= 0 and not traced:
        # `vecdot` sums the products without an array of them.
        return out * (dout - np.vecdot(dout, out)[..., None])
    return through_softmax(dout, out, axis)


@op(needs=FLOATING)
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """out = x - log sum exp(x) along `axis`, shifted by the maximum first."""
    shifted = x - np.maximum.reduce(x, axis=axis, keepdims=True)
    power = np.exp(shifted, casting="equiv")
    return shifted - np.log(np.add.reduce(power, axis=axis, keepdims=True))


@log_softmax.grad
def log_softmax_grad(dout: Any, out: Any, *, axis: int) -> Any:
    """dx = dout - exp(out) sum(dout)."""
    # A scalar has no axis to sum over.
    dim = [axis] if len(out.shape) else []
    return dout - exp(out) * reduce_sum(dout, dim=dim, keep_dim=True)


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


@op(outputs=("y", "match_x"), needs="probabilities and " + LABELS)
def cross_entropy2(x: Any, label: Any, *, ignore_index: int = -100) -> Any:
    """y = -log x[label], for probabilities x; log 0 counts as -1e20.

    The 1.x loss: `match_x`, the probability of the right class, is saved for backward.
    """
    where, ignored = where_labelled(x, label, -1, ignore_index)
    match = x[where]
    if ignored is not None:
        # log 1 is 0: an ignored label has no loss, and no division by 0 in backward.
        match[ignored] = 1
    # x[where] is a copy, so x itself keeps its values.
    logarithm = np.log(match, casting="equiv")
    return -np.maximum(logarithm, x.dtype.type(-1e20)), match


@cross_entropy2.grad(of=("x",))
def cross_entropy_grad2(
    dy: Any, dmatch_x: Any, match_x: Any, x: Like, label: Any, *, ignore_index: int
) -> Any:
    """dx[label] = -dy / match_x, plus the gradient of match_x itself."""
    slope = 0.0 if dy is None else -dy / match_x
    slope = slope if dmatch_x is None else slope + dmatch_x
    slope = unless_ignored(slope, label, ignore_index)
    return place(slope, x, label, ignore_index=ignore_index)
