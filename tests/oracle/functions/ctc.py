"""The loss of sequences, with its gradient, which PyTorch has no derivative of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function

LOGITS = numbers(5, 3, 4)
LABELS = np.array([[1, 2], [3, 3], [2, 0]])
LENGTHS, LETTERS = np.array([5, 4, 3]), np.array([2, 2, 1])


def scale(loss: Any) -> list[float]:
    """The gradients that arrive at the losses."""
    return [0.5 + 0.25 * i for i in range(int(np.prod(loss.shape)))]


def ours(tg: Any, logits: Any, *rest: Any, **attrs: Any) -> Any:
    logits.stop_gradient = False
    loss = tg.nn.functional.ctc_loss(logits, *rest, **attrs)
    upstream = tg.to_tensor(np.array(scale(loss)).reshape(loss.shape), logits.dtype)
    return loss, *tg.grad([loss], [logits], [upstream])


def twin(t: Any, logits: Any, *rest: Any, **attrs: Any) -> Any:
    loss = t.nn.functional.ctc_loss(logits.log_softmax(-1), *rest, **attrs)
    upstream = t.tensor(scale(loss), dtype=loss.dtype).reshape(loss.shape)
    return loss, *t.autograd.grad(loss, logits, upstream)


def case(
    label: str, labels: Any = LABELS, letters: Any = LETTERS, **attrs: Any
) -> Case:
    return Case(label, (LOGITS, labels, LENGTHS, letters), attrs)


FAMILY = (
    Function(
        "ctc_loss",
        ours,
        twin,
        (
            case("mean"),
            case("sum", reduction="sum"),
            case("each", reduction="none"),
            case("the last class is blank", LABELS % 3, blank=3, reduction="none"),
            case("an empty label", letters=np.array([2, 0, 1]), reduction="none"),
            case("no labels", np.zeros((3, 0), int), np.zeros(3, int)),
            Case(
                "just long enough",
                (
                    LOGITS,
                    np.array([[1, 1], [1, 2], [1, 2]]),
                    np.array([3, 2, 5]),
                    LETTERS,
                ),
                {"reduction": "none"},
            ),
            Case(
                "one step",
                (
                    LOGITS[:1],
                    np.array([[1], [2], [3]]),
                    np.ones(3, int),
                    np.ones(3, int),
                ),
                {"reduction": "none"},
            ),
        ),
        gradient=False,
        static=False,
    ),
)
