"""The gradient of a gradient through a program: to any order, as without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static

pytestmark = pytest.mark.usefixtures("in_double_precision")


def cube(x: Any) -> Any:
    return (x * x * x * 0.1).sum()


def two_results(x: Any, w: Any) -> Any:
    return tg.tanh(x.matmul(w)), x.sum()


def one_of_two_curves(x: Any) -> Any:
    y = x * x * x if x.sum() > 0 else x.exp()
    return y + 0.0


def loop(x: Any) -> Any:
    i = tg.to_tensor(0)
    while i < 3:
        x = x * x.sin() + 0.1
        i = i + 1
    return x


def a_list_from_a_loop(x: Any) -> Any:
    found = []
    i = tg.to_tensor(0)
    while i < 3:
        found.append(x * x * 0.5)
        x = x * 0.5
        i = i + 1
    return found


def one_in_a_list(x: Any) -> Any:
    found = []
    i = tg.to_tensor(0)
    while i < 1:
        found.append(x.sin())
        i = i + 1
    return found


VECTOR, OTHER = np.array([0.3, 0.2]), np.array([-0.3, -0.4])
ROWS, WEIGHT = np.full((2, 3), 0.3), np.arange(12.0).reshape(3, 4) * 0.05
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "straight": (cube, (VECTOR,)),
    "two inputs, two results": (two_results, (ROWS, WEIGHT)),
    "branch taken": (one_of_two_curves, (VECTOR,)),
    "branch not taken": (one_of_two_curves, (OTHER,)),
    "loop": (loop, (VECTOR,)),
    "list": (a_list_from_a_loop, (VECTOR,)),
    "list of one": (one_in_a_list, (VECTOR,)),
}


def gradients(
    function: Callable[..., Any], arrays: Sequence[Any], order: int
) -> list[Any]:
    """Gradients of gradients of a curved sum of the results."""
    inputs = [tg.to_tensor(array, stop_gradient=False) for array in arrays]
    found = function(*inputs)
    results = found if isinstance(found, (list, tuple)) else [found]
    y, every = sum((one * one).sum() for one in results), []
    for _ in range(order):
        douts = tg.grad(y, inputs, create_graph=True)
        every += [dout.numpy() for dout in douts if dout is not None]
        y = sum((dout * dout.exp()).sum() for dout in douts if dout is not None)
    return every


@pytest.mark.parametrize("name", CASES)
def test_the_third_derivative_is_that_of_eager_mode(name: str) -> None:
    function, arrays = CASES[name]
    wanted = gradients(function, arrays, 3)
    found = gradients(jit.to_static(function), arrays, 3)
    assert len(found) == len(wanted) == 3 * len(arrays)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


class Critic(nn.Layer):
    """A network that draws random numbers and changes its buffers in training."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(3, 8), nn.Linear(8, 1)
        self.norm, self.drop = nn.BatchNorm1D(8), nn.Dropout(0.3)

    def forward(self, x: Any) -> Any:
        hidden = self.drop(self.norm(tg.tanh(self.inner(x))))
        if hidden.sum() > 1000.0:
            hidden = hidden * 2.0
        return self.outer(hidden)


def as_static(net: nn.Layer, folder: Path) -> Any:
    return jit.to_static(net)


def saved_and_loaded(net: nn.Layer, folder: Path) -> Any:
    jit.save(net, folder / "critic", [static.InputSpec([None, 3], "float64")])
    loaded = jit.load(folder / "critic")
    loaded.train()
    return loaded


def trained_with_a_penalty(net: Any) -> list[float]:
    """Steps that hold the slope of a critic near one; losses, buffers, a draw."""
    tg.seed(5)
    optimizer = tg.optimizer.Adam(0.01, parameters=net.parameters())
    losses = []
    for step in range(3):
        batch = np.random.default_rng(step).normal(size=(5, 3))
        x = tg.to_tensor(batch, stop_gradient=False)
        y = net(x)
        (slope,) = tg.grad(y.sum(), x, create_graph=True)
        penalty = ((slope * slope).sum(axis=1).sqrt() - 1.0).square().mean()
        loss = y.mean() + penalty
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    buffers = [*net.norm._mean.tolist(), *net.norm._variance.tolist()]
    return [*losses, *buffers, tg.rand([1]).item()]


@pytest.mark.parametrize("way", [as_static, saved_and_loaded])
def test_training_with_a_gradient_penalty_is_that_of_eager_mode(
    way: Callable[[nn.Layer, Path], Any], tmp_path: Path
) -> None:
    tg.seed(3)
    wanted = trained_with_a_penalty(Critic())
    tg.seed(3)
    found = trained_with_a_penalty(way(Critic(), tmp_path))
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    @jit.to_static
    def shown(x: Any) -> Any:
        y = x * x
        print("y is", y)
        return y * x

    x = tg.to_tensor([2.0], stop_gradient=False)
    (dx,) = tg.grad(shown(x), x, create_graph=True)
    assert tg.grad(dx, x)[0].tolist() == [12.0]
    assert capsys.readouterr().out.count("y is") == 1
