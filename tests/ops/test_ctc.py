"""The loss of sequences, against all paths one by one; PyTorch's is in tests/oracle."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn, static
from teachgraph.autograd import check_grads
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError, ShapeError
from teachgraph.ops.ctc import warpctc
from tests.ops.values import numbers

LOGITS = numbers(4, 2, 3)
LABELS, LENGTHS, LETTERS = (
    np.array([[1, 2], [2, 0]]),
    np.array([4, 3]),
    np.array([2, 1]),
)


def spelt(path: Any, blank: int) -> list[int]:
    """What a path says: repeats merged, blanks taken out."""
    return [letter for letter, _ in groupby(path) if letter != blank]


def by_all_paths(logits: Any, label: Any, blank: int) -> float:
    """-log of the summed probability of every path that says the label."""
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    steps = range(len(logits))
    ways = product(range(logits.shape[1]), repeat=len(logits))
    chances = [
        np.prod(p[steps, way]) for way in ways if spelt(way, blank) == list(label)
    ]
    return float(-np.log(sum(chances)))


@pytest.mark.parametrize("blank", [0, 1, 2])
@pytest.mark.parametrize("letters", [[], [0], [2, 1], [1, 1], [0, 2, 0]])
def test_the_loss_is_that_of_all_paths(letters: list[int], blank: int) -> None:
    label = [letter for letter in letters if letter != blank]
    found = F.ctc_loss(
        LOGITS[:, :1],
        np.array([label], int).reshape(1, -1),
        np.array([4]),
        np.array([len(label)]),
        blank=blank,
        reduction="none",
    )
    np.testing.assert_allclose(found, [by_all_paths(LOGITS[:, 0], label, blank)])


def test_its_gradient_is_that_of_finite_differences() -> None:
    def loss(logits: Any) -> Any:
        return F.ctc_loss(logits, LABELS, LENGTHS, LETTERS, reduction="none")

    check_grads(loss, [LOGITS], order=1)


def test_the_mean_is_by_letters_and_the_layer_is_the_function() -> None:
    given = [tg.to_tensor(x) for x in (LOGITS, LABELS, LENGTHS, LETTERS)]
    each = F.ctc_loss(*given, reduction="none").numpy()
    assert nn.CTCLoss()(*given).item() == pytest.approx((each / LETTERS).mean())
    assert nn.CTCLoss(reduction="sum")(*given).item() == pytest.approx(each.sum())


def test_a_label_that_cannot_be_spelt_is_infinitely_unlikely() -> None:
    labels, letters = np.array([[1, 1, 1], [2, 0, 0]]), np.array([3, 1])
    logits = tg.to_tensor(LOGITS, stop_gradient=False)
    loss = F.ctc_loss(logits, labels, LENGTHS, letters, reduction="none")
    loss.backward()
    assert loss.numpy()[0] == np.inf
    assert loss.numpy()[1] == pytest.approx(by_all_paths(LOGITS[:3, 1], [2], 0))
    assert logits.grad is not None
    assert np.isnan(logits.grad.numpy()[:, 0]).all()
    assert np.isfinite(logits.grad.numpy()[:, 1]).all()


def test_norm_by_times_divides_the_gradient_and_not_the_loss() -> None:
    found = []
    for norm in (False, True):
        logits = tg.to_tensor(LOGITS, stop_gradient=False)
        loss = F.ctc_loss(logits, LABELS, LENGTHS, LETTERS, 0, "sum", norm)
        loss.backward()
        assert logits.grad is not None
        found.append((loss.item(), logits.grad.numpy()))
    (plain, slope), (normed, divided) = found
    assert plain == normed
    np.testing.assert_allclose(divided, slope / LENGTHS[:, None], rtol=1e-12)


def test_far_out_logits_overflow_nothing() -> None:
    loss = F.ctc_loss(LOGITS * 1e4, LABELS, LENGTHS, LETTERS, reduction="none")
    assert np.isfinite(loss).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_program_gives_what_tensors_give(dtype: str) -> None:
    logits = LOGITS.astype(dtype)
    tensor = tg.to_tensor(logits, stop_gradient=False)
    wanted = F.ctc_loss(tensor, LABELS, LENGTHS, LETTERS)
    wanted.backward()
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [-1, -1, 3], dtype)
        x.stop_gradient = False
        label = static.data("label", [-1, 2], "int64")
        lengths, letters = (static.data(n, [-1], "int64") for n in ("n", "m"))
        loss = F.ctc_loss(x, label, lengths, letters)
        (dx,) = static.gradients(loss, x)
    feed = {"x": logits, "label": LABELS, "n": LENGTHS, "m": LETTERS}
    found, slope = static.Executor().run(main, feed, [loss, dx])
    assert tensor.grad is not None
    assert (found.dtype, slope.dtype) == (dtype, dtype)
    np.testing.assert_allclose(found, wanted.numpy())
    np.testing.assert_allclose(slope, tensor.grad.numpy())


def test_a_second_derivative_is_refused_in_words() -> None:
    logits = tg.to_tensor(LOGITS, stop_gradient=False)
    loss = F.ctc_loss(logits, LABELS, LENGTHS, LETTERS)
    (slope,) = tg.grad([loss], [logits], create_graph=True)
    with pytest.raises(InvalidValueError, match="warpctc has no second derivative"):
        tg.grad([(slope * slope).sum()], [logits])


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({0: LOGITS[0]}, ShapeError, r"\[T, B, C\]"),
        ({0: LOGITS[:0]}, ShapeError, "T > 0"),
        ({0: LOGITS.astype(int)}, DTypeError, "int64"),
        ({1: LABELS * 1.0}, DTypeError, "float64"),
        ({1: LABELS[:1]}, ShapeError, "batch of 2"),
        ({1: LABELS + 1}, InvalidValueError, "< 3"),
        ({2: LENGTHS + 1}, InvalidValueError, "from 1 to 4"),
        ({2: LENGTHS[:1]}, ShapeError, "batch of 2"),
        ({3: LETTERS + 1}, InvalidValueError, "from 0 to 2"),
        ({4: 3}, InvalidValueError, "blank"),
    ],
)
def test_what_is_refused_names_the_line(
    changed: dict[int, Any], error: type[OpError], says: str
) -> None:
    given: list[Any] = [LOGITS, LABELS, LENGTHS, LETTERS, 0]
    for position, value in changed.items():
        given[position] = value
    *arrays, blank = given
    with pytest.raises(error, match=says) as caught:
        F.ctc_loss(*(tg.to_tensor(x) for x in arrays), blank=blank)
    assert (caught.value.op, __file__ in str(caught.value)) == (warpctc.type, True)
