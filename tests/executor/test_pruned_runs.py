"""Runs that do only what is asked for: Paddle's `use_prune`, and its figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import FeedError, FetchError
from teachgraph.planning.executor import Executor
from teachgraph.static import Operator, Variable
from tests.static.fresh import Fresh

ONES = np.ones((2, 4), "float32")


class Net(NamedTuple):
    """A layer with weights of 1 and a bias of 0, and something beside it."""

    hidden: Variable
    beside: Variable
    loss: Variable
    minimized: tuple[list[Operator], list[Any]]


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def executor(request: pytest.FixtureRequest) -> Executor:
    return Executor(interpret=request.param)


@pytest.fixture
def net(programs: Fresh) -> Net:
    x, u = static.data("x", [None, 4]), static.data("u", [None, 4])
    one = tg.ParamAttr(name="w", initializer=tg.nn.initializer.Constant(1.0))
    hidden = static.nn.fc(x, 3, weight_attr=one, bias_attr=tg.ParamAttr(name="b"))
    beside, loss = tg.mean(u * 2.0), tg.mean(hidden)
    minimized = tg.optimizer.SGD(1.0).minimize(loss)
    Executor().run(programs.startup)
    return Net(hidden, beside, loss, minimized)


def state(programs: Fresh) -> tuple[float, float]:
    """The first weight and the first bias."""
    w, b = (np.ravel(programs.scope.values[name])[0] for name in "wb")
    return float(w), float(b)


BEFORE, AFTER = (1.0, 0.0), (pytest.approx(2 / 3), pytest.approx(-1 / 3))
ONLY_BIAS, ONLY_WEIGHT = (1.0, AFTER[1]), (AFTER[0], 0.0)

ASKED: dict[str, tuple[Callable[[Net], list[Any]], list[float], Any]] = {
    "what comes before the loss": (lambda n: [n.hidden], [4.0], AFTER),
    "the loss": (lambda n: [n.loss], [4.0], AFTER),
    "a gradient": (lambda n: ["w@GRAD"], [1 / 3], AFTER),
    "a parameter": (lambda n: ["w"], [2 / 3], AFTER),
    "nothing": (lambda n: [], [], AFTER),
    "a list in a list": (lambda n: [[n.loss], n.hidden], [4.0, 4.0], AFTER),
    "the updates": (lambda n: [n.loss, n.minimized[0]], [4.0], AFTER),
    "what minimize gave": (lambda n: [n.loss, n.minimized], [4.0], AFTER),
    "one update": (lambda n: [n.loss, n.minimized[0][0]], [4.0], ONLY_BIAS),
    "the other": (lambda n: [n.loss, n.minimized[0][1:]], [4.0], ONLY_WEIGHT),
}


@pytest.mark.parametrize("what", ASKED)
def test_only_what_is_asked_for_runs_and_the_updates(
    what: str, net: Net, programs: Fresh, executor: Executor
) -> None:
    """Nothing needs `u`, so nobody has to feed it."""
    asked, expected, after = ASKED[what]
    assert state(programs) == BEFORE
    found = executor.run(feed={"x": ONES}, fetch_list=asked(net), use_prune=True)
    assert [np.ravel(value)[0] for value in found] == pytest.approx(expected)
    assert state(programs) == after


def test_a_fetch_of_updates_prunes_without_being_told(
    net: Net, programs: Fresh, executor: Executor
) -> None:
    fetches: Any = [net.loss, net.minimized]
    (loss,) = executor.run(feed={"x": ONES}, fetch_list=fetches)
    assert loss == 4.0
    assert state(programs) == AFTER


def test_all_runs_unless_it_is_told_not_to(net: Net, executor: Executor) -> None:
    with pytest.raises(FeedError, match="has no 'u', which scale reads"):
        executor.run(feed={"x": ONES}, fetch_list=[net.loss])


def test_what_is_fed_is_not_computed(programs: Fresh, executor: Executor) -> None:
    hidden = static.nn.fc(static.data("x", [None, 4]), 3)
    out = hidden * 2.0
    given = np.full((2, 3), 7.0, "float32")
    (found,) = executor.run(feed={hidden.name: given}, fetch_list=[out], use_prune=True)
    np.testing.assert_array_equal(found, 2.0 * given)


def test_what_clips_and_decays_a_gradient_runs_with_its_update(
    programs: Fresh, executor: Executor
) -> None:
    """Gradients of 3 are clipped to a norm of 1; then the weight's decay is added."""
    one = tg.ParamAttr(name="w", initializer=tg.nn.initializer.Constant(1.0))
    loss = tg.sum(
        static.nn.fc(static.data("x", [1, 1]), 1, weight_attr=one, bias_attr=False)
    )
    clip = tg.nn.ClipGradByNorm(1.0)
    optimizer = tg.optimizer.SGD(0.5, weight_decay=0.1, grad_clip=clip)
    fetches: Any = [loss, optimizer.minimize(loss)]
    executor.run(programs.startup)
    executor.run(feed={"x": np.full((1, 1), 3.0, "float32")}, fetch_list=fetches)
    assert np.ravel(programs.scope.values["w"]) == pytest.approx(1 - 0.5 * 1.1)


def test_two_steps_of_two_networks_each_alone(
    programs: Fresh, executor: Executor
) -> None:
    """As of a generator and its critic in one program."""
    steps = {}
    for name, rate in (("g", 0.5), ("d", 0.25)):
        weight = static.create_parameter([2], "float32", name=name)
        loss = tg.sum(weight * static.data(f"x_{name}", [2]))
        steps[name] = tg.optimizer.SGD(rate).minimize(loss, parameters=[weight])
    executor.run(programs.startup)
    before = {n: np.array(programs.scope.values[n]) for n in steps}
    fetches: Any = [steps["d"]]
    executor.run(feed={"x_d": np.ones(2, "float32")}, fetch_list=fetches)
    np.testing.assert_array_equal(programs.scope.values["g"], before["g"])
    np.testing.assert_allclose(programs.scope.values["d"], before["d"] - 0.25)


def test_a_program_that_grows_is_cut_down_anew(programs: Fresh) -> None:
    executor, x = Executor(), static.data("x", [2, 4])
    first = x * 2.0
    feed = {"x": ONES}
    executor.run(feed=feed, fetch_list=[first], use_prune=True)
    second = first + 1.0
    (found,) = executor.run(feed=feed, fetch_list=[second], use_prune=True)
    np.testing.assert_array_equal(found, 3.0 * ONES)


def test_an_unknown_fetch_is_refused(net: Net, executor: Executor) -> None:
    with pytest.raises(FetchError, match=r"Input variable\(nope\) cannot be found"):
        executor.run(feed={"x": ONES}, fetch_list=["nope"], use_prune=True)


def test_a_plan_that_is_not_kept(net: Net, programs: Fresh, executor: Executor) -> None:
    feed = {"x": ONES, "u": ONES}
    for _ in range(2):
        executor.run(feed=feed, fetch_list=[net.beside], use_program_cache=False)
    assert not programs.main.caches.get(executor)
    (found,) = executor.run(feed=feed, fetch_list=[net.beside])
    assert found == 2.0
    assert len({*map(id, programs.main.caches[executor].values())}) == 1


@pytest.mark.parametrize("interpret", [False, True])
def test_tensors_may_be_asked_for(net: Net, interpret: bool) -> None:
    (found,) = Executor(interpret=interpret).run(
        feed={"x": ONES, "u": ONES}, fetch_list=["w"], return_numpy=False
    )
    assert isinstance(found, tg.Tensor)
    np.testing.assert_allclose(found.numpy(), 2 / 3, rtol=1e-6)
