"""A `PyLayer` in a converted function does what it does op by op, to second order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.errors import InvalidValueError, ProgramError
from tests.paddle_answers.cases.pylayers import cube

Function = Callable[..., Any]


Cube = cube(tg)


class Clipped(tg.autograd.PyLayer):
    """Clipped to its range by a loop, with a gradient of its own for large values."""

    @staticmethod
    def forward(ctx: Any, x: Any, most: float) -> Any:
        ctx.large = x.abs() > most
        while x.abs().max() > most:
            x = x * 0.5
        return x, most

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return tg.where(ctx.large, dy * 0.25, dy)


class Sum(tg.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, pair: Any, z: Any) -> Any:
        ctx.mark_non_differentiable(z)
        return pair[0] + pair[1], z * 2.0

    @staticmethod
    def backward(ctx: Any, da: Any, db: Any) -> Any:
        return None


def cubed(x: Any) -> Any:
    return Cube.apply(x) * 2.0


def cubed_in_a_loop(x: Any) -> Any:
    y = x
    while y.abs().max() < 10.0:
        y = Cube.apply(y) * 1.5
    return y


def cubed_in_a_branch(x: Any) -> Any:
    if x.sum() > 100.0:  # noqa: SIM108  a branch is what is traced
        y = x
    else:
        y = Cube.apply(x) + x
    return y


def cubed_in_turn(x: Any) -> Any:
    for _ in range(3):
        x = Cube.apply(x * 0.5)
    return x


def clipped(x: Any) -> Any:
    y, _ = Clipped.apply(x, 2.5)
    return y * y


FUNCTIONS = [cubed, cubed_in_a_loop, cubed_in_a_branch, cubed_in_turn, clipped]


def to_second_order(function: Function) -> list[np.ndarray[Any, Any]]:
    """The value, and the first two derivatives with an upstream that is not ones."""
    x = tg.to_tensor([1.25, -1.5, 3.0], stop_gradient=False)
    y = function(x)
    (dx,) = tg.grad(y, x, tg.to_tensor([0.5, -2.0, 1.5]), create_graph=True)
    (ddx,) = tg.grad(dx, x, tg.to_tensor([2.0, 1.0, -0.5]), allow_unused=True)
    return [v.numpy() for v in (y, dx, ddx) if v is not None]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_does_what_it_does_op_by_op(function: Function) -> None:
    eager = to_second_order(function)
    traced = to_second_order(tg.jit.to_static(function))
    for ours, theirs in zip(traced, eager, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_without_a_gradient_zeros_arrive() -> None:
    @tg.jit.to_static
    def function(x: Any, y: Any) -> Any:
        a, b = Sum.apply((x, x), y)
        return a + b + y

    x, y = (tg.to_tensor([v], stop_gradient=False) for v in (1.0, 2.0))
    out = function(x, y)
    out.backward()
    assert out.tolist() == [8.0]
    assert y.grad.tolist() == [1.0]


def test_a_saved_one_is_used_but_not_trained(tmp_path: Path) -> None:
    layer = tg.nn.Linear(2, 2)

    @tg.jit.to_static
    def function(x: Any) -> Any:
        return Cube.apply(layer(x))

    x = tg.ones([1, 2])
    tg.jit.save(function, tmp_path / "f", [tg.static.InputSpec([None, 2])])
    loaded = tg.jit.load(tmp_path / "f")
    out = loaded(x)
    assert out.tolist() == function(x).tolist()
    with pytest.raises(InvalidValueError, match="saved without its backward"):
        out.sum().backward()


def test_a_result_without_a_gradient_stops_it() -> None:
    @tg.jit.to_static
    def function(x: Any) -> Any:
        class Parts(tg.autograd.PyLayer):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                whole = x.floor()
                ctx.mark_non_differentiable(whole)
                return x - whole, whole

            @staticmethod
            def backward(ctx: Any, da: Any, db: Any) -> Any:
                return da

        part, whole = Parts.apply(x)
        return part, whole

    x = tg.to_tensor([1.25, 2.5], stop_gradient=False)
    part, whole = function(x)
    assert (part.tolist(), whole.tolist()) == ([0.25, 0.5], [1.0, 2.0])
    assert (part.stop_gradient, whole.stop_gradient) == (False, True)


def test_a_wrong_number_of_gradients_is_refused() -> None:
    class Wrong(tg.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy

    x = tg.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(ProgramError, match="returned 1 gradients for 2 inputs"):
        tg.jit.to_static(lambda x: Wrong.apply(x, x * 2.0))(x)
