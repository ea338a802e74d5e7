"""The transpiler: one program becomes the programs of trainers and servers.

The trainer's program loses the operators of the optimizer and the schedule of the
learning rate. In their place it sends each gradient as soon as it is computed, waits
for the others, and receives the parameters:

    ... fc_grad -> split_byref -> send ...          one send for each gradient
    send_barrier -> recv, recv, ... -> fetch_barrier -> concat

Each server's program updates the slices of parameters that it keeps: see
`server_program`. All is a rewrite of programs; nothing runs, nobody is connected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.program import OpRole
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.errors import TranspilerError
from teachgraph.distributed.lookup import (
    Table,
    mark_sparse_gradients,
    remote_tables,
    replace_lookups,
)
from teachgraph.distributed.server_program import (
    ServerProgram,
    append,
    copy_to,
    startup_program,
)
from teachgraph.distributed.slicing import Slice, row_sections, slices_of
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
)
from teachgraph.static.variable import Variable

__all__ = ["DistributeTranspiler", "Update"]

RPC, DIST = 4, 8
"""Roles of operators that send and receive, and of those that cut and join."""

SYNC, ASYNC, HALF_ASYNC, GEO = range(4)
"""`distributed_mode`s."""

OF_THE_WHOLE = ("lamb", "lars_momentum")
"""Updates that need a norm of the whole parameter, which no slice knows."""

COUNTER = "increment"


@dataclass
class Update:
    """The operators that update one parameter.

    Attributes:
        param: The parameter.
        grad: Its gradient, under the name that the trainer's program has for it.
        operators: Decay and update, in their order.
        gradients: Names of its gradient among them.
    """

    param: str
    grad: str
    operators: list[Operator] = field(default_factory=list)
    gradients: set[str] = field(default_factory=set)


class DistributeTranspiler:
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

    # What is asked for.

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

    @property
    def distributed_mode(self) -> int:
        """Paddle's number of the mode, as `listen_and_serv` has it."""
        if self.config.sync_mode:
            return SYNC
        return ASYNC if self.config.runtime_split_send_recv else HALF_ASYNC

    # What the program does.

    def find_updates(self) -> None:
        """Find the optimizer's operators, parameter by parameter, and the schedule.

        Raises:
            TranspilerError: There is no optimizer.
        """
        block = self.program.global_block()
        self.schedule = [op for op in block.ops if op.role & OpRole.RATE]
        self.optimize_ops: list[Operator] = list(self.optimizer_ops(block))
        by_param: dict[str, Update] = {}
        for operator in self.optimize_ops:
            param, grad, *_ = operator.attrs.get("op_role_var") or ("", "")
            if param:
                update = by_param.setdefault(param, Update(param, grad))
                update.operators.append(operator)
                update.gradients |= gradients_among(operator, grad)
        self.updates = list(by_param.values())
        if not self.updates:
            raise TranspilerError(
                "the program has no optimizer: call `minimize` before `transpile`"
            )
        self.tables = remote_tables(block)
        mark_sparse_gradients(block, {u.param: u.grad for u in self.updates})

    def optimizer_ops(self, block: Block) -> Iterator[Operator]:
        """Yield the optimizer's operators; clipping stays with the trainers.

        Each trainer clips its own gradient, before it sends it. Paddle 1.8.5 does so
        with `set_gradient_clip` and goes wrong with `grad_clip=`.
        """
        for operator in block.ops:
            if operator.role != OpRole.OPTIMIZE:
                continue
            scope = str(operator.attrs.get("op_namescope", ""))
            if "gradient_clip" in scope or "@CLIP" in scope:
                operator.set_attr("op_role", int(OpRole.BACKWARD))
            else:
                yield operator

    def variable(self, name: str) -> Variable:
        """A variable of the program as it came."""
        return self.variables[name]

    def whole_shape(self, param: str) -> tuple[int, ...]:
        """The shape of a parameter."""
        return self.variables[param].shape

    # Where it goes.

    def place_slices(self) -> None:
        """Cut parameters and gradients, and choose a server for each slice."""
        self.variables = dict(self.program.global_block().vars)
        self.initializers = list(self.startup.global_block().ops)
        self.params: dict[str, list[Slice]] = {}
        self.grads: dict[str, list[Slice]] = {}
        for update in self.updates:
            shape = self.whole_shape(update.param)
            sections = self.sections(update, shape)
            self.params[update.param] = slices_of(update.param, shape, sections)
            self.grads[update.param] = slices_of(update.grad, shape, sections)
        order = [*self.params]
        if not self.config.slice_var_up:  # Paddle's way to spread weights and biases
            np.random.RandomState(self.program.random_seed).shuffle(order)
        self.sending = order
        parts = [part.name for param in order for part in self.params[param]]
        dispatcher = self.config.split_method(self.pserver_endpoints)
        self.home = dict(zip(parts, dispatcher.dispatch(parts), strict=True))

    def sections(self, update: Update, shape: Sequence[int]) -> tuple[int, ...]:
        """The rows of each slice of a parameter."""
        servers = len(self.pserver_endpoints) if self.config.slice_var_up else 1
        sections = row_sections(shape, servers, self.config.min_block_size)
        kinds = {op.type for op in update.operators} & {*OF_THE_WHOLE}
        if len(sections) > 1 and kinds:
            raise TranspilerError(
                f"{kinds.pop()} needs the norm of all of {update.param!r}, "
                f"{list(shape)}: set config.slice_var_up = False"
            )
        return sections

    def held_by(self, endpoint: str) -> dict[str, tuple[Slice, Variable]]:
        """The slices that a server keeps, and the whole, by parameter.

        Raises:
            TranspilerError: There is no such server.
        """
        if endpoint not in self.pserver_endpoints:
            raise TranspilerError(
                f"no server {endpoint!r}: there are {self.pserver_endpoints}"
            )
        return {
            param: (part, self.variables[param])
            for param in self.sending
            for part in self.params[param]
            if self.home[part.name] == endpoint
        }

    def gradient_of(self, part: Slice) -> tuple[Slice, Variable]:
        """The gradient's slice that belongs to a parameter's, and the whole."""
        for update in self.updates:
            parts = self.params[update.param]
            if part in parts:
                grad = self.grads[update.param][parts.index(part)]
                return grad, self.variables[update.grad]
        raise KeyError(part.name)

    # The trainer's programs.

    def rewrite(self) -> None:
        """Let the trainer send gradients and receive parameters."""
        self.controls = 0
        self.block = self.program.global_block()
        self.split_counter()
        self.sent = {update.param: update.grad for update in self.updates}
        for param, parts in self.params.items():
            self.create_slices(self.block, param, parts)
        self.dependencies = self.append_sends()
        barrier = self.append_send_barrier()
        received = self.append_recvs(barrier)
        replace_lookups(self.block, self.remote(), self.trainer_id)
        if self.sync_mode:
            self.append(
                *("fetch_barrier", {"X": [barrier]}, {"Out": received}),
                endpoints=self.pserver_endpoints,
                trainer_id=self.trainer_id,
            )
        self.append_concats(self.block)
        self.rewrite_startup()

    def append(self, type: str, inputs: Any, outputs: Any, **attrs: Any) -> Operator:
        """Append an operator that sends or receives."""
        attrs.setdefault("op_role", RPC)
        operator: Operator = append(self.block, type, inputs, outputs, **attrs)
        return operator

    def insert(self, at: int, *parts: Any, **attrs: Any) -> None:
        """Insert an operator that sends or receives."""
        operator = self.append(*parts, **attrs)
        self.block.ops.insert(at, self.block.ops.pop())
        assert operator is self.block.ops[at]

    def control(self, block: Block) -> str:
        """Create a variable that only says that something has happened."""
        name = f"__control_var@{self.controls}"
        self.controls += 1
        block.create_var(name=name, shape=[], dtype="bool")
        return name

    def append_sends(self) -> dict[str, str]:
        """Send each gradient after the operator that writes it last."""
        by_param = {u.param: u for u in self.updates}
        return {p: self.append_send(by_param[p]) for p in self.sending}

    def append_send(self, update: Update) -> str:
        """Send one gradient; return the variable that says so."""
        parts, grad = self.grads[update.param], self.sent_name(update)
        at, names = last_writer(self.block, grad), [grad]
        if len(parts) > 1 and self.config.runtime_split_send_recv:
            self.create_slices(self.block, update.grad, parts)
        elif len(parts) > 1:
            names = self.insert_split(at, update, parts)
            at += 1
        late = self.late_slicing(parts)
        done = self.control(self.block)
        self.insert(
            at + 1,
            *("send", {"X": names}, {"Out": [done]}),
            epmap=[self.home[part.name] for part in self.params[update.param]],
            op_role_var=[update.param, grad],
            **late,
        )
        return done

    def late_slicing(self, parts: Sequence[Slice]) -> dict[str, Any]:
        """The attributes of a `send` that cuts by itself."""
        if not self.config.runtime_split_send_recv:
            return {"sections": [], "send_varnames": []}
        return {
            "sections": [part.shape[0] for part in parts],
            "send_varnames": [part.name for part in parts],
        }

    def sent_name(self, update: Update) -> str:
        """The name under which a gradient is sent, which says whose it is."""
        shared = self.sync_mode and self.trainer_num > 1
        if not shared or len(self.grads[update.param]) > 1:
            return update.grad
        name = f"{update.grad}.trainer_{self.trainer_id}"
        self.block.rename_var(update.grad, name)
        for operator in (*self.block.ops, *update.operators):
            pair = operator.attrs.get("op_role_var")
            if pair and update.grad in pair:
                new = [name if n == update.grad else n for n in pair]
                operator.set_attr("op_role_var", new)
        update.gradients |= {name}
        self.sent[update.param] = name
        return name

    def insert_split(
        self, at: int, update: Update, parts: Sequence[Slice]
    ) -> list[str]:
        """Cut a gradient into the slices that are sent."""
        whole = self.variables[update.grad]
        if self.sync_mode and self.trainer_num > 1:
            named = (f"{part.name}.trainer_{self.trainer_id}" for part in parts)
            parts = [p._replace(name=n) for p, n in zip(parts, named, strict=True)]
        self.create_slices(self.block, update.grad, parts)
        sparse = whole.type == "SELECTED_ROWS"
        rows = [part.shape[0] for part in parts]
        self.insert(
            at + 1,
            "split_selected_rows" if sparse else "split_byref",
            {"X": [update.grad]},
            {"Out": [part.name for part in parts]},
            op_role=DIST,
            **{"height_sections" if sparse else "sections": rows},
        )
        return [part.name for part in parts]

    def append_send_barrier(self) -> str:
        """Say that all is sent, where servers wait for it."""
        barrier = self.control(self.block)
        sent = [self.dependencies[param] for param in self.sending]
        if not self.sync_mode:
            sent += self.append_counter()
        half = self.config.runtime_split_send_recv and self.config.half_async
        if self.sync_mode or half:
            self.append(
                *("send_barrier", {"X": sent}, {"Out": [barrier]}),
                endpoints=self.pserver_endpoints,
                half_async=not self.sync_mode,
                trainer_id=self.trainer_id,
            )
        return barrier

    def append_recvs(self, barrier: str) -> list[str]:
        """Receive the parameters; return what is received."""
        received: list[str] = []
        for update in self.updates:
            if update.param in self.tables:
                continue
            names = [part.name for part in self.params[update.param]]
            outputs, labels = names, list[str]()
            if self.config.runtime_split_send_recv:
                outputs, labels = [update.param], names
            after = barrier if self.sync_mode else self.dependencies[update.param]
            self.append(
                *("recv", {"X": [after]}, {"Out": outputs}),
                epmap=[self.home[name] for name in names],
                op_role_var=[update.param, self.sent[update.param]],
                recv_varnames=labels,
                trainer_id=self.trainer_id,
            )
            received += outputs
        return received

    def create_slices(self, block: Block, whole: str, parts: Sequence[Slice]) -> None:
        """Create the variables of a cut parameter or gradient."""
        like = self.variables[whole]
        for part in parts:
            facts: Any = {"shape": part.shape, "persistable": False}
            copy_to(block, like, name=part.name, **facts)

    def append_concats(self, block: Block, role: int = DIST) -> None:
        """Join the slices of each cut parameter."""
        if self.config.runtime_split_send_recv and role == DIST:
            return
        for param, parts in self.params.items():
            if len(parts) > 1 and param not in self.tables:
                slots: Any = {"X": [part.name for part in parts]}, {"Out": [param]}
                append(block, "concat", *slots, axis=0, op_role=role)

    def remote(self) -> list[Table]:
        """The tables whose rows are looked up on servers, with their places."""
        return [
            Table(
                param,
                [part.name for part in self.params[param]],
                [self.home[part.name] for part in self.params[param]],
                [part.shape[0] for part in self.params[param]],
            )
            for param in self.params
            if param in self.tables
        ]

    def rewrite_startup(self) -> None:
        """Let the trainer begin with the servers' parameters."""
        block = self.startup.global_block()
        for param, parts in self.params.items():
            if param in self.tables:
                continue
            self.create_slices(block, param, parts)
            append(
                *(block, "recv", {}, {"Out": [part.name for part in parts]}),
                epmap=[self.home[part.name] for part in parts],
                op_role=RPC,
                trainer_id=self.trainer_id,
            )
        append(
            *(block, "fetch_barrier", {}, {"Out": [self.control(block)]}),
            endpoints=self.pserver_endpoints,
            op_role=RPC,
            trainer_id=self.trainer_id,
        )
        self.append_concats(block, role=0)

    # The step counter of a schedule without barriers: each trainer adds its own steps.

    def split_counter(self) -> None:
        """Without barriers, let the counter be the sum of what the trainers send."""
        self.counter: str | None = None
        if self.sync_mode:
            return
        for place, operator in enumerate(self.schedule):
            if operator.type == COUNTER:
                self.schedule[place] = self.summed_counter(operator)

    def summed_counter(self, operator: Operator) -> Operator:
        """Replace `counter += 1` by the sum of one counter for each trainer."""
        (counter,) = operator.outputs["Out"]
        names = [f"{counter}.trainer_{t}" for t in range(self.trainer_num)]
        self.counter = names[self.trainer_id]
        variable, startup = self.variables[counter], self.startup.global_block()
        for name in names:
            facts: Any = {"shape": variable.shape, "dtype": variable.dtype}
            for block in (self.block, startup):
                block.create_var(name=name, persistable=True, **facts)
            self.variables[name] = self.block.vars[name]
            one = {"shape": list(variable.shape), "value": 1.0, "dtype": 3}
            append(startup, "fill_constant", {}, {"Out": [name]}, op_role=0, **one)
            startup.ops.insert(0, startup.ops.pop())
        for initializer in self.initializers:
            if counter in initializer.output_arg_names:
                initializer.set_attr("value", -float(self.trainer_num))
        self.initializers = [*startup.ops]
        slots: Any = {"X": names}, {"Out": [counter]}
        role = int(OpRole.RATE)
        summed: Operator = append(self.block, "sum", *slots, op_role=role)
        at = self.block.ops.index(operator)
        self.block.ops.remove(summed)
        self.block.ops[at] = summed
        return summed

    def append_counter(self) -> list[str]:
        """Send this trainer's counter to all servers."""
        if self.counter is None:
            return []
        done = self.control(self.block)
        late = self.config.runtime_split_send_recv
        self.append(
            *("send", {"X": [self.counter]}, {"Out": [done]}),
            epmap=self.pserver_endpoints,
            merge_add=True,
            op_role_var=[self.counter, self.counter],
            sections=[],
            send_varnames=[self.counter] if late else [],
            use_send_handler=False,
        )
        return [done]

    # What comes out.

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


def gradients_among(operator: Operator, grad: str) -> set[str]:
    """The names of the gradient that an update reads."""
    return {name for name in operator.input_arg_names if name == grad}


def last_writer(block: Block, name: str) -> int:
    """The place of the operator that writes a variable last."""
    writers = [at for at, op in enumerate(block.ops) if op.writes(name)]
    return writers[-1]


def remove_ops(block: Block, operators: Sequence[Operator]) -> None:
    """Remove operators."""
    for operator in operators:
        block.remove(block.ops.index(operator))


def remove_variables(block: Block, names: set[str]) -> None:
    """Remove the variables of these names, where they are."""
    for name in [*block.vars]:
        if name in names:
            block.remove_var(name)


def elements(shape: Sequence[int]) -> int:
    """Count the elements of an array."""
    return prod(shape)
