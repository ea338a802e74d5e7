"""A branch that trains does what its lines do outside of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import ProgramError

nn = tg.static.nn


@pytest.fixture(autouse=True)
def _static_mode() -> Iterator[None]:
    tg.enable_static()
    yield
    tg.disable_static()


Train = Callable[[], Any]
Place = Callable[[Any, Any, Train], Any]


def cond(p: Any, y: Any, train: Train) -> Any:
    return nn.cond(p, train, y.sum)


def otherwise(p: Any, y: Any, train: Train) -> Any:
    return nn.cond(tg.logical_not(p), y.sum, train)


def case(p: Any, y: Any, train: Train) -> Any:
    no = tg.logical_not(p)
    return nn.case([(no, y.mean), (p, train)], y.sum)


def switch_case(p: Any, y: Any, train: Train) -> Any:
    index = tg.cast(p, "int64") + 1
    return nn.switch_case(index, {0: y.mean, 1: y.sum, 2: train}, y.max)


def nested(p: Any, y: Any, train: Train) -> Any:
    return nn.cond(p, lambda: nn.cond(p, train, y.sum), y.mean)


PLACES: list[Place] = [cond, otherwise, case, switch_case, nested]


def history(place: Place, optimizer: Any, before: Callable[[Any, Any], Any]) -> Any:
    """The losses and parameters of a network that `place` trains."""
    main, startup = tg.static.Program(), tg.static.Program()
    main.random_seed = startup.random_seed = 5
    found = []
    with tg.static.program_guard(main, startup):
        x, p = tg.static.data("x", [4, 3]), tg.static.data("p", [1], "bool")
        hidden = before(nn.fc(x, 5, activation="tanh"), p)
        y = nn.fc(hidden, 2)

        def train() -> Any:
            loss = tg.mean(y * y)
            optimizer(learning_rate=0.01).minimize(loss)
            return loss

        loss = place(p, y, train)
        executor, scope = tg.static.Executor(), tg.static.Scope()
        with tg.static.scope_guard(scope):
            executor.run(startup)
            values = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(4, 3)
            feed = {"x": values, "p": np.array([True])}
            for _ in range(3):
                found += executor.run(main, feed, [loss])
            found += [
                np.array(scope.find_var(w.name).get_tensor())
                for w in main.all_parameters()
            ]
    return found


@pytest.mark.parametrize("optimizer", [tg.optimizer.SGD, tg.optimizer.Adam])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "before",
    [
        lambda h, p: h,
        lambda h, p: nn.cond(p, lambda: h * 2.0, lambda: h),
        lambda h, p: nn.while_loop(
            lambda i, h: i < 2, lambda i, h: [i + 1, h * 1.5], [tg.full([1], 0), h]
        )[1],
    ],
    ids=["op", "branch", "loop"],
)
def test_a_branch_trains_what_was_computed_around_it(
    place: Place, optimizer: Any, before: Any
) -> None:
    found = history(place, optimizer, before)
    wanted = history(lambda p, y, train: train(), optimizer, before)
    assert found[0] > found[1] > found[2]
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def while_loop(y: Any) -> None:
    def body(i: Any) -> Any:
        tg.optimizer.SGD(0.1).minimize(tg.mean(y * y))
        return [i + 1]

    nn.while_loop(lambda i: i < 3, body, [tg.full([1], 0, "int64")])


def loop_of_fluid(y: Any) -> None:
    i, three = tg.full([1], 0, "int64"), tg.full([1], 3, "int64")
    condition = tg.less_than(i, three)
    with tg.fluid.layers.While(condition).block():
        tg.optimizer.SGD(0.1).minimize(tg.mean(y * y))
        tg.increment(i)
        tg.fluid.layers.less_than(i, three, cond=condition)


def static_rnn(y: Any) -> None:
    rnn = tg.fluid.layers.StaticRNN()
    with rnn.step():
        rnn.step_input(y)
        (w, *_) = y.block.program.all_parameters()
        rnn.step_output(*tg.static.gradients(tg.mean(y * y), w))


@pytest.mark.parametrize("loop", [while_loop, loop_of_fluid, static_rnn])
def test_a_loop_does_not_train_what_was_computed_before_it(loop: Any) -> None:
    with tg.static.program_guard(tg.static.Program(), tg.static.Program()):
        y = nn.fc(tg.static.data("x", [4, 3]), 2)
        with pytest.raises(ProgramError, match="gradient in a loop goes through"):
            loop(y)
