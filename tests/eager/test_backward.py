"""What `backward` does: where gradients go, how they add up, what stays of the tape."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core import ops as core_ops
from teachgraph.core.errors import BackwardTwiceError, DTypeError, GradientShapeError
from tests.eager.ops import counted_add, op_with


def leaf(*values: float) -> tg.Tensor:
    data: Any = list(values) if len(values) > 1 else values[0]
    return tg.to_tensor(data, stop_gradient=False)


def test_a_fan_out_adds_the_gradients_of_all_uses() -> None:
    x = leaf(2.0, 3.0)
    (x * x + 4.0 * x + x).sum().backward()
    assert x.grad.tolist() == [9.0, 11.0]  # 2x + 5


def test_one_tensor_twice_in_an_op_gets_both_gradients() -> None:
    x = leaf(3.0)
    (x * x).backward()
    assert x.grad.item() == 6.0
    y = leaf(5.0)
    (y - y).backward()
    assert y.grad.item() == 0.0


def test_gradients_accumulate_until_they_are_cleared() -> None:
    x = leaf(2.0)
    for _ in range(3):
        (x * x).backward()
    assert x.grad.item() == 12.0
    x.clear_grad()
    assert x.grad.tolist() == 0.0
    (x * 5.0).backward()
    assert x.grad.item() == 5.0
    x.clear_gradient(set_to_zero=False)
    assert x.grad is None
    assert x.gradient() is None


def test_accumulating_leaves_gradients_handed_out_before_as_they_were() -> None:
    x = leaf(2.0)
    (x * x).backward()
    first = x.grad
    (x * x).backward()
    assert (first.item(), x.grad.item()) == (4.0, 8.0)


def test_intermediate_results_keep_no_gradient() -> None:
    x = leaf(2.0)
    y = x * x
    (y * y).backward()
    assert y.grad is None
    assert x.grad.item() == 32.0


def test_backward_of_a_leaf_gives_it_ones() -> None:
    x = leaf(2.0, 3.0)
    x.backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_what_has_several_elements_starts_from_ones() -> None:
    x = leaf(2.0, 3.0)
    (x * x).backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_the_gradient_given_weighs_the_outputs() -> None:
    x = leaf(2.0, 3.0)
    (x * x).backward(tg.to_tensor([10.0, -1.0]))
    assert x.grad.tolist() == [40.0, -6.0]


@pytest.mark.parametrize("kind", ["float64", "int64", "bool"])
def test_a_given_gradient_of_another_dtype_is_taken_in_ours(kind: str) -> None:
    for function in (tg.nn.functional.relu, lambda x: x + 1.0, lambda x: x):
        x = leaf(2.0, 3.0)
        function(x).backward(tg.to_tensor([1, 0], dtype=kind))
        assert (x.grad.tolist(), str(x.grad.dtype)) == ([1.0, 0.0], "float32")


def test_a_given_gradient_may_be_an_array_or_a_list() -> None:
    x = leaf(2.0, 3.0)
    (x * x).backward(np.array([1.0, 2.0]))
    (x * x).backward([1, 2])
    assert x.grad.tolist() == [8.0, 24.0]
    with pytest.raises(DTypeError, match="nothing can be computed with 'a'"):
        leaf(1.0).backward("a")


def test_a_given_gradient_of_another_shape_is_refused_and_changes_nothing() -> None:
    x = leaf(2.0, 3.0)
    y = x * x
    for wrong in ([1.0], [[1.0, 1.0]], 1.0, [1.0, 1.0, 1.0]):
        with pytest.raises(
            GradientShapeError, match="Tensor shape not match"
        ) as caught:
            y.backward(tg.to_tensor(wrong))
        assert __file__ in str(caught.value)
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_on_what_stops_gradients_it_does_nothing() -> None:
    x = tg.to_tensor([1.0, 2.0])
    for y in (x, x * 2.0):
        with pytest.warns(UserWarning, match="stop_gradient=True does nothing") as told:
            y.backward()
        assert told[0].filename == __file__
    assert x.grad is None


def test_a_second_pass_needs_the_graph_to_be_kept() -> None:
    x = leaf(3.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12.0
    with pytest.raises(BackwardTwiceError, match="retain_graph=True") as caught:
        y.backward()
    assert "elementwise_mul" in str(caught.value)
    assert __file__ in str(caught.value)


def test_a_failed_second_pass_leaves_every_leaf_as_it_was() -> None:
    """The part that was freed lies behind one that is still whole."""
    x, fresh = leaf(3.0), leaf(5.0)
    y = x * x
    y.backward()
    z = fresh * fresh + y
    with pytest.raises(BackwardTwiceError):
        z.backward()
    assert fresh.grad is None
    assert x.grad.item() == 6.0


def test_a_freed_part_that_no_gradient_needs_is_no_obstacle() -> None:
    x, other = leaf(3.0), leaf(4.0)
    y = x * x
    y.backward()
    (other * y.detach()).backward()
    assert other.grad.item() == 9.0


@pytest.mark.parametrize("levels", [20, 40])
def test_a_diamond_costs_one_rule_call_a_level(levels: int) -> None:
    """There are 2^levels paths; each op is gone through once all the same."""
    add, calls = counted_add()
    x = leaf(1.0)
    y = x
    for _ in range(levels):
        y = add(y, y)
    y.backward()
    assert len(calls) == levels
    assert x.grad.item() == 2.0**levels


def test_a_lattice_is_gone_through_in_the_order_of_its_ops() -> None:
    """Each op reads the two before it: a wrong order would count some paths only."""
    add, calls = counted_add()
    x = tg.to_tensor(1.0, dtype="float64", stop_gradient=False)
    before, now = x, add(x, x)
    for _ in range(60):
        before, now = now, add(now, before)
    now.backward()
    first, second = 1, 2
    for _ in range(60):
        first, second = second, second + first
    assert len(calls) == 61
    assert x.grad.item() == second


def test_a_chain_of_ten_thousand_ops_needs_no_deep_stack() -> None:
    limit = sys.getrecursionlimit()
    assert limit < 10_000
    x = tg.to_tensor(1.0, dtype="float64", stop_gradient=False)
    y = x
    for _ in range(10_000):
        y = y * 1.0001
    y.backward()
    assert x.grad.item() == pytest.approx(1.0001**10_000, rel=1e-9)


def test_a_chain_of_ten_thousand_ops_can_be_thrown_away() -> None:
    """Unused, or used and kept: letting go of it must not recurse."""
    for differentiate in (False, True):
        y = x = leaf(1.0)
        for _ in range(10_000):
            y = y + 1.0
        if differentiate:
            y.backward(retain_graph=True)
        del y
        assert x.item() == 1.0


def test_branches_that_join_late_wait_for_each_other() -> None:
    x = leaf(2.0)
    long = x
    for _ in range(5):
        long = long * 1.0
    (long * x * x).backward()
    assert x.grad.item() == 12.0  # 3 x^2


def test_gradients_stop_where_they_are_told_to() -> None:
    x, y = leaf(2.0), leaf(3.0)
    y.stop_gradient = True
    (x * y).backward()
    assert x.grad.item() == 3.0
    assert y.grad is None
    z = x * x
    z.stop_gradient = True
    (z * x).backward()
    assert x.grad.item() == 3.0 + 4.0


def test_integers_get_no_gradient_even_if_asked_for() -> None:
    index = tg.to_tensor([1, 2], stop_gradient=False)
    doubled = index * 2
    assert doubled.stop_gradient
    with pytest.warns(UserWarning, match="does nothing"):
        doubled.backward()
    assert index.grad is None


def two_results() -> Any:
    """(3x, x^2) in one op, with a rule that takes either gradient or both."""

    def rule(dtriple: Any, dsquare: Any, x: Any) -> Any:
        dx = 0.0
        if dtriple is not None:
            dx = dtriple * 3.0
        if dsquare is not None:
            dx = dx + dsquare * x * 2.0
        return dx

    return op_with(lambda x: (x * 3.0, x * x), rule, outputs=("triple", "square"))


@pytest.mark.parametrize(
    ("use", "gradient"),
    [
        (lambda triple, square: triple, 3.0),
        (lambda triple, square: square, 10.0),
        (lambda triple, square: triple + square, 13.0),
        (lambda triple, square: triple * square, 225.0),
        (lambda triple, square: square * 2.0 + square * triple * 0.0, 20.0),
    ],
)
def test_an_op_with_two_results_waits_for_both(use: Any, gradient: float) -> None:
    x = leaf(5.0)
    use(*two_results()(x)).backward()
    assert x.grad.item() == gradient


def test_an_op_with_two_results_can_be_gone_through_twice() -> None:
    x = leaf(5.0)
    triple, square = two_results()(x)
    triple.backward(retain_graph=True)
    square.backward()
    assert x.grad.item() == 13.0
    with pytest.raises(BackwardTwiceError):
        triple.backward()


@pytest.mark.parametrize("wanted", ["loss", "softmax", "both"])
def test_both_results_of_softmax_with_cross_entropy_have_gradients(wanted: str) -> None:
    logits = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]])
    labels = np.array([[1], [2]])
    weights = np.array([[0.3, -1.0, 2.0], [1.0, 0.5, -0.7]])
    x = tg.to_tensor(logits, stop_gradient=False)
    softmax, loss = core_ops.softmax_with_cross_entropy(x, labels)
    parts = {"loss": loss.sum(), "softmax": (softmax * weights).sum()}
    (sum(parts.values()) if wanted == "both" else parts[wanted]).backward()
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    through_loss = p - np.eye(3)[labels[:, 0]]
    through_softmax = p * (weights - (p * weights).sum(axis=1, keepdims=True))
    expected = {
        "loss": through_loss,
        "softmax": through_softmax,
        "both": through_loss + through_softmax,
    }
    np.testing.assert_allclose(x.grad.numpy(), expected[wanted], rtol=1e-12)


def test_a_rule_that_raises_leaves_every_leaf_as_it_was() -> None:
    def broken(dout: Any) -> Any:
        raise RuntimeError("no derivative today")

    identity = op_with(lambda x: x + 0.0, broken)
    x, y = leaf(1.0), leaf(2.0)
    with pytest.raises(RuntimeError, match="no derivative today"):
        (identity(x) + y * y).backward()
    assert x.grad is None
    assert y.grad is None
