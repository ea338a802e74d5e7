"""A loop that does not end is stopped, and what the scope holds is as it was before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.loop import While
from teachgraph.control_flow.ops import LoopError
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.core import modes
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from teachgraph.static.scope import Scope
from tests.executor.test_control_flow import INTERPRET
from tests.static.fresh import Fresh

CHILD = """
import sys
import numpy as np
import teachgraph as tg
from teachgraph import static
from teachgraph.planning.executor import Executor

tg.enable_static()
total = static.create_global_var([1], 5.0, "float32", persistable=True, name="total")
tg.assign(total + 1.0, total)


def body(i):
    tg.assign(total + 1.0, total)
    static.Print(i, first_n=3, message="round", print_tensor_name=False)
    return [i + 1]


static.nn.while_loop(lambda i: i >= 0, body, [tg.zeros([1], "int64")])
executor = Executor(interpret=bool(int(sys.argv[1])))
executor.run(static.default_startup_program())
try:
    executor.run()
except KeyboardInterrupt:
    value = np.array(static.global_scope().find_var("total").get_tensor())
    print("stopped, total is", value.tolist(), flush=True)
"""


@INTERPRET
def test_ctrl_c_stops_a_loop_that_does_not_end(interpret: bool) -> None:
    """A real one, to a process of its own, once its loop goes round."""
    child = subprocess.Popen(
        [sys.executable, "-u", "-c", CHILD, str(int(interpret))],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert child.stdout is not None
    try:
        for line in child.stdout:
            if "round" in line:
                break
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert "stopped, total is [5.0]" in said
    assert child.returncode == 0


@INTERPRET
def test_max_iterations_stops_it_too(interpret: bool) -> None:
    total = static.create_global_var([1], 5.0, "float32", persistable=True)
    tg.assign(total + 1.0, total)

    def body(i: Any) -> Any:
        tg.assign(total + 1.0, total)
        return [i + 1]

    nn.while_loop(lambda i: i >= 0, body, [tg.zeros([1], "int64")])
    executor, scope = Executor(interpret=interpret, max_iterations=50), Scope()
    executor.run(static.default_startup_program(), scope=scope)
    for _ in range(2):
        with pytest.raises(LoopError, match="gone round 50 times"):
            executor.run(scope=scope)
        kept = np.array(scope.find_var(total.name).get_tensor())
        assert kept.tolist() == [5.0]


@INTERPRET
def test_an_error_in_a_step_changes_nothing_either(interpret: bool) -> None:
    total = static.create_global_var([1], 5.0, "float32", persistable=True)
    tg.assign(total + 1.0, total)
    x = static.data("x", [-1, 1])
    seen: list[float] = []

    def fail(row: Any) -> Any:
        seen.append(float(row[0]))
        if len(seen) == 2:
            raise ValueError("the second row")
        return row

    rnn = StaticRNN()
    with rnn.step():
        row = rnn.step_input(x)
        out = row.block.program.current_block().create_var(shape=[1], dtype="float32")
        rnn.step_output(static.py_func(fail, row, out))
    executor, scope = Executor(interpret=interpret), Scope()
    executor.run(static.default_startup_program(), scope=scope)
    feed = {"x": np.ones((3, 1), "float32")}
    with pytest.raises(Exception, match="the second row"):
        executor.run(feed=feed, fetch_list=[rnn()], scope=scope)
    kept = np.array(scope.find_var(total.name).get_tensor())
    assert kept.tolist() == [5.0]


def test_in_dynamic_mode_max_iterations_stops_it_as_well() -> None:
    with (
        modes.using(static=False),
        pytest.raises(LoopError, match="gone round 5 times"),
    ):
        nn.while_loop(
            lambda i: i >= 0, lambda i: [i + 1], [tg.zeros([1])], max_iterations=5
        )


@pytest.mark.parametrize("number", [0, -1, 2.5, True, "9", "print()"])
def test_max_iterations_is_a_whole_number_from_one_on(number: Any) -> None:
    start = [tg.zeros([1], "int64")]
    message = "max_iterations is a whole number from 1 on"
    with pytest.raises(InvalidValueError, match=message):
        nn.while_loop(lambda i: i < 3, lambda i: [i + 1], start, max_iterations=number)
    with pytest.raises(InvalidValueError, match=message):
        While(tg.zeros([1]) < 1.0, max_iterations=number)
    with pytest.raises(InvalidValueError, match=message):
        Executor(max_iterations=number)


def test_a_document_brings_no_code_in_as_max_iterations(programs: Fresh) -> None:
    start = [tg.zeros([1], "int64")]
    nn.while_loop(lambda i: i < 3, lambda i: [i + 1], start, max_iterations=9)
    document = json.loads(programs.main.serialize_to_string())
    loop = document["blocks"][0]["ops"][-1]
    loop["attrs"]["max_iterations"] = "exit() or 9"
    with pytest.raises(DataError, match="max_iterations is a whole number"):
        static.Program.parse_from_string(json.dumps(document).encode())
