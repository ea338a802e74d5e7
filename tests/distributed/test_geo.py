"""Geo-SGD in threads equals a few lines of NumPy that follow its rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.distributed import Role, run_local
from teachgraph.distributed.geo import GeoSgdTranspiler
from teachgraph.distributed.transport import transport

STEPS, TRAINERS, RATE = 12, 2, 0.1
SERVERS = "a:1,b:1"

Array = np.ndarray[Any, Any]


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


FIRST = rng(0).normal(size=(6, 3)).astype("float32")
BATCHES = [
    [
        (rng(10 * t + s).normal(size=(5, 6)), rng(10 * t + s + 5).normal(size=(5, 3)))
        for s in range(STEPS)
    ]
    for t in range(TRAINERS)
]


def work(every: int, order: list[int]) -> Any:
    def process(role: Role) -> Any:
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            x, y = fluid.layers.data("x", [6]), fluid.layers.data("y", [3])
            begin = fluid.initializer.NumpyArrayInitializer(FIRST)
            w = fluid.ParamAttr("w", initializer=begin)
            out = fluid.layers.fc(x, 3, param_attr=w, bias_attr=False)
            loss = fluid.layers.mean(fluid.layers.square_error_cost(out, y))
            fluid.optimizer.SGD(RATE).minimize(loss)
        config = fluid.DistributeTranspilerConfig()
        config.geo_sgd_mode, config.sync_mode = True, False
        config.geo_sgd_need_push_nums, config.min_block_size = every, 2
        transpiler, executor = GeoSgdTranspiler(config), fluid.Executor()
        number = 0 if role.is_server else role.index
        transpiler.transpile(number, main, SERVERS, TRAINERS, False, startup)
        if role.is_server:
            program, first = transpiler.get_pserver_programs(role.endpoint)
            executor.run(first)
            executor.run(program)
            return None
        executor.run(startup)
        transport().barrier("all", ())  # so that both begin with the same
        for x_batch, y_batch in BATCHES[role.index]:
            order.append(role.index)
            feed = {"x": x_batch.astype("float32"), "y": y_batch.astype("float32")}
            executor.run(transpiler.get_trainer_program(), feed)
            transport().barrier("all", ())
        return np.array(fluid.global_scope().values["w"])

    return process


def by_hand(every: int, order: list[int]) -> list[Array]:
    """The rule, with the steps of the trainers in the order in which they came."""
    server = FIRST.astype("float64")
    own = [server.copy() for _ in range(TRAINERS)]
    old = [server.copy() for _ in range(TRAINERS)]
    made = [0] * TRAINERS
    for t in order:
        x, y = BATCHES[t][made[t]]
        own[t] -= RATE * 2 * x.T @ (x @ own[t] - y) / y.size
        made[t] += 1
        if made[t] % every == 0:
            delta = (own[t] - old[t]) / TRAINERS
            server = server + delta
            own[t] += server - (old[t] + delta)
            old[t] = server.copy()
    return own


@pytest.mark.parametrize("every", [1, 3, 5])
def test_parameters_are_those_of_the_rule(every: int) -> None:
    order: list[int] = []
    found = run_local(work(every, order), TRAINERS, SERVERS)
    assert sorted(order) == sorted([*range(TRAINERS)] * STEPS)
    for one, expected in zip(found, by_hand(every, order), strict=True):
        assert abs(one - expected).max() < 1e-6
    assert abs(found[0] - found[1]).max() > 1e-3, "trainers differ between exchanges"
