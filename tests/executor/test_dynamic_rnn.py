"""`DynamicRNN` computes for each row what the row alone would, and its gradients."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core import modes
from teachgraph.core.errors import ModeError, ProgramError, ShapeError
from teachgraph.fluid.layers import DynamicRNN
from teachgraph.planning.executor import Executor
from tests.executor.test_control_flow import INTERPRET, agree, made_up
from tests.executor.test_second_order import agree as agree_to_any_order
from tests.static.fresh import Fresh

LENGTHS = np.array([3, 1, 4])
CELL = (
    made_up(3, 4, 5),
    made_up(5, 2, start=7),
    made_up(2, 2, start=9),
    made_up(3, 2, start=4),
)


def alone(x: Any, w: Any, u: Any, first: Any) -> Any:
    """Each row by itself, as long as it is; zeros behind it."""
    found = []
    for row, length in enumerate(LENGTHS.tolist()):
        h = first[row : row + 1]
        states = []
        for t in range(length):
            h = tg.tanh(x[row : row + 1, t] @ w + h @ u)
            states.append(h)
        zeros = [tg.zeros([1, 2], "float64")] * (4 - length)
        found.append(tg.concat([*states, *zeros], 0))
    return tg.stack(found)


def together(x: Any, w: Any, u: Any, first: Any) -> Any:
    """All rows side by side."""
    rnn = DynamicRNN()
    lengths = tg.assign(LENGTHS)
    with rnn.block():
        now, before = rnn.step_input(x, lengths=lengths), rnn.memory(init=first)
        h = tg.tanh(now @ w + before @ u)
        rnn.update_memory(before, h)
        rnn.output(h)
    return rnn()


def either(*values: Any) -> Any:
    return (alone if modes.in_dynamic_mode() else together)(*values)


def test_each_row_is_as_if_it_were_alone() -> None:
    def function(*values: Any) -> Any:
        h = either(*values)
        return h * tg.sin(h) + tg.cumsum(h, axis=1)

    agree(function, *CELL, rtol=1e-12)


def test_to_the_second_order() -> None:
    agree_to_any_order(either, *CELL, order=2)


def classifier() -> tuple[Any, Any]:
    """Words in rows of any length, as in Paddle's own documents; its loss."""
    words = static.data("words", [-1, -1], "int64")
    lengths = static.data("lengths", [-1], "int64")
    label = static.data("label", [-1, 2])
    rnn = DynamicRNN()
    with rnn.block():
        word = static.nn.embedding(rnn.step_input(words, lengths=lengths), [6, 3])
        before = rnn.memory(shape=[4], value=0.5)
        given = rnn.static_input(label)
        state = static.nn.fc(tg.concat([word, before], 1), 4, activation="relu")
        rnn.update_memory(before, state)
        rnn.output(state, given * 2.0)
    states, doubled = rnn()
    total = tg.sum(states, axis=1)
    loss = tg.mean((static.nn.fc(total, 2) - label) ** 2)
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss, doubled


@INTERPRET
def test_it_is_trained_on_words_and_never_sees_the_padding(
    interpret: bool, programs: Fresh
) -> None:
    tg.seed(0)
    loss, doubled = classifier()
    executor = Executor(interpret=interpret)
    executor.run(programs.startup)
    test = programs.main.clone(for_test=True)
    feed = {
        "words": np.array([[1, 2, 0], [3, 0, 0]]),
        "lengths": np.array([2, 1]),
        "label": np.array([[1, 0], [0, 1]], "float32"),
    }
    padded = {**feed, "words": np.array([[1, 2, 5, 4], [3, 5, 1, 2]])}
    one, two = (executor.run(test, f, [loss.name])[0] for f in (feed, padded))
    np.testing.assert_allclose(one, two, rtol=1e-6)
    found = [executor.run(feed=feed, fetch_list=[loss, doubled]) for _ in range(30)]
    assert found[-1][0] < 0.3 * found[0][0]
    assert found[0][1][:, :, 0].tolist() == [[2.0, 2.0, 0.0], [0.0, 0.0, 0.0]]


Use = Callable[[DynamicRNN, Any, Any], Any]

WRONG: list[tuple[Use, type[Exception], str]] = [
    (lambda rnn, x, n: rnn.step_input(x), ProgramError, "takes how long each row is"),
    (lambda rnn, x, n: rnn.step_input(n, lengths=n), ShapeError, "[rows, steps, ...]"),
    (lambda rnn, x, n: rnn.step_input(x, lengths=x), ShapeError, "lengths is [rows]"),
    (lambda rnn, x, n: rnn.step_input(3, lengths=n), TypeError, "takes a Variable"),
    (lambda rnn, x, n: rnn.memory(shape=[2]), ProgramError, "a step_input before it"),
    (lambda rnn, x, n: rnn.output(x), ProgramError, "begins with a step_input"),
    (lambda rnn, x, n: rnn.output(3), TypeError, "output takes Variables"),
    (lambda rnn, x, n: None, ProgramError, "there is none"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_makes_no_sense_is_refused(number: int, programs: Fresh) -> None:
    use, error, message = WRONG[number]
    x, lengths = static.data("x", [3, 4, 2]), static.data("n", [3], "int64")
    rnn = DynamicRNN()
    with pytest.raises(error, match=re.escape(message)), rnn.block():
        use(rnn, x, lengths)


def test_outside_of_its_block_and_in_dynamic_mode_it_is_refused() -> None:
    rnn = DynamicRNN()
    with pytest.raises(ProgramError, match=r"inside rnn\.block"):
        rnn.memory(shape=[2])
    with pytest.raises(ProgramError, match="after rnn block"):
        rnn()
    with modes.using(static=False), pytest.raises(ModeError), rnn.block():
        pass
