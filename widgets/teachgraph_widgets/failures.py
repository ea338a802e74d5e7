"""A recorder of failed ops, with their inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import OpError
from teachgraph.static.operator import Operator
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable
from teachgraph_widgets.engines import array_of
from teachgraph_widgets.events import Argument
from teachgraph_widgets.finite import names_of
from teachgraph_widgets.log import clean, message_of
from teachgraph_widgets.programs import ProgramRecorder
from teachgraph_widgets.tape import TapeRecorder
from teachgraph_widgets.watcher import Watcher, careful

__all__ = ["FailureRecorder"]


class FailureRecorder(Watcher):
    """Writes failed ops into the log that the other two recorders share."""

    def __init__(self, tape: TapeRecorder, programs: ProgramRecorder) -> None:
        super().__init__(tape.log, tape.cursor, tape.budget)
        self.tape, self.programs = tape, programs
        self._last = ""

    @careful
    def op_failed(
        self,
        op: str,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
        error: BaseException,
    ) -> None:
        """Record an op that could not run or be appended, once per error."""
        message = message_of(error)
        if message == self._last:
            return
        self._last = message
        if isinstance(error, OpError):  # its inputs and line are fields
            message = message.split("\n")[0]
        program = block = None
        if any(isinstance(x, Variable) for x in inputs):
            program = self.programs.number(current_block().program)
            block = current_block().idx
        self.write(program, op, inputs, message, None, block)

    @careful
    def run_failed(
        self, operator: Operator, inputs: Mapping[str, Any], error: BaseException
    ) -> None:
        """Record an Operator of the running program, or of its blocks, that raised."""
        running = self.programs.running_of(operator)
        if running is None:
            return
        program = self.programs.number(running)
        wanted = operator.op.arguments(operator.inputs)
        values = [None if n not in inputs else NamedValue(n, inputs[n]) for n in wanted]
        self._last = message_of(error)
        message = self._last.split("\n")[0]
        number = self.programs.operator_number(operator)
        self.write(program, operator.type, values, message, number, operator.block.idx)

    @careful
    def write_error(self, error: OpError) -> None:
        """Record an op that raised during a pause, from its error alone."""
        if error.op:
            message = message_of(error).split("\n")[0]
            self.log.add(self.cursor.line, "op_failed", None, error.op, [], message)

    def write(
        self,
        program: int | None,
        op: str,
        values: Sequence[Any],
        message: str,
        *place: int | None,
    ) -> None:
        """Write an `op_failed` event, with each input under its slot.

        Args:
            program: The number of the program, if any.
            op: The op's type.
            values: Its inputs.
            message: The error's message.
            place: The number of its operator, and its block, where they are known.
        """
        names = names_of(op, len(values))
        arguments = [
            self.argument(slot, value)
            for slot, value in zip(names, values, strict=False)
            if value is not None
        ]
        line = self.cursor.place()
        self.log.add(line, "op_failed", program, op, arguments, message, *place)

    def argument(self, slot: str, value: Any) -> Argument:
        """Return one input as the log has it: slot, name, shape and dtype."""
        name = value.name if isinstance(value, (Variable, NamedValue)) else ""
        held = value.value if isinstance(value, NamedValue) else value
        foreign = self.tape.foreign
        if foreign.is_foreign(held):
            like = array_of(held)
        else:
            like = held if hasattr(held, "dtype") else np.asarray(held)
        argument: Argument = {
            "slot": slot,
            "name": clean(name),
            "shape": [int(n) for n in like.shape],
            "dtype": str(like.dtype),
        }
        if foreign.read.is_value(value):
            number = foreign.number_of_input(value)
            argument["name"] = self.tape.names.get(number, "")
            argument["tensor"] = number
        return argument


class NamedValue:
    """A variable's name and its value when the operator failed."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value
