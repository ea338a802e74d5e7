"""Losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case
from tests.ops.values import integers, numbers
from tests.oracle.functions.function import Function, functional

X, Y, Z = numbers(4, 3), numbers(4, 3, start=40), numbers(4, 3, start=70)
P, Q = (numbers(4, 3, low=0.1, high=0.9, start=start) for start in (1, 50))
LABEL = np.array([2, 0, 1, 1])
ZERO_ONE = (Q > 0.5).astype(float)
SIGNS = np.where(Q > 0.5, 1.0, -1.0)
SIDES = np.array([1.0, -1.0, -1.0, 1.0])
WEIGHT = np.array([0.5, 2.0, 1.5])
PICTURE, CLASSES = numbers(2, 3, 2, 2), integers(2, 2, 2, below=3)
SOFT = P / P.sum(axis=1, keepdims=True)


def reductions(
    *inputs: Array | None, constant: tuple[int, ...] = (), **attrs: Any
) -> tuple[Case, ...]:
    """A case for each reduction."""
    return tuple(
        Case(reduction, inputs, {**attrs, "reduction": reduction}, constant=constant)
        for reduction in ("mean", "sum", "none")
    )


def same(name: str, *cases: Case) -> Function:
    """A function that PyTorch has under the same name with the same arguments."""
    return Function(name, functional(name), functional(name), cases)


def taking(name: str, *keywords: str) -> Callable[..., Any]:
    """A function whose last inputs are arguments with these names."""

    def call(library: Any, *inputs: Any, **attrs: Any) -> Any:
        count = len(inputs) - len(keywords)
        named = dict(zip(keywords, inputs[count:], strict=True))
        return getattr(library.nn.functional, name)(*inputs[:count], **named, **attrs)

    return call


def classes_second(t: Any, x: Any, label: Any, axis: int) -> tuple[Any, Any]:
    """Logits and labels as PyTorch takes them: classes second, labels without them."""
    x = x.movedim(axis, 1)
    if label.is_floating_point():
        return x, label.movedim(axis, 1)
    return x, label.squeeze(axis) if label.ndim == x.ndim else label


def cross_entropy_in_torch(
    t: Any, x: Any, label: Any, weight: Any = None, axis: int = -1, **attrs: Any
) -> Any:
    attrs.pop("soft_label", None)
    x, target = classes_second(t, x, label, axis)
    loss = t.nn.functional.cross_entropy(x, target, weight, **attrs)
    keeps = label.ndim == x.ndim
    return loss.unsqueeze(axis) if keeps and attrs["reduction"] == "none" else loss


def of_distributions_in_torch(
    t: Any, x: Any, label: Any, weight: Any, reduction: str, smoothing: float = 0.0
) -> Any:
    """Paddle's weight of a distribution: the mean of its classes' weights."""
    if not label.is_floating_point():
        label = t.nn.functional.one_hot(label, 3).to(x.dtype)
    label = label * (1 - smoothing) + smoothing / x.shape[-1]
    share = (label * weight).sum(-1, keepdim=True)
    loss = -(label * x.log_softmax(-1)).sum(-1, keepdim=True) * share
    return {"mean": loss.sum() / share.sum(), "sum": loss.sum(), "none": loss}[
        reduction
    ]


def of_probabilities_in_torch(
    t: Any, p: Any, label: Any, weight: Any, axis: int, soft_label: bool = False
) -> Any:
    p, target = classes_second(t, p, label, axis)
    if soft_label:
        return -(target * p.log()).sum(1).mean()
    return t.nn.functional.nll_loss(p.log(), target, weight)


def named(label: str, *inputs: Array | None, **attrs: Any) -> Case:
    return Case(label, inputs, {"reduction": "mean", **attrs}, constant=(1, 2))


def focal_in_torch(
    t: Any, x: Any, y: Any, normalizer: Any, reduction: str = "sum", **attrs: float
) -> Any:
    alpha, gamma = attrs.get("alpha", 0.25), attrs.get("gamma", 2.0)
    entropy = t.nn.functional.binary_cross_entropy_with_logits(x, y, reduction="none")
    right = t.where(y == 1, x.sigmoid(), 1 - x.sigmoid())
    weight = alpha * y + (1 - alpha) * (1 - y)
    loss = weight * (1 - right) ** gamma * entropy
    loss = loss / (1.0 if normalizer is None else normalizer)
    return {"mean": loss.mean(), "sum": loss.sum(), "none": loss}[reduction]


def dice_in_torch(t: Any, p: Any, label: Any, epsilon: float = 1e-5) -> Any:
    wanted = t.nn.functional.one_hot(label.squeeze(-1), p.shape[-1])
    common = (p * wanted).flatten(1).sum(1)
    both = p.flatten(1).sum(1) + wanted.flatten(1).sum(1)
    return (1 - 2 * common / (both + epsilon)).mean()


def npair_in_torch(t: Any, x: Any, y: Any, label: Any, l2_reg: float = 0.002) -> Any:
    wanted = (label[:, None] == label[None, :]).to(x.dtype)
    wanted = wanted / wanted.sum(1, keepdim=True)
    entropy = -(wanted * (x @ y.T).log_softmax(1)).sum(1, keepdim=True)
    lengths = (x * x).sum(1).mean() + (y * y).sum(1).mean()
    return lengths * 0.25 * l2_reg + (wanted * entropy).sum(0).mean()


FAMILY = (
    Function(
        "cross_entropy",
        functional("cross_entropy"),
        cross_entropy_in_torch,
        (
            *reductions(X, LABEL),
            *(
                Case(f"{case.label}, labels [N, 1]", (X, LABEL[:, None]), case.attrs)
                for case in reductions(X, LABEL)
            ),
            named("weights", X, LABEL, WEIGHT),
            named("weights, the sum", X, LABEL, WEIGHT, reduction="sum"),
            named("weights, each", X, LABEL, WEIGHT, reduction="none"),
            named("class 1 ignored", X, LABEL, None, ignore_index=1),
            named("class 1 ignored, weights", X, LABEL, WEIGHT, ignore_index=1),
            named("-1 ignored", X, np.array([0, -1, 2, -1]), None, ignore_index=-1),
            named("pictures", PICTURE, CLASSES, WEIGHT, axis=1),
            named("pictures, each", PICTURE, CLASSES, None, axis=1, reduction="none"),
            named(
                "pictures, a dimension for the class",
                PICTURE,
                CLASSES[:, None],
                WEIGHT,
                axis=1,
                reduction="none",
            ),
            named("distributions", X, SOFT, None, soft_label=True),
            named(
                "distributions in columns", X.T, SOFT.T, None, soft_label=True, axis=0
            ),
            named("smoothed", X, LABEL, None, label_smoothing=0.1),
            named(
                "smoothed, class 1 ignored",
                X,
                LABEL,
                None,
                label_smoothing=0.1,
                ignore_index=1,
            ),
            named(
                "smoothed pictures", PICTURE, CLASSES, None, axis=1, label_smoothing=0.3
            ),
            named(
                "smoothed distributions",
                X,
                SOFT,
                None,
                soft_label=True,
                label_smoothing=0.3,
            ),
        ),
    ),
    Function(
        "cross_entropy_default_ignored",
        functional("cross_entropy"),
        cross_entropy_in_torch,
        (
            named("some", X, np.array([0, -100, 2, -100]), None),
            named("some, weights", X, np.array([0, -100, 2, -100]), WEIGHT),
        ),
        static=False,
    ),
    Function(
        "cross_entropy_weighted_distributions",
        lambda tg, x, label, weight, reduction, smoothing=0.0: (
            tg.nn.functional.cross_entropy(
                x,
                label,
                weight,
                reduction=reduction,
                soft_label=smoothing == 0.0,
                label_smoothing=smoothing,
            )
        ),
        of_distributions_in_torch,
        (
            *reductions(X, SOFT, WEIGHT, constant=(1, 2)),
            named("smoothed", X, LABEL, WEIGHT, smoothing=0.2),
        ),
    ),
    Function(
        "cross_entropy_of_probabilities",
        lambda tg, p, label, weight, axis, soft_label=False: (
            tg.nn.functional.cross_entropy(
                p, label, weight, axis=axis, soft_label=soft_label, use_softmax=False
            )
        ),
        of_probabilities_in_torch,
        (
            Case("rows", (SOFT, LABEL, None), {"axis": -1}),
            Case("weights", (SOFT, LABEL, WEIGHT), {"axis": -1}, constant=(2,)),
            Case("columns", (SOFT.T, LABEL, None), {"axis": 0}),
            Case(
                "distributions",
                (SOFT, SOFT[::-1], None),
                {"axis": -1, "soft_label": True},
                constant=(1,),
            ),
        ),
    ),
    same(
        "nll_loss",
        *reductions(X, LABEL),
        Case("weights", (X, LABEL, WEIGHT), constant=(2,)),
        Case("pictures", (PICTURE, CLASSES, WEIGHT), constant=(2,)),
        Case("class 1 ignored", (X, LABEL, WEIGHT), {"ignore_index": 1}, constant=(2,)),
    ),
    same("mse_loss", *reductions(X, Y)),
    same("l1_loss", *reductions(X, Y)),
    Function(
        "smooth_l1_loss",
        functional("smooth_l1_loss"),
        functional("huber_loss"),
        (*reductions(X, Y), Case("delta", (X, Y), {"delta": 0.5})),
    ),
    same(
        "binary_cross_entropy",
        *reductions(P, Q, constant=(1,)),
        Case("weights", (P, Q, WEIGHT), constant=(1, 2)),
    ),
    Function(
        "binary_cross_entropy_with_logits",
        functional("binary_cross_entropy_with_logits"),
        functional("binary_cross_entropy_with_logits"),
        (
            *reductions(X, Q, constant=(1,)),
            Case("weights", (X, Q, WEIGHT), constant=(1, 2)),
        ),
    ),
    Function(
        "binary_cross_entropy_with_logits_pos_weight",
        taking("binary_cross_entropy_with_logits", "pos_weight"),
        taking("binary_cross_entropy_with_logits", "pos_weight"),
        (
            Case("the positive weigh more", (X, Q, WEIGHT), constant=(1, 2)),
            Case("or less", (X, ZERO_ONE, WEIGHT / 4), constant=(1, 2)),
        ),
    ),
    same(
        "kl_div",
        *reductions(X, Q, constant=(1,)),
        Case("batchmean", (X, Q), {"reduction": "batchmean"}, constant=(1,)),
        Case(
            "batchmean of a row",
            (X[0], Q[0]),
            {"reduction": "batchmean"},
            constant=(1,),
        ),
        Case("logarithms", (X, Y), {"log_target": True}),
    ),
    same(
        "hinge_embedding_loss",
        *reductions(X, SIGNS, constant=(1,)),
        Case("margin", (X, SIGNS), {"margin": 0.5}, constant=(1,)),
    ),
    same(
        "margin_ranking_loss",
        *reductions(X, Y, SIGNS, constant=(2,)),
        Case("margin", (X, Y, SIGNS), {"margin": 0.5}, constant=(2,)),
    ),
    same("soft_margin_loss", *reductions(X, SIGNS, constant=(1,))),
    Function(
        "multi_label_soft_margin_loss",
        functional("multi_label_soft_margin_loss"),
        functional("multilabel_soft_margin_loss"),
        (
            *reductions(X, ZERO_ONE, constant=(1,)),
            Case("weights", (X, ZERO_ONE, WEIGHT), constant=(1, 2)),
        ),
    ),
    Function(
        "cosine_similarity",
        functional("cosine_similarity"),
        lambda t, x, y, axis=1: t.nn.functional.cosine_similarity(x, y, dim=axis),
        (
            Case("rows", (X, Y)),
            Case("columns", (X, Y), {"axis": 0}),
            Case("the last", (PICTURE, PICTURE[::-1]), {"axis": -1}),
        ),
    ),
    Function(
        "cosine_embedding_loss",
        functional("cosine_embedding_loss"),
        functional("cosine_embedding_loss"),
        (
            *reductions(X, Y, SIDES, constant=(2,)),
            Case("margin", (X, Y, SIDES), {"margin": 0.25}, constant=(2,)),
        ),
    ),
    Function(
        "triplet_margin_loss",
        functional("triplet_margin_loss"),
        lambda t, *inputs, epsilon=1e-6, **attrs: t.nn.functional.triplet_margin_loss(
            *inputs, eps=epsilon, **attrs
        ),
        (
            *reductions(X, Y, Z),
            Case("the 3-norm", (X, Y, Z), {"p": 3.0, "margin": 2.0}),
            Case("swapped", (X, Y, Z), {"swap": True, "epsilon": 1e-3}),
        ),
    ),
    Function(
        "sigmoid_focal_loss",
        functional("sigmoid_focal_loss"),
        focal_in_torch,
        (
            *reductions(X, ZERO_ONE, None, constant=(1,)),
            Case(
                "normalized",
                (X, ZERO_ONE, np.array([3.0])),
                {"alpha": 0.4, "gamma": 1.5},
                constant=(1, 2),
            ),
        ),
    ),
    Function(
        "dice_loss",
        functional("dice_loss"),
        dice_in_torch,
        (
            Case("rows", (SOFT, LABEL[:, None])),
            Case("pictures", (numbers(2, 2, 2, 3, low=0.1), CLASSES[..., None])),
        ),
    ),
    Function(
        "npair_loss",
        functional("npair_loss"),
        npair_in_torch,
        (Case("two pairs", (X, Y, LABEL.astype(float)), constant=(2,)),),
    ),
)
