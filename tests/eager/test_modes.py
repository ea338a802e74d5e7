"""When the tape records: `no_grad` in all its forms and threads; what is cut off."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.errors import MixedModeError
from teachgraph.ops.adjoints import expand_as_v2


@pytest.fixture
def x() -> tg.Tensor:
    return tg.to_tensor([1.0, 2.0], stop_gradient=False)


def records(x: tg.Tensor) -> bool:
    return not (x * x).stop_gradient


def test_as_a_context(x: tg.Tensor) -> None:
    with tg.no_grad():
        assert not records(x)
        assert not tg.is_grad_enabled()
    assert records(x)


@pytest.mark.parametrize("decorate", [tg.no_grad, tg.no_grad()], ids=["bare", "called"])
def test_as_a_decorator(decorate: Callable[..., Any], x: tg.Tensor) -> None:
    @decorate
    def predict(scale: float, *, shift: float = 0.0) -> tuple[bool, float]:
        """Says what it does."""
        return records(x), scale + shift

    assert predict(1.0, shift=2.0) == (False, 3.0)
    assert predict(1.0) == (False, 1.0)
    assert predict.__doc__ == "Says what it does."
    assert records(x)


def test_a_decorated_function_may_call_itself(x: tg.Tensor) -> None:
    @tg.no_grad()
    def countdown(n: int) -> list[bool]:
        return [records(x), *(countdown(n - 1) if n else [])]

    assert countdown(3) == [False] * 4
    assert records(x)


def test_one_guard_can_be_used_again_and_inside_itself(x: tg.Tensor) -> None:
    guard = tg.no_grad()
    for _ in range(2):
        with guard:
            assert not records(x)
            with guard:
                assert not records(x)
            assert not records(x)
        assert records(x)


def test_an_exception_ends_it_too(x: tg.Tensor) -> None:
    with pytest.raises(KeyError), tg.no_grad():
        raise KeyError
    assert records(x)


def test_recording_can_be_switched_on_inside(x: tg.Tensor) -> None:
    with tg.no_grad():
        with tg.enable_grad():
            assert records(x)
        with tg.set_grad_enabled(True):
            assert records(x)
        with tg.set_grad_enabled(False):
            assert not records(x)
        assert not records(x)
    assert records(x)


def test_each_thread_has_a_switch_of_its_own(x: tg.Tensor) -> None:
    inside, may_leave = threading.Event(), threading.Event()
    seen: list[bool] = []

    def without() -> None:
        with tg.no_grad():
            inside.set()
            may_leave.wait(10)
            seen.append(records(x))

    thread = threading.Thread(target=without)
    thread.start()
    assert inside.wait(10)
    assert records(x)
    with tg.no_grad():
        other = threading.Thread(target=lambda: seen.append(records(x)))
        other.start()
        other.join(10)
        may_leave.set()
        thread.join(10)
    assert seen == [True, False]


def test_threads_can_go_back_over_tapes_of_their_own() -> None:
    results: dict[int, float] = {}

    def work(number: int) -> None:
        x = tg.to_tensor(float(number), stop_gradient=False)
        y = x
        for _ in range(200):
            y = y + x
        y.backward()
        results[number] = x.grad.item()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == dict.fromkeys(range(8), 201.0)


def test_a_generator_is_not_recorded_half_way(x: tg.Tensor) -> None:
    """The switch belongs to the block that is running, not to the one that waits."""

    def values() -> Iterator[bool]:
        yield records(x)
        yield records(x)

    stream = values()
    with tg.no_grad():
        assert next(stream) is False
    assert next(stream) is True


def test_detach_shares_values_and_cuts_the_tape(x: tg.Tensor) -> None:
    y = x * 3.0
    cut = y.detach()
    assert cut.stop_gradient
    assert cut.tolist() == [3.0, 6.0]
    (y * cut).sum().backward()
    assert x.grad.tolist() == [9.0, 18.0]  # 3 cut


def test_clone_copies_values_and_keeps_the_tape(x: tg.Tensor) -> None:
    copy = x.clone()
    assert not np.shares_memory(copy.data, x.data)
    (copy * copy).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_set_value_replaces_values_and_nothing_else(x: tg.Tensor) -> None:
    source = np.array([5.0, 7.0], "float32")
    x.set_value(source)
    source[0] = 100.0
    assert x.tolist() == [5.0, 7.0]
    assert not x.stop_gradient
    (x * x).backward()
    assert x.grad.tolist() == [10.0, 14.0]
    x.set_value(tg.to_tensor([0.0, 1.0]))
    assert x.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("wrong", [[1.0], [[1.0, 2.0]], [1.0, 2.0, 3.0], 1.0])
def test_set_value_refuses_another_shape(x: tg.Tensor, wrong: Any) -> None:
    with pytest.raises(tg.errors.InvalidValueError, match="set_value"):
        x.set_value(np.array(wrong, "float32"))
    assert x.tolist() == [1.0, 2.0]


def test_set_value_refuses_another_dtype(x: tg.Tensor) -> None:
    with pytest.raises(tg.errors.InvalidValueError, match="float64"):
        x.set_value(np.array([1.0, 2.0]))


@pytest.mark.parametrize(
    "mix",
    [
        operator.add,
        lambda tensor, variable: variable + tensor,
        tg.matmul,
        lambda tensor, variable: tg.concat([variable, tensor]),
        expand_as_v2,
    ],
)
def test_a_tensor_and_a_variable_do_not_mix(mix: Callable[..., Any]) -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        variable = static.data("v", [2, 2], "float32")
        tensor = tg.to_tensor(np.ones((2, 2), "float32"))
        with pytest.raises(MixedModeError, match="Tensor float32") as caught:
            mix(tensor, variable)
    message = str(caught.value)
    assert "Variable float32 [2, 2]  (v)" in message
    assert __file__ in message
    assert program.global_block().ops == []


def test_dynamic_tensors_work_while_static_mode_is_on(x: tg.Tensor) -> None:
    """A Tensor speaks for itself; only what has no input asks for the mode."""
    tg.enable_static()
    try:
        y = x * x
        y.backward()
    finally:
        tg.disable_static()
    assert x.grad.tolist() == [2.0, 4.0]
