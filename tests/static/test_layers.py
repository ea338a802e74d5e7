"""`static.nn.fc`, `accuracy`, `create_global_var`: what they compute and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import ProgramError, ShapeError, UnknownOpError
from teachgraph.nn.initializer import Assign, Constant
from teachgraph.planning.executor import Executor
from tests.static.fresh import Fresh


def run(programs: Fresh, fetch: Any, **feed: Any) -> list[Any]:
    executor = Executor()
    if programs.startup.global_block().ops:
        executor.run(programs.startup)
    return executor.run(feed=feed, fetch_list=fetch)


def weights(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


def test_a_fully_connected_layer_is_x_w_plus_b(programs: Fresh) -> None:
    w = weights((2, 3))
    out = static.nn.fc(
        static.data("x", [None, 2]),
        3,
        weight_attr=Assign(w),
        bias_attr=Constant(0.5),
        activation="tanh",
    )
    x = np.array([[1.0, -2.0], [0.1, 0.2]], "float32")
    (found,) = run(programs, [out], x=x)
    np.testing.assert_allclose(found, np.tanh(x @ w + 0.5), rtol=1e-6)


def test_each_input_has_its_own_weight(programs: Fresh) -> None:
    x, y = static.data("x", [None, 2]), static.data("y", [None, 3])
    out = static.nn.fc([x, y], 1, weight_attr=Constant(2.0))
    feed = {"x": np.ones((1, 2), "float32"), "y": np.ones((1, 3), "float32")}
    (found,) = run(programs, [out], **feed)
    np.testing.assert_array_equal(found, [[10.0]])
    assert [p.shape for p in programs.main.all_parameters()] == [(2, 1), (3, 1), (1,)]


@pytest.mark.parametrize(
    ("dims", "shape", "weight"), [(1, (-1, 4), (6, 4)), (2, (-1, 2, 4), (3, 4))]
)
def test_the_leading_dimensions_stay(
    dims: int, shape: Any, weight: Any, programs: Fresh
) -> None:
    out = static.nn.fc(
        static.data("x", [None, 2, 3]),
        4,
        num_flatten_dims=dims,
        weight_attr=Assign(weights(weight)),
    )
    assert out.shape == shape
    x = np.linspace(-1, 1, 12, dtype="float32").reshape(2, 2, 3)
    (found,) = run(programs, [out], x=x)
    wanted = x.reshape(*x.shape[:dims], -1) @ weights(weight)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_layer_without_a_bias_has_none(programs: Fresh) -> None:
    static.nn.fc(static.data("x", [None, 2]), 3, bias_attr=False)
    assert [p.name for p in programs.main.all_parameters()] == ["fc_0.w_0"]


def test_a_shared_parameter_is_initialised_once(programs: Fresh) -> None:
    x = static.data("x", [None, 3])
    for _ in range(2):
        x = static.nn.fc(x, 3, weight_attr=tg.ParamAttr(name="w"), bias_attr="b")
    outputs = [op.output("Out") for op in programs.startup.global_block().ops]
    assert outputs == [["w"], ["b"]]
    with pytest.raises(ProgramError, match="'w' has been created before"):
        static.nn.fc(x, 7, weight_attr="w")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"x": "x"}, TypeError, "^fc .*x must be a Variable"),
        ({"x": np.ones((2, 2))}, TypeError, "^fc .*x must be a Variable"),
        ({"activation": "nosuch"}, UnknownOpError, '"nosuch" has not been registered'),
        ({"weight_attr": 3}, TypeError, "a parameter's attr is a ParamAttr"),
        ({"size": 0}, ProgramError, "must be greater than 0"),
    ],
)
def test_a_layer_that_can_not_be(
    arguments: Any, error: type[Exception], message: str, programs: Fresh
) -> None:
    given = {"x": static.data("x", [None, 2]), "size": 3, **arguments}
    with pytest.raises(error, match=message):
        static.nn.fc(**given)
    assert not programs.main.global_block().ops


def test_what_is_flattened_must_be_known(programs: Fresh) -> None:
    x = static.data("x", [2, None])
    with pytest.raises(
        ProgramError, match="sizes of 'x' after the first 1 must be kno"
    ):
        static.nn.fc(x, 3)


def test_accuracy_is_the_share_of_the_k_best_that_are_right(programs: Fresh) -> None:
    scores = static.data("x", [None, 3])
    label = static.data("label", [None, 1], "int64")
    shares = [static.accuracy(scores, label, k=k) for k in (1, 2, 3)]
    x = np.array([[3, 2, 1], [1, 3, 2], [1, 2, 3], [3, 1, 2]], "float32")
    found = run(programs, shares, x=x, label=np.array([[0], [2], [0], [2]]))
    np.testing.assert_array_equal(found, [0.25, 0.75, 1.0])


def test_accuracy_needs_a_label_for_each_row(programs: Fresh) -> None:
    scores = static.data("x", [4, 3])
    with pytest.raises(ShapeError, match="accuracy cannot take these inputs"):
        static.accuracy(scores, static.data("label", [3, 1], "int64"))


def test_a_global_variable_lives_in_both_programs_and_in_the_scope(
    programs: Fresh,
) -> None:
    step = static.create_global_var([1], 2, "int64", persistable=True, name="step")
    programs.main.global_block().append_op(
        "scale", {"X": step}, {"Out": step}, {"scale": 1, "bias": 1}
    )
    executor = Executor()
    executor.run(programs.startup)
    found = [executor.run(fetch_list=[step])[0].item() for _ in range(3)]
    assert found == [3, 4, 5]
    assert static.create_global_var([1], 0.0, "float32").name == "_generated_var_0"


def test_an_area_grows_with_every_batch_and_one_forgets(programs: Fresh) -> None:
    scores, label = static.data("s", [None, 2]), static.data("l", [None, 1], "int64")
    whole, last, counts = static.auc(scores, label, num_thresholds=9)
    executor = Executor()
    executor.run(programs.startup)

    def fed(*chances: float) -> list[Any]:
        second = np.array([chances], "float32").T
        feed = {"s": np.hstack([1 - second, second]), "l": np.array([[0], [1]])}
        found = executor.run(programs.main, feed, [whole, last, counts[2]])
        return [found[0].item(), found[1].item(), found[2].sum()]

    assert fed(0.15, 0.95) == [1.0, 1.0, 1]
    assert fed(0.95, 0.15) == [0.5, 0.0, 2]
    assert fed(0.5, 0.5) == [0.5, 0.5, 3]
