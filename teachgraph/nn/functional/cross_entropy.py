"""Cross entropy and negative log-likelihood losses.

Labels are classes or distributions; classes may be weighted, smoothed or ignored.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from teachgraph.core import ops
from teachgraph.core.op import Op
from teachgraph.nn.functional.reduction import (
    REDUCE,
    check_reduction,
    mean_of_weighted,
)
from teachgraph.ops import creation, elementwise, losses, math
from teachgraph.ops import shape as shapes
from teachgraph.ops import softmax as softmaxes
from teachgraph.ops.shape import transpose2, unsqueeze2
from teachgraph.static.variable import Variable

__all__ = ["cross_entropy", "nll_loss", "softmax_with_cross_entropy"]

NOTHING_IGNORED = -100


def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Compute loss = log sum exp(logits) - logits[label], for each row.

    Args:
        logits: [N, C], or any shape with the classes along `axis`.
        label: Integers [N, 1]; with `soft_label` distributions [N, C].
        soft_label: The label is a distribution.
        ignore_index: A label whose row does not count.
        numeric_stable_mode: Accepted for Paddle's sake; it is always stable.
        return_softmax: Return (loss, softmax).
        axis: The axis of the classes.

    Returns:
        The loss [N, 1].
    """
    probability, loss = ops.softmax_with_cross_entropy(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    return (loss, probability) if return_softmax else loss


with_classes = partial(Op.__call__, unsqueeze2)
"""Labels with a dimension of the classes, of which nobody needs to know as a view."""


def cross_entropy(
    input: Any,
    label: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: str | None = None,
) -> Any:
    """Compute the mean of log sum exp(input) - input[label]: softmax and its loss.

    With weights the mean is the sum of the weighted losses over the sum of the weights.
    Ignored labels are left out of it; in a Program only if `ignore_index` is not the
    default, for which a Program does not search, as in Paddle.

    Args:
        input: Logits [N, C], or [N, C, d1, d2] with `axis=1` and the like.
        label: Integers [N] or [N, 1], as `input` without the classes or with 1 of them;
            with `soft_label` distributions in the shape of `input`.
        weight: A weight for each class, [C]. A distribution has the mean of its
            classes' weights.
        ignore_index: A label whose row is left out of the sum and the mean.
        reduction: "mean", "sum" or "none", which gives a loss in the shape of `label`;
            of smoothed labels, as of distributions, with 1 class.
        soft_label: The label is a distribution.
        axis: The axis of the classes.
        use_softmax: False where `input` holds probabilities already.
        label_smoothing: The weight that is spread evenly over all classes.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: A label out of range, or an unknown reduction.
        DTypeError: Labels that are no integers, without `soft_label`.
        ShapeError: Labels that do not fit.

    In Paddle this is `paddle.nn.functional.cross_entropy`.

    >>> import numpy as np
    >>> cross_entropy(np.zeros((1, 4)), np.array([2])).round(4)
    np.float64(1.3863)
    """
    if reduction not in REDUCE:
        check_reduction(reduction)
    hard = not soft_label
    if label_smoothing and label.dtype.kind == "f":
        hard = False  # one-hot rows, which smoothing makes distributions
    narrow = hard and label.ndim == input.ndim - 1
    target = with_classes(label, axes=[axis]) if narrow else label
    counted = None
    if hard and may_ignore(target, ignore_index):
        counted = (target != ignore_index).astype(input.dtype)
    if label_smoothing:
        target = smoothed(input, target, hard, label_smoothing, axis, ignore_index)
        soft_label = True
    if use_softmax:
        _, loss = ops.softmax_with_cross_entropy(
            input, target, soft_label=soft_label, ignore_index=ignore_index, axis=axis
        )
    else:
        loss = cross_entropy_of_probabilities(
            input, target, soft_label, ignore_index, axis
        )
    if weight is not None or counted is not None:
        share = position_weights(
            target, weight, counted, soft_label, axis, ignore_index
        )
        loss = loss * share
        if reduction == "mean":
            return mean_of_weighted(loss, share)
    if narrow and not label_smoothing and reduction == "none":
        return shapes.squeeze2(loss, axes=[axis])
    return REDUCE[reduction](loss)


def may_ignore(label: Any, ignore_index: int) -> bool:
    """True if a label may be ignored; a Program does not search for the default."""
    if ignore_index != NOTHING_IGNORED:
        return True
    if isinstance(label, Variable):
        return False
    array = label if isinstance(label, np.ndarray) else label.data
    return array.size > 0 and array.item(array.argmin()) <= ignore_index


def smoothed(
    input: Any, label: Any, hard: bool, epsilon: float, axis: int, ignore_index: int
) -> Any:
    """Compute (1 - epsilon) p + epsilon / C, with p the distribution or one-hot."""
    if hard:
        ones = creation.fill_any_like(label, value=1.0).astype(input.dtype)
        at = {"axis": axis, "ignore_index": ignore_index}
        label = softmaxes.place(ones, input, label, **at)
    return label * (1.0 - epsilon) + epsilon / input.shape[axis]


def position_weights(
    target: Any, weight: Any, counted: Any, soft: bool, axis: int, ignore_index: int
) -> Any:
    """Compute the weight of each position; None if all are 1."""
    if weight is None:
        return counted
    if not soft:
        return losses.class_weight(weight, target, ignore_index=ignore_index)
    along = axis % target.ndim
    weighted = ops.elementwise_mul(target, weight, axis=along)
    share = ops.reduce_sum(weighted, dim=[along], keep_dim=True)
    return share if counted is None else share * counted


def cross_entropy_of_probabilities(
    input: Any, label: Any, soft_label: bool, ignore_index: int, axis: int
) -> Any:
    """Compute -log input[label], or -sum label log input, with finite logarithms."""
    if soft_label:
        least = np.asarray(np.finfo(input.dtype).tiny, input.dtype)
        logarithm = math.log(elementwise.elementwise_max(input, least))
        return -ops.reduce_sum(label * logarithm, dim=[axis], keep_dim=True)
    last = swapped(axis, input.ndim)
    input, label = (transpose2(x, axis=last) for x in (input, label))
    loss, _ = softmaxes.cross_entropy2(input, label, ignore_index=ignore_index)
    return transpose2(loss, axis=last)


def swapped(axis: int, ndim: int) -> list[int]:
    """Compute the permutation that swaps an axis with the last one."""
    order = list(range(ndim))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def nll_loss(
    input: Any,
    label: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of -input[label], for log-probabilities.

    Args:
        input: [N, C] or [N, C, d1, d2, ...].
        label: Integers [N], [N, 1] or [N, d1, d2, ...].
        weight: A weight for each class, [C]: the mean divides by their sum.
        ignore_index: A label to ignore.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: A label out of range, or an unknown reduction.
        DTypeError: Labels that are no integers.
        ShapeError: Labels that do not fit.

    In Paddle this is `paddle.nn.functional.nll_loss`.

    >>> import numpy as np
    >>> nll_loss(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([1, 0]))
    np.float64(2.5)
    """
    check_reduction(reduction)
    attrs = {"ignore_index": ignore_index, "reduction": reduction}
    if len(input.shape) == len(label.shape) == 2 and label.shape[1] == 1:
        label = label[:, 0]
    return losses.nll_loss(input, label, weight, **attrs)[0]
