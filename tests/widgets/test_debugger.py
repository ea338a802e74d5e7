"""What a learner asks when a value is wrong: where from, and by which op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets import NotFiniteError
from teachgraph_widgets.finite import Check

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.core.observe import observers
from tests.widgets.recording import record


@pytest.fixture(autouse=True)
def in_programs_of_its_own() -> Iterator[None]:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        yield
    assert not any(isinstance(o, Check) for o in observers)


def test_the_first_op_that_makes_a_nan_stops_with_its_inputs() -> None:
    x = tg.to_tensor([[4.0, -1.0]])
    x.name = "x"
    with tg.check_nan_inf(), pytest.raises(NotFiniteError) as caught:
        tg.sqrt(x)  # the line to blame
    told = str(caught.value)
    assert told.startswith("sqrt made 1 NaN in 2 elements\n")
    assert "X: Tensor float32 [1, 2]  (x), from -1 to 4" in told
    assert "tg.sqrt(x)  # the line to blame" in told


def test_an_infinity_that_comes_in_is_not_blamed_on_who_reads_it_first() -> None:
    x = tg.to_tensor([2.0])
    with tg.check_nan_inf(), pytest.raises(NotFiniteError, match=r"^elementwise_div"):
        (x / 0.0) * 1.0


def test_a_gradient_names_the_line_of_the_op_whose_gradient_it_is() -> None:
    x = tg.to_tensor([0.0, 4.0], stop_gradient=False)
    with tg.check_nan_inf():
        y = tg.sqrt(x)  # finite, but its slope at 0 is not
        loss = y.sum()
        with pytest.raises(NotFiniteError) as caught:
            loss.backward()
    told = str(caught.value)
    assert "sqrt_grad made 1 infinity in 2 elements of the gradient for X" in told
    assert "y = tg.sqrt(x)  # finite" in told
    assert x.grad is None


def test_an_operator_of_a_program_names_its_line_forward_and_backward() -> None:
    x = static.data("x", [None, 2])
    x.stop_gradient = False
    y = tg.sqrt(x)  # forward
    z = tg.log(y)
    static.gradients([z.sum()], [x])
    executor, scope = static.Executor(), static.Scope()
    feed = {"x": np.array([[1.0, -1.0]], "float32")}
    with tg.check_nan_inf(), pytest.raises(NotFiniteError) as caught:
        executor.run(feed=feed, fetch_list=[z], scope=scope)
    told = str(caught.value)
    assert "sqrt made 1 NaN in 2 elements of 'sqrt_0.tmp_0'" in told
    assert "x: ndarray float32 [1, 2], from -1 to 1" in told
    assert "# forward" in told
    (found,) = executor.run(feed=feed, fetch_list=[z], scope=scope)
    assert np.isnan(found).any(), "nobody looks any more"


def test_an_operator_of_a_branch_is_found_too() -> None:
    x = static.data("x", [1])
    static.nn.cond(x.sum() < 0.0, lambda: tg.log(x), lambda: x * 1.0)
    feed = {"x": np.array([-2.0], "float32")}
    with tg.check_nan_inf(), pytest.raises(NotFiniteError, match=r"^log made 1 NaN"):
        static.Executor().run(feed=feed)


class Reciprocal(tg.autograd.PyLayer):
    """1/x, and a gradient that is wrong where x is 2: not even a number."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return tg.to_tensor(1.0 / x.numpy())

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return tg.to_tensor(np.full_like(dy.numpy(), np.nan))


def test_an_op_of_the_users_own_is_found_forward_and_backward() -> None:
    x = tg.to_tensor([2.0, 4.0], stop_gradient=False)
    with tg.check_nan_inf():
        y = Reciprocal.apply(x)  # mine
        with pytest.raises(NotFiniteError) as caught:
            y.sum().backward()
        with np.errstate(all="ignore"), pytest.raises(NotFiniteError) as forward:
            Reciprocal.apply(x - 2.0)
    told = str(caught.value)
    assert "Reciprocal_grad made 2 NaN in 2 elements of the gradient" in told
    assert "# mine" in told
    made, given = str(forward.value).splitlines()[:2]
    assert made == "Reciprocal made 1 infinity in 2 elements"
    assert "Tensor float32 [2], from 0 to 2" in given


def test_an_op_of_a_function_of_to_static_is_found_on_its_own_line() -> None:
    traced = tg.jit.to_static(rooted)
    with tg.check_nan_inf(), pytest.raises(NotFiniteError) as caught:
        traced(tg.to_tensor([-4.0]))
    told = str(caught.value)
    assert told.startswith("sqrt made 1 NaN in 1 elements")
    assert "root = tg.sqrt(x)" in told


def rooted(x: Any) -> Any:
    root = tg.sqrt(x)
    return root * 2.0


def test_as_a_switch_it_stays_until_turned_off() -> None:
    bad = tg.to_tensor([-1.0])
    tg.check_nan_inf()
    with pytest.raises(NotFiniteError), tg.check_nan_inf(True):
        tg.log(bad)
    with tg.check_nan_inf(False):
        tg.log(bad)
    with pytest.raises(NotFiniteError):
        tg.log(bad)
    tg.check_nan_inf(False)
    assert np.isnan(tg.log(bad).numpy()).all()


def test_a_trained_network_is_explained_from_its_parameters_on() -> None:
    net = tg.nn.Linear(3, 2)
    x = tg.ones([4, 3])
    x.name = "x"
    text = str(tg.explain(net(x).mean()))
    assert text.splitlines()[0].startswith("Tensor float32 [] = ")
    assert "made by" in text
    assert "P float32 [3, 2]" in text
    last = text.splitlines()[-1]
    assert "mean(" in last
    assert last.endswith(" -> []") or "-> []  " in last


def test_a_long_path_is_told_from_its_end_and_says_what_is_missing() -> None:
    x = tg.to_tensor(1.0, stop_gradient=False)
    y = x
    for _ in range(10_000):
        y = y * 1.0
    lines = str(tg.explain(y)).splitlines()
    assert "made by 10,000 ops from 1 leaf" in lines[0]
    assert len(lines) < 50
    assert lines[2].strip() == "... 9,960 ops before"
    assert lines[-1].startswith("10000  ")


def test_a_shape_that_nobody_kept_is_not_made_up() -> None:
    x = tg.to_tensor([3.0, 4.0], stop_gradient=False)
    norm = (x * x).sum().sqrt()
    norm.backward()
    _, _, *steps = str(tg.explain(norm)).splitlines()
    shapes = [line.partition("-> ")[2].split("  ")[0] for line in steps]
    assert shapes == ["?", "?", "[]"]


def test_a_variable_is_explained_by_the_lines_that_made_it() -> None:
    x = static.data("x", [None, 3])
    unused = tg.exp(x)
    y = tg.tanh(x)  # the first
    z = y + y  # the second
    text = str(tg.explain(z))
    assert unused.name not in text
    assert "2 ops" in text.splitlines()[0]
    assert ": y = tg.tanh(x)  # the first" in text
    assert "z = y + y  # the second" in text


def test_what_never_had_a_path_says_so() -> None:
    assert "a leaf" in str(tg.explain(tg.ones([2])))
    with pytest.raises(tg.errors.InvalidValueError, match="got str"):
        tg.explain("loss")


def test_an_operator_that_raises_in_a_branch_is_drawn_with_its_own_inputs() -> None:
    text = (
        "x = fluid.data(name='x', shape=[None, 2], dtype='float32')\n"
        "y = fluid.data(name='y', shape=[None, 2], dtype='float32')\n"
        "ok = tg.sum(x) > 0.0\n"
        "out = fluid.layers.cond(ok, lambda: x + y, lambda: x * 1.0)\n"
        "exe = fluid.Executor()\n"
        "exe.run(feed=feed, fetch_list=[out])\n"
    )
    ones: Any = np.ones((2, 2), "float32")
    feed = {"x": ones, "y": np.ones((3, 2), "float32")}
    recording = record(text, feed=feed)
    failed = recording.one("op_failed")
    assert failed["type"] == "elementwise_add"
    named = {i["name"]: i["shape"] for i in failed["inputs"]}
    assert named == {"x": [2, 2], "y": [3, 2]}
    assert "elementwise_add cannot take these inputs" in failed["message"]


@pytest.mark.parametrize("most", [0, -1, "all", 1.5])
def test_explain_shows_at_least_one_op(most: Any) -> None:
    y = tg.ones([1]) * 2.0
    with pytest.raises(tg.errors.InvalidValueError, match="most is how many ops"):
        tg.explain(y, most=most)


def test_what_explain_says_of_a_constant_is_said_to_the_end() -> None:
    told = str(tg.explain(tg.ones([2])))
    assert told.splitlines()[0] == "Tensor float32 [2], a leaf"
    assert told.endswith("what made it was not recorded")


@pytest.mark.parametrize("enabled", ["no", 3, None])
def test_the_check_is_on_or_off(enabled: Any) -> None:
    with pytest.raises(tg.errors.InvalidValueError, match="takes True or False"):
        tg.check_nan_inf(enabled)
