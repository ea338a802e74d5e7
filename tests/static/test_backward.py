"""Differentiating programs: the numbers, the names and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import ProgramError
from teachgraph.planning.executor import Executor
from teachgraph.static import OpRole, Variable, append_backward, gradients
from tests.static.fresh import Fresh


def values(fetch: Any, **feed: Any) -> list[Any]:
    arrays = {name: np.array(value, "float32") for name, value in feed.items()}
    return Executor().run(feed=arrays, fetch_list=fetch)


def open_data(name: str, shape: list[int | None]) -> Variable:
    x = static.data(name, shape)
    x.stop_gradient = False
    return x


def test_pairs_come_in_the_order_the_parameters_were_created() -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 3)
    pairs = append_backward(tg.mean(static.nn.fc(hidden, 1)))
    names = [(parameter.name, grad.name) for parameter, grad in pairs]
    created = ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]
    assert names == [(name, f"{name}@GRAD") for name in created]


def test_only_the_parameters_asked_for_are_handed_out() -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 3)
    loss = tg.mean(static.nn.fc(hidden, 1))
    bias = static.default_main_program().all_parameters()[1]
    pairs = append_backward(loss, parameter_list=["fc_1.w_0", bias])
    assert [parameter.name for parameter, _ in pairs] == ["fc_0.b_0", "fc_1.w_0"]


@pytest.mark.parametrize("shape", [[None, 2], [3, 2]], ids=["unknown", "known"])
def test_a_loss_of_several_elements_starts_from_ones(
    shape: list[Any], programs: Fresh
) -> None:
    out = static.nn.fc(static.data("x", shape), 2)
    pairs = append_backward(out)
    Executor().run(programs.startup)
    x = np.arange(6.0).reshape(3, 2)
    weight, bias = values([grad for _, grad in pairs], x=x)
    np.testing.assert_array_equal(weight, x.T @ np.ones((3, 2)))
    np.testing.assert_array_equal(bias, [3.0, 3.0])


def test_a_target_on_the_way_from_another_gets_both_gradients() -> None:
    x = open_data("x", [1])
    hidden = tg.tanh(x)
    found = gradients([tg.exp(hidden), hidden], x)
    t = np.tanh(0.5)
    want = (np.exp(t) + 1) * (1 - t * t)
    np.testing.assert_allclose(values(found, x=[0.5]), [[want]], rtol=1e-6)


def test_the_third_derivative_of_a_cube() -> None:
    x = open_data("x", [1])
    first = gradients(x * x * x, x)
    second = gradients(first, x)
    third = gradients(second, x)
    names = [found.name for (found,) in (first, second, third) if found is not None]
    assert names == ["x@GRAD", "grad/grad/x@GRAD", "grad/grad/grad/x@GRAD"]
    np.testing.assert_allclose(
        values([*first, *second, *third], x=[2.0]), [[12], [12], [6]]
    )


def test_weights_of_targets_are_upstream_gradients() -> None:
    x, weight = open_data("x", [2]), static.data("v", [2])
    found = gradients(tg.square(x), x, target_gradients=[weight])
    np.testing.assert_array_equal(values(found, x=[1, 2], v=[10, 100]), [[20, 400]])


def test_weights_must_fit_their_targets() -> None:
    x, weight = open_data("x", [2]), static.data("v", [3])
    with pytest.raises(ProgramError, match="same number of target_gradients as target"):
        gradients([x * 2.0], x, target_gradients=[weight, weight])
    with pytest.raises(ProgramError, match="shapes of target and grad are different"):
        gradients(x * 2.0, x, target_gradients=weight)


def test_no_gradient_reaches_what_stops_it_or_is_not_depended_on() -> None:
    x, y, z = open_data("x", [2]), static.data("y", [2]), open_data("z", [2])
    found = gradients(x * y, [x, y, z])
    assert [None if v is None else v.name for v in found] == ["x@GRAD", None, None]


def test_an_op_without_a_derivative_lets_none_through() -> None:
    x = open_data("x", [None, 3])
    assert gradients(tg.argmax(x, axis=1).astype("float32"), x) == [None]
    assert gradients((x > 0.0).astype("float32"), x) == [None]


@pytest.mark.parametrize("form", ["name", "Variable"])
def test_what_is_in_no_grad_set_is_a_constant(form: str, programs: Fresh) -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 2)
    loss = tg.mean(static.nn.fc(hidden, 1))
    pairs = append_backward(
        loss, no_grad_set=[hidden.name if form == "name" else hidden]
    )
    assert [parameter.name for parameter, _ in pairs] == ["fc_1.w_0", "fc_1.b_0"]


def test_nothing_to_train_is_no_error() -> None:
    loss = tg.mean(static.data("x", [2]))
    assert append_backward(loss) == []
    assert tg.optimizer.SGD(0.1).minimize(loss) == ([], [])


def test_a_loss_built_after_an_update_trains_too(programs: Fresh) -> None:
    shared = tg.ParamAttr(name="w", initializer=tg.nn.initializer.Constant(1.0))
    x = static.data("x", [None, 1])
    first = static.nn.fc(x, 1, weight_attr=shared, bias_attr=False)
    tg.optimizer.SGD(0.5).minimize(tg.mean(first))
    again = static.nn.fc(x * 2.0, 1, weight_attr=shared, bias_attr=False)
    tg.optimizer.SGD(0.5).minimize(tg.mean(again))
    Executor().run(programs.startup)
    (weight,) = values(["w"], x=[[1.0]])
    np.testing.assert_array_equal(weight, [[1.0 - 0.5 * 1.0 - 0.5 * 2.0]])


def test_a_gradient_does_not_go_back_through_what_was_overwritten() -> None:
    x = open_data("x", [2])
    y = x * 2.0
    z = y * y
    x.block.append_op("assign", {"X": x * 5.0}, {"Out": y})
    message = "assign overwrites 'tmp_0', which scale wrote: .* a variable of its own"
    with pytest.raises(ProgramError, match=message) as caught:
        gradients(tg.sum(y * z), x)
    assert "x.block.append_op" in str(caught.value)


def test_roles_say_what_each_operator_is_there_for() -> None:
    loss = tg.mean(static.nn.fc(static.data("x", [None, 2]), 1))
    tg.optimizer.SGD(0.1).minimize(loss)
    roles = [op.role for op in static.default_main_program().global_block().ops]
    forward = [OpRole.FORWARD, OpRole.FORWARD, OpRole.LOSS]
    backward = [OpRole.LOSS | OpRole.BACKWARD, *[OpRole.BACKWARD] * 3]
    assert roles == [*forward, *backward, OpRole.OPTIMIZE, OpRole.OPTIMIZE]


def test_each_gradient_operator_knows_its_twin() -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 2, activation="tanh")
    append_backward(tg.mean(hidden * hidden * 2.0))
    block = static.default_main_program().global_block()
    twins = {op.type: op.twin.type for op in block.ops if op.twin and op.type != "sum"}
    assert twins == {
        "reduce_mean_grad": "reduce_mean",
        "scale": "scale",
        "elementwise_mul_grad": "elementwise_mul",
        "tanh_grad": "tanh",
        "elementwise_add_grad": "elementwise_add",
        "mul_grad": "mul",
    }
    copied = static.default_main_program().clone().global_block()
    assert [op.twin and op.twin.idx for op in copied.ops] == [
        op.twin and op.twin.idx for op in block.ops
    ]


@pytest.mark.parametrize("append", [append_backward, tg.optimizer.SGD().backward])
def test_callbacks_hear_of_each_operator_and_whose_gradient_it_makes(
    append: Any,
) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    def listen(block: Any, context: dict[str, Any]) -> None:
        seen.append((context.pop("__current_op_desc__").type, context))

    loss = tg.mean(static.nn.fc(static.data("x", [None, 2]), 1))
    append(loss, callbacks=[listen])
    assert [op for op, _ in seen] == [
        "reduce_mean_grad",
        "elementwise_add_grad",
        "mul_grad",
    ]
    assert seen[-1][1]["fc_0.w_0@GRAD"] == "fc_0.w_0"


@pytest.mark.parametrize(
    ("argument", "value"),
    [("loss", "loss"), ("parameter_list", "w"), ("callbacks", print)],
)
def test_arguments_of_the_wrong_kind(argument: str, value: Any) -> None:
    given = {"loss": tg.mean(static.data("x", [2])), argument: value}
    with pytest.raises(TypeError, match=f"The type of '{argument}' in paddle.static."):
        append_backward(**given)


def test_a_weight_that_a_rule_hands_on_as_it_is_gets_its_gradient() -> None:
    """The gradient of x + y is the weight itself, with no operator in between."""
    x, weight = open_data("x", [2]), open_data("w", [2])
    (dx,) = gradients([x * 0.5 + x * 2.0], [x], [weight])
    (found,) = gradients([dx], [weight], [static.data("v", [2])])
    (value,) = values([found], x=[1.0, 3.0], w=[1.0, 3.0], v=[1.0, 3.0])
    np.testing.assert_array_equal(value, [2.5, 7.5])


def test_a_target_named_twice_starts_with_the_sum_of_its_weights() -> None:
    x, u, v = (static.data(name, [3], "float64") for name in "xuv")
    x.stop_gradient = False
    y = x * x
    (dx,) = gradients([y, y], [x], [u, v])
    feed = {"x": np.arange(3.0), "u": np.full(3, 10.0), "v": np.full(3, 1.0)}
    (found,) = Executor().run(feed=feed, fetch_list=[dx])
    np.testing.assert_array_equal(found, [0.0, 22.0, 44.0])
