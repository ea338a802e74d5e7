"""Losses with margins, and likelihoods."""

from __future__ import annotations

from typing import Any

from tests.ops.contract import Case
from tests.ops.values import integers, positive
from tests.oracle.functions.function import Function, functional
from tests.oracle.functions.loss import (
    LABEL,
    WEIGHT,
    X,
    Y,
    Z,
    reductions,
)

COUNTS = integers(4, 3, below=5).astype(float)
SPREAD = positive(4, 3)


def distance_in_torch(
    t: Any, x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False
) -> Any:
    return t.nn.functional.pairwise_distance(x, y, p, epsilon, keepdim)


def multi_margin(library: Any, x: Any, weight: Any, label: Any, **attrs: Any) -> Any:
    loss = library.nn.functional.multi_margin_loss
    return loss(x, label, weight=weight, **attrs)


def multi_margin_in_torch(
    t: Any,
    x: Any,
    weight: Any,
    label: Any,
    p: int = 1,
    margin: float = 1.0,
    reduction: str = "mean",
) -> Any:
    """PyTorch's own goes back only once."""
    wrong = 1 - t.nn.functional.one_hot(label, x.shape[1])
    short = (margin - x.gather(1, label[:, None]) + x).relu() ** p
    loss = (short * wrong).mean(1) * (1 if weight is None else weight[label])
    return {"mean": loss.mean(), "sum": loss.sum(), "none": loss}[reduction]


def largest(x: Any, y: Any) -> Any:
    """A distance of one's own."""
    return (x - y).abs().sum(-1) * 0.5


def triplet(library: Any, *inputs: Any, **attrs: Any) -> Any:
    loss = library.nn.functional.triplet_margin_with_distance_loss
    return loss(*inputs, distance_function=largest, **attrs)


def renamed(name: str) -> Any:
    """PyTorch's loss, whose epsilon is `eps`."""

    def call(t: Any, *inputs: Any, epsilon: float = 1e-6, **attrs: Any) -> Any:
        return getattr(t.nn.functional, name)(*inputs, eps=epsilon, **attrs)

    return call


FAMILY = (
    Function(
        "gaussian_nll_loss",
        functional("gaussian_nll_loss"),
        renamed("gaussian_nll_loss"),
        (
            *reductions(X, Y, SPREAD),
            Case("one variance a row", (X, Y, SPREAD[:, 0]), {"full": True}),
            Case("the same, kept", (X, Y, SPREAD[:, :1]), {"full": True}),
        ),
    ),
    Function(
        "poisson_nll_loss",
        functional("poisson_nll_loss"),
        renamed("poisson_nll_loss"),
        (
            *reductions(X, COUNTS, constant=(1,), epsilon=1e-8),
            Case(
                "rates",
                (SPREAD, COUNTS),
                {"log_input": False, "epsilon": 1e-8},
                constant=(1,),
            ),
            Case("in full", (X, COUNTS), {"full": True}, constant=(1,)),
        ),
    ),
    Function(
        "pairwise_distance",
        functional("pairwise_distance"),
        distance_in_torch,
        (
            Case("Euclid", (X, Y)),
            Case("Manhattan, kept", (X, Y), {"p": 1.0, "keepdim": True}),
            Case("cubes", (X, Y), {"p": 3.0, "epsilon": 0.0}),
        ),
    ),
    Function(
        "multi_margin_loss",
        multi_margin,
        multi_margin_in_torch,
        (
            *reductions(X, None, LABEL),
            Case("weights", (X, WEIGHT, LABEL), constant=(1,)),
            Case(
                "squares, weights",
                (X, WEIGHT, LABEL),
                {"p": 2, "margin": 0.5},
                constant=(1,),
            ),
        ),
    ),
    Function(
        "triplet_margin_with_distance_loss",
        triplet,
        triplet,
        (
            *reductions(X, Y, Z),
            Case("swapped", (X, Y, Z), {"swap": True, "margin": 2.0}),
        ),
    ),
)
