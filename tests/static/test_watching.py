"""What `Print` prints, and what `Assert` stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import InvalidValueError
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from teachgraph.static.print_assert import Assert, Print

INTERPRET = pytest.mark.parametrize("interpret", [False, True])


@pytest.fixture
def x() -> Iterator[Any]:
    x = static.data("x", [2])
    x.stop_gradient = False
    return x


FEED = {"x": np.array([1.0, 2.0], "float32")}


@INTERPRET
def test_a_value_and_its_gradient_are_printed(
    x: Any, interpret: bool, capsys: Any
) -> None:
    loss = tg.sum(Print(x, message="look:") ** 2)
    dx = static.gradients(loss, x)
    executor = Executor(interpret=interpret)
    assert executor.run(feed=FEED, fetch_list=dx)[0].tolist() == [2, 4]
    assert capsys.readouterr().out.splitlines() == [
        "look: x: float32 [2] [1.0, 2.0]",
        "look: x@GRAD: float32 [2] [2.0, 4.0]",
    ]


def test_a_value_in_a_loop_is_printed_as_often_as_asked(x: Any, capsys: Any) -> None:
    body = lambda i, y: [i + 1, Print(y * 2.0, first_n=2, summarize=1)]  # noqa: E731
    _, y = nn.while_loop(lambda i, y: i < 5, body, [0, x])
    assert Executor().run(feed=FEED, fetch_list=y)[0].tolist() == [32, 64]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("[2] ")[1] for line in lines] == [
        "[2.0] and 1 more",
        "[4.0] and 1 more",
    ]


@INTERPRET
def test_an_assertion_stops_a_run_at_its_line(x: Any, interpret: bool) -> None:
    Assert(tg.sum(x) < 9.0, [x])
    y = x * 2.0
    executor = Executor(interpret=interpret)
    assert executor.run(feed=FEED, fetch_list=y)[0].tolist() == [2, 4]
    with pytest.raises(
        InvalidValueError, match=r"does not hold\s+\[9.0, 8.0\]"
    ) as caught:
        executor.run(feed={"x": np.array([9.0, 8.0], "float32")}, fetch_list=y)
    assert "Assert(tg.sum(x) < 9.0, [x])" in str(caught.value)


def test_in_dynamic_mode_they_look_at_once(capsys: Any) -> None:
    with modes.using(static=False):
        x = tg.to_tensor([3.0], stop_gradient=False)
        (Print(x, print_phase="backward") * 2.0).backward()
        assert capsys.readouterr().out == "@GRAD: float32 [1] [2.0]\n"
        assert x.grad.item() == 2.0
        Assert(x < 4.0)
        with pytest.raises(InvalidValueError, match=r"does not hold\s+\[3.0\]"):
            Assert(x > 4.0, [x])
    with pytest.raises(InvalidValueError, match="print_phase is forward"):
        Print(x, print_phase="sideways")
