"""Hooks on tensors: they see a gradient when it is whole, and may replace it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core import ops as core_ops
from teachgraph.core.errors import GradientShapeError, ModeError


@pytest.fixture
def x() -> tg.Tensor:
    return tg.to_tensor([1.0, 2.0], stop_gradient=False)


def test_a_hook_on_a_leaf_sees_the_sum_of_all_uses(x: tg.Tensor) -> None:
    seen: list[Any] = []
    x.register_hook(lambda dx: seen.append(dx.tolist()))
    (x * x + x * 3.0).sum().backward()
    assert seen == [[5.0, 7.0]] == [x.grad.tolist()]


def test_what_it_returns_goes_on_instead(x: tg.Tensor) -> None:
    y = x * x
    y.register_hook(lambda dy: dy * 10.0)
    (y * 2.0).sum().backward()
    assert x.grad.tolist() == [40.0, 80.0]


def test_several_hooks_run_in_their_order_each_on_what_the_last_returned(
    x: tg.Tensor,
) -> None:
    x.register_hook(lambda dx: dx + 1.0)
    x.register_hook(lambda dx: dx * 10.0)
    x.sum().backward()
    assert x.grad.tolist() == [20.0, 20.0]


def test_who_watches_is_told_what_hooks_get_and_what_goes_on(
    x: tg.Tensor,
) -> None:
    told: list[Any] = []

    class Told(tg.observe.Observer):
        def hooks_begin(self, target: Any, grad: Any) -> None:
            told.append(("given", target is x, grad.tolist()))

        def grad_ready(self, target: Any, grad: Any) -> None:
            told.append(("goes on", target is x, grad.tolist()))

    x.register_hook(lambda dx: dx + 1.0)
    x.register_hook(lambda dx: dx * 10.0)
    y = x.sum()
    with tg.observe.watch(Told()):
        y.backward()
    assert told == [
        ("goes on", False, 1.0),
        ("given", True, [1.0, 1.0]),
        ("goes on", True, [20.0, 20.0]),
    ]


def test_a_removed_hook_is_gone_and_the_others_stay(x: tg.Tensor) -> None:
    first = x.register_hook(lambda dx: dx * 2.0)
    x.register_hook(lambda dx: dx * 5.0)
    assert first.remove()
    assert not first.remove()
    x.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_each_result_of_an_op_has_hooks_of_its_own() -> None:
    logits = tg.to_tensor([[1.0, 2.0]], stop_gradient=False)
    op = core_ops.softmax_with_cross_entropy
    probability, loss = op(logits, tg.to_tensor([[0]]))
    probability.register_hook(lambda d: d * 0.0)
    (loss.sum() + probability[0, 1]).backward()
    alone = tg.to_tensor([[1.0, 2.0]], stop_gradient=False)
    op(alone, tg.to_tensor([[0]]))[1].sum().backward()
    assert logits.grad.tolist() == alone.grad.tolist()


def test_grad_passes_through_hooks_and_records_what_they_do(x: tg.Tensor) -> None:
    y = x * 1.0
    y.register_hook(lambda dy: dy * x)
    (dx,) = tg.grad((y * y).sum(), x, create_graph=True)
    assert dx.tolist() == [2.0, 8.0]  # 2y times x
    (ddx,) = tg.grad(dx.sum(), x)
    assert ddx.tolist() == [4.0, 12.0]  # 2y, and 2x through the hook once more


def test_retained_gradients_of_intermediate_results_add_up(x: tg.Tensor) -> None:
    y = x * x
    y.retain_grads()
    y.sum().backward(retain_graph=True)
    assert y.grad.tolist() == [1.0, 1.0]
    (y * 2.0).sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]


def test_retaining_gradients_makes_no_cycle(x: tg.Tensor) -> None:
    gc.disable()
    try:
        y = x * x
        y.retain_grads()
        dead = weakref.ref(y)
        del y
        assert dead() is None
    finally:
        gc.enable()


def test_a_gradient_of_another_shape_is_refused(x: tg.Tensor) -> None:
    x.register_hook(lambda dx: dx.sum())
    with pytest.raises(GradientShapeError, match=r"float32 \[\] in place .* \[2\]"):
        x.sum().backward()
    assert x.grad is None


def test_where_no_gradient_comes_there_is_no_hook() -> None:
    with pytest.raises(ModeError, match="Cannot register hook on a tensor that stop"):
        tg.to_tensor(1.0).register_hook(print)


def test_what_is_no_function_is_no_hook(x: tg.Tensor) -> None:
    with pytest.raises(TypeError, match="a hook is a function"):
        x.register_hook(3)


def test_a_hook_on_a_parameter_can_freeze_a_row() -> None:
    layer = tg.nn.Linear(2, 3)
    mask = tg.to_tensor(np.array([[1.0] * 3, [0.0] * 3], "float32"))
    layer.weight.register_hook(lambda dw: dw * mask)
    before = layer.weight.numpy()
    optimizer = tg.optimizer.SGD(0.5, layer.parameters())
    layer(tg.ones([4, 2])).sum().backward()
    optimizer.step()
    change = layer.weight.numpy() - before
    np.testing.assert_allclose(change, [[-2.0] * 3, [0.0] * 3], rtol=1e-6)
