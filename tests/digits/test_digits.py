"""The whole path on real handwritten digits: a user's own op, both modes, one end."""

from __future__ import annotations

from functools import cache
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid
from teachgraph.core import modes
from tests.digits.network import (
    EPOCHS,
    RATE,
    Classifier,
    Run,
    feeds,
    program,
    py_func_relu,
    trained,
)


def masked(y: Any, dy: Any) -> Any:
    """dy where y > 0."""
    return dy * (y > 0)


def as_in_the_article(y: Any, dy: Any) -> Any:
    """The slope of each element written into an array of zeros."""
    dx = np.zeros_like(y)
    dx[y > 0] = 1.0
    return np.array(dy) * dx


ACTIVATIONS = {
    "native": fluid.layers.relu,
    "py_func": py_func_relu(masked),
    "article": py_func_relu(as_in_the_article),
}


@cache
def run(name: str) -> Run:
    return trained(program(ACTIVATIONS[name]))


def test_five_epochs_are_thirty_steps_and_five_tests() -> None:
    assert len(run("native").losses) == EPOCHS * 6
    assert len(run("native").tests) == EPOCHS


@pytest.mark.parametrize("name", ["py_func", "article"])
def test_a_relu_of_the_users_follows_the_same_loss_as_the_native_one(name: str) -> None:
    native, own = run("native"), run(name)
    np.testing.assert_allclose(own.losses, native.losses, rtol=0, atol=1e-6)
    np.testing.assert_allclose(own.tests, native.tests, rtol=0, atol=1e-6)
    for parameter, value in native.values.items():
        np.testing.assert_allclose(own.values[parameter], value, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_it_learns_to_read(name: str) -> None:
    losses, accuracies = zip(*run(name).tests, strict=True)
    assert accuracies[-1] > 0.75
    assert all(later > earlier for earlier, later in pairwise(accuracies))
    assert all(later < earlier for earlier, later in pairwise(losses))


def test_the_operators_are_those_of_paddle() -> None:
    built = program(ACTIVATIONS["py_func"])
    forward = "mul elementwise_add py_func mul elementwise_add softmax cross_entropy2 "
    forward += "reduce_mean top_k_v2 accuracy"
    backward = "fill_constant reduce_mean_grad cross_entropy_grad2 softmax_grad "
    backward += "elementwise_add_grad mul_grad py_func elementwise_add_grad mul_grad"
    updates = ["sgd"] * 4
    types = [op.type for op in built.main.global_block().ops]
    assert types == [*forward.split(), *backward.split(), *updates]
    assert [op.type for op in built.test.global_block().ops] == forward.split()


def test_a_test_changes_no_parameter_and_the_training_all() -> None:
    built = program(ACTIVATIONS["native"])
    executor, scope = fluid.Executor(), fluid.Scope()
    executor.run(built.startup, scope=scope)
    before = dict(scope.values)
    (feed,) = feeds("test", 1000)
    executor.run(built.test, feed, [built.loss], scope=scope)
    assert scope.values == before
    executor.run(built.main, feed, scope=scope)
    parameters = [p.name for p in built.main.all_parameters()]
    assert len(parameters) == 4
    for name in parameters:
        assert not np.array_equal(scope.values[name], before[name])


NAMES = {
    "hidden.weight": "fc_0.w_0",
    "hidden.bias": "fc_0.b_0",
    "out.weight": "fc_1.w_0",
    "out.bias": "fc_1.b_0",
}


def eagerly(start: dict[str, Any], steps: int) -> tuple[list[float], dict[str, Any]]:
    """Train the Layer from given parameters; the losses and the parameters."""
    net = Classifier()
    net.set_state_dict({ours: start[name] for ours, name in NAMES.items()})
    optimizer = tg.optimizer.SGD(learning_rate=RATE, parameters=net.parameters())
    losses = []
    batches = [feed for _ in range(EPOCHS) for feed in feeds("train")]
    for feed in islice(batches, steps):
        image, label = (tg.to_tensor(feed[name]) for name in ("image", "label"))
        loss = tg.nn.functional.cross_entropy(net(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    return losses, {NAMES[name]: p.numpy() for name, p in net.named_parameters()}


def statically(steps: int) -> tuple[dict[str, Any], list[float], dict[str, Any]]:
    """The first parameters of the program, the losses and the parameters after."""
    built = program(ACTIVATIONS["native"])
    executor, scope = fluid.Executor(), fluid.Scope()
    executor.run(built.startup, scope=scope)
    start, losses = dict(scope.values), []
    batches = [feed for _ in range(EPOCHS) for feed in feeds("train")]
    for feed in islice(batches, steps):
        (loss,) = executor.run(built.main, feed, [built.loss], scope=scope)
        losses.append(loss.item())
    return start, losses, {name: scope.values[name] for name in NAMES.values()}


def test_ten_eager_steps_end_where_ten_of_the_program_do() -> None:
    """The eager loss starts from logits, the program's from probabilities."""
    start, losses, parameters = statically(10)
    with modes.using(static=False):
        now, after = eagerly(start, 10)
    np.testing.assert_allclose(now, losses, rtol=0, atol=2e-6)
    assert after.keys() == parameters.keys()
    for name, value in parameters.items():
        assert not np.array_equal(value, start[name])
        np.testing.assert_allclose(after[name], value, rtol=0, atol=1e-6, err_msg=name)


def test_both_modes_draw_the_same_first_parameters_from_one_seed() -> None:
    built = program(ACTIVATIONS["native"])
    built.startup.random_seed = 0
    scope = fluid.Scope()
    tg.seed(5)
    fluid.Executor().run(built.startup, scope=scope)
    with modes.using(static=False):
        tg.seed(5)
        net = Classifier()
    for ours, name in NAMES.items():
        np.testing.assert_array_equal(
            net.state_dict()[ours].numpy(), scope.values[name]
        )
