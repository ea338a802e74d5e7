from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    InvalidValueError,
    ModeError,
    ProgramError,
    ShapeError,
)
from teachgraph.errors import MixedModeError
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.static.fresh import Fresh


@pytest.fixture
def x() -> Variable:
    return static.data("x", [None, 2])


def test_data_is_fed_and_stops_gradients(x: Variable) -> None:
    assert (x.name, x.shape, x.dtype, x.ndim) == ("x", (-1, 2), np.dtype("float32"), 2)
    assert (x.is_data, x.persistable, x.stop_gradient) == (True, False, True)
    assert (x.op, x.grad_name) == (None, "x@GRAD")
    assert (
        repr(x) == "var x : LOD_TENSOR.shape(-1, 2).dtype(float32).stop_gradient(True)"
    )


def test_data_declared_again_must_be_the_same(x: Variable) -> None:
    assert static.data("x", [None, 2]) is x
    assert static.data("x", (-1, 2), "float32") is x
    with pytest.raises(ProgramError, match="previous shape"):
        static.data("x", [None, 3])
    with pytest.raises(ProgramError, match="previous dtype"):
        static.data("x", [None, 2], "int64")


def test_data_lives_in_the_global_block(programs: Fresh) -> None:
    programs.main._create_block()
    assert static.data("x", [1]).block is programs.main.global_block()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("x", 4), TypeError, "The type of 'shape' in paddle.static.data"),
        (("x", "4"), TypeError, "The type of 'shape' in paddle.static.data"),
        (("x", [4], "float99"), TypeError, "data type 'float99' not understood"),
        (("x", [4], "float32", 1), ValueError, "lod_level"),
    ],
)
def test_data_of_the_wrong_kind(
    arguments: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        static.data(*arguments)


NEEDS_A_VALUE: dict[str, Callable[[Variable], Any]] = {
    "numpy": lambda x: x.numpy(),
    "item": lambda x: x.item(),
    "backward": lambda x: x.backward(),
    "gradient": lambda x: x.gradient(),
    "float": float,
    "int": int,
    "bool": bool,
    "if": lambda x: 1 if x > 0.0 else 2,
    "and": lambda x: x and x,
    "in": lambda x: x in [1.0, 2.0],
    "array": np.array,
    "asarray": np.asarray,
    "ufunc": lambda x: np.maximum(x, 0),
}


@pytest.mark.parametrize("use", NEEDS_A_VALUE.values(), ids=NEEDS_A_VALUE.keys())
def test_a_variable_has_no_value_before_its_program_runs(
    use: Callable[[Variable], Any], x: Variable
) -> None:
    with pytest.raises(ModeError, match=r"has no value before|when an Executor runs"):
        use(x)


def test_who_goes_back_from_a_variable_is_told_what_to_call(x: Variable) -> None:
    with pytest.raises(ModeError, match=r"append_backward\(loss\), or minimize"):
        x.backward()


def test_its_length_and_its_parts_are_known_if_its_first_size_is(x: Variable) -> None:
    known = static.data("known", [3, 2])
    assert len(known) == 3
    assert [part.shape for part in known] == [(2,)] * 3
    for use in (len, list):
        with pytest.raises(
            InvalidValueError, match="length of the Variable 'x' is not"
        ):
            use(x)


def test_its_maker_is_the_operator_that_last_wrote_it(x: Variable) -> None:
    y = x * 2.0
    block = x.block
    assert y.op is block.ops[0]
    again = block.append_op("relu", {"X": x}, {"Out": y})
    assert y.op is again


def test_a_tensor_beside_a_variable_is_refused_in_either_order(x: Variable) -> None:
    tensor = tg.Tensor(np.ones(2, "float32"))
    for mixed in (lambda: x + tensor, lambda: tensor + x, lambda: tg.matmul(x, tensor)):
        with pytest.raises(MixedModeError, match="a Tensor runs now, a Variable later"):
            mixed()
    assert not x.block.ops


def test_arrays_beside_a_variable_become_constants_of_the_program(x: Variable) -> None:
    row = np.array([1.0, 10.0], "float32")
    both = [x * row, row * x, x + np.float32(2), np.float64(2) * x]
    assert [op.type for op in x.block.ops][:2] == ["assign_value", "elementwise_mul"]
    found = Executor().run(feed={"x": np.ones((1, 2), "float32")}, fetch_list=both)
    wanted = [[1, 10], [1, 10], [3, 3], [2, 2]]
    np.testing.assert_array_equal(np.concatenate(found), wanted)
    assert {str(value.dtype) for value in found} == {"float32"}


def test_numbers_keep_the_dtype_they_meet_unless_they_would_be_cut() -> None:
    i, flag = static.data("i", [2], "int64"), static.data("f", [2], "bool")
    wanted = {
        "int64": [i + 1, i * 2, 1 - i, -i, i**2, flag + 1],
        "float32": [i + 1.5, 0.5 * i, 1.5 - i, i / 2, 2 / i, i**0.5, flag * 2.0],
        "bool": [i < 1.5, i == 1, i != 2],
    }
    feed = {"i": np.array([1, 2]), "f": np.array([True, False])}
    for dtype, variables in wanted.items():
        assert {str(v.dtype) for v in variables} == {dtype}
        found = Executor().run(feed=feed, fetch_list=variables)
        assert {str(value.dtype) for value in found} == {dtype}
    (cut,) = Executor().run(feed=feed, fetch_list=[wanted["bool"][0]])
    np.testing.assert_array_equal(cut, [True, False])


@pytest.mark.parametrize("index", [5, slice(0, None, 0), (..., ...), "a"])
def test_an_index_says_something_that_is_within_range(index: Any) -> None:
    known = static.data("known", [3, 2])
    with tg.modes.using(static=False):
        tensor = tg.to_tensor(np.ones((3, 2), "float32"))
    for x in (known, tensor):
        with pytest.raises(
            InvalidValueError, match="slice cannot take these"
        ) as caught:
            _ = x[index]
        assert "float32 [3, 2]" in str(caught.value)
        assert "_ = x[index]" in str(caught.value)


def test_shapes_that_can_not_fit_are_refused_where_they_are_written(
    x: Variable,
) -> None:
    with pytest.raises(ShapeError, match="elementwise_add cannot take these") as caught:
        x + static.data("y", [None, 3])
    message = str(caught.value)
    assert "X: Variable float32 [-1, 2]  (x)" in message
    assert "Y: Variable float32 [-1, 3]  (y)" in message
    assert 'x + static.data("y", [None, 3])' in message
    assert not x.block.ops


def test_an_operator_tells_of_its_slots_and_attributes(x: Variable) -> None:
    operator = (x * 2.0).op
    assert operator is not None
    assert (operator.type, operator.idx) == ("scale", 0)
    assert (operator.input_names, operator.output_names) == (["X"], ["Out"])
    assert (operator.input("X"), operator.output("Out")) == (["x"], ["tmp_0"])
    assert operator.input_arg_names == ["x"]
    assert operator.output_arg_names == ["tmp_0"]
    assert (operator.attr("scale"), operator.attr("nope")) == (2.0, None)
    assert operator.has_attr("bias")
    assert not operator.has_attr("nope")
    assert set(operator.all_attrs()) == set(operator.attr_names)
    with pytest.raises(
        ProgramError, match=r"scale has no input slot 'Y'; it has \['X'"
    ):
        operator.input("Y")
    with pytest.raises(ProgramError, match=r"no output slot 'Y'; it has \['Out'"):
        operator.output("Y")


def test_the_attributes_it_hands_out_are_a_copy(x: Variable) -> None:
    operator = tg.reshape(x, [2, -1]).op
    operator.all_attrs()["shape"].append(7)
    assert operator.attr("shape") == [2, -1]


def test_an_operator_knows_the_line_that_made_it(x: Variable) -> None:
    made = x * 2.0
    operator = made.op
    assert operator is not None
    assert operator.callsite is not None
    assert operator.callsite.file == __file__
    assert operator.callsite.source == "made = x * 2.0"


@pytest.mark.parametrize(
    "changed",
    [lambda x: x.tanh_(), tg.tanh_, tg.nn.functional.tanh_],
)
def test_in_a_program_what_changes_in_place_gives_a_new_variable(
    x: Variable, changed: Callable[[Variable], Variable]
) -> None:
    with pytest.warns(UserWarning, match=r"tanh_\(\) is tanh\(\)"):
        new = changed(x)
    assert new.name != x.name
    values = np.array([[1.0, 2.0]], "float32")
    found = Executor().run(feed={"x": values}, fetch_list=[x, new])
    assert found[0].tolist() == values.tolist()
    np.testing.assert_allclose(found[1], np.tanh(values), rtol=1e-6)


def test_a_name_that_only_ends_like_one_is_still_missing(x: Variable) -> None:
    with pytest.raises(AttributeError, match="'Variable' object has no attribute 'h_'"):
        x.h_  # noqa: B018
