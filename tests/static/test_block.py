from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph import static
from teachgraph.core.errors import DTypeError, ProgramError, ShapeError, UnknownOpError
from teachgraph.planning.executor import Executor
from teachgraph.static import Block, Parameter, Program, program_guard
from tests.static.fresh import Fresh


@pytest.fixture
def block(programs: Fresh) -> Block:
    return programs.main.global_block()


def test_a_variable_without_a_name_gets_one(block: Block) -> None:
    assert block.create_var().name == "_generated_var_0"
    assert block.create_var(shape=[2]).name == "_generated_var_1"


def test_an_unknown_size_is_minus_one_and_no_dtype_is_float32(block: Block) -> None:
    variable = block.create_var("a", [None, -1, 3])
    assert (variable.shape, variable.dtype) == ((-1, -1, 3), np.dtype("float32"))


def test_created_again_as_it_is_it_is_the_same(block: Block) -> None:
    first = block.create_var("a", [2, 3], "int64")
    assert block.create_var("a", (2, 3), "int64") is first
    assert block.create_var("a") is first
    assert list(block.vars) == ["a"]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"shape": [5]}, r"previous shape is \(2, 3\), the new shape is \(5,\)"),
        ({"dtype": "int64"}, "previous dtype is float32, the new dtype is int64"),
        ({"persistable": True}, "previous persistable is False"),
    ],
)
def test_created_again_otherwise_it_is_refused(
    block: Block, other: dict[str, Any], message: str
) -> None:
    block.create_var("a", [2, 3])
    with pytest.raises(ProgramError, match=message):
        block.create_var("a", **other)
    assert block.var("a").shape == (2, 3)


@pytest.mark.parametrize(
    ("name", "shape", "dtype", "error"),
    [
        (3, [2], None, TypeError),
        ("a", [-2], None, ProgramError),
        ("a", [2], "float99", DTypeError),
    ],
)
def test_what_is_no_variable_is_not_created(
    block: Block, name: Any, shape: Any, dtype: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        block.create_var(name, shape, dtype)
    assert not block.vars


def test_parameters_live_in_the_global_block_and_are_trained(programs: Fresh) -> None:
    inner = programs.main._create_block()
    parameter = inner.create_parameter("w", [2, 3])
    assert programs.main.all_parameters() == [parameter]
    assert not inner.has_var("w")
    assert (parameter.persistable, parameter.stop_gradient) == (True, False)
    assert parameter.trainable


@pytest.mark.parametrize("shape", [[-1, 3], [0], [2, None]])
def test_a_parameter_has_only_known_sizes(block: Block, shape: list[Any]) -> None:
    known = [-1 if size is None else size for size in shape]
    with pytest.raises(ProgramError, match="must be greater than 0"):
        block.create_parameter("w", known)


def test_a_parameter_needs_a_shape(block: Block) -> None:
    with pytest.raises(TypeError, match="shape of a parameter is a list, got None"):
        block.create_parameter("w", None)


def test_a_parameter_takes_no_variables_name(block: Block) -> None:
    variable = block.create_var("w", [2])
    with pytest.raises(ProgramError, match="'w' is a variable already"):
        block.create_parameter("w", [2])
    assert block.var("w") is variable


def test_a_parameter_is_shared_by_name_and_not_by_shape(block: Block) -> None:
    first = block.create_parameter("w", [2])
    assert block.create_parameter("w", [2]) is first
    with pytest.raises(ProgramError, match="previous shape"):
        block.create_parameter("w", [3])


def test_var_looks_in_this_block_alone(programs: Fresh) -> None:
    outer = programs.main.global_block()
    variable, inner = outer.create_var("a", [1]), programs.main._create_block()
    assert outer.var("a") is variable
    assert inner._var_recursive("a") is variable
    assert inner._find_var_recursive("b") is None
    with pytest.raises(ProgramError, match="var a not in this block"):
        inner.var("a")
    with pytest.raises(ProgramError, match="var b is not in this block or one around"):
        inner._var_recursive("b")
    with pytest.raises(TypeError, match="var require string as parameter"):
        outer.var(3)


def append(block: Block, type: str | None, inputs: Any, **more: Any) -> Any:
    out = block.create_var("out")
    return block.append_op(type, inputs, {"Out": out}, **more)


def test_an_operator_by_hand_shapes_its_output_and_runs(block: Block) -> None:
    x = static.data("x", [None, 2])
    operator = append(block, "scale", {"X": x}, attrs={"scale": 3.0})
    out = block.var("out")
    assert (out.shape, out.dtype, out.op) == ((-1, 2), x.dtype, operator)
    assert operator.attr("bias") == 0.0
    (found,) = Executor().run(feed={"x": np.ones((1, 2), "f")}, fetch_list=[out])
    np.testing.assert_array_equal(found, [[3.0, 3.0]])


def test_slots_take_names_as_well_as_variables(block: Block) -> None:
    static.data("x", [2, 3])
    operator = append(block, "relu", {"X": ["x"]})
    assert operator.input("X") == ["x"]


def test_what_a_variable_was_declared_gives_way_to_what_is_written(
    block: Block,
) -> None:
    static.data("x", [2, 3])
    out = block.create_var("wrong", [7])
    block.append_op("relu", {"X": "x"}, {"Out": out})
    assert out.shape == (2, 3)


def test_but_what_is_kept_or_fed_must_fit(block: Block) -> None:
    static.data("x", [None, 3])
    kept = block.create_var("kept", [4, 3], persistable=True)
    block.append_op("relu", {"X": "x"}, {"Out": kept})
    other = block.create_var("other", [7], persistable=True)
    with pytest.raises(ProgramError, match=r"gives float32 \[-1, 3\], but 'other' is"):
        block.append_op("relu", {"X": "x"}, {"Out": other})
    assert len(block.ops) == 1


def test_gradients_stop_where_no_input_lets_them_through(block: Block) -> None:
    static.data("x", [2])
    append(block, "relu", {"X": "x"})
    assert block.var("out").stop_gradient
    weight = block.create_parameter("w", [2])
    open_ = block.create_var("open")
    block.append_op("elementwise_add", {"X": "x", "Y": weight}, {"Out": open_})
    assert not open_.stop_gradient


def test_the_roles_of_paddle_may_be_given_as_attributes(block: Block) -> None:
    static.data("x", [2])
    operator = append(block, "relu", {"X": "x"}, attrs={"op_role": 1})
    assert operator.attr("op_role") == 1


@pytest.mark.parametrize(
    ("type", "inputs", "error", "message"),
    [
        ("nosuch", {}, UnknownOpError, 'Operator "nosuch" has not been registered'),
        (None, {}, ProgramError, "`type` to initialized an Operator can not be None"),
        ("mul", {"X": "x"}, ProgramError, "mul: Input Y not found"),
        ("mul", {"X": "x", "Y": "y"}, ShapeError, "X has 3 columns, Y has 2 rows"),
        ("relu", {"X": ["x", "y"]}, ProgramError, "Input X is one variable, got 2"),
        ("relu", {"X": "nope"}, ProgramError, "var nope is not in this block"),
        ("relu", {"X": 3}, TypeError, "slot X takes Variables or names, got 3"),
        ("relu", "x", TypeError, "slots are a dict of Variables or names"),
    ],
)
def test_an_operator_that_would_not_fit_is_not_appended(
    block: Block, type: Any, inputs: Any, error: type[Exception], message: str
) -> None:
    static.data("x", [2, 3])
    static.data("y", [2, 2])
    with pytest.raises(error, match=message):
        append(block, type, inputs)
    assert not block.ops
    assert block.var("out").shape == ()


def test_an_attribute_that_an_op_lacks_is_refused(block: Block) -> None:
    static.data("x", [2])
    with pytest.raises(DTypeError, match="unexpected keyword argument 'skale'"):
        append(block, "scale", {"X": "x"}, attrs={"skale": 2.0})


def test_an_operator_without_its_output_is_refused(block: Block) -> None:
    static.data("x", [2])
    with pytest.raises(ProgramError, match=r'operator "relu", should set: \[Out\]'):
        block.append_op("relu", {"X": "x"}, {})


def test_variables_of_another_program_are_refused(block: Block) -> None:
    static.data("x", [2])
    with program_guard(Program()):
        other = static.data("x", [2])
    with pytest.raises(ProgramError, match="'x' is a variable of another program"):
        append(block, "relu", {"X": other})
    with pytest.raises(ProgramError, match="'x' is a variable of another program"):
        other * 2.0


def test_operators_go_in_front_in_between_and_away_again(block: Block) -> None:
    static.data("x", [2])
    for name in "abc":
        block.create_var(name)
    block.append_op("exp", {"X": "x"}, {"Out": "c"})
    block._prepend_op("relu", inputs={"X": "x"}, outputs={"Out": "a"})
    block._insert_op(1, "tanh", {"X": "x"}, {"Out": "b"})
    assert [op.type for op in block.ops] == ["relu", "tanh", "exp"]
    assert [op.idx for op in block.ops] == [0, 1, 2]
    block._remove_op(1)
    assert [op.type for op in block.ops] == ["relu", "exp"]


def test_blocks_within_blocks(programs: Fresh) -> None:
    main = programs.main
    inner = main._create_block()
    innermost = main._create_block()
    assert (main.num_blocks, main.current_block()) == (3, innermost)
    assert [b.parent_idx for b in main.blocks] == [-1, 0, 1]
    assert innermost.parent is inner
    main._rollback()
    assert main.current_block() is inner
    main._rollback()
    assert main.current_block() is main.global_block()
    assert main.global_block().parent is None


def test_a_parameter_is_a_variable_that_is_shown_as_trainable(block: Block) -> None:
    parameter = block.create_parameter("w", [2])
    assert isinstance(parameter, Parameter)
    assert repr(parameter) == (
        "persist trainable param w : LOD_TENSOR.shape(2,).dtype(float32)"
        ".stop_gradient(False)"
    )
    assert list(block.iter_parameters()) == [parameter]
