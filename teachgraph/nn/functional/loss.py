"""Losses of predictions: squared, absolute, binary, divergence, focal, dice, CTC.

Those of classes are in `cross_entropy.py`, those of pairs in `pairs.py`. Most are
compositions of ops; one that would overflow when composed, or for which Paddle has an
op, is a single op.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import ops
from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.nn.functional.cross_entropy import (
    cross_entropy,
    nll_loss,
    softmax_with_cross_entropy,
)
from teachgraph.nn.functional.pairs import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    npair_loss,
    triplet_margin_loss,
)
from teachgraph.nn.functional.reduction import check_reduction, reduced
from teachgraph.ops import activation, creation, ctc, elementwise, losses, math, naming
from teachgraph.ops import softmax as softmaxes
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.static.variable import Variable

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dice_loss",
    "hinge_embedding_loss",
    "kl_div",
    "l1_loss",
    "log_loss",
    "margin_ranking_loss",
    "mse_loss",
    "multi_label_soft_margin_loss",
    "nll_loss",
    "npair_loss",
    "sigmoid_focal_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax_with_cross_entropy",
    "square_error_cost",
    "triplet_margin_loss",
]


def square_error_cost(input: Any, label: Any) -> Any:
    """Compute (input - label)^2, element by element.

    In Paddle this is `paddle.nn.functional.square_error_cost`.
    """
    if isinstance(input, Variable):
        with naming.layer("square_error_cost"):
            return math.square(elementwise.elementwise_sub(input, label))
    return math.square(elementwise.elementwise_sub(input, label))


def mse_loss(
    input: Any, label: Any, reduction: str = "mean", name: str | None = None
) -> Any:
    """Compute the mean of (input - label)^2.

    In Paddle this is `paddle.nn.functional.mse_loss`.
    """
    difference = elementwise.elementwise_sub(input, label)
    return reduced(math.square(difference), reduction)


def l1_loss(
    input: Any, label: Any, reduction: str = "mean", name: str | None = None
) -> Any:
    """Compute the mean of |input - label|.

    In Paddle this is `paddle.nn.functional.l1_loss`.

    >>> import numpy as np
    >>> l1_loss(np.array([1.0, -2.0]), np.zeros(2))
    np.float64(1.5)
    """
    return reduced(math.abs_(elementwise.elementwise_sub(input, label)), reduction)


def smooth_l1_loss(
    input: Any,
    label: Any,
    reduction: str = "mean",
    delta: float = 1.0,
    name: str | None = None,
) -> Any:
    """Compute the mean of r^2 / 2 where |r| <= delta, else of delta (|r| - delta / 2).

    Here r = input - label: quadratic near 0, linear further out (Huber's loss).

    In Paddle this is `paddle.nn.functional.smooth_l1_loss`.

    >>> import numpy as np
    >>> smooth_l1_loss(np.array([0.5, 3.0]), np.zeros(2), reduction="none")
    array([0.125, 2.5  ])
    """
    check_reduction(reduction)
    return reduced(losses.huber_loss(input, label, delta=float(delta))[1], reduction)


def binary_cross_entropy(
    input: Any,
    label: Any,
    weight: Any = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of -label log input - (1 - label) log(1 - input).

    No logarithm is below -100, so a probability of 0 or 1 gives no infinity.

    Args:
        input: Probabilities.
        label: Floating numbers between 0 and 1, in the shape of `input`.
        weight: Factors of the losses; they broadcast.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: A probability below 0 or above 1.
        ShapeError: The label has another shape.

    In Paddle this is `paddle.nn.functional.binary_cross_entropy`.

    >>> import numpy as np
    >>> binary_cross_entropy(np.array([0.5]), np.array([1.0])).round(4)
    np.float64(0.6931)
    """
    check_reduction(reduction)
    loss = losses.bce_loss(input, label)
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(
    logit: Any,
    label: Any,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
    name: str | None = None,
) -> Any:
    """Compute the mean of -p label log s - (1 - label) log(1 - s), s = sigmoid(logit).

    Args:
        logit: Any numbers.
        label: Floating numbers between 0 and 1, in the shape of `logit`.
        weight: Factors of the losses; they broadcast.
        reduction: "mean", "sum" or "none".
        pos_weight: The weight p of positives; it broadcasts.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The label has another shape, or the weights do not broadcast.

    In Paddle this is `paddle.nn.functional.binary_cross_entropy_with_logits`.

    >>> import numpy as np
    >>> binary_cross_entropy_with_logits(np.array([1000.0]), np.array([0.0]))
    np.float64(1000.0)
    """
    check_reduction(reduction)
    positive = None if pos_weight is None else label * (pos_weight - 1.0) + 1.0
    loss = losses.sigmoid_cross_entropy_with_logits(logit, label, positive)
    return reduced(loss if weight is None else loss * weight, reduction)


def kl_div(
    input: Any,
    label: Any,
    reduction: str = "mean",
    log_target: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the mean of label (log label - input), the Kullback-Leibler divergence.

    Args:
        input: Logarithms of probabilities.
        label: Probabilities in the same shape.
        reduction: "mean", "sum", "none", or "batchmean": the sum over the size of the
            first dimension, which is the divergence in its mathematical definition.
        log_target: The label holds logarithms, too.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The label has another shape.

    In Paddle this is `paddle.nn.functional.kl_div`.

    >>> import numpy as np
    >>> kl_div(np.log([0.5, 0.5]), np.array([1.0, 0.0]), "sum").round(4)
    np.float64(0.6931)
    """
    check_reduction(reduction, "batchmean")
    if log_target:
        loss = math.exp(label) * elementwise.elementwise_sub(label, input)
    else:
        loss = losses.kldiv_loss(input, label)
    if reduction != "batchmean":
        return reduced(loss, reduction)
    # A mean at the end: in a program the size of the batch may be unknown.
    if loss.ndim > 1:
        loss = ops.reduce_sum(loss, dim=list(range(1, loss.ndim)))
    return reduced(loss, "mean")


def check_labels(name: str, input: Any, label: Any) -> None:
    """Require a label for each element, as far as the sizes are known.

    Raises:
        ShapeError: The shapes differ.
    """
    if len(input.shape) != len(label.shape) or not all(
        size in (other, -1) or other == -1
        for size, other in zip(input.shape, label.shape, strict=True)
    ):
        message = f"labels of shape {list(label.shape)} for {list(input.shape)}"
        raise ShapeError.here(f"{name}: {message}")


def soft_margin_loss(
    input: Any, label: Any, reduction: str = "mean", name: str | None = None
) -> Any:
    """Compute the mean of log(1 + exp(-label input)), for labels 1 and -1.

    Raises:
        ShapeError: The labels are not shaped as the input.

    In Paddle this is `paddle.nn.functional.soft_margin_loss`.
    """
    check_reduction(reduction)
    check_labels("soft_margin_loss", input, label)
    return reduced(-activation.logsigmoid(input * label), reduction)


def multi_label_soft_margin_loss(
    input: Any,
    label: Any,
    weight: Any = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the class mean of -y log s - (1 - y) log(1 - s), s = sigmoid(input).

    Args:
        input: [N, C].
        label: 1 for each class that is present, else 0, [N, C].
        weight: A weight for each class, [C].
        reduction: "mean", "sum" or "none", over the N means.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The labels are not shaped as the input.
    """
    check_reduction(reduction)
    check_labels("multi_label_soft_margin_loss", input, label)
    yes, no = activation.logsigmoid(input), activation.logsigmoid(-input)
    loss = -(yes * label + no * (1.0 - label))
    loss = loss if weight is None else loss * weight
    return reduced(ops.reduce_mean(loss, dim=[-1]), reduction)


def log_loss(
    input: Any, label: Any, epsilon: float = 1e-4, name: str | None = None
) -> Any:
    """Compute -label log(input + epsilon) - (1 - label) log(1 - input + epsilon).

    Args:
        input: Probabilities [N, 1].
        label: 0.0 or 1.0, [N, 1].
        epsilon: Keeps the logarithms finite.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.log_loss`.
    """
    return losses.log_loss(input, label, epsilon=float(epsilon))


def sigmoid_focal_loss(
    logit: Any,
    label: Any,
    normalizer: Any = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: str | None = None,
) -> Any:
    """Compute the sum of a (1 - t)^gamma CE, which gives easy examples a low weight.

    CE is the cross entropy, t the probability of the right answer, and a is alpha for
    positives, 1 - alpha for negatives.

    Args:
        logit: [N, C].
        label: 0.0 or 1.0, [N, C].
        normalizer: The divisor of each loss, such as the number of objects.
        alpha: The weight of positives.
        gamma: The focusing exponent.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Source: Lin et al. 2017, https://arxiv.org/abs/1708.02002. In Paddle this is
    `paddle.nn.functional.sigmoid_focal_loss`.
    """
    check_reduction(reduction)
    entropy = losses.sigmoid_cross_entropy_with_logits(logit, label, None)
    probability = math.sigmoid(logit)
    right = probability * label + (1.0 - probability) * (1.0 - label)
    weight = label * alpha + (1.0 - label) * (1.0 - alpha)
    loss = (1.0 - right) ** float(gamma) * (weight * entropy)
    return reduced(loss if normalizer is None else loss / normalizer, reduction)


def dice_loss(
    input: Any, label: Any, epsilon: float = 1e-5, name: str | None = None
) -> Any:
    """Compute the mean of 1 - 2 |A and B| / (|A| + |B|), for segmentation.

    Args:
        input: Probabilities of the classes, [N, ..., C].
        label: Integers [N, ..., 1].
        epsilon: Keeps the quotient finite.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.dice_loss`.
    """
    if label.dtype.kind not in "iu":
        raise DTypeError.here(f"labels are integers, not {label.dtype}")
    ones = creation.fill_any_like(label, value=1.0).astype(input.dtype)
    wanted = softmaxes.place(ones, input, label)
    inner = list(range(1, input.ndim))
    common = ops.reduce_sum(input * wanted, dim=inner)
    both = ops.reduce_sum(input, dim=inner) + ops.reduce_sum(wanted, dim=inner)
    return reduced(1.0 - common * 2.0 / (both + epsilon), "mean")


def ctc_loss(
    log_probs: Any,
    labels: Any,
    input_lengths: Any,
    label_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
) -> Any:
    """Compute the CTC loss: -log of the probability of all paths that yield a label.

    Args:
        log_probs: Logits [T, B, C], or log-probabilities: softmax is applied.
        labels: Integers [B, L]; elements after a label's length are ignored.
        input_lengths: The number of time steps of each sequence, [B].
        label_lengths: The length of each label, [B].
        blank: The class of the blank.
        reduction: "mean", which divides each loss by the length of its label first,
            "sum" or "none".
        norm_by_times: Divide the gradient, but not the loss, by the time steps.

    Returns:
        One number, or [B]. A label that is too long has the loss inf.

    Raises:
        InvalidValueError: Lengths or labels out of range.
        ShapeError: Batches that differ.
        DTypeError: Labels or lengths that are no integers.

    Source: Graves et al. 2006. In Paddle this is `paddle.nn.functional.ctc_loss`.

    >>> import numpy as np
    >>> logits, one = np.zeros((2, 1, 3)), np.array([1])
    >>> ctc_loss(logits, np.array([[2]]), np.array([2]), one).round(4)  # 3 ways of 9
    np.float64(1.0986)
    """
    check_reduction(reduction)
    attrs = {"blank": blank, "norm_by_times": norm_by_times}
    loss, _ = ctc.warpctc(log_probs, labels, input_lengths, label_lengths, **attrs)
    loss = ops.reshape_as(loss, input_lengths)
    if reduction == "mean":
        # An empty label has length 0.
        least = np.ones((), label_lengths.dtype)
        letters = elementwise.elementwise_max(label_lengths, least)
        loss = elementwise_div(loss, letters)
    return reduced(loss, reduction)
