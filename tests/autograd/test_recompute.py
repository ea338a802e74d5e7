"""Recomputation: the same gradients, for less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import recompute
from teachgraph.core.errors import ProgramError


def network(depth: int, width: int) -> tg.nn.Sequential:
    tg.seed(0)
    layers: list[tg.nn.Layer] = []
    for _ in range(depth):
        layers += [tg.nn.Linear(width, width), tg.nn.Tanh()]
    return tg.nn.Sequential(*layers)


def gradients(run: Callable[[Any, Any], Any]) -> list[Any]:
    net = network(3, 4)
    x = tg.to_tensor(np.linspace(-1, 1, 8).reshape(2, 4), "float32", None, False)
    run(net, x).square().sum().backward()
    return [t.grad.numpy() for t in (x, *net.parameters())]


def test_gradients_are_the_same_bit_for_bit() -> None:
    plain = gradients(lambda net, x: net(x))
    for run in (recompute, lambda net, x: recompute(net[2:], recompute(net[:2], x))):
        for one, other in zip(plain, gradients(run), strict=True):
            np.testing.assert_array_equal(one, other)


def test_grad_and_its_gradient_come_through() -> None:
    x = tg.to_tensor(np.array([0.5, 2.0]), stop_gradient=False)
    y = recompute(lambda x: (x * x * x).exp(), x)
    (dx,) = tg.grad(y, x, create_graph=True)
    (ddx,) = tg.grad(dx, x)
    cube = np.exp([0.125, 8.0])
    np.testing.assert_allclose(dx.numpy(), 3 * np.array([0.25, 4.0]) * cube)
    np.testing.assert_allclose(
        ddx.numpy(), cube * (6 * np.array([0.5, 2.0]) + 9 * np.array([0.0625, 16.0]))
    )


def test_a_graph_that_is_kept_can_be_gone_through_again() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = recompute(lambda x: x * x, x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_random_numbers_are_the_same_again_and_go_on_as_if_nothing_happened() -> None:
    def noisy(x: Any) -> Any:
        return x * tg.rand([3])

    x = tg.to_tensor([1.0, 1.0, 1.0], stop_gradient=False)
    tg.seed(3)
    y = recompute(noisy, x)
    before = tg.rand([2]).tolist()
    y.sum().backward()
    after = tg.rand([2]).tolist()
    assert x.grad.tolist() == y.tolist()
    tg.seed(3)
    tg.rand([3])
    assert [before, after] == [tg.rand([2]).tolist(), tg.rand([2]).tolist()]


def test_less_is_kept() -> None:
    net, x = network(8, 300), tg.ones([300, 300])

    def kept(run: Callable[[], Any]) -> int:
        tracemalloc.start()
        out = run()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert out.shape == [300, 300]
        return size

    def in_halves() -> Any:
        return recompute(net[8:], recompute(net[:8], x))

    assert kept(in_halves) < kept(lambda: net(x)) / 3


def test_a_function_that_does_something_else_the_second_time_is_refused() -> None:
    turns = iter([True, False])

    def fickle(x: Any) -> Any:
        return x * x if next(turns) else x.exp() * x

    x = tg.to_tensor([1.0], stop_gradient=False)
    y = recompute(fickle, x)
    with pytest.raises(ProgramError, match="it must do the same each time"):
        y.backward()


def test_without_recording_it_just_runs() -> None:
    with tg.no_grad():
        y = recompute(tg.exp, tg.to_tensor(0.0, stop_gradient=False))
    assert (y.item(), y.node) == (1.0, None)
