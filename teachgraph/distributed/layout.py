"""Layout of a transpiled training: which updates a program makes, and where they go.

The optimizer's operators are found by their role, for each parameter. Parameters and
gradients are cut into slices alike, and a dispatcher chooses a server for each slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from teachgraph.core.program import OpRole
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.errors import TranspilerError
from teachgraph.distributed.lookup import mark_sparse_gradients, remote_tables
from teachgraph.distributed.slicing import Slice, row_sections, slices_of
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

__all__ = ["GEO", "Layout", "Update"]

SYNC, ASYNC, HALF_ASYNC, GEO = range(4)
"""`distributed_mode`s."""

OF_THE_WHOLE = ("lamb", "lars_momentum")
"""Updates that need a norm of the whole parameter, which no slice knows."""


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


class Layout:
    """Finds what a program updates, cuts it, and gives each slice a server.

    Attributes:
        config: Settings.
        program: The program.
        startup: Its startup program.
        trainer_id, trainer_num: The number of this trainer, and of all.
        pserver_endpoints: The addresses of the servers.
        sync_mode: Whether servers wait for the gradients of all trainers.
        updates: The optimizer's operators, by parameter.
        schedule: The operators that compute the learning rate.
        params: The slices of each parameter.
        grads: The slices of its gradient.
        home: The server of each slice.
        tables: Parameters that stay on the servers.
    """

    config: DistributeTranspilerConfig
    program: Program
    startup: Program
    trainer_id: int
    trainer_num: int
    pserver_endpoints: list[str]
    sync_mode: bool
    updates: list[Update]
    tables: set[str]

    @property
    def distributed_mode(self) -> int:
        """Paddle's number of the mode, as `listen_and_serv` has it."""
        if self.config.sync_mode:
            return SYNC
        return ASYNC if self.config.runtime_split_send_recv else HALF_ASYNC

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


def gradients_among(operator: Operator, grad: str) -> set[str]:
    """The names of the gradient that an update reads."""
    return {name for name in operator.input_arg_names if name == grad}
