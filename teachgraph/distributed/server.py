"""A parameter server: slices, their optimize blocks, and each step applied once.

In sync mode the gradients of a step are merged when those of all trainers are here; in
async mode each is applied as it comes. Every message carries the sender and the number
of its step. A number that was applied before changes nothing, so a trainer may repeat a
message whose answer was lost; one that is too far ahead is refused with the number the
server is at, so the trainer can send again what a restarted server has forgotten.

A Server waits for nobody and knows no processes: that is the transport's part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.autograd.observed import unwatched
from teachgraph.control_flow.sub_block import sub_block_of
from teachgraph.core.program import Operator
from teachgraph.distributed.errors import CheckpointError, MessageError
from teachgraph.distributed.record import announced
from teachgraph.distributed.slicing import base_name
from teachgraph.distributed.transport import Array, Rows
from teachgraph.planning.executor import Executor
from teachgraph.static.block import Block
from teachgraph.static.clone import copy_variable
from teachgraph.static.program import Program
from teachgraph.static.scope import Scope

__all__ = ["BehindError", "Server", "State", "block_program", "state_names"]

SYNC = 0
STEP_COUNTER = "@LR_DECAY_COUNTER@"

Message = Array | Rows


class BehindError(MessageError):
    """A message that comes before others which the server does not have yet.

    Attributes:
        at: The number of the last message of this trainer that the server has applied.
    """

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text, at)
        self.text, self.at = text, at

    def __str__(self) -> str:
        return self.text


class State(NamedTuple):
    """All that a server must not forget.

    Attributes:
        step: The number of steps applied, of whichever trainer.
        applied: For each trainer, the number of its last message that was applied.
        values: Slices, accumulators, learning rate and counters by name.
    """

    step: int
    applied: list[int]
    values: dict[str, Array]


def state_names(operator: Operator) -> list[str]:
    """The variables that a `listen_and_serv` keeps from step to step.

    They are those that its blocks read before they write them, but for what trainers
    send.
    """
    program, block = operator.block.program, operator.block
    sent = {*operator.inputs.get("X", ()), *gradient_blocks(operator)}
    read: dict[str, None] = {}
    for number in operator.attrs["optimize_blocks"]:
        written: set[str] = set()
        for op in program.blocks[number].ops:
            outside = {*op.input_arg_names, *branch_outputs(op)} - written - sent
            read.update(dict.fromkeys(sorted(outside)))
            written.update(op.output_arg_names)
        sent |= written - {*read}
    return [name for name in read if name in block.vars]


def branch_outputs(operator: Operator) -> list[str]:
    """Outputs of a branch: it may leave the value from before."""
    names = [] if sub_block_of(operator) is None else operator.output_arg_names
    variables = operator.block._find_var_recursive
    kinds = {name: variables(name) for name in names}
    return [n for n, v in kinds.items() if v is not None and v.type == "LOD_TENSOR"]


def parameters_of(operator: Operator) -> list[str]:
    """Names of the slices that a `listen_and_serv` updates: trainers receive them."""
    blocks = operator.block.program.blocks
    updates = [op for at in operator.attrs["optimize_blocks"] for op in blocks[at].ops]
    return [name for op in updates for name in op.inputs.get("Param", ())]


def gradient_blocks(operator: Operator) -> dict[str, int]:
    """The block that each gradient is for."""
    pairs = (pair.rpartition(":") for pair in operator.attrs["grad_to_block_id"])
    return {name: int(number) for name, _, number in pairs}


def block_program(source: Any, numbers: Sequence[int], fed: Mapping[str, Any]) -> Any:
    """Build the program that runs some blocks of another one, in their order.

    Args:
        source: The program.
        numbers: The numbers of the blocks.
        fed: Variables whose values are fed, by name.
    """
    program = Program()
    block = program.global_block()
    for variable in source.global_block().vars.values():
        copy = copy_variable(variable, block)
        copy.is_data = variable.name in fed
        copy.persistable = copy.persistable and not copy.is_data
        copy.type = "LOD_TENSOR" if variable.type == "SELECTED_ROWS" else copy.type
    for number in numbers:
        copy_operators(source.blocks[number], block)
    program.current_block_idx = 0
    return program


def copy_operators(source: Any, target: Block) -> None:
    """Append copies of a block's operators, and of the blocks they branch into."""
    for operator in source.ops:
        attrs, inner = dict(operator.attrs), operator.sub_block
        if inner is not None:
            copy = target.program._create_block(target.idx)
            for variable in inner.vars.values():
                copy_variable(variable, copy)
            copy_operators(inner, copy)
            attrs["sub_block"] = copy.idx
        slots = dict(operator.inputs), dict(operator.outputs)
        target.insert(len(target.ops), operator.type, *slots, attrs)


class Server:
    """The state of one server, and what changes it.

    Args:
        operator: Its `listen_and_serv`.
        state: Values of the variables of `state_names`.
        history: For how many past steps the slices are remembered, for trainers that
            are behind.

    Attributes:
        endpoint: Its address.
        fan_in: The number of trainers.
        step: The number of steps it has applied.
        applied: For each trainer, the number of its last message that was applied.
    """

    def __init__(
        self, operator: Operator, state: Mapping[str, Array], *, history: int = 1
    ) -> None:
        attrs = operator.attrs
        self.endpoint: str = attrs["endpoint"]
        self.fan_in: int = attrs["Fanin"]
        self.sync = attrs["distributed_mode"] == SYNC and not attrs.get("dc_asgd")
        self.names, self.history = [*state], history
        self.parameters = parameters_of(operator)
        self.scope = Scope()
        self.scope.values.update(state)
        self.executor, self.source = Executor(), operator.block.program
        self.blocks = gradient_blocks(operator)
        self.schedule: int = attrs["lr_decay_block_id"]
        self.variables = operator.block.vars
        self.step, self.applied = 0, [0] * self.fan_in
        self.pending: dict[int, dict[str, Array]] = {}
        self.past: dict[int, dict[str, Array]] = {}
        with unwatched():  # their operators are those of its own program
            self.build_programs(attrs["optimize_blocks"])
        self.remember()

    @classmethod
    def of(cls, operator: Operator, names: Sequence[str], values: Sequence[Any]) -> Any:
        """The server of an operator, in the state that the executor hands it."""
        return cls(operator, dict(zip(names, values, strict=True)))

    def build_programs(self, optimize_blocks: Sequence[int]) -> None:
        """Build a program of all blocks, or without barriers one of each block."""
        if self.sync:
            fed = {name: None for t in range(self.fan_in) for name in self.expected(t)}
            self.whole = block_program(self.source, optimize_blocks, fed)
            for grad in self.blocks:  # the next step takes its memory
                self.whole.global_block().var(grad).persistable = False
            return
        self.each = {
            grad: block_program(self.source, [number], {grad: None})
            for grad, number in self.blocks.items()
        }
        if self.schedule >= 0:
            self.rate = block_program(self.source, [self.schedule], {})
            self.start_schedule()

    def start_schedule(self) -> None:
        """Compute the learning rate of the first step: no trainer has made one."""
        for name in self.names:
            if name.startswith(f"{STEP_COUNTER}.trainer_"):
                self.scope.values[name] = np.zeros_like(self.scope.values[name])
        self.run(self.rate, {})

    def expected(self, trainer: int) -> list[str]:
        """Names of the gradients that a trainer sends in each step, in sync mode."""
        return [f"{grad}.trainer_{trainer}" for grad in self.blocks]

    # Messages.

    def push(self, trainer: int, number: int, messages: Mapping[str, Message]) -> int:
        """Take a trainer's gradients of one step; apply a step that is complete.

        Args:
            trainer: The number of the sender.
            number: Counts the messages of this sender, from 1; in sync mode, steps.
            messages: Gradients by name.

        Returns:
            The number of the last message of this trainer that is applied.

        Raises:
            BehindError: The server lacks messages that come before.
            MessageError: The sender, a name, a shape or a dtype is wrong.
        """
        self.check_sender(trainer, number)
        at = self.last(trainer)
        if number <= at:
            return at
        self.check_reached(number - 1, at, f"trainer {trainer} sent step {number}")
        gradients = dict(self.checked(trainer, messages))
        if self.sync:
            self.pending.setdefault(trainer, self.complete(trainer, gradients))
            self.apply_step()
        else:
            self.apply_each(gradients)
            self.applied[trainer] = number
        return self.step if self.sync else number

    def last(self, trainer: int) -> int:
        """The number of a trainer's last message that is applied."""
        return self.step if self.sync else self.applied[trainer]

    def check_reached(self, number: int, at: int, told: str) -> None:
        """Refuse what comes after messages that the server does not have yet.

        Raises:
            BehindError: It is not so far.
        """
        if at < number:
            raise BehindError(f"{self.endpoint} is at step {at}, and {told}", at)

    def check_sender(self, trainer: int, number: int) -> None:
        """Refuse a sender that is no trainer, and a number that is no step.

        Raises:
            MessageError: It is none.
        """
        if not 0 <= trainer < self.fan_in:
            raise MessageError(
                f"{self.endpoint} has {self.fan_in} trainers, and got a message of "
                f"trainer {trainer}: is `trainers` the same number everywhere?"
            )
        if number < 1:
            raise MessageError(f"steps count from 1, trainer {trainer} sent {number}")

    def checked(self, trainer: int, messages: Mapping[str, Message]) -> Any:
        """Yield the gradients, under the names that the blocks read.

        Raises:
            MessageError: The server has no such gradient, or of another shape or dtype.
        """
        for name, message in messages.items():
            value = message.dense() if isinstance(message, Rows) else message
            known = self.variables.get(base_name(name))
            if STEP_COUNTER in name:
                known = self.variables.get(name)
            if known is None:
                raise MessageError(
                    f"{self.endpoint} has no {name!r} of trainer {trainer}; it has "
                    f"{sorted(self.blocks)}"
                )
            if (value.shape, value.dtype) != (known.shape, known.dtype):
                raise MessageError(
                    f"{self.endpoint} takes {name!r} as {known.dtype} "
                    f"{list(known.shape)}, trainer {trainer} sent {value.dtype} "
                    f"{list(value.shape)}"
                )
            yield self.own_name(trainer, name), value

    def own_name(self, trainer: int, name: str) -> str:
        """The variable that a message is for.

        Raises:
            MessageError: It says that it is of another trainer.
        """
        base, share = base_name(name), f".trainer_{trainer}"
        if not name.endswith(share) and base != name:
            raise MessageError(
                f"{self.endpoint} got {name!r} from trainer {trainer}: was its program "
                "transpiled with another trainer_id?"
            )
        if STEP_COUNTER in name:
            return name
        return base + share if self.sync else base

    def complete(self, trainer: int, gradients: dict[str, Array]) -> dict[str, Array]:
        """A trainer's gradients of one step, if none is missing.

        Raises:
            MessageError: One is missing.
        """
        missing = [name for name in self.expected(trainer) if name not in gradients]
        if missing:
            raise MessageError(
                f"{self.endpoint}: step {self.step + 1} of trainer {trainer} is "
                f"without {missing}"
            )
        return gradients

    # Updates.

    def apply_step(self) -> None:
        """Apply a step, once the gradients of all trainers are here."""
        if len(self.pending) < self.fan_in:
            return
        feed = {n: g for grads in self.pending.values() for n, g in grads.items()}
        with self.announced():
            self.run(self.whole, feed)
        self.pending.clear()
        self.applied = [self.step + 1] * self.fan_in
        self.finish_step()

    def apply_each(self, gradients: Mapping[str, Array]) -> None:
        """Apply gradients one by one, as they come."""
        with self.announced():
            for name, value in gradients.items():
                if STEP_COUNTER in name:
                    self.scope.values[name] = self.scope.values[name] + value
                    self.run(self.rate, {})
                else:
                    self.run(self.each[name], {name: value})
        self.finish_step()

    def announced(self) -> Any:
        """Announce an update, in whichever thread it is made."""
        return announced(f"server {self.endpoint}", self.step + 1, "update")

    def run(self, program: Program, feed: Mapping[str, Array]) -> None:
        """Run optimize blocks."""
        if program.global_block().ops:
            with unwatched():
                self.executor.run(program, feed, [], scope=self.scope)

    def finish_step(self) -> None:
        """Count a step."""
        self.step += 1
        self.remember()

    def remember(self) -> None:
        """Keep this step's parameters, and forget those of steps long past."""
        values = self.state().values
        self.past[self.step] = {name: values[name] for name in self.parameters}
        for step in [step for step in self.past if step < self.step - self.history]:
            del self.past[step]

    # Answers.

    def pull(
        self, name: str, step: int | None = None, rows: Array | None = None
    ) -> Array:
        """A slice, or some of its rows, as of a step; by default as it is now.

        Raises:
            MessageError: There is no such slice, or the step is not remembered.
        """
        step = self.step if step is None else step
        values = self.values_at(step)
        if name not in values and step == self.step:
            values = self.state().values
        if name not in values:
            raise MessageError(
                f"{self.endpoint} has no {name!r}; it has {sorted(values)}"
            )
        return values[name] if rows is None else values[name][rows]

    def values_at(self, step: int) -> dict[str, Array]:
        """The parameters as of a step.

        Raises:
            MessageError: They are not remembered.
        """
        if step not in self.past:
            raise MessageError(
                f"{self.endpoint} remembers steps {min(self.past)} to {self.step}, "
                f"and was asked for {step}"
            )
        return self.past[step]

    def final(self) -> tuple[Array, ...]:
        """The state when training is over, in the order of its names."""
        return tuple(self.scope.values[name] for name in self.names)  # type: ignore[misc]

    # Checkpoints.

    def state(self) -> State:
        """All that must not be forgotten; arrays are never written to later."""
        values = {name: np.asarray(self.scope.values[name]) for name in self.names}
        return State(self.step, list(self.applied), values)

    def restore(self, state: State) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is that of another program, or of other trainers.
        """
        if {*state.values} != {*self.names} or len(state.applied) != self.fan_in:
            raise CheckpointError(
                f"the checkpoint of {self.endpoint} has {sorted(state.values)} for "
                f"{len(state.applied)} trainers; the program has {sorted(self.names)} "
                f"for {self.fan_in}"
            )
        self.scope.values.update(state.values)
        self.step, self.applied = state.step, list(state.applied)
        self.pending.clear()
        self.past.clear()
        self.remember()
