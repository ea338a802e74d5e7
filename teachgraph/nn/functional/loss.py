"""Losses: how far a prediction is off."""

from __future__ import annotations

from typing import Any

from teachgraph.errors import InvalidValueError, at_user_line
from teachgraph.ops import elementwise, math, reduce, shape
from teachgraph.ops import softmax as softmaxes
from teachgraph.static import Variable, naming

__all__ = [
    "cross_entropy",
    "mse_loss",
    "softmax_with_cross_entropy",
    "square_error_cost",
]


def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """loss = log sum exp(logits) - logits[label], for each row.

    Args:
        logits: [N, C].
        label: Integers [N, 1]; with `soft_label` distributions [N, C].
        soft_label: Whether the label is a distribution.
        ignore_index: A label whose row does not count.
        numeric_stable_mode: Accepted for Paddle's sake; it is always stable.
        return_softmax: Return (loss, softmax).
        axis: Along which the classes lie.

    Returns:
        The loss [N, 1].
    """
    probability, loss = softmaxes.softmax_with_cross_entropy(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    return (loss, probability) if return_softmax else loss


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
    """The mean of log sum exp(input) - input[label]: softmax and its loss in one.

    Args:
        input: Logits [N, C].
        label: Integers [N] or [N, 1]; with `soft_label` distributions [N, C].
        weight: A weight for each class; not built yet.
        ignore_index: A label whose row does not count, in the sum or in the mean.
        reduction: "mean", "sum" or "none".
        soft_label: Whether the label is a distribution.
        axis: Along which the classes lie.
        use_softmax: False for probabilities; not built yet.
        label_smoothing: Not built yet.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: An argument that is not built yet, or an unknown reduction.

    In Paddle this is `paddle.nn.functional.cross_entropy`.
    """
    refuse(
        "cross_entropy",
        weight=weight is not None,
        use_softmax=not use_softmax,
        label_smoothing=label_smoothing != 0.0,
    )
    if not soft_label and label.ndim == input.ndim - 1:
        label = shape.unsqueeze2(label, axes=[axis])
    loss = softmax_with_cross_entropy(
        input, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    if reduction == "mean" and ignore_index >= 0 and not soft_label:
        counted = elementwise.not_equal(label, constant_like(label, ignore_index))
        total = reduce.reduce_sum(counted.astype("float32"), reduce_all=True)
        return elementwise.elementwise_div(
            reduce.reduce_sum(loss, reduce_all=True), total
        )
    return reduced(loss, reduction)


def constant_like(x: Any, value: float) -> Any:
    """A number beside `x`, in its dtype."""
    return x.constant(value, x.dtype) if hasattr(x, "constant") else x.dtype.type(value)


def refuse(function: str, **given: bool) -> None:
    """Raise for an argument that has no effect yet, rather than ignore it."""
    for name, is_given in given.items():
        if is_given:
            raise InvalidValueError(
                at_user_line(f"{function}: the argument {name!r} is not built yet")
            )


def reduced(loss: Any, reduction: str) -> Any:
    """The mean or sum of a loss, or the loss itself."""
    if reduction == "mean":
        return reduce.reduce_mean(loss, reduce_all=True)
    if reduction == "sum":
        return reduce.reduce_sum(loss, reduce_all=True)
    if reduction == "none":
        return loss
    raise InvalidValueError(
        at_user_line(f"reduction is 'mean', 'sum' or 'none', got {reduction!r}")
    )


def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label)^2, element by element.

    In Paddle this is `paddle.nn.functional.square_error_cost`.
    """
    if isinstance(input, Variable):
        with naming.layer("square_error_cost"):
            return math.square(elementwise.elementwise_sub(input, label))
    return math.square(elementwise.elementwise_sub(input, label))


def mse_loss(
    input: Any, label: Any, reduction: str = "mean", name: str | None = None
) -> Any:
    """The mean of (input - label)^2.

    In Paddle this is `paddle.nn.functional.mse_loss`.
    """
    difference = elementwise.elementwise_sub(input, label)
    return reduced(math.square(difference), reduction)
