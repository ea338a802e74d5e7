"""What is recorded of programs: op for op, each on the line that made it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.utils.observe import Observer, watch
from tests.widgets.recording import FOUR_LINES, record, record_here

RUN = """\
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
(value,) = exe.run(feed={"X": batch}, fetch_list=[loss])
"""


def test_four_lines_op_for_op_and_line_by_line() -> None:
    recording = record(FOUR_LINES)
    assert recording.operators("startup") == [
        ("uniform_random", 2),
        ("fill_constant", 2),
        ("fill_constant", 4),
    ]
    assert recording.operators("main") == [
        ("mul", 2),
        ("elementwise_add", 2),
        ("reduce_mean", 3),
        *[(kind, 4) for kind in ("fill_constant", "reduce_mean_grad")],
        *[(kind, 4) for kind in ("elementwise_add_grad", "mul_grad", "sgd", "sgd")],
    ]
    assert [e["line"] for e in recording.all("line")] == [1, 2, 3, 4]
    assert recording.one("cell_end")["ok"] is True


def test_each_variable_has_its_role_shape_and_line() -> None:
    recording = record(FOUR_LINES)
    main = recording.program("main")
    found = {
        e["name"]: (e["role"], e["shape"], e["line"])
        for e in recording.all("var", program=main)
    }
    assert found["X"] == ("D", [-1, 1], 1)
    assert found["fc_0.w_0"] == ("P", [1, 10], 2)
    assert found["fc_0.b_0"] == ("P", [10], 2)
    assert found["fc_0.tmp_1"] == ("T", [-1, 10], 2)
    assert found["mean_0.tmp_0"][0::2] == ("T", 3)
    assert found["fc_0.w_0@GRAD"] == ("g", [1, 10], 4)
    assert found["learning_rate_0"][0::2] == ("L", 4)


def test_a_gradient_operator_knows_whose_gradient_it_is() -> None:
    recording = record(FOUR_LINES)
    ops = recording.all("op", program=recording.program("main"))
    types = {op["op"]: op["type"] for op in ops}
    twins = {op["type"]: types[op["twin"]] for op in ops if "twin" in op}
    assert twins == {
        "reduce_mean_grad": "reduce_mean",
        "elementwise_add_grad": "elementwise_add",
        "mul_grad": "mul",
    }
    roles = {op["type"]: op["role"] for op in ops}
    assert (roles["mul"], roles["fill_constant"], roles["sgd"]) == (
        *("forward", "backward"),
        "optimize",
    )


def test_a_sum_of_gradients_is_nobodys_twin() -> None:
    recording = record(
        """\
x = fluid.data(name="x", shape=[2, 3], dtype="float32")
y = fluid.layers.fc(input=x, size=3)
loss = fluid.layers.mean(fluid.layers.relu(y) + y)
fluid.append_backward(loss)
"""
    )
    added = recording.one("op", type="sum")
    assert "twin" not in added
    assert len(added["inputs"]["X"]) == 2
    grads = [op for op in recording.all("op", role="backward") if "_grad" in op["type"]]
    assert grads
    assert all("twin" in op for op in grads)


def test_a_run_lights_operators_in_order_with_their_values() -> None:
    batch = np.linspace(-1, 1, 8, dtype="float32").reshape(8, 1)
    recording = record(FOUR_LINES + RUN, batch=batch)
    begins = recording.all("run", phase="begin")
    assert [(e["program"], e["line"]) for e in begins] == [
        (recording.program("startup"), 6),
        (recording.program("main"), 7),
    ]
    types = {op["op"]: op["type"] for op in recording.all("op")}
    main = recording.all("run_op", run=1)
    assert [types[e["op"]] for e in main] == [t for t, _ in recording.operators("main")]
    values = {name: v for e in main for name, v in e["values"].items()}
    assert values["mean_0.tmp_0"]["mean"] == pytest.approx(
        recording.names["value"].item(), rel=1e-5
    )
    gradient = np.full((8, 10), 1 / 80).sum(axis=0)
    assert values["fc_0.b_0@GRAD"]["norm"] == pytest.approx(
        np.linalg.norm(gradient), rel=1e-5
    )
    assert values["fc_0.tmp_0"]["shape"] == [8, 10]


def test_what_a_program_held_before_is_shown_on_no_line() -> None:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        before = record_here(FOUR_LINES)
        after = record_here(
            "again = fluid.layers.mean(loss)", loss=before.names["loss"]
        )
    main = after.program("main")
    lines = [(op["type"], op["line"]) for op in after.all("op", program=main)]
    assert lines[-1] == ("reduce_mean", 1)
    assert lines[:-1] == [(kind, 0) for kind, _ in before.operators("main")]
    twins = [op for op in after.all("op", program=main) if "twin" in op]
    assert len(twins) == 3
    names = [e["name"] for e in after.all("var", program=main)]
    assert len(names) == len(set(names))


def test_eager_code_does_not_bring_up_old_programs() -> None:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        record_here(FOUR_LINES)
        after = record_here("y = tg.to_tensor(1.0) * 2.0")
    assert after.all("program") == []
    assert len(after.all("node")) == 1


def test_a_test_clone_says_whose_clone_it_is() -> None:
    recording = record(
        FOUR_LINES + "test = fluid.default_main_program().clone(for_test=True)\n"
    )
    clone = recording.one("program", role="test")
    assert clone["origin"] == recording.program("main")
    assert clone["line"] == 5
    types = [op["type"] for op in recording.all("op", program=clone["program"])]
    assert types == ["mul", "elementwise_add", "reduce_mean"]


def test_programs_are_called_what_the_code_calls_them() -> None:
    recording = record(
        """\
first, second = fluid.Program(), fluid.Program()
with fluid.program_guard(first, second):
    fluid.layers.fc(input=fluid.data(name="X", shape=[2, 2]), size=3)
"""
    )
    titles = {e["role"]: e["title"] for e in recording.all("program")}
    assert titles == {"main": "first", "startup": "second"}


def test_only_a_clone_for_testing_is_called_a_test_program() -> None:
    recording = record(
        FOUR_LINES + "again = fluid.default_main_program().clone()\n"
        "fluid.default_main_program().clone(for_test=True)\n"
        "fluid.default_main_program().clone()\n"
    )
    told = [(e["role"], e["title"]) for e in recording.all("program") if "origin" in e]
    assert told == [
        ("other", "copy of main program"),
        ("test", "test program"),
        ("other", "copy of main program"),
    ]


def test_the_programs_of_a_function_of_to_static_are_called_after_it() -> None:
    def doubled(x: Any) -> Any:
        return x * 2.0

    recording = record(
        """\
x = tg.to_tensor([1.0], stop_gradient=False)
f(x).backward()
f(tg.ones([2, 2]))
""",
        f=tg.jit.to_static(doubled),
    )
    titles = [e["title"] for e in recording.all("program")]
    copies = [title for title in titles if title.startswith("copy of")]
    assert [t for t in titles if t not in copies] == ["doubled", "doubled"]
    assert set(copies) == {"copy of doubled"}
    assert {e["role"] for e in recording.all("program")} == {"main", "other"}


def test_an_op_that_does_not_fit_is_recorded_where_it_failed() -> None:
    recording = record(
        """\
x = fluid.data(name="x", shape=[None, 4], dtype="float32")
w = fluid.data(name="w", shape=[3, 2], dtype="float32")
y = fluid.layers.matmul(x, w)
"""
    )
    failed = recording.one("op_failed")
    assert failed["line"] == 3
    assert failed["program"] == recording.program("main")
    assert [(i["slot"], i["shape"]) for i in failed["inputs"]] == [
        ("X", [-1, 4]),
        ("Y", [3, 2]),
    ]
    assert failed["inputs"][0]["name"] == "x"
    assert recording.error is not None
    end = recording.one("cell_end")
    assert not end["ok"]
    assert end["line"] == 3
    assert type(recording.error).__name__ in end["error"]


def test_a_python_function_that_raises_in_a_run_is_recorded_with_its_inputs() -> None:
    recording = record(
        """\
def broken(x):
    raise ValueError("no")
x = fluid.data(name="x", shape=[2, 2], dtype="float32")
block = fluid.default_main_program().current_block()
y = block.create_var(name="y", shape=[2, 2], dtype="float32")
fluid.layers.py_func(broken, x, y)
fluid.Executor().run(feed={"x": np.ones((2, 2), "float32")}, fetch_list=[y])
"""
    )
    failed = recording.one("op_failed")
    assert failed["type"] == "py_func"
    assert failed["program"] == recording.program("main")
    assert failed["inputs"] == [
        {"slot": "X", "name": "x", "shape": [2, 2], "dtype": "float32"}
    ]
    assert recording.all("run", phase="end"), "a run that raises ends, too"


def test_a_shape_that_comes_later_is_told() -> None:
    recording = record(
        """\
x = fluid.data(name="x", shape=[2, 3], dtype="float32")
block = fluid.default_main_program().current_block()
out = block.create_var(name="out", dtype="float32")
block.append_op("relu", {"X": x}, {"Out": out})
"""
    )
    assert recording.one("var", name="out")["shape"] == []
    told = recording.one("attr", name="out", attr="shape")
    assert (told["value"], told["line"]) == ("[2, 3]", 4)


def test_what_changes_afterwards_is_told() -> None:
    recording = record(
        """\
x = fluid.data(name="x", shape=[2, 3], dtype="float32")
y = fluid.layers.relu(x)
y.stop_gradient = True
fluid.default_main_program().global_block()._remove_op(0)
"""
    )
    relu = recording.one("op", type="relu")
    changed = recording.one("attr", attr="stop_gradient")
    assert (changed["value"], changed["line"]) == ("True", 3)
    assert [changed["name"]] == relu["outputs"]["Out"]
    assert recording.one("op_removed")["op"] == relu["op"]


def test_values_can_be_left_out() -> None:
    batch = np.ones((2, 1), "float32")
    recording = record(FOUR_LINES + RUN, values=False, batch=batch)
    ran = recording.all("run_op")
    assert len(ran) == 12
    assert all(e["values"] == {} for e in ran)


def test_a_long_training_loop_is_thinned_out_and_says_so() -> None:
    batch = np.ones((2, 1), "float32")
    recording = record(FOUR_LINES + RUN + LONG_LOOP, batch=batch)
    runs = recording.all("run", phase="begin")
    told = [*range(1, 11), 16, 32, 64]
    assert len(runs) == 1 + len(told), "and the startup program's"
    with_weight = [e for e in recording.all("run_op") if "fc_0.w_0" in e["values"]]
    assert len(with_weight) == 1 + len(told), "what is told is told whole"
    assert recording.one("dropped", what="runs")["count"] == 101 - len(told)


LONG_LOOP = "for _ in range(100):\n    exe.run(feed={'X': batch}, fetch_list=[loss])\n"


class NowAndThen(Observer):
    """Follows each third run."""

    def __init__(self) -> None:
        self.asked = 0

    def follows(self, program: Any) -> bool:
        self.asked += 1
        return self.asked % 3 == 0


@pytest.mark.parametrize("other", [Observer, NowAndThen])
def test_somebody_else_who_watches_changes_nothing_of_what_is_recorded(
    other: type[Observer],
) -> None:
    """Another observer may follow other runs: the log has the same ones as without."""
    batch = np.ones((2, 1), "float32")
    alone = record(FOUR_LINES + RUN + LONG_LOOP, batch=batch)
    with watch(other()):
        beside = record(FOUR_LINES + RUN + LONG_LOOP, batch=batch)
    begins = [r.all("run", phase="begin") for r in (alone, beside)]
    counts = [[e["count"] for e in events] for events in begins]
    assert counts[0] == counts[1]
    assert len(alone.all("run_op")) == len(beside.all("run_op"))
    assert len(beside.all("run", phase="end")) == len(begins[1])
    assert beside.one("attr", attr="runs")["value"] == "101"


def test_an_operator_that_fails_in_a_skipped_run_is_recorded() -> None:
    batches = [np.ones((2, 2), "float32")] * 13 + [np.ones((3, 2), "float32")]
    recording = record(
        'x = fluid.data("x", [None, 2])\n'
        # A pass computes the sum of constants, so a copy of the program runs.
        'ones = fluid.layers.fill_constant([2, 2], "float32", 1.0)\n'
        "y = fluid.layers.elementwise_add(x, ones + ones)\n"
        "exe = fluid.Executor(fluid.CPUPlace())\n"
        "for batch in batches:\n"
        "    exe.run(feed={'x': batch}, fetch_list=[y])\n",
        batches=batches,
    )
    failed = recording.one("op_failed")
    assert failed["type"] == "elementwise_add"
    assert failed["program"] == recording.program("main")
    assert [a["shape"] for a in failed["inputs"]] == [[3, 2], [2, 2]]


def test_an_operator_says_which_name_scopes_it_is_in() -> None:
    recording = record(
        'x = fluid.data(name="x", shape=[2, 2], dtype="float32")\n'
        'with fluid.name_scope("encoder"):\n'
        '    with fluid.name_scope("attention"):\n'
        "        y = fluid.layers.relu(x)\n"
        "z = fluid.layers.tanh(y)\n"
    )
    scopes = {event["type"]: event.get("scope") for event in recording.all("op")}
    assert scopes == {"relu": "encoder/attention", "tanh": None}


def test_what_each_pass_did_is_told_and_adds_up() -> None:
    recording = record(
        'x = fluid.data(name="x", shape=[2, 2], dtype="float32")\n'
        "y = fluid.layers.relu(x)\n"
        "unused = fluid.layers.tanh(y)\n"
        "from teachgraph import passes\n"
        "made = passes.apply_pass(fluid.default_main_program(), "
        '"dead_code", fetches=[y])\n'
    )
    told = recording.one("pass")
    gone = recording.all("op_removed")
    assert told["before"] - told["after"] == len(gone) == 1
    (change,) = told["changes"]
    assert (change["old"], change["new"]) == (["tanh"], [])
    (op,) = recording.all("op", op=gone[0]["op"])
    assert (op["type"], op["program"]) == ("tanh", told["program"])
