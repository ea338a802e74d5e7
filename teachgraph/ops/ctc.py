"""Connectionist temporal classification (CTC): a loss for unaligned sequences.

At each time step a path emits a class or the blank; repeats are merged, then blanks are
removed. The loss is -log of the total probability of all paths that yield the label,
computed by dynamic programming over the positions of the label with blanks around and
between (Graves et al. 2006). All probabilities are logarithms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import all_in_range as in_range
from teachgraph.ops.activation import only_floating
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.shape import unsqueeze2
from teachgraph.ops.softmax import log_softmax

__all__ = ["warpctc"]

NEVER = -np.inf


class Paths(NamedTuple):
    """Lattice of the paths of a batch.

    Attributes:
        emitted: log p of each position's class at each time, [T, B, S].
        spelt: The class of each position, [B, S]: blank, first label, blank, ...
        skips: True if the blank before a position may be skipped, [B, S].
        final: log 1 where a path may end, log 0 elsewhere, [B, S].
        lengths: The number of time steps of each sequence, [B].
    """

    emitted: Any
    spelt: Any
    skips: Any
    final: Any
    lengths: Any


def paths(
    log_p: Any, label: Any, lengths: Any, label_lengths: Any, blank: int
) -> Paths:
    """Build the lattice of the labels; S = 2 L + 1."""
    batch, longest = label.shape
    spelt = np.full((batch, 2 * longest + 1), blank)
    spelt[:, 1::2] = np.where(np.arange(longest) < label_lengths[:, None], label, blank)
    # The blank between two equal labels is needed: without it they would be merged.
    skips = np.zeros(spelt.shape, bool)
    skips[:, 2:] = (spelt[:, 2:] != blank) & (spelt[:, 2:] != spelt[:, :-2])
    # A path ends with the last label, or with the blank after it.
    behind = 2 * label_lengths[:, None] - np.arange(spelt.shape[1])
    final = np.where((behind == 0) | (behind == 1), 0.0, NEVER).astype(log_p.dtype)
    emitted = np.take_along_axis(log_p, spelt[None], axis=2)
    return Paths(emitted, spelt, skips, final, lengths)


def shifted(x: Any, by: int) -> Any:
    """Shift `x` [B, S] along the positions, filled with log 0."""
    out = np.full_like(x, NEVER)
    if by > 0:
        out[:, by:] = x[:, :-by]
    else:
        out[:, :by] = x[:, -by:]
    return out


def forward(p: Paths) -> Any:
    """Forward variables: log p of the prefixes that end at a position, [T, B, S]."""
    alpha = np.full_like(p.emitted, NEVER)
    # A path begins with the blank or with the first label.
    alpha[0, :, :2] = p.emitted[0, :, :2]
    for t in range(1, len(alpha)):
        stay, step = alpha[t - 1], shifted(alpha[t - 1], 1)
        skip = np.where(p.skips, shifted(alpha[t - 1], 2), NEVER)
        alpha[t] = np.logaddexp(np.logaddexp(stay, step), skip) + p.emitted[t]
    return alpha


def backward(p: Paths) -> Any:
    """Backward variables: log p of the suffixes after a position, [T, B, S]."""
    beta = np.full_like(p.emitted, NEVER)
    ends = p.lengths[:, None] - 1
    for t in reversed(range(len(beta))):
        if t + 1 < len(beta):
            stay = beta[t + 1] + p.emitted[t + 1]
            skip = shifted(np.where(p.skips, stay, NEVER), -2)
            beta[t] = np.logaddexp(np.logaddexp(stay, shifted(stay, -1)), skip)
        # Each sequence ends at a time of its own, after which no path goes on.
        beta[t] = np.where(t == ends, p.final, np.where(t < ends, beta[t], NEVER))
    return beta


def occupancy(p: Paths, alpha: Any, total: Any, classes: int) -> Any:
    """Compute the posterior of each class at each time, [T, B, C]."""
    at_position = np.exp(alpha + backward(p) - total[:, None])
    steps, batch, _ = alpha.shape
    said = np.zeros((steps, batch, classes), alpha.dtype)
    times, sequences = np.ogrid[:steps, :batch]
    where = (times[..., None], sequences[..., None], p.spelt[None])
    # A class occurs at several positions, the blank at every other one.
    np.add.at(said, where, at_position)
    return said


def check_shapes(logits: Any, label: Any, *lengths: Any) -> None:
    """Check shapes and dtypes.

    Raises:
        DTypeError: The logits are not floating, or labels or lengths no integers.
        ShapeError: The batches differ, or there is no time step.
    """
    only_floating(logits)
    for x in (label, *lengths):
        if x.dtype.kind not in "iu":
            raise DTypeError(f"labels and lengths are integers, got {x.dtype}")
    if len(logits.shape) != 3 or len(label.shape) != 2 or not logits.shape[0]:
        raise ShapeError("logits [T, B, C] with T > 0 need labels [B, L]")
    batch = logits.shape[1]
    for x, more in ((label, label.shape[1:]), *((x, ()) for x in lengths)):
        if tuple(x.shape) != (batch, *more):
            raise ShapeError(f"{list(x.shape)} does not fit to a batch of {batch}")


def check_values(
    logits: Any, label: Any, lengths: Any, label_lengths: Any, blank: int
) -> None:
    """Check the ranges of lengths, labels and the blank.

    Raises:
        InvalidValueError: A value is out of range.
    """
    steps, _, classes = logits.shape
    for x, least, most in ((lengths, 1, steps), (label_lengths, 0, label.shape[1])):
        if x.size and not least <= x.min() <= x.max() <= most:
            raise InvalidValueError(f"lengths are expected from {least} to {most}")
    if not 0 <= blank < classes:
        raise InvalidValueError(f"the blank is expected >= 0 and < {classes}")
    used = np.arange(label.shape[1]) < label_lengths[:, None]
    # Behind its end a label may hold anything.
    if not in_range(np.where(used, label, 0), classes):
        raise InvalidValueError(f"labels are expected >= 0 and < {classes}")


@op(
    outputs=("loss", "warpctc_grad"),
    needs="logits [T, B, C], labels [B, L], and lengths of both [B]",
)
def warpctc(
    logits: Any,
    label: Any,
    logits_length: Any,
    label_length: Any,
    *,
    blank: int = 0,
    norm_by_times: bool = False,
) -> Any:
    """loss = -log of the probability of all paths that yield the label, [B, 1].

    Softmax is applied first. The second output is the gradient, softmax(logits) minus
    the posterior of each class, and 0 after a sequence's end. A label that is too long
    has the loss inf, and its gradient is NaN.
    """
    check_shapes(logits, label, logits_length, label_length)
    check_values(logits, label, logits_length, label_length, blank)
    log_p = log_softmax.kernel(logits)
    p = paths(log_p, label, logits_length, label_length, blank)
    alpha = forward(p)
    ends = alpha[logits_length - 1, np.arange(len(label))] + p.final
    total = np.logaddexp.reduce(ends, axis=1)
    slope = np.exp(log_p) - occupancy(p, alpha, total, logits.shape[2])
    slope = np.where(total[:, None] > NEVER, slope, np.nan)
    running = np.arange(len(logits))[:, None] < logits_length
    return -total[:, None], np.where(running[..., None], slope, 0)


@warpctc.infers
def infer_warpctc(
    logits: Like, label: Like, logits_length: Like, label_length: Like, **_: Any
) -> Any:
    """[B, 1], and the shape of the logits."""
    check_shapes(logits, label, logits_length, label_length)
    return ((logits.shape[1], 1), logits.dtype), (logits.shape, logits.dtype)


@warpctc.grad(of=("logits",))
def warpctc_grad(
    dloss: Any,
    dwarpctc_grad: Any,
    logits_length: Any,
    warpctc_grad: Any,
    *,
    norm_by_times: bool,
) -> Any:
    """dlogits = dloss times the gradient computed with the loss.

    With `norm_by_times` it is divided by the number of time steps; the loss is not.
    """
    if dwarpctc_grad is not None:
        raise InvalidValueError("warpctc has no second derivative")
    if norm_by_times:
        dloss = elementwise_div(dloss, unsqueeze2(logits_length, axes=[1]))
    return unsqueeze2(dloss, axes=[0]) * warpctc_grad
