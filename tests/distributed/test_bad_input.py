"""Arguments and programs that no cluster can be made of."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distributed as dist
from teachgraph import fluid
from teachgraph.distributed.errors import (
    MissingRayError,
    NoTransportError,
    PeerError,
    StartError,
    TranspilerError,
)
from teachgraph.distributed.roles import Role
from tests.distributed.training import CASES, OPTIMIZERS, built, config_of, train

TWO = "a:1,b:1"


def programs() -> tuple[Any, Any]:
    main, startup, _ = built(CASES["mlp"], OPTIMIZERS["sgd"])
    return main, startup


def transpiled(*arguments: Any, **settings: Any) -> fluid.DistributeTranspiler:
    main, startup = programs()
    config = fluid.DistributeTranspilerConfig()
    for name, value in settings.items():
        setattr(config, name, value)
    transpiler = fluid.DistributeTranspiler(config)
    trainer, *rest = arguments
    transpiler.transpile(trainer, main, *rest, startup_program=startup)
    return transpiler


REFUSED = {
    "trainer": ((2, TWO, 2), {}, "trainer_id is 0 to 1 with 2 trainers, got 2"),
    "trainers": ((0, TWO, "2"), {}, "trainers is their number, got '2'"),
    "twice": ((0, "a:1,a:1"), {}, "different addresses"),
    "empty": ((0, "a:1,"), {}, "different addresses"),
    "block": ((0, TWO), {"min_block_size": 0}, "min_block_size counts elements"),
    "method": ((0, TWO), {"split_method": 3}, "RoundRobin, HashName"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_makes_no_sense_is_refused(wrong: str) -> None:
    arguments, settings, told = REFUSED[wrong]
    with pytest.raises(TranspilerError, match=told):
        transpiled(*arguments, **settings)


def test_an_unknown_server_has_no_program() -> None:
    with pytest.raises(TranspilerError, match="no server 'c:1': there are"):
        transpiled(0, TWO).get_pserver_program("c:1")


def test_a_server_without_parameters_serves_all_the_same() -> None:
    many = ",".join(f"h{i}:1" for i in range(9))
    program, startup = transpiled(0, many).get_pserver_programs("h8:1")
    (operator,) = program.global_block().ops
    assert operator.attrs["grad_to_block_id"] == []
    assert not startup.global_block().ops


def test_a_program_without_optimizer_is_refused() -> None:
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        CASES["mlp"].network()
    with pytest.raises(TranspilerError, match="has no optimizer: call `minimize`"):
        fluid.DistributeTranspiler().transpile(0, main)


def test_a_program_is_transpiled_once() -> None:
    main, startup = programs()
    fluid.DistributeTranspiler().transpile(0, main, TWO, startup_program=startup)
    with pytest.raises(TranspilerError, match="transpiled already"):
        fluid.DistributeTranspiler().transpile(0, main, TWO, startup_program=startup)


def test_programs_are_asked_for_after_transpiling() -> None:
    with pytest.raises(TranspilerError, match="call `transpile` first"):
        fluid.DistributeTranspiler().get_trainer_program()


def test_a_norm_of_the_whole_is_not_cut() -> None:
    main, startup, _ = built(CASES["mlp"], lambda: tg.optimizer.Lamb(0.1))
    config = fluid.DistributeTranspilerConfig()
    config.min_block_size = 8
    with pytest.raises(
        TranspilerError, match=r"lamb needs the norm of all of 'fc_0\.w"
    ):
        fluid.DistributeTranspiler(config).transpile(0, main, TWO, 1, True, startup)


def test_trainer_counts_that_differ_are_told_of() -> None:
    def work(role: Role) -> Any:
        if role.is_server or role.index == 0:
            return train(CASES["mlp"], OPTIMIZERS["sgd"])
        main, startup, _ = built(CASES["mlp"], OPTIMIZERS["sgd"])
        transpiler = fluid.DistributeTranspiler(config_of(True, {}))
        transpiler.transpile(2, main, TWO, 3, True, startup)
        executor = fluid.Executor()
        executor.run(startup)
        batch = {name: value[:4] for name, value in CASES["mlp"].batches[0].items()}
        executor.run(transpiler.get_trainer_program(), batch)
        return None

    with pytest.raises(PeerError, match=r"got '.*\.trainer_2' from trainer 1"):
        dist.run_local(work, 2, TWO)


def test_a_table_is_sparse_or_dense() -> None:
    def network() -> Any:
        ids = fluid.layers.data("ids", [1], dtype="int64")
        sizes = {"size": [30, 4], "param_attr": fluid.ParamAttr("table")}
        rows = fluid.layers.embedding(ids, is_sparse=True, **sizes)
        others = fluid.layers.embedding(ids, **sizes)
        return fluid.layers.mean(fluid.layers.elementwise_add(rows, others))

    case = CASES["words"]._replace(network=network)
    main, startup, _ = built(case, OPTIMIZERS["sgd"])
    with pytest.raises(TranspilerError, match="'table' is looked up with is_sparse"):
        fluid.DistributeTranspiler().transpile(0, main, TWO, 1, True, startup)


def test_an_unknown_server_is_no_address() -> None:
    def work(role: Role) -> None:
        value = np.zeros((3, 2), "float32")
        dist.ops.send(value, epmap=["c:1"], names=["w@GRAD"])

    with pytest.raises(PeerError, match="no server 'c:1'"):
        dist.run_local(work, 1)


def test_a_program_that_sends_needs_a_cluster() -> None:
    transpiler = transpiled(0, TWO)
    executor = fluid.Executor()
    with (
        fluid.scope_guard(fluid.Scope()),
        pytest.raises(NoTransportError, match="teachgraph launch"),
    ):
        executor.run(transpiler.startup)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingRayError, match=r"teachgraph\[distributed\]"):
        dist.spawn(print, nprocs=2)


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(StartError, match="TRAINER 2 of 2 trainers is no role"):
        Role.of({"PADDLE_TRAINER_ID": "2", "PADDLE_TRAINERS_NUM": "2"})
    with pytest.raises(StartError, match="'c:1' is no server"):
        Role.of({"TRAINING_ROLE": "PSERVER", "PADDLE_CURRENT_ENDPOINT": "c:1"})
