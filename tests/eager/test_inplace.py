"""Ops in place: the tensor changes, the tape notices."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import versions
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import InPlaceError


@pytest.fixture
def x() -> tg.Tensor:
    return tg.to_tensor([1.0, 2.0], stop_gradient=False)


def test_the_tensor_itself_is_returned_and_changed() -> None:
    x = tg.to_tensor([1.0, 2.0])
    assert x.add_(tg.to_tensor([10.0, 20.0])) is x
    assert x.tolist() == [11.0, 22.0]
    assert x.inplace_version == 1


def test_gradients_go_through_an_op_in_place(x: tg.Tensor) -> None:
    y = x * 3.0
    y.exp_()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3.0 * np.exp([3.0, 6.0]), rtol=1e-6)


CHANGES: list[Callable[[Any], Any]] = [
    lambda y: y.add_(tg.ones([2])),
    lambda y: y.tanh_(),
    lambda y: y.set_value(np.zeros(2, "float32")),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_rule_kept_must_not_change(
    x: tg.Tensor, change: Callable[[Any], Any]
) -> None:
    y = x * 1.0
    z = y * y
    change(y)
    with pytest.raises(InPlaceError, match=r"elementwise_mul saw it.*changed in place"):
        z.sum().backward()
    assert x.grad is None
    z = y * y  # what is kept from now on is current
    z.sum().backward()
    assert x.grad is not None


def test_an_output_that_a_rule_kept_counts_too(x: tg.Tensor) -> None:
    y = x.exp()
    y.add_(y)
    with pytest.raises(InPlaceError, match="'out' as exp saw it"):
        y.sum().backward()


def test_what_no_rule_kept_may_change(x: tg.Tensor) -> None:
    y = x * 3.0
    z = y + y  # keeps shapes only
    y.exp_()
    z.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_copy_may_change(x: tg.Tensor) -> None:
    y = x * 1.0
    z = y * y
    y.clone().add_(y)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_leaf_that_wants_a_gradient_stays_as_it_is(x: tg.Tensor) -> None:
    with pytest.raises(InvalidValueError, match="can't use inplace strategy"):
        x.add_(tg.ones([2]))
    assert x.tolist() == [1.0, 2.0]
    with tg.no_grad():
        x.add_(tg.ones([2]))
    assert x.tolist() == [2.0, 3.0]
    assert x.is_leaf
    assert not x.stop_gradient


def test_a_shape_that_would_grow_is_refused() -> None:
    x = tg.to_tensor([1.0])
    with pytest.raises(InvalidValueError, match=r"\[1\] cannot become .* \[2\]"):
        x.add_(tg.ones([2]))
    assert (x.tolist(), x.inplace_version) == ([1.0], 0)


def test_reshaping_in_place_is_allowed() -> None:
    x = tg.to_tensor([1.0, 2.0])
    assert x.reshape_([2, 1]).tolist() == [[1.0], [2.0]]
    assert x.unsqueeze_(0).shape == [1, 2, 1]


def test_the_books_are_closed_with_the_arrays() -> None:
    gc.collect()
    before = len(versions.overwritten)
    x = tg.to_tensor([1.0])
    for _ in range(100):
        x.add_(x)
    assert len(versions.overwritten) == before


def test_an_optimizer_changes_values_that_a_graph_kept_without_spoiling_it() -> None:
    layer = tg.nn.Linear(2, 1, bias_attr=False)
    layer.weight.set_value(np.array([[2.0], [3.0]], "float32"))
    x = tg.to_tensor([[1.0, 1.0]], stop_gradient=False)
    out = layer(x)
    optimizer = tg.optimizer.SGD(1.0, layer.parameters())
    out.backward(retain_graph=True)
    optimizer.step()
    x.clear_grad()
    out.backward()
    assert x.grad.tolist() == [[2.0, 3.0]]  # of the weights that were multiplied by


def test_a_part_is_replaced_and_gradients_know() -> None:
    x = tg.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    v = tg.to_tensor(5.0, stop_gradient=False)
    y = x * 2.0
    y[1] = v * v
    assert y.tolist() == [2.0, 25.0, 6.0]
    (y * y).sum().backward()
    assert x.grad.tolist() == [8.0, 0.0, 24.0]
    assert v.grad.item() == 2 * 25.0 * 10.0


def test_parts_are_replaced_as_in_numpy() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    x = tg.to_tensor(array)
    for index, value in [
        ((0, slice(None, None, 2)), 7.0),
        ((Ellipsis, [3, 0]), np.array([1.0, 2.0])),
        (array[..., :1] > 5, -1.0),
    ]:
        where = (
            np.broadcast_to(index, array.shape) if type(index) is np.ndarray else index
        )
        array[where] = value
        x[tg.to_tensor(where) if type(where) is np.ndarray else where] = value
    np.testing.assert_array_equal(x.numpy(), array)
    assert x.inplace_version == 3


def test_filling_and_drawing_in_place() -> None:
    x = tg.zeros([1000])
    assert set(x.fill_(3.0).tolist()) == {3.0}
    assert 0.0 <= min(x.uniform_(0.0, 2.0).tolist()) < 0.1
    assert abs(x.normal_(5.0, 0.1).mean().item() - 5.0) < 0.05
    assert not any(x.zero_().tolist())


def test_a_comparison_in_place_makes_booleans() -> None:
    x = tg.to_tensor([1.0, 2.0])
    assert tg.equal_(x, tg.to_tensor([1.0, 3.0])).tolist() == [True, False]
    assert x.dtype == np.bool_
    assert x.cast_("int32").tolist() == [1, 0]


@pytest.mark.parametrize("cast", [tg.Tensor.cast_, tg.Tensor.to])
def test_a_part_of_a_leaf_is_cast_in_a_memory_of_its_own(cast: Any) -> None:
    leaf = tg.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    row = leaf[0]
    assert cast(row, "float64") is row
    assert (row.dtype, leaf.dtype) == (tg.float64, tg.float32)
    (row * row).sum().backward()
    assert leaf.grad.tolist() == [[2.0, 4.0], [0.0, 0.0]]


def test_what_is_chosen_by_a_condition_replaces_the_first_choice() -> None:
    x, y = tg.to_tensor([1.0, 2.0]), tg.to_tensor([3.0, 4.0])
    assert tg.where_(tg.to_tensor([True, False]), x, y) is x
    assert x.tolist() == [1.0, 4.0]


def test_every_method_in_place_is_a_function_too() -> None:
    for name in ("tanh_", "masked_fill_", "geometric_"):
        assert getattr(tg, name) is getattr(tg.Tensor, name)
        assert name in dir(tg)
    x = tg.to_tensor([-1.0, 2.0])
    assert tg.nn.functional.relu_(x) is x
    assert x.tolist() == [0.0, 2.0]


def test_waiting_times_and_random_angles() -> None:
    tg.seed(7)
    x = tg.zeros([20000], "float64")
    assert abs(x.exponential_(2.0).mean().item() - 0.5) < 0.02
    assert abs(x.geometric_(0.25).mean().item() + 1.0 / np.log(0.75)) < 0.1
    assert abs(x.cauchy_(3.0, 2.0).median().item() - 3.0) < 0.1
    spread = tg.quantile(x, [0.25, 0.75]).tolist()
    np.testing.assert_allclose(spread, [1.0, 5.0], atol=0.2)


def test_what_is_assigned_to_a_tensor_brings_its_gradient() -> None:
    x = tg.to_tensor([2.0], stop_gradient=False)
    y = x * 1.0
    assert tg.assign(y * 3.0, output=y) is y
    (y * y).backward()
    assert y.tolist() == [6.0]
    assert x.grad.tolist() == [36.0]


def test_a_leaf_takes_the_values_alone() -> None:
    weight = tg.to_tensor([2.0], stop_gradient=False)
    kept = tg.to_tensor([5.0])
    tg.assign(weight * 2.0, output=kept)
    assert not kept.stop_gradient
    tg.assign(np.array([7.0], "float32"), output=weight)
    assert weight.tolist() == [7.0]
    assert weight.is_leaf


def test_a_constant_of_another_shape_may_be_assigned_to_what_was_computed() -> None:
    x = tg.ones([3, 3])
    x.stop_gradient = False
    y = x * 2.0
    tg.assign(tg.zeros([2]), y)
    assert y.tolist() == [0.0, 0.0]
