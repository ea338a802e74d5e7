"""Our programs beside those the real Paddle 2.6.2 builds: op for op, name for name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph
from teachgraph import fluid
from teachgraph.core import modes
from tests.static.paddle_programs.compare import Difference, differences
from tests.static.paddle_programs.describe import AGREEMENT, captured
from tests.static.paddle_programs.differences import (
    NO_VALUES,
    ROWS,
    WRONG_VALUES,
    rows_for,
)
from tests.static.paddle_programs.programs import PROGRAMS
from tests.static.paddle_programs.programs.basics import relu, relu_grad

GOLDENS = Path(__file__).parent / "paddle_programs"


@cache
def golden(name: str) -> Any:
    """What Paddle built."""
    return json.loads((GOLDENS / f"{name}.json").read_text("utf-8"))


def build(builder: Callable[[Any], Any]) -> Any:
    """What we build, in the form of a golden."""
    with modes.using(static=True):
        return json.loads(json.dumps(captured(teachgraph, builder)))


@cache
def built(name: str) -> Any:
    """What we build for a golden."""
    return build(PROGRAMS[name])


def unexplained(name: str, ours: Any) -> list[Difference]:
    return [d for d in differences(name, golden(name), ours) if not rows_for(d)]


def test_every_program_has_its_golden_and_every_golden_its_program() -> None:
    assert {path.stem for path in GOLDENS.glob("*.json")} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_paddles_but_for_what_the_table_explains(name: str) -> None:
    assert unexplained(name, built(name)) == []


def test_no_row_of_the_table_is_left_over() -> None:
    found = [
        difference
        for name in PROGRAMS
        for difference in differences(name, golden(name), built(name))
    ]
    used = {id(row) for difference in found for row in rows_for(difference)}
    assert [row for row in ROWS if id(row) not in used] == []


def values(name: str) -> Iterator[tuple[str, Any, Any]]:
    """The numbers of each variable that both have, in the same shape."""
    theirs, ours = golden(name)["values"], built(name)["values"]
    found = differences(name, golden(name), built(name))
    reshaped = {d.where for d in found if (d.kind, d.what) == ("variable", "shape")}
    for variable in theirs:
        if variable in ours and variable not in reshaped:
            yield variable, np.array(theirs[variable]), np.array(ours[variable])


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in WRONG_VALUES])
def test_a_run_gives_paddles_numbers(name: str) -> None:
    for variable, theirs, ours in values(name):
        assert ours.shape == theirs.shape, variable
        np.testing.assert_allclose(ours, theirs, **AGREEMENT, err_msg=variable)


def test_every_program_has_numbers_to_compare() -> None:
    silent = {name for name in PROGRAMS if not list(values(name))}
    assert silent == {*WRONG_VALUES, *NO_VALUES}


def four_lines_in_1x_words(_: Any) -> Any:
    x = fluid.data(name="X", shape=[None, 1], dtype="float32")
    y = fluid.layers.fc(input=x, size=10)
    loss = fluid.layers.mean(y)
    return fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)


def digits_in_1x_words(activated: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def digits(_: Any) -> Any:
        image = fluid.layers.data(name="image", shape=[784], dtype="float32")
        label = fluid.layers.data(name="L", shape=[1], dtype="int64")
        hidden = activated(fluid.layers.fc(input=image, size=100))
        prediction = fluid.layers.fc(input=hidden, size=10, act="softmax")
        cost = fluid.layers.cross_entropy(input=prediction, label=label)
        loss = fluid.layers.mean(cost)
        accuracy = fluid.layers.accuracy(input=prediction, label=label)
        trained = fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
        test = fluid.default_main_program().clone(for_test=True)
        return [accuracy, trained, test]

    return digits


def py_func_in_1x_words(hidden: Any) -> Any:
    block = fluid.default_main_program().current_block()
    out = block.create_var(name="relu", dtype="float32", shape=hidden.shape)
    return fluid.layers.py_func(
        func=relu,
        x=hidden,
        out=out,
        backward_func=relu_grad,
        skip_vars_in_backward_input=hidden,
    )


@pytest.mark.parametrize(
    ("name", "builder"),
    [
        ("four_lines", four_lines_in_1x_words),
        ("digits_with_relu", digits_in_1x_words(fluid.layers.relu)),
        ("digits_with_a_py_func", digits_in_1x_words(py_func_in_1x_words)),
    ],
)
def test_the_words_of_1x_build_the_same_program(name: str, builder: Any) -> None:
    ours = build(builder)
    assert unexplained(name, ours) == []
    assert numbered(ours) == numbered(built(name))


def numbered(program: Any) -> Any:
    """A program without the numbers py_func gives to functions."""
    text = json.dumps({k: program[k] for k in ("startup", "main", "returned")})
    return json.loads(
        text, object_hook=lambda d: {k: v for k, v in d.items() if "callable" not in k}
    )
