"""PyLayer: forward and backward of one's own, with a place on the tape."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import PyLayer, check_grads
from teachgraph.core.errors import BackwardTwiceError, InvalidValueError
from teachgraph.core.tape import Node
from teachgraph.errors import GradientShapeError, InPlaceError
from teachgraph.utils.observe import Observer, watch


class Tanh(PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = tg.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        (y,) = ctx.saved_tensor()
        return dy * (1.0 - y * y)


class Both(PyLayer):
    """Product and sum, of a Tensor, a number and a Tensor."""

    @staticmethod
    def forward(ctx: Any, x: Any, factor: float, *, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y, (x + y) * factor

    @staticmethod
    def backward(ctx: Any, dproduct: Any, dsum: Any) -> Any:
        x, y = ctx.saved_tensor()
        scaled = dsum * ctx.factor
        return dproduct * y + scaled, dproduct * x + scaled


def leaf(*values: float) -> tg.Tensor:
    return tg.to_tensor(np.array(values), stop_gradient=False)


def test_gradients_of_every_order_are_right() -> None:
    check_grads(Tanh.apply, [np.array([0.3, -1.2])], order=3)
    check_grads(
        lambda x, y: Both.apply(x, 2.5, y=y), [np.array([0.3, -1.2]), np.ones(2)]
    )


def test_it_agrees_with_the_op() -> None:
    x, twin = leaf(0.5, -2.0), leaf(0.5, -2.0)
    Tanh.apply(x * 2.0).sum().backward()
    tg.tanh(twin * 2.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), twin.grad.numpy(), rtol=1e-15)


def test_the_gradient_of_an_unused_result_comes_as_zeros_or_none() -> None:
    seen: list[Any] = []

    class Look(Both):
        @staticmethod
        def backward(ctx: Any, dproduct: Any, dsum: Any) -> Any:
            seen.append(dsum)
            return dproduct, dproduct

    class LookAtNone(Look):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float, *, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return Look.forward(ctx, x, factor, y=y)

    x, y = leaf(1.0), leaf(2.0)
    Look.apply(x, 1.0, y=y)[0].backward()
    LookAtNone.apply(x, 1.0, y=y)[0].backward()
    assert seen[0].tolist() == [0.0]
    assert seen[1] is None


def test_what_is_marked_gets_no_gradient() -> None:
    class Sorted(PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            order = tg.to_tensor(np.argsort(x.numpy()).astype("float64"))
            ctx.mark_non_differentiable(order)
            return x * 1.0, order

        @staticmethod
        def backward(ctx: Any, dy: Any, dorder: Any) -> Any:
            return dy

    y, order = Sorted.apply(leaf(3.0, 1.0))
    assert (y.stop_gradient, order.stop_gradient) == (False, True)


def test_nothing_in_forward_is_recorded_and_a_constant_leaves_no_node() -> None:
    recorded = []

    class Spy(PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2.0
            recorded.append(y.node)
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy * 2.0

    assert isinstance(Spy.apply(leaf(1.0)).node, Node)
    assert Spy.apply(tg.to_tensor(1.0)).node is None
    assert recorded == [None, None]


def test_a_second_pass_needs_the_graph_to_be_kept() -> None:
    x = leaf(1.0)
    y = Tanh.apply(x)
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(BackwardTwiceError, match="Tanh"):
        y.backward()


def test_what_it_saved_must_not_change() -> None:
    x = leaf(1.0)
    z = x * 1.0
    y = Both.apply(z, 1.0, y=x)[0]
    z.exp_()
    with pytest.raises(InPlaceError, match="'x0' as Both saw it"):
        y.backward()


def test_it_makes_no_cycle() -> None:
    gc.collect()
    gc.disable()
    try:
        before = nodes()
        y = Tanh.apply(leaf(1.0))
        assert nodes() == before + 1
        del y
        assert nodes() == before
    finally:
        gc.enable()


def nodes() -> int:
    """How many nodes there are on any tape."""
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


@pytest.mark.parametrize("returned", [(), (None, None)])
def test_a_gradient_too_many_or_too_few_is_refused(returned: Any) -> None:
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return returned

    x = leaf(1.0)
    with pytest.raises(InvalidValueError, match=r"Wrong\.backward"):
        Wrong.apply(x).backward()
    assert x.grad is None


@pytest.mark.parametrize("returned", [(2,), (), (1, 3), (3, 1), (0,)])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("from_a_leaf", [False, True])
def test_a_gradient_of_another_shape_is_refused_by_the_layers_name(
    returned: tuple[int, ...], create_graph: bool, from_a_leaf: bool
) -> None:
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx: Any, factor: Any, x: Any) -> Any:
            return factor * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return None, tg.ones(returned)

    x = leaf(1.0, 2.0, 3.0)
    y = Wrong.apply(tg.to_tensor(2.0), x if from_a_leaf else x * 1.0)
    with pytest.raises(GradientShapeError) as caught:
        tg.grad(y, x, create_graph=create_graph)
    message = str(caught.value)
    assert f"Wrong.backward returned a gradient of shape {[*returned]}" in message
    assert "for Tensor 1 of forward, of shape [3]" in message


def test_a_gradient_that_nobody_wants_may_have_any_shape() -> None:
    class Careless(Both):
        @staticmethod
        def backward(ctx: Any, dproduct: Any, dsum: Any) -> Any:
            return dproduct, tg.ones([7])

    x = leaf(1.0, 2.0)
    product, _ = Careless.apply(x, 1.0, y=tg.ones([2], "float64"))
    product.backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_watchers_are_told_its_name_and_its_node() -> None:
    told = []

    class Watcher(Observer):
        def op_end(self, op: str, *facts: Any) -> None:
            told.append((op, facts[-1]))

    with watch(Watcher()):
        y = Tanh.apply(leaf(1.0))
    assert told[-1] == ("Tanh", y.node)
