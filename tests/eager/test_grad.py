"""`grad`: gradients by name, of any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core import ops as core_ops
from teachgraph.core.errors import (
    BackwardTwiceError,
    GradientShapeError,
    InvalidValueError,
)
from tests.eager.ops import counted_add


def leaf(value: Any) -> tg.Tensor:
    return tg.to_tensor(value, dtype="float64", stop_gradient=False)


def test_it_returns_a_list_and_touches_no_grad() -> None:
    x, y = leaf(3.0), leaf(2.0)
    found = tg.grad(x * x * y, x)
    assert [dx.item() for dx in found] == [12.0]
    assert x.grad is None
    assert y.grad is None


def test_several_inputs_in_their_order() -> None:
    x, y = leaf(3.0), leaf(2.0)
    z = x * x * y
    assert [dx.item() for dx in tg.grad(z, [y, x], retain_graph=True)] == [9.0, 12.0]
    assert [dx.item() for dx in tg.grad(z, (x, y))] == [12.0, 9.0]


def test_an_input_named_twice_is_answered_twice() -> None:
    x = leaf(3.0)
    first, second = tg.grad(x * x, [x, x])
    assert (first.item(), second.item()) == (6.0, 6.0)


def test_outputs_add_up_also_where_one_is_named_twice() -> None:
    x = leaf(3.0)
    y = x * x
    (dx,) = tg.grad([y, y * x], x, retain_graph=True)
    assert dx.item() == 6.0 + 27.0
    (dx,) = tg.grad([y, y], x)
    assert dx.item() == 12.0


def test_each_output_has_a_weight_of_its_own() -> None:
    x = leaf([1.0, 2.0])
    y, z = x * x, x * 3.0
    (dx,) = tg.grad([y, z, y], x, [leaf([1.0, 10.0]), None, leaf([0.5, 0.5])])
    assert dx.tolist() == [2 * 1.5 + 3, 4 * 10.5 + 3]


def test_intermediate_results_may_be_inputs() -> None:
    x = leaf(3.0)
    y = x * x
    z = y * y
    dy, dx = tg.grad(z, [y, x])
    assert (dy.item(), dx.item()) == (18.0, 108.0)


def test_an_output_may_be_an_input() -> None:
    x = leaf(3.0)
    y = x * x
    dy, dx = tg.grad(y, [y, x])
    assert (dy.item(), dx.item()) == (1.0, 6.0)
    (dx,) = tg.grad(x, x, leaf(5.0))
    assert dx.item() == 5.0


@pytest.mark.parametrize("create", [False, True])
def test_what_leads_to_no_input_is_not_computed(create: bool) -> None:
    add, calls = counted_add()
    x, y = leaf(1.0), leaf(2.0)
    side = y
    for _ in range(10):
        side = add(side, side)
    (dx,) = tg.grad(add(x, side), x, create_graph=create)
    assert dx.item() == 1.0
    assert len(calls) == 1


def test_third_order() -> None:
    x = leaf(2.0)
    y = x * x * x * x
    orders = []
    for _ in range(4):
        (y,) = tg.grad(y, x, create_graph=True)
        orders.append(y.item())
    assert orders == [32.0, 48.0, 48.0, 24.0]


def test_third_order_of_a_quotient_and_a_tanh() -> None:
    value = 0.7
    x = leaf(value)
    y = tg.tanh(x) / x
    for _ in range(3):
        (y,) = tg.grad(y, x, create_graph=True)
    step = 1e-2
    at = [np.tanh(value + k * step) / (value + k * step) for k in (-2, -1, 0, 1, 2)]
    third = (at[4] - 2 * at[3] + 2 * at[1] - at[0]) / (2 * step**3)
    assert y.item() == pytest.approx(third, rel=1e-2)


def test_second_derivatives_by_a_result_of_an_op_with_several() -> None:
    """dx = softmax - one_hot, so its slope by softmax is the identity."""
    x = leaf([[1.0, 2.0, 0.5]])
    softmax, loss = core_ops.softmax_with_cross_entropy(x, np.array([[1]]))
    (dx,) = tg.grad(loss, x, create_graph=True)
    (by_softmax,) = tg.grad(dx, softmax, leaf([[1.0, 2.0, 3.0]]))
    assert by_softmax.tolist() == [[1.0, 2.0, 3.0]]


def test_mixed_second_derivatives_do_not_depend_on_the_order() -> None:
    x, y = leaf(0.3), leaf(1.7)
    z = tg.exp(x * y) * tg.tanh(x)
    dx, dy = tg.grad(z, [x, y], create_graph=True)
    (dxy,) = tg.grad(dx, y, retain_graph=True)
    (dyx,) = tg.grad(dy, x)
    assert dxy.item() == pytest.approx(dyx.item(), rel=1e-12)


def test_a_gradient_in_a_loss_is_differentiated_in_its_turn() -> None:
    """z = x^2 + (dx^2/dx) has slope 2x + 2, or 2x if the gradient is a constant."""
    for create, slope in ((True, 4.0), (False, 2.0)):
        x = leaf(1.0)
        y = x * x
        (dx,) = tg.grad(y, x, create_graph=create, retain_graph=True)
        (y + dx).backward()
        assert x.grad.item() == slope
        assert dx.stop_gradient is not create


def test_the_weights_are_differentiated_too() -> None:
    x, u = leaf([1.0, 2.0]), leaf([3.0, -1.0])
    (dx,) = tg.grad(x * x, x, u, create_graph=True)
    (du,) = tg.grad(dx, u)
    assert du.tolist() == [2.0, 4.0]


def test_a_penalty_on_the_gradient_reaches_the_weights() -> None:
    """The gradient of |dloss/dx|^2 by w, against finite differences."""
    w0 = np.array([[0.2, -0.4], [0.1, 0.3]])
    data = np.array([[1.0, -2.0]])

    def penalty(weight: tg.Tensor) -> tg.Tensor:
        x = tg.to_tensor(data, stop_gradient=False)
        (dx,) = tg.grad(tg.tanh(x @ weight).sum(), x, create_graph=True)
        return (dx * dx).sum()

    w = leaf(w0)
    penalty(w).backward()
    numeric = np.zeros_like(w0)
    for place in np.ndindex(w0.shape):
        step = np.zeros_like(w0)
        step[place] = 1e-6
        ahead, behind = penalty(leaf(w0 + step)), penalty(leaf(w0 - step))
        numeric[place] = (ahead.item() - behind.item()) / 2e-6
    np.testing.assert_allclose(w.grad.numpy(), numeric, rtol=1e-6, atol=1e-9)


def test_the_graph_is_kept_only_if_asked_for_or_needed() -> None:
    x = leaf(3.0)
    y = x * x
    tg.grad(y, x, create_graph=True)
    tg.grad(y, x, retain_graph=True)
    tg.grad(y, x)
    with pytest.raises(BackwardTwiceError, match="retain_graph=True"):
        tg.grad(y, x)
    z = x * x
    tg.grad(z, x, create_graph=True, retain_graph=False)
    with pytest.raises(BackwardTwiceError):
        tg.grad(z, x)


def test_an_unused_input_is_an_error_or_none() -> None:
    x, other = leaf(3.0), leaf(4.0)
    y = x * x
    with pytest.raises(InvalidValueError, match="allow_unused=True") as caught:
        tg.grad(y, [x, other], retain_graph=True)
    assert __file__ in str(caught.value)
    dx, nothing = tg.grad(y, [x, other], allow_unused=True)
    assert dx.item() == 6.0
    assert nothing is None


def test_an_input_that_stops_gradients_is_an_error_that_says_so() -> None:
    x, fixed = leaf(3.0), tg.to_tensor(4.0)
    with pytest.raises(InvalidValueError, match="its stop_gradient is True"):
        tg.grad(x * fixed, fixed)


def test_a_name_helps_to_find_the_input() -> None:
    x, other = leaf(3.0), leaf(4.0)
    other.name = "temperature"
    with pytest.raises(InvalidValueError, match="temperature"):
        tg.grad(x * x, other)


def test_no_grad_vars_are_constants() -> None:
    x, y = leaf(3.0), leaf(2.0)
    middle = x * y
    z = middle * x
    (dx,) = tg.grad(z, x, no_grad_vars=[middle], retain_graph=True)
    assert dx.item() == 6.0
    (dx,) = tg.grad(z, x, no_grad_vars=y, retain_graph=True)
    assert dx.item() == 12.0
    (nothing,) = tg.grad(z, y, no_grad_vars=[middle], allow_unused=True)
    assert nothing is None


def test_weights_of_another_shape_or_number_are_refused() -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    with pytest.raises(GradientShapeError, match="shape"):
        tg.grad(y, x, leaf([[1.0, 2.0]]))
    with pytest.raises(InvalidValueError, match="length of grad_outputs"):
        tg.grad(y, x, [None, None])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (lambda x: ([], x), "must not be empty"),
        (lambda x: (x * x, []), "must not be empty"),
        (lambda x: (1.0, x), "must be Tensors"),
        (lambda x: (x * x, np.ones(1)), "must be Tensors"),
        (lambda x: (x * x, "x"), "must be Tensors"),
        (
            lambda x: (x * x, x, None, None, False, True, False, ["y"]),
            "must be Tensors",
        ),
    ],
)
def test_what_it_cannot_take(arguments: Any, says: str) -> None:
    with pytest.raises(InvalidValueError, match=says) as caught:
        tg.grad(*arguments(leaf(1.0)))
    assert __file__ in str(caught.value)


def test_only_inputs_must_stay_true() -> None:
    x = leaf(1.0)
    with pytest.raises(InvalidValueError, match="backward"):
        tg.grad(x * x, x, only_inputs=False)


def test_under_no_grad_a_graph_made_before_can_be_gone_through() -> None:
    x = leaf(3.0)
    y = x * x
    with tg.no_grad():
        (dx,) = tg.grad(y, x)
    assert dx.item() == 6.0


def test_create_graph_records_inside_no_grad_as_well() -> None:
    x = leaf(3.0)
    y = x * x
    with tg.no_grad():
        (dx,) = tg.grad(y, x, create_graph=True)
    assert tg.grad(dx, x)[0].item() == 2.0


def test_without_create_graph_nothing_is_recorded() -> None:
    x = leaf(3.0)
    (dx,) = tg.grad(x * x * x, x)
    assert dx.stop_gradient
    assert dx.is_leaf


def test_the_recording_switch_is_as_before_also_after_an_error() -> None:
    x = leaf(3.0)
    y = x * x
    tg.grad(y, x)
    for create in (False, True):
        with pytest.raises(BackwardTwiceError):
            tg.grad(y, x, create_graph=create)
        assert tg.is_grad_enabled()
