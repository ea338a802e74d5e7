"""The transpiler: one program becomes the programs of trainers and servers.

The trainer's program loses the operators of the optimizer and the schedule of the
learning rate. In their place it sends each gradient as soon as it is computed, waits
for the others, and receives the parameters:

    ... fc_grad -> split_byref -> send ...          one send for each gradient
    send_barrier -> recv, recv, ... -> fetch_barrier -> concat

Each server's program updates the slices of parameters that it keeps. All is a rewrite
of programs; nothing runs, nobody is connected. `layout` finds the updates and places
the slices, `trainer_program` rewrites the trainer's, `server_program` builds the rest.
"""

from __future__ import annotations

from typing import Any

from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.errors import TranspilerError
from teachgraph.distributed.layout import Update
from teachgraph.distributed.rewrite import append, remove_ops, remove_variables
from teachgraph.distributed.server_program import ServerProgram, startup_program
from teachgraph.distributed.trainer_program import TrainerPrograms
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
)

__all__ = ["DistributeTranspiler"]


class DistributeTranspiler(TrainerPrograms):
    """Rewrites a program for training with parameter servers, or collectively.

    Args:
        config: Settings.

    In Paddle this is `fluid.DistributeTranspiler`.

    >>> import teachgraph.fluid as fluid
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup), fluid.unique_name.guard():
    ...     x = fluid.layers.data("x", [4])
    ...     loss = fluid.layers.mean(fluid.layers.fc(x, 1))
    ...     _ = fluid.optimizer.SGD(0.1).minimize(loss)
    >>> t = fluid.DistributeTranspiler()
    >>> t.transpile(0, main, pservers="a:1,b:1", trainers=2, startup_program=startup)
    >>> [op.type for op in t.get_trainer_program().global_block().ops[-5:]]
    ['send', 'send_barrier', 'recv', 'recv', 'fetch_barrier']
    >>> server = t.get_pserver_program("b:1")
    >>> [op.type for op in server.block(1).ops]
    ['sum', 'scale', 'sgd']
    """

    def __init__(self, config: DistributeTranspilerConfig | None = None) -> None:
        self.config = config or DistributeTranspilerConfig()
        self.config.check()
        self.updates: list[Update] = []
        self.stripped = False

    def transpile(
        self,
        trainer_id: int,
        program: Program | None = None,
        pservers: str = "127.0.0.1:6174",
        trainers: int | str = 1,
        sync_mode: bool = True,
        startup_program: Program | None = None,
        current_endpoint: str = "127.0.0.1:6174",
    ) -> None:
        """Rewrite a program, and its startup program, for one trainer.

        Args:
            trainer_id: The number of this trainer, from 0.
            program: A program with an optimizer; by default the default main program.
            pservers: The addresses of the servers, `host:port,host:port`.
            trainers: The number of trainers; in collective mode their addresses.
            sync_mode: Let servers wait for the gradients of all trainers.
            startup_program: By default the default startup program.
            current_endpoint: In collective mode, the address of this trainer.

        Raises:
            TranspilerError: The arguments or the program do not fit.
        """
        self.program = program or default_main_program()
        self.startup = startup_program or default_startup_program()
        if self.config.mode != "pserver":
            return self.transpile_collective(trainer_id, trainers, current_endpoint)
        self.set_cluster(trainer_id, pservers, trainers, sync_mode)
        self.find_updates()
        self.place_slices()
        self.rewrite()
        self.program.is_distributed = True  # type: ignore[attr-defined]
        return None

    def transpile_collective(
        self, trainer_id: int, trainers: int | str, current_endpoint: str
    ) -> None:
        """Rewrite for training without servers."""
        from teachgraph.distributed import collective

        kinds = {
            "grad_allreduce": collective.GradAllReduce,
            "local_sgd": collective.LocalSGD,
        }
        kind = kinds.get(str(self.config.collective_mode))
        if kind is None:
            raise TranspilerError(
                f"collective_mode is one of {sorted(kinds)}, "
                f"got {self.config.collective_mode!r}"
            )
        endpoints = str(trainers).split(",")
        place = trainer_id, endpoints, current_endpoint
        kind(1).transpile(self.startup, self.program, *place)

    def set_cluster(
        self, trainer_id: int, pservers: str, trainers: int | str, sync_mode: bool
    ) -> None:
        """Take over who takes part.

        Raises:
            TranspilerError: An address is empty or named twice, a number is out of
                range, or the program is transpiled already.
        """
        if getattr(self.program, "is_distributed", False):
            raise TranspilerError(
                "this program is transpiled already: transpile a fresh one, or a "
                "clone made before"
            )
        endpoints = [endpoint.strip() for endpoint in pservers.split(",")]
        if not all(endpoints) or len({*endpoints}) < len(endpoints):
            raise TranspilerError(
                f"pservers are different addresses `host:port,host:port`, "
                f"got {pservers!r}"
            )
        if not isinstance(trainers, int) or trainers < 1:
            raise TranspilerError(f"trainers is their number, got {trainers!r}")
        if not 0 <= trainer_id < trainers:
            raise TranspilerError(
                f"trainer_id is 0 to {trainers - 1} with {trainers} trainers, "
                f"got {trainer_id}"
            )
        self.trainer_id, self.trainer_num = trainer_id, trainers
        self.pserver_endpoints, self.sync_mode = endpoints, sync_mode

    def check_transpiled(self) -> None:
        """Refuse to give programs before there are any.

        Raises:
            TranspilerError: `transpile` has not been called.
        """
        if not self.updates:
            raise TranspilerError("call `transpile` first")

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """The trainer's program, without optimizer.

        The startup program loses what only the optimizer needs.
        """
        self.check_transpiled()
        if not self.stripped:
            self.stripped = True
            self.strip_startup()
            gone = {*self.schedule, *self.optimize_ops}
            remove_ops(self.block, [op for op in self.block.ops if op in gone])
            remove_variables(self.block, self.unneeded())
        return self.program

    def strip_startup(self) -> None:
        """Remove the initializers of what only the optimizer needs."""
        startup, gone = self.startup.global_block(), self.unneeded()
        remove_ops(startup, [op for op in startup.ops if gone & {*op.output_arg_names}])
        remove_variables(startup, gone)
        for name in self.tables:
            shape = list(self.whole_shape(name))
            writers = [op for op in startup.ops if name in op.output_arg_names]
            remove_ops(startup, writers)
            slots: Any = {}, {"Out": [name]}
            append(startup, "fake_init", *slots, shape=shape, op_role=0)

    def unneeded(self) -> set[str]:
        """Variables that the optimizer reads, but for parameters and gradients."""
        read = {n for op in self.optimize_ops for n in op.input_arg_names}
        pairs = (op.attrs.get("op_role_var") or () for op in self.optimize_ops)
        return read - {name for pair in pairs for name in pair}

    def get_pserver_program(self, endpoint: str) -> Program:
        """The program of one server.

        Raises:
            TranspilerError: There is no such server.
        """
        self.check_transpiled()
        return ServerProgram(self, endpoint).build()

    def get_startup_program(
        self,
        endpoint: str,
        pserver_program: Program | None = None,
        startup_program: Program | None = None,
    ) -> Program:
        """The program that initialises one server.

        Raises:
            TranspilerError: There is no such server.
        """
        server = pserver_program or self.get_pserver_program(endpoint)
        return startup_program_of(self, endpoint, server)

    def get_pserver_programs(self, endpoint: str) -> tuple[Program, Program]:
        """The program of one server, and the one that initialises it.

        Raises:
            TranspilerError: There is no such server.
        """
        server = self.get_pserver_program(endpoint)
        return server, self.get_startup_program(endpoint, server)


startup_program_of = startup_program
