"""The Python that a program becomes: readable, and the same as walking operator by
operator, whatever the program.
"""

from __future__ import annotations

import ast
import json
import linecache
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import ShapeError
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from teachgraph.utils.observe import Observer, watch
from tests.effort import examples
from tests.static.fresh import Fresh, fresh

FOUR_LINES = """\
def run(feed, scope):
    X = feed['X']
    fc_0_w_0 = scope['fc_0.w_0']
    fc_0_b_0 = scope['fc_0.b_0']
    learning_rate_0 = scope['learning_rate_0']
    fc_0_tmp_0 = X @ fc_0_w_0  # test_code.py:{fc}
    fc_0_tmp_1 = fc_0_tmp_0 + fc_0_b_0  # test_code.py:{fc}
    del fc_0_tmp_0
    mean_0_tmp_0 = fc_0_tmp_1.sum() / fc_0_tmp_1.size  # test_code.py:{m}
    mean_0_tmp_0_GRAD = np.array(1.0, np.float32)  # test_code.py:{sgd}
    fc_0_tmp_1_GRAD = np.full(fc_0_tmp_1.shape, mean_0_tmp_0_GRAD / fc_0_tmp_1.size)\
  # test_code.py:{sgd}
    del mean_0_tmp_0_GRAD, fc_0_tmp_1
    fc_0_tmp_0_GRAD = fc_0_tmp_1_GRAD  # test_code.py:{sgd}
    fc_0_b_0_GRAD = fc_0_tmp_1_GRAD.sum(axis=0)
    del fc_0_tmp_1_GRAD
    fc_0_w_0_GRAD = X.T @ fc_0_tmp_0_GRAD  # test_code.py:{sgd}
    del fc_0_tmp_0_GRAD, X
    fc_0_b_0 = fc_0_b_0 - learning_rate_0 * fc_0_b_0_GRAD  # test_code.py:{sgd}
    del fc_0_b_0_GRAD
    fc_0_w_0 = fc_0_w_0 - learning_rate_0 * fc_0_w_0_GRAD  # test_code.py:{sgd}
    del fc_0_w_0_GRAD, learning_rate_0
    return [mean_0_tmp_0], {{'fc_0.b_0': fc_0_b_0, 'fc_0.w_0': fc_0_w_0}}
"""


def test_the_four_lines_can_be_read_as_python() -> None:
    x = static.data("X", [None, 1])
    y = static.nn.fc(x, 10)
    loss = tg.mean(y)
    tg.optimizer.SGD(0.01).minimize(loss)
    ops = static.default_main_program().global_block().ops
    where = {op.type: op.callsite.line for op in ops if op.callsite}
    wanted = FOUR_LINES.format(
        fc=where["mul"], m=where["reduce_mean"], sgd=where["sgd"]
    )
    assert Executor().compiled(fetch_list=[loss]).source == wanted


def test_a_name_is_pythons_and_its_own() -> None:
    """Also where names differ only in what Python does not allow."""
    odd = ["class", "a.b", "a_b", "a b", "1x", "relu", "feed", "scope", "run", "force"]
    odd += ["é", "_", "None", "print", "x@GRAD", "x_GRAD", "list", "self", "__init__"]
    inputs = [static.data(name, [1]) for name in odd]
    total = inputs[0] * 1.0
    for power, x in enumerate(inputs[1:], 1):
        total = total + x * float(2**power)
    out = tg.nn.functional.relu(total)
    feed = {name: np.ones(1, "float32") for name in odd}
    executor = Executor()
    (found,) = executor.run(feed=feed, fetch_list=[out])
    assert found.item() == 2 ** len(odd) - 1
    ast.parse(executor.compiled(fetch_list=[out]).source)


def test_a_variable_and_a_constant_never_share_a_name() -> None:
    """Constants that can't be written as text are called `constant`, ..."""
    names = ["constant", *(f"constant {n}" for n in range(9)), "constant_2"]
    products = [static.data(name, [1]) * float("inf") for name in names]
    feed = {name: np.ones(1, "float32") for name in names}
    found = Executor().run(feed=feed, fetch_list=products)
    assert [value.item() for value in found] == [float("inf")] * len(names)


def test_names_that_python_takes_for_one_stay_two() -> None:
    """Python reads the ligature as two letters."""
    ligature, letters = static.data("\ufb01", [1]), static.data("fi", [1])
    feed = {"\ufb01": np.full(1, 3.0, "float32"), "fi": np.ones(1, "float32")}
    (found,) = Executor().run(feed=feed, fetch_list=[ligature - letters])
    assert found.item() == 2.0


@pytest.mark.parametrize(
    "number", [float("inf"), float("-inf"), float("nan"), 1e-45, 0.1, -0.0, 3e38]
)
def test_every_number_is_written_as_it_is(number: float) -> None:
    x = static.data("x", [1])
    found = Executor().run(
        feed={"x": np.ones(1, "float32")}, fetch_list=[x * number, tg.full([1], number)]
    )
    wanted = np.array([[number], [number]], "float32")
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


def test_values_are_let_go_of_after_their_last_use() -> None:
    x = static.data("x", [2])
    y = x * 2.0
    z = y + 1.0
    source = Executor().compiled(fetch_list=[z]).source
    lines = [line.split("  #")[0].strip() for line in source.splitlines()]
    assert lines[1:] == [
        "x = feed['x']",
        "tmp_0 = x * 2.0",
        "del x",
        "tmp_1 = tmp_0 + 1.0",
        "del tmp_0",
        "return [tmp_1], {}",
    ]


def test_a_traceback_shows_the_line_of_the_generated_code() -> None:
    x, y = static.data("x", [None, 2]), static.data("y", [None, 2])
    out = tg.add(x, y)
    plan = Executor().compiled(fetch_list=[out])
    feed = {"x": np.ones((2, 2), "float32"), "y": np.ones((3, 2), "float32")}
    with pytest.raises(ValueError, match="broadcast") as caught:
        plan.code.function(feed, {})
    frames = traceback.extract_tb(caught.value.__traceback__)
    shown = next(frame for frame in frames if frame.filename.startswith("<teachgraph"))
    assert shown.line is not None
    assert shown.line.startswith("elementwise_add_0 = x + y")
    assert shown.filename in linecache.cache


def test_an_error_in_a_loop_of_layers_names_the_one_that_failed() -> None:
    """Several operators may stand at one line; the inputs tell which it was."""
    x = static.data("x", [None, 2])
    for name in ("a", "b", "c"):
        x = tg.add(x, static.data(name, [None, 2]))
    feed = {name: np.ones((2, 2), "float32") for name in "xac"}
    feed["b"] = np.ones((3, 2), "float32")
    with pytest.raises(ShapeError) as caught:
        Executor().run(feed=feed, fetch_list=[x])
    assert "Y: ndarray float32 [3, 2]" in str(caught.value)


class Steps(Observer):
    """Remembers what ran."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def run_begin(self, program: Any, feed: Any) -> None:
        self.seen.append(("begin", sorted(feed)))

    def run_op(self, operator: Any, outputs: Any) -> None:
        self.seen.append((operator.type, sorted(outputs)))

    def run_failed(self, operator: Any, inputs: Any, error: Any) -> None:
        self.seen.append((operator.type, type(error).__name__))

    def run_end(self, program: Any) -> None:
        self.seen.append(("end", None))


def test_whoever_watches_a_run_sees_each_operator() -> None:
    x, y = static.data("x", [None, 2]), static.data("y", [None, 2])
    out = (x * 2.0) + y
    ones = np.ones((2, 2), "float32")
    with watch(Steps()) as steps:
        (found,) = Executor().run(feed={"x": ones, "y": ones}, fetch_list=[out])
    assert isinstance(steps, Steps)
    np.testing.assert_array_equal(found, ones * 3)
    assert steps.seen == [
        ("begin", ["x", "y"]),
        ("scale", ["tmp_0"]),
        ("elementwise_add", ["tmp_1"]),
        ("end", None),
    ]
    with watch(Steps()) as steps, pytest.raises(ShapeError):
        Executor().run(feed={"x": ones, "y": ones[:1].repeat(3, 0)}, fetch_list=[out])
    assert isinstance(steps, Steps)
    assert steps.seen[1:] == [
        ("scale", ["tmp_0"]),
        ("elementwise_add", "ShapeError"),
        ("end", None),
    ]


class Passerby(Steps):
    """Wants to know that a run has failed, not how one goes."""

    def follows(self, program: Any) -> bool:
        return False


def test_a_run_that_nobody_follows_is_compiled() -> None:
    x = static.data("x", [None, 2])
    out = (x * 2.0) + 1.0
    executor, ones = Executor(), np.ones((2, 2), "float32")
    with watch(Passerby()) as passerby:
        (found,) = executor.run(feed={"x": ones}, fetch_list=[out])
    assert isinstance(passerby, Passerby)
    np.testing.assert_array_equal(found, ones * 3)
    assert passerby.seen == []


def test_an_operator_that_fails_in_compiled_code_is_told_of_too() -> None:
    x, y = static.data("x", [None, 2]), static.data("y", [None, 2])
    out = static.nn.cond(x.sum() > 0.0, lambda: x + y, lambda: x)
    feed = {"x": np.ones((2, 2), "float32"), "y": np.ones((3, 2), "float32")}
    with watch(Passerby()) as passerby, pytest.raises(ShapeError):
        Executor().run(feed=feed, fetch_list=[out])
    assert isinstance(passerby, Passerby)
    assert passerby.seen == [("elementwise_add", "ShapeError")]


class Step(NamedTuple):
    """One step of a random program: a function and which earlier values it takes."""

    function: Callable[..., Any]
    name: str
    inputs: tuple[int, ...]


ROWS, COLUMNS = 3, 4

ONE: dict[str, Callable[[Any], Any]] = {
    "tanh": tg.tanh,
    "sigmoid": tg.nn.functional.sigmoid,
    "square": tg.square,
    "softmax": tg.nn.functional.softmax,
    "scale": lambda x: x * 0.5 + 0.25,
    "negate": lambda x: 1.0 - x,
    "expand": lambda x: x - x.mean(axis=1, keepdim=True),
    "reshape": lambda x: tg.transpose(tg.reshape(x, [COLUMNS, ROWS]), [1, 0]),
    "slice": lambda x: tg.concat([x[:, 2:], x[:, :2]], axis=1),
    "exp": lambda x: tg.exp(tg.tanh(x)),
    "max": lambda x: x * tg.max(x, axis=0),
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": tg.add,
    "multiply": tg.multiply,
    "subtract": tg.subtract,
    "divide": lambda x, y: x / (tg.square(y) + 1.0),
    "matmul": lambda x, y: tg.matmul(tg.matmul(x, y, transpose_y=True), y),
    "maximum": tg.maximum,
}


@st.composite
def programs(draw: st.DrawFn) -> list[Step]:
    """A few steps, each on any earlier values: chains, fan-outs and x op x alike."""
    steps: list[Step] = []
    for at in range(draw(st.integers(1, 7))):
        table: dict[str, Any] = draw(st.sampled_from([ONE, TWO]))
        name = draw(st.sampled_from(sorted(table)))
        count = 1 if table is ONE else 2
        earlier = st.integers(0, at + 1)
        inputs = tuple(draw(earlier) for _ in range(count))
        steps.append(Step(table[name], name, inputs))
    return steps


def walk(steps: list[Step], x: Any, y: Any) -> Any:
    """The mean of a weighted sum of all results; `x` and `y` count as results."""
    values = [x, y]
    for step in steps:
        values.append(step.function(*(values[i] for i in step.inputs)))
    total = values[-1]
    for weight, value in enumerate(values[:-1]):
        total = total + value * (0.1 * weight)
    return tg.mean(total)


def eagerly(steps: list[Step], x: Any, y: Any) -> list[Any]:
    with modes.using(static=False):
        tensors = [tg.to_tensor(v, stop_gradient=False) for v in (x, y)]
        loss = walk(steps, *tensors)
        loss.backward()
    return [loss.numpy(), *(t.grad.numpy() for t in tensors)]


def as_a_program(steps: list[Step], x: Any, y: Any, interpret: bool) -> list[Any]:
    with fresh():
        inputs = [static.data(name, [ROWS, COLUMNS]) for name in "xy"]
        for variable in inputs:
            variable.stop_gradient = False
        loss: Variable = walk(steps, *inputs)
        fetch = [loss, *static.gradients(loss, inputs)]
        executor = Executor(interpret=interpret)
        return executor.run(feed={"x": x, "y": y}, fetch_list=fetch)


NUMBERS = arrays.arrays(
    "float32",
    (ROWS, COLUMNS),
    elements=st.floats(-1, 1, width=32, allow_subnormal=False),
)


@settings(max_examples=examples(100), deadline=None)
@given(steps=programs(), x=NUMBERS, y=NUMBERS)
def test_eager_generated_and_interpreted_are_one(
    steps: list[Step], x: Any, y: Any
) -> None:
    """Loss and gradients; the two ways to run one program to the last bit."""
    now = eagerly(steps, x, y)
    generated = as_a_program(steps, x, y, interpret=False)
    interpreted = as_a_program(steps, x, y, interpret=True)
    for one, other in zip(generated, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(now, generated, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def curvature(steps: list[Step], x: Any, y: Any, gradients: Any) -> Any:
    """The gradient of half the squared length of the gradient: Hessian times it."""
    loss = walk(steps, x, y)
    first = [g for g in gradients(loss, [x, y]) if g is not None]
    total = tg.sum(tg.square(first[0]))
    for grad in first[1:]:
        total = total + tg.sum(tg.square(grad))
    return [total, *gradients(total * 0.5, [x, y])]


@settings(max_examples=examples(50), deadline=None)
@given(steps=programs(), x=NUMBERS, y=NUMBERS)
def test_gradients_of_gradients_are_those_of_the_tape(
    steps: list[Step], x: Any, y: Any
) -> None:
    with modes.using(static=False):
        tensors = [tg.to_tensor(v, stop_gradient=False) for v in (x, y)]
        now = curvature(
            steps,
            *tensors,
            lambda loss, of: tg.grad(loss, of, create_graph=True, allow_unused=True),
        )
    with fresh():
        inputs = [static.data(name, [ROWS, COLUMNS]) for name in "xy"]
        for variable in inputs:
            variable.stop_gradient = False
        later = curvature(steps, *inputs, static.gradients)
        reached = [v for v in later if v is not None]
        found = iter(Executor().run(feed={"x": x, "y": y}, fetch_list=reached))
    for one, other in zip(now, later, strict=True):
        zero = np.zeros((ROWS, COLUMNS))
        two = zero if other is None else next(found)
        np.testing.assert_allclose(
            zero if one is None else one.numpy(), two, 1e-4, 1e-4
        )


@settings(max_examples=examples(25), deadline=None)
@given(steps=programs(), x=NUMBERS, y=NUMBERS)
def test_a_clone_computes_the_same(steps: list[Step], x: Any, y: Any) -> None:
    with fresh() as made:
        loss = walk(steps, *(static.data(name, [ROWS, COLUMNS]) for name in "xy"))
        feed = {"x": x, "y": y}
        found = [
            Executor().run(program, feed, [loss.name])[0]
            for program in (
                made.main,
                made.main.clone(),
                made.main.clone(for_test=True),
            )
        ]
    np.testing.assert_array_equal(found[1:], [found[0]] * 2)


def test_the_programs_of_another_test_are_not_touched(programs: Fresh) -> None:
    before = str(programs.main)
    with fresh():
        static.data("x", [2]) * 2.0
    assert str(programs.main) == before


@pytest.mark.parametrize("end", ["\n", "\r", "\x0c\n", "\u2028", "\x00"])
def test_a_file_name_in_a_document_is_a_comment_and_never_code(
    programs: Fresh, end: str
) -> None:
    x = static.data("x", [3])
    y = x * 2.0
    document = json.loads(programs.main.serialize_to_string())
    document["blocks"][0]["ops"][0]["line"][0] = f"a{end}    raise SystemExit  #"
    main = static.Program.parse_from_string(json.dumps(document).encode())
    feed = {"x": np.ones(3, "float32")}
    np.testing.assert_array_equal(Executor().run(main, feed, [y.name])[0], [2, 2, 2])
