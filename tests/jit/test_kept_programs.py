"""Programs that are kept: so many of a function, and no line of one that is gone."""

from __future__ import annotations

import gc
import linecache
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import InvalidValueError
from tests.effort import FULL
from tests.static.fresh import fresh


@pytest.fixture
def three() -> Iterator[None]:
    tg.jit.set_program_limit(3)
    yield
    tg.jit.set_program_limit(100)


@pytest.mark.usefixtures("three")
def test_a_function_keeps_its_newest_programs() -> None:
    @tg.jit.to_static
    def doubled(x: Any, by: float) -> Any:
        return x * by

    x = tg.to_tensor([2.0], stop_gradient=False)
    first = doubled(x, 1.5)
    with pytest.warns(UserWarning, match="set_program_limit keeps more"):
        assert [doubled(x, float(n)).item() for n in range(6)] == [
            2.0 * n for n in range(6)
        ]
    assert len(doubled.program_cache) == 3
    first.backward()
    assert x.grad.item() == 1.5
    with warnings.catch_warnings(action="error"):
        assert doubled(x, 5.0).item() == 10.0
    with pytest.warns(UserWarning, match="will be traced again"):
        assert doubled(x, 1.5).item() == 3.0


@pytest.mark.parametrize("limit", [0, -1, 2.5, "3", None])
def test_a_limit_is_a_positive_number(limit: Any) -> None:
    with pytest.raises(InvalidValueError, match="positive number"):
        tg.jit.set_program_limit(limit)


def test_lines_go_with_their_program() -> None:
    def lines() -> set[str]:
        gc.collect()
        entries = linecache.cache.items()
        return {
            name for name, entry in entries if "teachgraph program" in name and entry[2]
        }

    before = lines()
    with fresh():
        out = static.data("x", [1]) * 2.0
        executor = static.Executor()
        for _ in range(3):
            executor.run(feed={"x": np.ones(1, "float32")}, fetch_list=[out])
        assert executor.compiled(static.default_main_program(), [out]).source
        assert lines() - before
        del out, executor
    assert lines() <= before


def seconds_to_load(count: int) -> float:
    """The time in which a program of so many operators is loaded."""
    with fresh() as programs:
        x = static.data("x", [1])
        for _ in range(count):
            x = tg.tanh(x)
        content = programs.main.serialize_to_string()
    gc.collect()
    gc.disable()
    try:
        before = time.process_time()
        loaded = static.Program.parse_from_string(content)
        after = time.process_time()
    finally:
        gc.enable()
    assert len(loaded.global_block().ops) == count
    return after - before


def test_a_program_loads_in_linear_time() -> None:
    many, few = (100, 20) if FULL else (8, 2)
    share = seconds_to_load(1000 * many) / seconds_to_load(1000 * few)
    assert share < 2.5 * many / few
