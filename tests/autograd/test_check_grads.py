"""`check_grads` accepts right rules and names the place where a wrong one is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import check_grads
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import Op, Rule
from teachgraph.errors import GradientMismatch


def op_with(rule: Callable[..., Any], kernel: Callable[..., Any]) -> Op:
    """An op that no registry knows."""
    made = Op(kernel)
    made.rule = Rule(made, rule)
    return made


def cube(x: Any) -> Any:
    return x**3


def times(x: Any, y: Any) -> Any:
    return x * y


X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]])


def test_a_right_rule_passes_to_the_fourth_order() -> None:
    check_grads(lambda x: (x * x * x * x).sum() + tg.tanh(x).mean(), [X], order=4)


def test_several_outputs_and_inputs_of_several_shapes_pass() -> None:
    def outputs(x: Any, y: Any, z: Any) -> Any:
        return x * y + z, tg.exp(z), x.sum(axis=0)

    check_grads(outputs, [X, X[0], 0.5])


def test_labels_and_integer_outputs_are_left_alone() -> None:
    labels = np.array([[2], [0]])

    def loss_and_guess(x: Any, label: Any) -> Any:
        return tg.nn.functional.softmax_with_cross_entropy(x, label), x.argmax(axis=1)

    check_grads(loss_and_guess, [X, labels])


def test_a_function_that_does_not_depend_on_an_input_passes() -> None:
    check_grads(lambda x, y: x * 2.0, [X, X])


def test_float32_inputs_are_taken_as_float64() -> None:
    seen = []

    def function(x: Any) -> Any:
        seen.append(x.dtype)
        return x * x

    check_grads(function, [X.astype("float32")])
    assert set(seen) == {np.dtype("float64")}


def test_an_empty_input_has_nothing_wrong_with_it() -> None:
    check_grads(lambda x: x * x, [np.zeros((0, 3))])


WRONG = {
    "sign": lambda dout, x: -(dout * x * x * 3.0),
    "factor": lambda dout, x: dout * x * x * 3.01,
    "upstream gradient ignored": lambda dout, x: x * x * 3.0,
    "no gradient": lambda dout, x: None,
    "infinite": lambda dout, x: dout * float("inf"),
    "not a number": lambda dout, x: dout * float("nan"),
    "transposed twice": lambda dout, x: (dout * x * x * 3.0).transpose([0, 1]) * 0.0,
}


@pytest.mark.parametrize("rule", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_rule_is_refused(rule: Callable[..., Any]) -> None:
    wrong = op_with(rule, cube)
    with pytest.raises(GradientMismatch, match=r"of order 1 .* input 0 \(x\)"):
        check_grads(wrong, [X])


def test_one_wrong_element_is_named_with_both_values() -> None:
    mask = np.ones((2, 3))
    mask[1, 2] = 2.0
    wrong = op_with(lambda dout, x: dout * x * x * 3.0 * mask, cube)
    weight = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 4.0]])

    def total(x: Any) -> Any:
        return (wrong(x) * weight).sum()

    with pytest.raises(GradientMismatch) as caught:
        check_grads(total, [X])
    message = str(caught.value)
    assert "is wrong at [1, 2]" in message
    right, found = (float(word) for word in numbers_in(message))
    assert found == pytest.approx(2 * right, rel=1e-6)


def numbers_in(message: str) -> tuple[str, str]:
    """The numeric value and the one of the rules."""
    _, values = message.split("]: ")
    found, right = values.split(" by the rules, ")
    return right.split(" by ")[0], found


def test_the_wrong_one_of_two_inputs_is_named() -> None:
    wrong = op_with(lambda dout, x, y: (dout * y, dout * y), times)

    def function(first: Any, second: Any) -> Any:
        return wrong(first, second)

    with pytest.raises(GradientMismatch, match=r"input 1 \(second\) is wrong"):
        check_grads(function, [X, X + 1.0])


def test_a_forgotten_unbroadcast_is_told_by_the_shapes() -> None:
    wrong = op_with(lambda dout, x, y: (dout * y, dout * x), times)
    with pytest.raises(GradientMismatch, match=r"1: .* shape \[2, 3\] for .* \[3\]"):
        check_grads(wrong, [X, X[0]])


def test_a_rule_that_forgets_its_own_derivative_fails_at_order_2_only() -> None:
    once = op_with(lambda dout, x: dout * (x.detach() * x.detach() * 3.0), cube)
    check_grads(once, [X], order=1)
    with pytest.raises(GradientMismatch, match=r"of order 2 .* input 0 \(x\)"):
        check_grads(once, [X], order=2)


def test_a_rule_that_cuts_off_the_upstream_gradient_fails_at_order_2_only() -> None:
    once = op_with(lambda dout, x: dout.detach() * x * x * 3.0, cube)
    check_grads(once, [X], order=1)
    with pytest.raises(GradientMismatch, match=r"order 2 .* the gradient of output 0"):
        check_grads(once, [X], order=2)


def test_it_wants_something_to_differentiate() -> None:
    with pytest.raises(DTypeError, match="no input is floating"):
        check_grads(lambda x: x, [np.arange(3)])
    with pytest.raises(DTypeError, match="no output is floating"):
        check_grads(lambda x: x > 0.0, [X])
    with pytest.raises(InvalidValueError, match="must be positive"):
        check_grads(lambda x: x, [X], order=0)
    with pytest.raises(InvalidValueError, match="must be positive"):
        check_grads(lambda x: x, [X], epsilon=0.0)


def test_the_same_seed_gives_the_same_verdict() -> None:
    wrong = op_with(lambda dout, x: dout * x * x * 3.01, cube)

    def verdict(seed: int) -> str:
        with pytest.raises(GradientMismatch) as caught:
            check_grads(wrong, [X], seed=seed)
        return str(caught.value)

    assert verdict(1) == verdict(1)
    assert verdict(1) != verdict(2)
