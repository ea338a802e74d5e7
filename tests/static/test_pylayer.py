"""`static_pylayer`: a part of a program whose gradient the user appends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import (
    GradientShapeError,
    InvalidValueError,
    ModeError,
    ProgramError,
)
from tests.static.fresh import fresh

X = np.array([2.0, -3.0], "float32")


def data(name: str = "x") -> Any:
    x = static.data(name, [2])
    x.stop_gradient = False
    return x


def run(*fetched: Any) -> list[Any]:
    block = static.default_main_program().global_block()
    feed = {n: X + at for at, n in enumerate("xy") if block.has_var(n)}
    return [v.tolist() for v in static.Executor().run(feed=feed, fetch_list=fetched)]


def test_its_gradient_has_a_gradient() -> None:
    with fresh():
        x = data()
        y = static.nn.static_pylayer(lambda x: x * x, [x], lambda dy: dy * x * 2.0)
        (dx,) = static.gradients(y, x)
        (ddx,) = static.gradients(dx, x)
        assert run(dx, ddx) == [(2.0 * X).tolist(), [2.0, 2.0]]


def test_a_result_may_be_an_input_or_come_from_around() -> None:
    with fresh():
        x, y = data(), data("y")
        around = y * 2.0
        results = static.nn.static_pylayer(
            lambda x: [x, {"a": around}], [x], lambda dx, da: dx * 3.0 + da
        )
        loss = results[0].sum() + (results[1]["a"] * 5.0).sum() + around.sum()
        assert [x.stop_gradient, around.stop_gradient] == [False, False]
        dx, dy = static.gradients(loss, [x, y])
        assert run(*results[:1], dx, dy) == [X.tolist(), [8.0, 8.0], [2.0, 2.0]]


def test_what_reads_one_result_leaves_zeros_for_the_other() -> None:
    with fresh():
        x = data()
        a, _ = static.nn.static_pylayer(
            lambda x: (x * 2.0, x * 3.0), [x], lambda da, db: da + db * 100.0
        )
        assert run(*static.gradients(a, x)) == [[1.0, 1.0]]


def test_a_test_program_computes_the_same() -> None:
    with fresh():
        x = data()
        y = static.nn.static_pylayer(lambda x: x * x, [x], lambda dy: dy)
        copy = static.default_main_program().clone(for_test=True)
        (value,) = static.Executor().run(copy, {"x": X}, [y.name])
        assert value.tolist() == (X * X).tolist()


def test_it_is_refused_where_it_cannot_work() -> None:
    with (
        modes.using(static=False),
        pytest.raises(ModeError, match=r"use autograd\.PyLayer"),
    ):
        static.nn.static_pylayer(lambda x: x, [tg.ones([2])])
    with fresh():
        x, y = data(), data("y")
        z = static.nn.static_pylayer(lambda x, y: x * y, [x, y], lambda dz: dz)
        with pytest.raises(ProgramError, match="returned 1 gradients for 2 inputs"):
            static.gradients(z, [x, y])


def test_a_program_is_saved_without_the_gradient() -> None:
    with fresh():
        x = data()
        y = static.nn.static_pylayer(lambda x: x * x, [x], lambda dy: dy)
        saved = static.default_main_program().desc.serialize_to_string()
        program = static.Program.parse_from_string(saved)
        with static.program_guard(program):
            block, executor = program.global_block(), static.Executor()
            block.var("x").stop_gradient = False
            (value,) = executor.run(program, {"x": X}, [y.name])
            assert value.tolist() == (X * X).tolist()
            (dx,) = static.gradients(block.var(y.name), block.var("x"))
            with pytest.raises(InvalidValueError, match="saved without its backward"):
                executor.run(program, {"x": X}, [dx])


@pytest.mark.parametrize("returned", [(), (3,), (1,), (1, 2), (2, -1)])
def test_a_gradient_of_another_shape_is_refused(returned: tuple[int, ...]) -> None:
    with fresh():
        x = data()
        dx = static.data("dx", returned)
        y = static.nn.static_pylayer(lambda x: x * 2.0, [x], lambda dy: dx)
        with pytest.raises(GradientShapeError) as caught:
            static.gradients(y, x)
        message = str(caught.value)
        assert f"backward_fn returned a gradient of shape {[*returned]}" in message
        assert "for 'x', of shape [2]" in message


def test_a_gradient_may_have_a_size_that_only_the_run_tells() -> None:
    with fresh():
        x = data()
        given = static.data("given", [-1])
        y = static.nn.static_pylayer(lambda x: x * 2.0, [x], lambda dy: given)
        (dx,) = static.gradients(y, x)
        feed = {"x": X, "given": X * 3.0}
        (value,) = static.Executor().run(feed=feed, fetch_list=[dx])
        assert value.tolist() == (X * 3.0).tolist()
