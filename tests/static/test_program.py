from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.core.errors import ProgramError
from teachgraph.planning.executor import Executor
from teachgraph.static import (
    Parameter,
    Program,
    Variable,
    default_main_program,
    default_startup_program,
    program_guard,
)
from teachgraph.utils.observe import Observer, watch
from tests.static.fresh import Fresh

FOUR_LINES = """\
{ // block_idx:0  parent_idx:-1  forward_idx:-1  backward_idx:-1
    var X : LOD_TENSOR.shape(-1, 1).dtype(float32).stop_gradient(True)
    persist trainable param fc_0.w_0 : LOD_TENSOR.shape(1, 10).dtype(float32).stop_gradient(False)
    var fc_0.tmp_0 : LOD_TENSOR.shape(-1, 10).dtype(float32).stop_gradient(False)
    persist trainable param fc_0.b_0 : LOD_TENSOR.shape(10,).dtype(float32).stop_gradient(False)
    var fc_0.tmp_1 : LOD_TENSOR.shape(-1, 10).dtype(float32).stop_gradient(False)
    var mean_0.tmp_0 : LOD_TENSOR.shape().dtype(float32).stop_gradient(False)
    var fc_0.b_0@GRAD : LOD_TENSOR.shape(10,).dtype(float32).stop_gradient(False)
    var fc_0.tmp_0@GRAD : LOD_TENSOR.shape(-1, 10).dtype(float32).stop_gradient(False)
    var fc_0.tmp_1@GRAD : LOD_TENSOR.shape(-1, 10).dtype(float32).stop_gradient(False)
    var fc_0.w_0@GRAD : LOD_TENSOR.shape(1, 10).dtype(float32).stop_gradient(False)
    var mean_0.tmp_0@GRAD : LOD_TENSOR.shape().dtype(float32).stop_gradient(False)
    persist var learning_rate_0 : LOD_TENSOR.shape().dtype(float32).stop_gradient(True)

    {Out=['fc_0.tmp_0']} = mul(inputs={X=['X'], Y=['fc_0.w_0']}, op_namescope = /, op_role = 0, x_num_col_dims = 1, y_num_col_dims = 1)
    {Out=['fc_0.tmp_1']} = elementwise_add(inputs={X=['fc_0.tmp_0'], Y=['fc_0.b_0']}, axis = 1, op_namescope = /, op_role = 0)
    {Out=['mean_0.tmp_0']} = reduce_mean(inputs={X=['fc_0.tmp_1']}, dim = [], keep_dim = False, op_namescope = /, op_role = 256, reduce_all = True)
    {Out=['mean_0.tmp_0@GRAD']} = fill_constant(inputs={}, dtype = 5, op_namescope = /, op_role = 257, shape = [], value = 1.0)
    {X@GRAD=['fc_0.tmp_1@GRAD']} = reduce_mean_grad(inputs={Out@GRAD=['mean_0.tmp_0@GRAD'], X=['fc_0.tmp_1']}, dim = [], keep_dim = False, op_namescope = /, op_role = 1, reduce_all = True)
    {X@GRAD=['fc_0.tmp_0@GRAD'], Y@GRAD=['fc_0.b_0@GRAD']} = elementwise_add_grad(inputs={Out@GRAD=['fc_0.tmp_1@GRAD'], X=['fc_0.tmp_0'], Y=['fc_0.b_0']}, axis = 1, op_namescope = /, op_role = 1, op_role_var = ['fc_0.b_0', 'fc_0.b_0@GRAD'])
    {X@GRAD=[], Y@GRAD=['fc_0.w_0@GRAD']} = mul_grad(inputs={Out@GRAD=['fc_0.tmp_0@GRAD'], X=['X'], Y=['fc_0.w_0']}, op_namescope = /, op_role = 1, op_role_var = ['fc_0.w_0', 'fc_0.w_0@GRAD'], x_num_col_dims = 1, y_num_col_dims = 1)
    {ParamOut=['fc_0.b_0']} = sgd(inputs={Grad=['fc_0.b_0@GRAD'], LearningRate=['learning_rate_0'], Param=['fc_0.b_0']}, op_namescope = /optimizer/, op_role = 2, op_role_var = ['fc_0.b_0', 'fc_0.b_0@GRAD'])
    {ParamOut=['fc_0.w_0']} = sgd(inputs={Grad=['fc_0.w_0@GRAD'], LearningRate=['learning_rate_0'], Param=['fc_0.w_0']}, op_namescope = /optimizer_1/, op_role = 2, op_role_var = ['fc_0.w_0', 'fc_0.w_0@GRAD'])
}"""  # noqa: E501  what is printed is printed

ONES = np.ones((4, 2), "float32")


def trained() -> tuple[Variable, Variable]:
    """The output and the loss of a layer on `x` that is trained."""
    out = static.nn.fc(static.data("x", [None, 2]), 3, activation="softmax")
    loss = tg.mean(out)
    tg.optimizer.SGD(0.1).minimize(loss)
    return out, loss


def types(program: Program) -> list[str]:
    return [op.type for op in program.global_block().ops]


def test_the_four_lines_are_printed_as_paddle_prints_them(programs: Fresh) -> None:
    x = static.data("X", [None, 1])
    tg.optimizer.SGD(0.01).minimize(tg.mean(static.nn.fc(x, 10)))
    assert str(programs.main) == FOUR_LINES
    assert programs.main.to_string(throw_on_error=True) == FOUR_LINES


def test_to_string_takes_a_bool(programs: Fresh) -> None:
    with pytest.raises(TypeError, match="throw_on_error parameter is wrong"):
        programs.main.to_string("yes")


def test_all_variables_come_block_by_block(programs: Fresh) -> None:
    main = programs.main
    first = main.global_block().create_var("a", [1])
    second = main._create_block().create_var("b", [1])
    main._rollback()
    third = main.global_block().create_var("c", [1])
    assert list(main.list_vars()) == [first, third, second]


def test_a_guard_puts_other_programs_in_force_and_takes_them_away(
    programs: Fresh,
) -> None:
    outer, inner, startup = programs.main, Program(), Program()
    with program_guard(inner, startup):
        assert default_main_program() is inner
        assert default_startup_program() is startup
        with program_guard(outer):
            assert default_main_program() is outer
            assert default_startup_program() is startup
        assert default_main_program() is inner
    assert default_main_program() is outer
    assert default_startup_program() is programs.startup


def test_a_guard_lets_go_when_something_is_raised(programs: Fresh) -> None:
    with pytest.raises(ZeroDivisionError), program_guard(Program(), Program()):
        _ = 1 / 0
    assert default_main_program() is programs.main
    assert default_startup_program() is programs.startup


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("main",), "main"), ((None,), "main"), ((Program(), "startup"), "startup")],
)
def test_a_guard_takes_programs_alone(arguments: Any, name: str) -> None:
    with (
        pytest.raises(TypeError, match=f"The type of '{name}_program'"),
        program_guard(*arguments),
    ):
        pass  # pragma: no cover


def test_names_count_from_the_start_within_a_guard() -> None:
    assert unique_name.generate("fc") == "fc_0"
    with unique_name.guard():
        assert [unique_name.generate("fc") for _ in range(2)] == ["fc_0", "fc_1"]
        with pytest.raises(ZeroDivisionError), unique_name.guard():
            _ = len(unique_name.generate("fc")) / 0
        assert unique_name.generate("fc") == "fc_2"
    assert unique_name.generate("fc") == "fc_1"
    assert unique_name.generate("mean") == "mean_0"


def test_a_clone_is_the_same_program_of_its_own(programs: Fresh) -> None:
    trained()
    main = programs.main
    main.random_seed = 5
    copy = main.clone()
    assert str(copy) == str(main)
    assert (copy.origin, copy.random_seed) == (main, 5)
    weight = copy.global_block().var("fc_0.w_0")
    assert isinstance(weight, Parameter)
    assert weight is not main.global_block().var("fc_0.w_0")
    assert weight.block.program is copy


def test_what_happens_to_the_original_does_not_happen_to_the_clone(
    programs: Fresh,
) -> None:
    out, _ = trained()
    tg.reshape(out, [3, -1])
    copy = programs.main.clone()
    text = str(copy)
    tg.exp(out)
    main = programs.main.global_block()
    main.ops[0]._set_attr("x_num_col_dims", 9)
    main.ops[-2].attr("shape").append(7)
    main._remove_op(1)
    out.name = "renamed"
    assert str(copy) == text
    weight = main.all_parameters()[0]
    weight.trainable = False
    assert copy.all_parameters()[0].trainable


def test_a_clone_for_a_test_is_what_a_test_runs(programs: Fresh) -> None:
    out = static.nn.fc(static.data("x", [None, 2]), 3, activation="softmax")
    loss = tg.mean(out)
    before = programs.main.clone(for_test=True)
    tg.optimizer.SGD(0.1).minimize(loss)
    after = programs.main.clone(for_test=True)
    assert (
        types(before)
        == types(after)
        == [
            "mul",
            "elementwise_add",
            "softmax",
            "reduce_mean",
        ]
    )
    assert list(before.global_block().vars) == list(after.global_block().vars)
    assert not [name for name in after.global_block().vars if "@GRAD" in name]


def test_a_clone_for_a_test_shares_parameters_and_changes_none(programs: Fresh) -> None:
    _, loss = trained()
    test = programs.main.clone(for_test=True)
    executor = Executor()
    executor.run(programs.startup)
    feed = {"x": ONES}
    first = [executor.run(test, feed, [loss])[0] for _ in range(2)]
    assert first[0] == first[1]
    for _ in range(3):
        executor.run(programs.main, feed)
    fetched = executor.run(test, feed, ["fc_0.w_0"])
    np.testing.assert_array_equal(fetched, [programs.scope.values["fc_0.w_0"]])


def test_is_test_is_switched_on_in_a_clone_for_a_test_alone(programs: Fresh) -> None:
    out, _ = trained()
    softmax = programs.main.global_block().ops[2]
    softmax.attrs["is_test"] = False
    copies = [programs.main.clone(), programs.main.clone(for_test=True)]
    assert [c.global_block().ops[2].attr("is_test") for c in copies] == [False, True]
    assert softmax.attr("is_test") is False
    assert out.op is softmax


def test_each_change_is_a_new_version(programs: Fresh) -> None:
    main = programs.main
    seen = [main.version]

    def changed() -> bool:
        seen.append(main.version)
        return seen[-1] > seen[-2]

    x = static.data("x", [2])
    assert changed()
    y = x * 2.0
    assert changed()
    main.global_block().ops[0]._set_attr("scale", 3.0)
    assert changed()
    y.name = "renamed"
    assert changed()
    y.persistable = True
    assert changed()
    main.random_seed = 3
    assert changed()
    main.global_block()._remove_op(0)
    assert changed()
    str(main)
    main.clone()
    assert not changed()


def test_a_seed_is_a_number(programs: Fresh) -> None:
    with pytest.raises(TypeError, match="random_seed is an integer"):
        programs.main.random_seed = "today"


class Birth(Observer):
    """Writes down what comes into being, and what goes."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def program_created(self, program: Program) -> None:
        self.seen.append("program" if program.origin is None else "clone")

    def variable_created(self, variable: Variable) -> None:
        self.seen.append(variable.name)

    def operator_inserted(self, operator: Any, index: int) -> None:
        self.seen.append(f"{operator.type} at {index}")

    def operator_removed(self, operator: Any, index: int) -> None:
        self.seen.append(f"no {operator.type} at {index}")


def test_whoever_watches_sees_a_program_grow(programs: Fresh) -> None:
    with watch(Birth()) as birth:
        x = static.data("x", [2])
        tg.exp(x)
        programs.main.global_block()._remove_op(0)
        Program().clone()
    assert isinstance(birth, Birth)
    grown = ["x", "exp_0.tmp_0", "exp at 0", "no exp at 0"]
    assert birth.seen == [*grown, "program", "clone"]


def test_a_renamed_variable_is_renamed_in_every_operator(programs: Fresh) -> None:
    x = static.data("x", [2])
    y = x * 2.0
    tg.exp(y)
    inner = programs.main._create_block()
    inner.append_op("tanh", {"X": y}, {"Out": inner.create_var("z")})
    y.name = "double"
    main = programs.main.global_block()
    assert [op.input_arg_names for op in (*main.ops, *inner.ops)] == [
        ["x"],
        ["double"],
        ["double"],
    ]
    assert main.var("double") is y
    assert not main.has_var("tmp_0")
    with pytest.raises(ProgramError, match="the name 'x' is taken"):
        y.name = "x"
    assert y.name == "double"


@pytest.mark.parametrize(
    "add",
    [
        lambda x, array: x + tg.assign(array),
        lambda x, array: x + array,
        lambda x, array: (
            x
            + static.create_parameter(
                [2], "float32", default_initializer=tg.nn.initializer.Assign(array)
            )
        ),
    ],
    ids=["assign", "operator", "initializer"],
)
def test_an_array_that_a_program_was_built_with_may_change(add: Any) -> None:
    array = np.array([1.0, 2.0], "float32")
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        total = add(static.data("x", [2]), array)
    array[:] = 50.0
    executor = static.Executor()
    if startup.global_block().ops:
        executor.run(startup)
    (found,) = executor.run(main, {"x": np.zeros(2, "float32")}, [total])
    assert found.tolist() == [1.0, 2.0]
