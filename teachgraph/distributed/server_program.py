"""A server's programs: an optimize block for each slice, and what initialises them.

block 0   listen_and_serv
block 1   the learning rate's schedule, if there is one
block i   of one slice: sum over trainers, scale by 1/trainers, decay, update
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teachgraph.core.program import Slots
from teachgraph.distributed.rewrite import append, append_copy, copy_to
from teachgraph.distributed.slicing import Slice
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    from teachgraph.distributed.layout import Update
    from teachgraph.distributed.transpiler import DistributeTranspiler

__all__ = ["ServerProgram", "startup_program"]

SHAPED = (
    *("fill_constant", "uniform_random", "gaussian_random"),
    "truncated_gaussian_random",
)
"""Initializers that need only a shape, so that they can fill a slice alone."""


class ServerProgram:
    """Builds the program of one server.

    Args:
        transpiler: The transpiled training.
        endpoint: The server's address.

    Attributes:
        program: The program.
        held: The slices of this server, by the name of their parameter.
    """

    def __init__(self, transpiler: DistributeTranspiler, endpoint: str) -> None:
        self.transpiler, self.endpoint = transpiler, endpoint
        self.program = Program()
        self.program.random_seed = transpiler.program.random_seed
        self.block = self.program.global_block()
        self.held = transpiler.held_by(endpoint)
        self.received: list[str] = []
        self.optimize_blocks: list[int] = []
        self.grad_to_block_id: list[str] = []
        self.sparse: list[str] = []

    def build(self) -> Program:
        """Build the program, block by block."""
        self.create_variables()
        schedule = self.append_schedule()
        parent = self.program.num_blocks - 1
        for update in self.transpiler.updates:
            if update.param in self.held:
                self.append_optimize_block(update, parent)
        if not self.optimize_blocks:
            self.optimize_blocks.append(self.open_block(parent).idx)
        append_listen_and_serv(
            *(self.block, self.transpiler, self.endpoint),
            {"X": self.received},
            grad_to_block_id=self.grad_to_block_id,
            lr_decay_block_id=schedule,
            optimize_blocks=self.optimize_blocks,
            pserver_id=self.transpiler.pserver_endpoints.index(self.endpoint),
            sparse_grad_to_param=self.sparse,
        )
        self.program.current_block_idx = 0
        return self.program

    def open_block(self, parent: int) -> Block:
        """Append a block to the program."""
        return self.program._create_block(parent)

    def create_variables(self) -> None:
        """Create the slices, their gradients, and each trainer's share of these."""
        grads = [self.gradient_slice(param) for param in self.held]
        for part, variable in self.held.values():
            copy_to(self.block, variable, name=part.name, shape=part.shape)
        for grad, variable in grads:
            copy_to(self.block, variable, name=grad.name, shape=grad.shape)
            shares = self.shares(grad.name)
            for share in shares:
                facts: Any = {
                    "shape": grad.shape,
                    "is_data": True,
                    "persistable": False,
                }
                copy_to(self.block, variable, name=share, **facts)
            self.received += shares or [grad.name]

    def gradient_slice(self, param: str) -> tuple[Slice, Variable]:
        """The slice of a gradient that belongs to this server's slice, its variable."""
        return self.transpiler.gradient_of(self.held[param][0])

    def shares(self, grad: str) -> list[str]:
        """The gradients that trainers send, if they are merged here."""
        if not self.transpiler.sync_mode:
            return []
        return [f"{grad}.trainer_{t}" for t in range(self.transpiler.trainer_num)]

    def append_schedule(self) -> int:
        """Append the block that computes the learning rate; -1 if nothing does."""
        operators = self.transpiler.schedule
        if not operators:
            return -1
        block = self.open_block(self.program.num_blocks - 1)
        self.optimize_blocks.append(block.idx)
        for operator in operators:
            copy = self.copy_operator(block, operator, {})
            if operator.sub_block is not None:
                self.copy_sub_block(copy, operator.sub_block)
        return block.idx

    def copy_sub_block(self, operator: Operator, source: Any) -> None:
        """Copy a block that a schedule branches into, and let the operator run it."""
        inner = self.open_block(operator.block.idx)
        for variable in source.vars.values():
            copy_to(inner, variable)
        operator.attrs["sub_block"] = inner.idx
        for step in source.ops:
            for name in (*step.input_arg_names, *step.output_arg_names):
                copy_to(inner, source._var_recursive(name))
            copy = append_copy(inner, step, {})
            if step.sub_block is not None:
                self.copy_sub_block(copy, step.sub_block)

    def append_optimize_block(self, update: Update, parent: int) -> None:
        """Append the block that updates one slice."""
        block = self.open_block(parent)
        self.optimize_blocks.append(block.idx)
        part, _ = self.held[update.param]
        grad, grad_variable = self.gradient_slice(update.param)
        self.grad_to_block_id.append(f"{grad.name}:{block.idx}")
        if grad_variable.type == "SELECTED_ROWS":
            self.sparse.append(f"{grad.name}:{part.name}")
        self.append_mean(block, grad.name)
        for operator in update.operators:
            self.copy_update(block, operator, update, part, grad)

    def append_mean(self, block: Block, grad: str) -> None:
        """Append the mean of the trainers' gradients, if these are merged here."""
        if shares := self.shares(grad):
            append(block, "sum", {"X": shares}, {"Out": [grad]}, op_role=0)
            scale = 1.0 / self.transpiler.trainer_num
            slots: Any = {"X": [grad]}, {"Out": [grad]}
            append(block, "scale", *slots, scale=scale, op_role=0)

    def copy_update(
        self, block: Block, operator: Operator, update: Update, part: Slice, grad: Slice
    ) -> None:
        """Copy one operator of an update, for the slice in place of the whole."""
        whole = self.transpiler.whole_shape(update.param)
        names = {update.param: part.name}
        names |= dict.fromkeys(update.gradients, grad.name)
        for name in (*operator.input_arg_names, *operator.output_arg_names):
            if name not in names:
                variable = self.transpiler.variable(name)
                sliced = variable.shape == whole and part.shape != whole
                shape = part.shape if sliced else variable.shape
                copy_to(self.block, variable, shape=shape)
        self.copy_operator(block, operator, names)

    def copy_operator(
        self, block: Block, operator: Operator, names: dict[str, str]
    ) -> Operator:
        """Append a copy of an operator, with some variables replaced."""
        for name in (*operator.input_arg_names, *operator.output_arg_names):
            if name not in names:
                copy_to(self.block, self.transpiler.variable(name))
        return append_copy(block, operator, names)


def append_listen_and_serv(
    block: Block,
    transpiler: DistributeTranspiler,
    endpoint: str,
    inputs: Slots,
    **attrs: Any,
) -> None:
    """Append the operator that serves."""
    attrs |= {
        "Fanin": transpiler.trainer_num,
        "distributed_mode": transpiler.distributed_mode,
        "endpoint": endpoint,
        "op_role": 0,
    }
    append(block, "listen_and_serv", inputs, {}, **attrs)


def startup_program(
    transpiler: DistributeTranspiler, endpoint: str, server: Program
) -> Program:
    """Build what initialises the variables of one server.

    Args:
        transpiler: The transpiled training.
        endpoint: The server's address.
        server: The server's program.

    Returns:
        The operators of the startup program that write what the server has: for a
        slice, with its shape in place of the whole.
    """
    program = Program()
    program.random_seed = transpiler.startup.random_seed
    block = program.global_block()
    for variable in server.global_block().vars.values():
        copy_to(block, variable)
    held = transpiler.held_by(endpoint)
    for operator in transpiler.initializers:
        append_initializer(block, operator, held)
    return program


def append_initializer(
    block: Block, operator: Operator, held: dict[str, tuple[Slice, Variable]]
) -> None:
    """Append one initializer, if the server has what it writes."""
    (name, *_) = operator.output_arg_names
    part, whole = held.get(name, (None, None))
    if (name if part is None else part.name) not in block.vars:
        return
    if operator.type in SHAPED and "shape" in operator.attrs:
        target = name if part is None else part.name
        shape = list(block.vars[target].shape)
        append_copy(block, operator, {name: target}, shape=shape)
    elif part is None or whole is None or part.shape == whole.shape:
        append_copy(block, operator, {})
    else:
        copy_to(block, whole, persistable=False)
        append_copy(block, operator, {})
        append_slice(block, name, part)


def append_slice(block: Block, whole: str, part: Slice) -> None:
    """Append the operator that cuts a slice out of a whole parameter."""
    rows: Any = {"starts": [part.rows.start], "ends": [part.rows.stop]}
    slots: Any = {"Input": [whole]}, {"Out": [part.name]}
    append(block, "slice", *slots, axes=[0], op_role=0, **rows)
