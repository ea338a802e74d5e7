"""ONNX Runtime as an executor gives what our own gives."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    ExecutorError,
    FeedError,
    InvalidValueError,
    NotInitializedError,
)

FED = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


@pytest.fixture
def programs() -> Any:
    """A program, one that trains it, and one that begins it."""
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    with static.program_guard(main, startup), tg.unique_name.guard():
        x = static.data("x", [None, 3], "float32")
        y = static.nn.fc(static.nn.fc(x, 5, activation="relu"), 2)
        use = main.clone(for_test=True)
        tg.optimizer.SGD(0.1).minimize(tg.mean(y))
    return use, main, startup, y.name


def test_results_are_the_same_before_and_after_training(programs: Any) -> None:
    use, main, startup, y = programs
    ours, runtime = static.Executor(), static.Executor(backend="onnxruntime")
    with static.scope_guard(static.Scope()):
        ours.run(startup)
        for batch in (4, 2):
            fed = {"x": FED[:batch]}
            want, got = (e.run(use, fed, [y, "x"]) for e in (ours, runtime))
            np.testing.assert_allclose(got[0], want[0], rtol=0, atol=1e-5)
            np.testing.assert_array_equal(got[1], FED[:batch])
            ours.run(main, {"x": FED}, [])


def test_what_is_wrong_is_said_as_ever(programs: Any) -> None:
    use, _, startup, y = programs
    runtime = static.Executor(backend="onnxruntime")
    with static.scope_guard(static.Scope()):
        with pytest.raises(NotInitializedError, match="startup"):
            runtime.run(use, {"x": FED}, [y])
        static.Executor().run(startup)
        with pytest.raises(FeedError, match="float32"):
            runtime.run(use, {"x": FED.astype("float64")}, [y])


def test_a_program_that_trains_is_refused(programs: Any) -> None:
    _, main, _, y = programs
    with pytest.raises(ExecutorError, match="for_test=True") as caught:
        static.Executor(backend="onnxruntime").run(main, {"x": FED}, [y])
    assert "test_runtime.py" in str(caught.value)


def test_it_says_how_to_install_what_it_needs(
    programs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=r"teachgraph\[deploy\]"):
        static.Executor(backend="onnxruntime").run(
            programs[0], {"x": FED}, [programs[3]]
        )


def test_there_is_no_other_backend() -> None:
    with pytest.raises(InvalidValueError, match="onnxruntime"):
        static.Executor(backend="tensorrt")


def test_a_loop_and_a_branch_run_there(programs: Any) -> None:
    main = static.Program()
    with static.program_guard(main), tg.unique_name.guard():
        x = static.data("x", [None, 3], "float32")
        i = static.nn.while_loop(
            lambda i, v: tg.sum(v) < 100.0,
            lambda i, v: [i + 1, v * 2.0],
            [tg.zeros([1]), x],
        )
        y = static.nn.cond(tg.sum(i[1]) > 150.0, lambda: i[1] - 1.0, lambda: i[1] + 1.0)
    fed = {"x": np.abs(FED)}
    want = static.Executor().run(main, fed, [i[0], y])
    got = static.Executor(backend="onnxruntime").run(main, fed, [i[0], y])
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
