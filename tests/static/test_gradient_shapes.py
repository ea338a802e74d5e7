"""Shapes of the gradients that a user's rule gives, in programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.op import _registry, op

WAYS = {
    "append_backward": lambda y, x: tg.static.append_backward(y, [x]),
    "gradients": tg.static.gradients,
    "minimize": lambda y, x: tg.optimizer.SGD(0.1).minimize(y),
}


@pytest.fixture
def scaled() -> Iterator[Any]:
    @op
    def scaled(x: Any, y: Any, *, times: float = 2.0) -> Any:
        return x * y * times

    yield scaled
    for type in ("scaled", "scaled_grad"):
        _registry.pop(type, None)


@pytest.fixture(autouse=True)
def _program() -> Iterator[None]:
    programs = tg.static.Program(), tg.static.Program()
    with tg.modes.using(static=True), tg.static.program_guard(*programs):
        yield


def loss_of(scaled: Any, shape: list[int]) -> tuple[Any, Any]:
    x = tg.static.data("x", shape)
    weight = tg.create_parameter([3], "float32")
    return tg.mean(scaled(x, weight, times=3.0)), weight


@pytest.mark.parametrize("shape", [[2, 3], [-1, 3]])
@pytest.mark.parametrize("way", WAYS)
def test_another_shape_is_refused_where_the_gradient_is_asked_for(
    scaled: Any, way: str, shape: list[int]
) -> None:
    @scaled.grad
    def scaled_grad(dout: Any, x: Any, y: Any, *, times: float) -> Any:
        return dout * y * times, dout * x * times  # for y its rows are to be added up

    told = (
        r"scaled_grad gave a gradient of shape \[2, 3\] for a tensor of shape \[3\]\n"
        r"(.*\n)*.*test_gradient_shapes.py.* in loss_of"
    )
    loss, weight = loss_of(scaled, shape)
    with pytest.raises(tg.errors.GradientShapeError, match=told):
        WAYS[way](loss, weight)


def test_unknown_sizes_are_compared(scaled: Any) -> None:
    @scaled.grad
    def scaled_grad(dout: Any, x: Any, y: Any, *, times: float) -> Any:
        return dout[:1] * y * times, tg.sum(dout * x * times, axis=0)

    x = tg.static.data("x", [-1, 3])
    x.stop_gradient = False
    y = tg.create_parameter([3], "float32")
    told = r"of shape \[1, 3\] for a tensor of shape \[-1, 3\]: with 2 for -1"
    with pytest.raises(tg.errors.GradientShapeError, match=told):
        tg.static.gradients(tg.mean(scaled(x, y)), x)


@pytest.mark.parametrize("gradients", [1, 3])
def test_another_number_is_refused(scaled: Any, gradients: int) -> None:
    @scaled.grad
    def scaled_grad(dout: Any) -> Any:
        return (dout,) * gradients

    told = f"scaled_grad gave {gradients} gradients for x, y\n.*test_gradient_shapes"
    loss, weight = loss_of(scaled, [2, 3])
    with pytest.raises(tg.errors.ProgramError, match=told):
        tg.static.append_backward(loss, [weight])


def test_gradients_that_nobody_wants_are_not_compared(scaled: Any) -> None:
    @scaled.grad
    def scaled_grad(dout: Any, x: Any, *, times: float) -> Any:
        return dout[0], lambda: tg.sum(dout * x * times, axis=0)

    loss, weight = loss_of(scaled, [2, 3])
    ((_, gradient),) = tg.static.append_backward(loss, [weight])
    executor = tg.static.Executor()
    executor.run(tg.static.default_startup_program())
    x = np.arange(6.0, dtype="float32").reshape(2, 3)
    (found,) = executor.run(feed={"x": x}, fetch_list=[gradient])
    np.testing.assert_allclose(found, x.sum(0) * 3.0 / 6.0)


def test_a_rule_that_ones_do_not_suit_is_left_alone(scaled: Any) -> None:
    @scaled.grad
    def scaled_grad(dout: Any, x: Any, y: Any, *, times: float) -> Any:
        if (np.asarray(y) > 0).any():
            raise ValueError("only for weights below 0")
        return dout * y * times, (dout * x).sum(0) * times

    loss, weight = loss_of(scaled, [2, 3])
    assert len(tg.static.append_backward(loss, [weight])) == 1


def test_a_rule_of_a_list_is_compared() -> None:
    @op(type="joined_here")
    def joined(*x: Any) -> Any:
        return np.concatenate(x)

    @joined.grad
    def joined_here_grad(dout: Any, *x: Any) -> Any:
        return tuple(dout for _ in x)

    parts = [tg.create_parameter([n, 2], "float32") for n in (1, 2)]
    told = r"joined_here_grad gave a gradient of shape \[3, 2\] for a .* \[1, 2\]"
    try:
        with pytest.raises(tg.errors.GradientShapeError, match=told):
            tg.static.append_backward(tg.mean(joined(*parts)))
    finally:
        for type in ("joined_here", "joined_here_grad"):
            _registry.pop(type, None)


def test_rules_within_a_branch_are_compared(scaled: Any) -> None:
    @scaled.grad
    def scaled_grad(dout: Any, x: Any, y: Any, *, times: float) -> Any:
        return dout, dout

    x, weight = tg.static.data("x", [2, 3]), tg.create_parameter([3], "float32")
    out = tg.static.nn.cond(
        tg.sum(x) > 0, lambda: tg.mean(scaled(x, weight)), lambda: tg.sum(weight)
    )
    with pytest.raises(tg.errors.GradientShapeError, match="scaled_grad"):
        tg.static.append_backward(out)
