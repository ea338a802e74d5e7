"""Branches and loops: what their blocks read and write stays as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from tests.passes.same import types, unchanged
from tests.static.fresh import Fresh

ALL = [*passes.DEFAULT, "dead_code", "elementwise_fusion", "fc_fuse"]


def fed(value: float) -> dict[str, Any]:
    return {"x": np.array([value, 1.0], "float32")}


@pytest.mark.parametrize("value", [2.0, -2.0])
@pytest.mark.parametrize("names", [[name] for name in ALL] + [ALL])
def test_a_branch_reads_what_is_around_it(
    names: list[str], value: float, programs: Fresh
) -> None:
    x = static.data("x", [2])
    x.stop_gradient = False
    same, double = tg.assign(x), x * 2.0 * 1.0
    again = x * 2.0
    out = static.nn.cond(
        tg.sum(x) > 0.0, lambda: tg.tanh(double) + same, lambda: again * same * 1.0
    )
    total = tg.mean(out + x * 2.0)
    slopes = [v for v in static.gradients(total, [x]) if v is not None]
    unchanged(programs.main, names, fed(value), [total, *slopes])


@pytest.mark.parametrize("names", [[name] for name in ALL] + [ALL])
def test_a_loop_reads_and_writes_what_is_around_it(
    names: list[str], programs: Fresh
) -> None:
    x = static.data("x", [2])
    x.stop_gradient = False
    factor = tg.tanh(x * 1.0)
    count, before = tg.full([1], 0, "int64"), tg.assign(x)
    _, last = static.nn.while_loop(
        lambda i, y: i < 3,
        lambda i, y: [i + 1, y * factor + tg.tanh(x)],
        [count, tg.assign(x)],
    )
    total = tg.mean(last + tg.tanh(x) - before)
    slopes = [v for v in static.gradients(total, [x]) if v is not None]
    unchanged(programs.main, names, fed(0.5), [total, *slopes])


def test_dead_code_keeps_a_loop_that_is_fetched(programs: Fresh) -> None:
    x = static.data("x", [2])
    tg.exp(x)
    count = tg.full([1], 0, "int64")
    _, last = static.nn.while_loop(
        lambda i, y: i < 3, lambda i, y: [i + 1, y * 2.0], [count, x * 1.0]
    )
    made = unchanged(programs.main, "dead_code", fed(0.5), [last])
    assert "while" in types(made)
    assert "exp" not in types(made)
