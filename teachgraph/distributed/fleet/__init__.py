"""Paddle's `fleet`, on its simple path: one call each for roles, optimizer and model.

    fleet.init()
    optimizer = fleet.distributed_optimizer(optimizer)
    optimizer.minimize(loss)              # rewrites the default programs
    if fleet.is_server():
        fleet.init_server(); fleet.run_server()
    else:
        executor.run(startup_program)     # and train, as alone

Without servers training is collective: in a program by `GradAllReduce`, in dynamic mode
by `DataParallel`.
"""

from __future__ import annotations

from typing import Any

from teachgraph.core.program import Variable
from teachgraph.core.threads import InForce
from teachgraph.distributed.collective import GradAllReduce
from teachgraph.distributed.communication import barrier, init_parallel_env
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.data_parallel import DataParallel
from teachgraph.distributed.errors import TranspilerError
from teachgraph.distributed.fleet import utils
from teachgraph.distributed.geo import GeoSgdTranspiler
from teachgraph.distributed.roles import Role, current_role
from teachgraph.distributed.transpiler import DistributeTranspiler
from teachgraph.distributed.transport import connected
from teachgraph.planning.executor import Executor
from teachgraph.static.program import default_startup_program

__all__ = [
    "DistributedOptimizer",
    "DistributedStrategy",
    "barrier_worker",
    "distributed_model",
    "distributed_optimizer",
    "init",
    "init_server",
    "init_worker",
    "is_first_worker",
    "is_server",
    "is_worker",
    "run_server",
    "server_endpoints",
    "server_num",
    "stop_worker",
    "utils",
    "worker_index",
    "worker_num",
]


class DistributedStrategy:
    """Settings of `distributed_optimizer`.

    Attributes:
        a_sync: Let servers apply gradients as they come.
        a_sync_configs: With `k_steps` greater than 0, geo-SGD that exchanges so often.

    In Paddle this is `paddle.distributed.fleet.DistributedStrategy`.
    """

    def __init__(self) -> None:
        self.a_sync = False
        self.a_sync_configs: dict[str, int] = {"k_steps": -1}


class Fleet:
    """State of `fleet` in one process.

    Attributes:
        role: The part of this process.
        transpiler: What has rewritten the program.
    """

    def __init__(self) -> None:
        self.role = current_role()
        self.transpiler: DistributeTranspiler | None = None


_fleet: InForce[Fleet | None] = InForce(None)


def fleet() -> Fleet:
    """The state in force.

    Raises:
        TranspilerError: `fleet.init` has not been called.
    """
    if _fleet.value is None:
        raise TranspilerError("call fleet.init() first")
    return _fleet.value


def init(
    role_maker: Any = None, is_collective: bool = False, strategy: Any = None
) -> None:
    """Find out the part of this process, and connect it with the others.

    In Paddle this is `paddle.distributed.fleet.init`.
    """
    _fleet.put(Fleet())
    if not connected() and current_role() != Role():
        init_parallel_env()


class DistributedOptimizer:
    """An optimizer whose `minimize` rewrites the program for this process.

    In Paddle this is `fleet.Fleet`'s distributed optimizer.
    """

    def __init__(self, optimizer: Any, strategy: DistributedStrategy) -> None:
        self.inner, self.strategy = optimizer, strategy

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def minimize(self, loss: Any, startup_program: Any = None, **options: Any) -> Any:
        """Append backward and update, then rewrite the programs for this process.

        Raises:
            TranspilerError: The program does not fit.
        """
        result = self.inner.minimize(loss, startup_program, **options)
        if not isinstance(loss, Variable):  # a Tensor: `distributed_model` does it
            return result
        startup, role = startup_program or default_startup_program(), fleet().role
        if role.endpoints:
            self.use_servers(loss.block.program, startup, role)
        elif role.trainers > 1:
            self.use_all_reduce(loss.block.program, startup, role)
        return result

    def use_servers(self, program: Any, startup: Any, role: Role) -> None:
        """Rewrite for parameter servers."""
        config, geo = DistributeTranspilerConfig(), self.strategy.a_sync_configs
        config.sync_mode = sync = not self.strategy.a_sync
        config.geo_sgd_mode = not sync and geo.get("k_steps", -1) > 0
        config.geo_sgd_need_push_nums = geo.get("k_steps", 100)
        kind = GeoSgdTranspiler if config.geo_sgd_mode else DistributeTranspiler
        fleet().transpiler = transpiler = kind(config)
        number = 0 if role.is_server else role.index
        servers = ",".join(role.endpoints)
        transpiler.transpile(number, program, servers, role.trainers, sync, startup)
        if not role.is_server:
            transpiler.get_trainer_program()

    def use_all_reduce(self, program: Any, startup: Any, role: Role) -> None:
        """Rewrite for a sum of gradients over the trainers."""
        trainers = [f"trainer:{rank}" for rank in range(role.trainers)]
        place = role.index, trainers, trainers[role.index]
        GradAllReduce(1).transpile(startup, program, *place)


def distributed_optimizer(optimizer: Any, strategy: Any = None) -> Any:
    """The optimizer for this process; in dynamic mode it does as it did.

    In Paddle this is `paddle.distributed.fleet.distributed_optimizer`.
    """
    return DistributedOptimizer(optimizer, strategy or DistributedStrategy())


def distributed_model(model: Any) -> DataParallel:
    """The model, with gradients that are means over the trainers.

    In Paddle this is `paddle.distributed.fleet.distributed_model`.
    """
    return DataParallel(model)


def is_server() -> bool:
    """True on a server."""
    return fleet().role.is_server


def is_worker() -> bool:
    """True on a trainer."""
    return not is_server()


def is_first_worker() -> bool:
    """True on trainer 0."""
    return is_worker() and worker_index() == 0


def worker_index() -> int:
    """The number of this trainer."""
    return fleet().role.index


def worker_num() -> int:
    """The number of trainers."""
    return fleet().role.trainers


def server_num() -> int:
    """The number of servers."""
    return len(fleet().role.endpoints)


def server_endpoints(to_string: bool = False) -> Any:
    """The addresses of the servers."""
    endpoints = list(fleet().role.endpoints)
    return ",".join(endpoints) if to_string else endpoints


def barrier_worker() -> None:
    """Wait for all trainers."""
    barrier()


def init_worker() -> None:
    """Do nothing: who receives first waits for the servers."""


def init_server(*_: Any, **__: Any) -> None:
    """Run the startup program of this server.

    Raises:
        TranspilerError: `minimize` has not been called.
    """
    program = server_programs()[1]
    if program.global_block().ops:  # else this server keeps nothing
        Executor().run(program)


def run_server() -> None:
    """Serve until all trainers have finished.

    Raises:
        TranspilerError: `minimize` has not been called.
    """
    Executor().run(server_programs()[0])


def server_programs() -> tuple[Any, Any]:
    """The programs of this server."""
    transpiler = fleet().transpiler
    if transpiler is None:
        raise TranspilerError("minimize with fleet.distributed_optimizer first")
    return transpiler.get_pserver_programs(fleet().role.endpoint)


def stop_worker() -> None:
    """Do nothing: a server ends when its trainers have."""
