"""Compiled programs: switches choose passes, and an Executor runs what they leave."""

from __future__ import annotations

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.planning.executor import Executor
from tests.passes.same import types
from tests.static.fresh import Fresh

FEED = {"x": np.array([[0.5, -1.0, 2.0]], "float32")}


def test_switches_choose_passes(programs: Fresh) -> None:
    out = static.nn.fc(static.data("x", [None, 3]), 2, activation="relu")
    tg.exp(out)
    executor = Executor()
    executor.run(programs.startup)
    strategy = static.BuildStrategy()
    strategy.fuse_gemm_epilogue = strategy.memory_optimize = True
    compiled = static.CompiledProgram(programs.main, build_strategy=strategy)
    found = executor.run(compiled, FEED, [out])
    wanted = executor.run(programs.main, FEED, [out])
    np.testing.assert_array_equal(found, wanted)
    assert types(compiled.optimised([out.name])) == ["fc"]
    assert types(programs.main) == ["mul", "elementwise_add", "relu", "exp"]


def test_a_compiled_program_trains(programs: Fresh) -> None:
    loss = tg.mean(tg.square(static.nn.fc(static.data("x", [None, 3]), 2)))
    tg.optimizer.SGD(0.1).minimize(loss)
    executor = Executor()
    executor.run(programs.startup)
    every = static.BuildStrategy(enable_auto_fusion=True, memory_optimize=True)
    compiled = static.CompiledProgram(programs.main, every)
    losses = [executor.run(compiled, FEED, [loss])[0].item() for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]


def test_a_switch_joins_the_updates(programs: Fresh) -> None:
    loss = tg.mean(tg.square(static.nn.fc(static.data("x", [None, 3]), 2)))
    tg.optimizer.Adam(0.1).minimize(loss)
    Executor().run(programs.startup)
    strategy = static.BuildStrategy(fuse_all_optimizer_ops=True)
    compiled = static.CompiledProgram(programs.main, strategy)
    Executor().run(compiled, FEED, [loss])
    assert types(compiled.optimised([loss.name])).count("fused_update") == 1


def test_a_program_that_has_grown_is_compiled_anew(programs: Fresh) -> None:
    y = static.data("x", [None, 3]) * 2.0
    compiled = static.CompiledProgram(programs.main)
    executor = Executor()
    executor.run(compiled, FEED, [y])
    z = y + 1.0
    (found,) = executor.run(compiled, FEED, [z])
    np.testing.assert_array_equal(found, FEED["x"] * 2 + 1)


def test_only_programs_are_compiled() -> None:
    with pytest.raises(TypeError, match=r"must be .*Program.*received .*str"):
        static.CompiledProgram("main")


def test_a_switch_that_is_none() -> None:
    with pytest.raises(TypeError, match="make_it_fast"):
        static.BuildStrategy(make_it_fast=True)
