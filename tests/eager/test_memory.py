"""What the tape keeps alive: what a rule names, no longer than needed, in no cycle."""

from __future__ import annotations

import gc
import operator
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import ops as core_ops
from teachgraph.core.op import Like
from teachgraph.core.tape import Node


@pytest.fixture(autouse=True)
def _without_the_collector() -> Iterator[None]:
    """What dies here dies by reference counts alone; what was there is left aside."""
    gc.disable()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.enable()


def watched(*shape: int) -> tuple[tg.Tensor, weakref.ref[Any]]:
    """A leaf, and a weak reference to its array."""
    x = tg.Tensor(np.ones(shape), stop_gradient=False)
    return x, weakref.ref(x.data)


def kept_by(result: tg.Tensor) -> list[Any]:
    node = result.node
    assert isinstance(node, Node)
    assert node.saved is not None
    return list(node.saved)


def test_addition_keeps_shapes_only() -> None:
    x, array = watched(1000)
    y = x + tg.to_tensor(np.ones(1000))
    assert all(isinstance(kept, Like) for kept in kept_by(y))
    x.data = np.zeros(1)
    assert array() is None


def test_multiplication_keeps_both_inputs() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    y = tg.Tensor(np.full(3, 2.0), stop_gradient=False)
    assert [id(kept) for kept in kept_by(x * y)] == [id(x.data), id(y.data)]


def test_relu_keeps_its_output_and_lets_go_of_its_input() -> None:
    x, array = watched(3)
    intermediate = x * 1.0
    array_of_it = weakref.ref(intermediate)
    y = tg.nn.functional.relu(intermediate)
    assert [id(kept) for kept in kept_by(y)] == [id(y.data)]
    del intermediate
    assert array_of_it() is None
    assert array() is not None


def test_an_intermediate_array_lives_as_long_as_a_rule_wants_it() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    square = x * x
    array = weakref.ref(square.data)
    y = square * x
    del square
    assert array() is not None
    y.backward()
    assert array() is None


def test_an_intermediate_array_that_no_rule_wants_dies_at_once() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    square = x * x
    array = weakref.ref(square.data)
    y = square + x
    del square
    assert array() is None
    y.backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def nodes_alive() -> int:
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def test_without_the_collector_nothing_of_a_step_stays() -> None:
    layer = tg.nn.Linear(4, 3)
    x = tg.to_tensor(np.ones((2, 4), "float32"))

    def step() -> None:
        loss = tg.nn.functional.relu(layer(x)).mean()
        loss.backward()
        layer.clear_gradients()

    step()
    before = nodes_alive(), len(gc.get_objects())
    for _ in range(5):
        step()
    assert nodes_alive() == before[0] == 0
    assert len(gc.get_objects()) <= before[1] + 5


def test_without_the_collector_a_graph_never_used_dies_too() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    y = (x * x + x).sum()
    assert nodes_alive() == 3
    del y
    assert nodes_alive() == 0


def test_without_the_collector_nothing_of_a_second_derivative_stays() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    softmax, loss = core_ops.softmax_with_cross_entropy(
        (x * x).reshape([1, 3]), np.array([[1]])
    )
    (dx,) = tg.grad([softmax, loss], x, create_graph=True)
    assert nodes_alive() > 5
    (ddx,) = tg.grad(dx, x)
    del dx, softmax, loss
    assert nodes_alive() == 0
    assert ddx.stop_gradient


@pytest.mark.parametrize("op", [operator.add, operator.matmul])
def test_a_failed_op_keeps_nothing_alive(op: Any) -> None:
    x, array = watched(3)
    with pytest.raises(tg.errors.ShapeError):
        op(x, np.ones(4))
    del x
    assert array() is None


@pytest.mark.parametrize("shape", [[4, 7], [None, 7]])
def test_a_failed_operator_leaves_nothing_to_the_collector(shape: list[Any]) -> None:
    def fail() -> None:
        with pytest.raises(tg.errors.ShapeError):
            x + y

    with static.program_guard(static.Program(), static.Program()):
        x, y = static.data("x", [None, 8]), static.data("y", shape)
        fail()
        before = len(gc.get_objects())
        for _ in range(5):
            fail()
        assert len(gc.get_objects()) <= before + 5


@contextmanager
def counting_gradients() -> Iterator[list[int]]:
    """How many gradients were alive each time a rule was about to run."""
    alive: list[weakref.ref[Any]] = []
    counts: list[int] = []

    class Counter(tg.observe.Observer):
        def grad_ready(self, target: Any, grad: Any) -> None:
            counts.append(sum(ref() is not None for ref in alive))

        def grad_flows(self, node: Any, index: int, target: Any, grad: Any) -> None:
            alive.append(weakref.ref(grad))

    with tg.observe.watch(Counter()):
        yield counts


def test_a_gradient_is_let_go_as_soon_as_it_is_used() -> None:
    """In a chain at most the one that arrives is alive, however long the chain."""
    y = tg.Tensor(np.ones(3), stop_gradient=False)
    for _ in range(50):
        y = tg.tanh(y)
    seed = tg.Tensor(np.ones(3))
    with counting_gradients() as counts:
        y.backward(seed)
    assert len(counts) == 51
    assert max(counts) <= 2


def test_what_a_pass_used_is_gone_while_the_result_lives_on() -> None:
    x, _ = watched(3)
    hidden = x * 2.0
    array = weakref.ref(hidden.data)
    y = hidden * hidden
    del hidden
    y.backward()
    assert array() is None
    assert isinstance(y.node, Node)
    assert y.node.saved is None


def test_retain_graph_keeps_what_was_saved() -> None:
    x, _ = watched(3)
    hidden = x * 2.0
    array = weakref.ref(hidden.data)
    y = hidden * hidden
    del hidden
    y.backward(retain_graph=True)
    assert array() is not None
    y.backward()
    assert array() is None


def test_detached_values_keep_no_tape() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    y = (x * x).detach()
    assert nodes_alive() == 0
    assert y.tolist() == [1.0, 1.0, 1.0]


def test_no_grad_leaves_no_node() -> None:
    x = tg.Tensor(np.ones(3), stop_gradient=False)
    with tg.no_grad():
        y = x * x
    assert nodes_alive() == 0
    assert y.stop_gradient


def test_without_the_collector_nothing_of_a_guard_stays() -> None:
    def guarded() -> None:
        with tg.no_grad(), tg.unique_name.guard(), static.scope_guard(scope):
            pass

    scope = static.Scope()
    guarded()
    before = len(gc.get_objects())
    for _ in range(5):
        guarded()
    assert len(gc.get_objects()) <= before + 5
