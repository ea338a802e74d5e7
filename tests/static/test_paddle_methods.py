"""What Program, Block, Operator and Scope answer to Paddle's own words."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.core.errors import (
    InvalidValueError,
    NotInitializedError,
    ProgramError,
    ShapeError,
)
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable
from teachgraph.static.layers import marked
from teachgraph.static.scope import Scope
from tests.static.fresh import Fresh


def network() -> Variable:
    x = static.data("x", [None, 4])
    return tg.nn.functional.dropout(static.nn.fc(x, 3), 0.5)


def test_a_global_seed_is_that_of_programs_to_come(programs: Fresh) -> None:
    programs.main.global_seed(9)
    try:
        assert (programs.main.random_seed, Program().random_seed) == (9, 9)
        assert programs.startup.random_seed == 0
    finally:
        Program().global_seed(0)
    assert Program().random_seed == 0


def test_blocks_are_opened_and_closed(programs: Fresh) -> None:
    inner = programs.main.create_block()
    assert (inner.idx, inner.parent_idx) == (1, 0)
    assert programs.main.current_block() is inner
    programs.main.rollback()
    assert programs.main.current_block() is programs.main.global_block()


def test_a_program_is_pruned_to_its_targets(programs: Fresh) -> None:
    out = network()
    tg.mean(out)
    left = programs.main.prune([out])
    assert [op.type for op in left.global_block().ops] == [
        "mul",
        "elementwise_add",
        "dropout",
    ]


@pytest.mark.parametrize("name", ["throw_on_error", "with_details"])
def test_a_switch_that_is_no_switch_is_refused(name: str, programs: Fresh) -> None:
    with pytest.raises(TypeError, match=f"The type of {name} parameter is wrong"):
        programs.main.to_string(**{"throw_on_error": True, name: "x"})


def test_operators_are_put_in_and_taken_out(programs: Fresh) -> None:
    block = programs.main.global_block()
    x, y, z = (block.create_var(name, [2], "float32") for name in "xyz")
    block.append_op("relu", {"X": x}, {"Out": y})
    attrs = {"shape": [2], "value": -1.5, "dtype": 5}
    block.prepend_op("fill_constant", inputs={}, outputs={"Out": x}, attrs=attrs)
    block.insert_op(
        1, "scale", inputs={"X": x}, outputs={"Out": z}, attrs={"scale": 2.0}
    )
    assert [op.type for op in block.ops] == ["fill_constant", "scale", "relu"]
    y_value, z_value = Executor().run(programs.main, fetch_list=[y, z])
    assert (y_value.tolist(), z_value.tolist()) == ([0.0, 0.0], [-3.0, -3.0])
    block.remove_op(1)
    assert [(op.type, op.idx) for op in block.ops] == [
        ("fill_constant", 0),
        ("relu", 1),
    ]
    with pytest.raises(ProgramError, match="no operator 2: block 0 has 2"):
        block.remove_op(2)


def test_variables_are_renamed_and_taken_out(programs: Fresh) -> None:
    network()
    block = programs.main.global_block()
    assert block._rename_var("fc_0.tmp_0", "product").name == "product"
    assert block.ops[0].output("Out") == block.ops[1].input("X") == ["product"]
    block.remove_var("product")
    assert not block.has_var("product")
    with pytest.raises(ProgramError, match="var product not in this block"):
        block.remove_var("product")


def test_attributes_are_told_apart_in_paddles_words(programs: Fresh) -> None:
    """The kinds that Paddle 2.6.2 gives for the same operator."""
    network()
    dropout = programs.main.global_block().ops[2]
    kinds = {name: dropout.attr_type(name) for name in dropout.attr_names}
    assert kinds["dropout_implementation"] == "STRING"
    assert kinds["dropout_prob"] == "FLOAT"
    assert kinds["is_test"] == "BOOL"
    assert kinds["op_role"] == "INT"
    with pytest.raises(ProgramError, match="dropout has no attribute 'zzz'"):
        dropout.attr_type("zzz")
    dropout._remove_attr("dropout_prob")
    assert not dropout.has_attr("dropout_prob")


def test_an_operator_says_what_it_is_there_for(programs: Fresh) -> None:
    tg.optimizer.SGD(0.1).minimize(tg.mean(network()))
    roles = {
        op.type: (op._is_backward_op(), op._is_optimize_op())
        for op in programs.main.global_block().ops
    }
    assert roles["mul"] == (False, False)
    assert roles["mul_grad"] == (True, False)
    assert roles["sgd"] == (False, True)


def test_one_operators_own_names_are_changed(programs: Fresh) -> None:
    network()
    product, total = programs.main.global_block().ops[:2]
    total._rename_input("fc_0.b_0", "other")
    total._rename_output("fc_0.tmp_1", "sum")
    assert (total.input("Y"), total.output("Out")) == (["other"], ["sum"])
    assert product.output("Out") == ["fc_0.tmp_0"]


def test_operators_are_marked_with_a_device(programs: Fresh) -> None:
    with static.device_guard("gpu:1"):
        out = static.data("x", [2]) * 2.0
    out = out + 1.0
    first, second = programs.main.global_block().ops
    assert first.attr("op_device") == "gpu:1"
    assert not second.has_attr("op_device")
    feed = {"x": np.ones(2, "float32")}
    assert Executor().run(feed=feed, fetch_list=[out])[0].tolist() == [3.0, 3.0]
    with (
        pytest.raises(InvalidValueError, match="should be 'cpu', 'xpu', 'gpu'"),
        static.device_guard("tpu"),
    ):
        pass


def test_updates_are_marked_with_a_device_and_their_parameter(programs: Fresh) -> None:
    with static.device_guard("gpu:1"):
        x = static.data("x", [-1, 2])
        tg.optimizer.SGD(0.1).minimize(tg.mean(static.nn.fc(x, 1, bias_attr=False)))
        with static.device_guard():
            other = x * 2.0
    *_, update, last = programs.main.global_block().ops
    assert update.type == "sgd"
    assert update.attr("op_device") == "gpu:1"
    assert update.attr("op_role_var") == ["fc_0.w_0", "fc_0.w_0@GRAD"]
    assert other.op is last
    assert not last.has_attr("op_device")


def test_operators_of_another_thread_have_marks_of_their_own(programs: Fresh) -> None:
    """As where two threads build programs, and one of them has come to its updates."""
    x = static.data("x", [2])
    program = static.Program()

    def build() -> None:
        with static.program_guard(program):
            static.data("x", [2]) * 2.0

    with marked(op_role_var=["w", "w@GRAD"]):
        x * 2.0
        other = threading.Thread(target=build)
        other.start()
        other.join()
    assert programs.main.global_block().ops[0].has_attr("op_role_var")
    assert not program.global_block().ops[0].has_attr("op_role_var")


def test_names_begin_as_a_guard_says() -> None:
    with unique_name.guard():
        before = unique_name.generate("fc")
        with unique_name.guard("critic_"):
            inside = unique_name.generate("fc")
        assert (before, inside, unique_name.generate("fc")) == (
            "fc_0",
            "critic_fc_0",
            "fc_1",
        )


def test_a_parameters_value_is_read_and_set(programs: Fresh) -> None:
    network()
    bias = programs.main.all_parameters()[1]
    with pytest.raises(NotInitializedError, match=r"fc_0\.b_0 has no value"):
        bias.get_value()
    executor = Executor()
    executor.run(programs.startup)
    bias.set_value(np.array([1, 2, 3], "float32"))
    assert bias.get_value().tolist() == [1.0, 2.0, 3.0]
    feed = {"x": np.zeros((1, 4), "float32")}
    (found,) = executor.run(feed=feed, fetch_list=["fc_0.tmp_1"])
    assert found.tolist() == [[1.0, 2.0, 3.0]]
    with pytest.raises(ShapeError, match=r"shape of \(\(3,\)\)"):
        bias.set_value(np.zeros(2, "float32"))
    assert bias.get_value().tolist() == [1.0, 2.0, 3.0]


def test_a_variable_counts_its_dimensions() -> None:
    x = static.data("x", [None, 4])
    assert (x.dim(), x.ndimension(), x.ndim, x.lod_level) == (2, 2, 2, 0)


def test_a_scope_forgets(programs: Fresh) -> None:
    scope = Scope()
    scope.var("w").get_tensor().set(np.ones(2))
    scope.erase(["w", "gone"])
    assert scope.find_var("w") is None
