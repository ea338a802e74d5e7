"""A recorder of static code: programs under construction, and the values of runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import get_ident
from types import FrameType
from typing import Any, Literal, cast

import numpy as np

from teachgraph.control_flow.sub_block import position_of
from teachgraph.core.program import (
    GRAD,
    Block,
    Operator,
    OpRole,
    Parameter,
    Program,
    Variable,
    default_main_program,
    default_startup_program,
)
from teachgraph.errors import NoSourceError
from teachgraph.jit.static_function import StaticFunction
from teachgraph_widgets import events
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.events import Role
from teachgraph_widgets.foreign_programs import (
    ForeignProgram,
    ForeignVariable,
    Seen,
)
from teachgraph_widgets.identity import Numbers
from teachgraph_widgets.layers import Layers
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, clean
from teachgraph_widgets.rewriting import rewritten
from teachgraph_widgets.stats import dtype_name
from teachgraph_widgets.step_sampling import is_recorded
from teachgraph_widgets.watcher import (
    Watcher,
    careful,
    cleaned,
    short_text,
    short_texts,
)

__all__ = ["ProgramRecorder", "op_role", "variable_role"]

ProgramRole = Literal["startup", "main", "test", "other"]
RENAMED = "@RENAME@"


class ProgramRecorder(Watcher):
    """Writes the events of Programs and Executors into a log.

    A gradient operator gets its twin, the forward operator, only after it is inserted.
    So its event and those that follow are held back until then, at most to the end of
    the line.

    Args:
        log: The log.
        cursor: The position in the traced source.
        budget: Limits what is summarised.
        values: True to summarise values too.
        first: The number of the first program, operator and run.

    Attributes:
        running: The program that runs, or whose skipped run was the last.
        skipped: The number of runs that were not recorded.
        titles: The programs' titles, by number.
    """

    process: int | None = None
    """The process of a cluster whose programs these are."""

    def __init__(
        self,
        log: EventLog,
        cursor: Cursor,
        budget: Budget,
        *,
        values: bool = True,
        first: int = 0,
    ) -> None:
        super().__init__(log, cursor, budget, values=values)
        self.running: Program | None = None
        self._programs, self._ops = Numbers(first), Numbers(first)
        self.titles: dict[int, str] = {}
        self._created = Numbers()
        self.layers = Layers()
        self._shapes: dict[tuple[int, int, str], tuple[int, ...]] = {}
        self.skipped = 0
        self._runs = first
        self._run = 0, 0, 0
        self._followed = True
        self._visits: Counter[int | None] = Counter()
        self._held: list[Held] = []
        self.seen = Seen()

    @careful
    def program_created(self, program: Program) -> None:
        """Note a new Program; its event follows with its first content."""
        self._created.give(program)

    @careful
    def block_created(self, block: Block) -> None:
        """Record a new Block."""
        number = self.number(block.program, block)
        self.write_block(block, number, self.cursor.place())

    @careful
    def variable_created(self, variable: Variable) -> None:
        """Record a new Variable."""
        variable = self.seen.variable(variable)
        number = self.number(variable.block.program, variable)
        self.write_variable(variable, number, self.cursor.place())

    @careful
    def operator_inserted(self, operator: Operator, index: int) -> None:
        """Record an Operator, and the shapes that its outputs get from it."""
        operator = self.seen.operator(operator)
        if not operator.role & OpRole.BACKWARD:  # so the backward part is complete
            self.release()
        number = self.number(operator.block.program, operator)
        line = self.cursor.place()
        self.write_operator(operator, index, number, line)
        self.write_new_shapes(operator, number, line)

    @careful
    def operator_removed(self, operator: Operator, index: int) -> None:
        """Record the removal of an Operator."""
        op = self._ops.find(operator)
        if op is not None:
            self.write(self.cursor.place(), "op_removed", op)

    @careful
    def attribute_changed(self, owner: Any, name: str, value: Any) -> None:
        """Record a new value of an attribute of an Operator or a Variable."""
        line = self.cursor.place()
        if isinstance(owner, Operator):
            op = self._ops.find(owner)
            if op is not None and name not in UNTOLD:
                name, text = named_attribute(owner, name, value)
                self.write(line, "attr", None, None, op, None, name, text)
        elif isinstance(owner, Variable):
            number = self.number(owner.block.program)
            self.write_attribute(owner, number, line, name, str(value))

    @careful
    def function_traced(self, function: Any, traced: Any) -> None:
        """Record the program that `to_static` has captured, with the new source."""
        self.write_rewritten(function, traced.main_program)

    @careful
    def tracing_failed(self, function: Any, program: Program) -> None:
        """Record the part of a program that `to_static` captured before an error."""
        with suppress(NoSourceError):  # the user gets that very error
            self.write_rewritten(function, program)

    def write_rewritten(self, function: Any, program: Program) -> None:
        """Record a program, and the rewriting of the function behind it."""
        self.number(program)
        facts = rewritten(function, program, self.operator_number)
        if facts is not None:
            self.write(self.cursor.place(), "ast", *facts)

    def follows(self, program: Program) -> bool:
        """True if the run of a program that begins is recorded; count it if not."""
        if get_ident() != self.cursor.thread:
            return False
        number = self._programs.find(program)
        self._followed = is_recorded(self._visits[number] + 1)
        if not self._followed:
            self.skip(program, number)
        return self._followed

    def skip(self, program: Any, number: int | None) -> None:
        """Count a run that is not recorded."""
        self.running = program
        self._visits[number] += 1
        self.skipped += 1

    @careful
    def pass_applied(self, program: Program, applied: Any) -> None:
        """Record a pass; the operators that it removed and inserted have events."""
        changes = [
            {
                "old": [clean(kind) for kind in change.old],
                "new": [clean(kind) for kind in change.new],
                "what": clean(change.what),
                "where": clean(change.where),
            }
            for change in applied.changes[:MOST_CHANGES]
        ]
        if len(applied.changes) > MOST_CHANGES:
            left = len(applied.changes) - MOST_CHANGES
            self.log.leave_out("changes by a pass", "it made many", left)
        facts = applied.name, applied.before, applied.after, changes
        self.write(self.cursor.place(), "pass", self.number(program), *facts)

    def running_of(self, operator: Any) -> Any:
        """Return the program under way, None if an operator is not one of its own.

        What runs may be a copy that passes have rewritten.
        """
        program = self.seen.operator(operator).block.program
        while program is not None and program is not self.running:
            program = program.origin
        return program

    def run_begin(self, program: Program, feed: Mapping[str, Any]) -> None:
        """Record the begin of a run, unless the run is skipped."""
        if self._followed or program is not self.running:
            self.begin_run(program)

    @careful
    def begin_run(self, program: Program) -> None:
        """Record the begin of a run, or count one that nobody was asked about."""
        program = self.seen.program(program)
        known = self._programs.find(program)
        number = self.number(program) if known is None else known
        self._followed = is_recorded(self._visits[number] + 1)
        if not self._followed:
            self.skip(program, number)
            return
        self.running = program
        self._visits[number] += 1
        self._runs += 1
        self._run = number, self._visits[number], self.cursor.place()
        self.write_run("begin")

    @careful
    def run_op(self, operator: Operator, outputs: Mapping[str, Any]) -> None:
        """Record the outputs of an Operator of the running program."""
        if self.running is None or not self._followed:
            return
        op = self._ops.find(operator)
        if op is None and (op := self._ops.find(self.seen.operator(operator))) is None:
            self.log.leave_out("operators", "they are not in the program that was seen")
            return
        number, visit, line = self._run
        values = []
        for name, value in outputs.items():
            stats = self.summarize(np.asarray(value), number, visit)
            if stats is not None:
                values.append((cleaned(name), stats))
        self.log.add_all(line, (("run_op", self._runs - 1, op, tuple(values)),))

    @careful
    def run_end(self, program: Program) -> None:
        """Record the end of a run."""
        self.running = None
        if self._followed:
            self.write_run("end")

    def write_run(self, phase: str) -> None:
        """Write a `run` event of the current run."""
        number, visit, line = self._run
        self.write(line, "run", number, self._runs - 1, phase, visit)

    def write_counts(self) -> None:
        """Write how often each program ran whose last run was not recorded."""
        for number, visits in self._visits.items():
            if number is not None and not is_recorded(visits):
                self.write(0, "attr", number, None, None, None, "runs", str(visits))

    def write(self, line: int, kind: str, *facts: Any) -> None:
        """Write an event, after those that are held back."""
        if self._held:
            self._held.append((None, line, kind, facts))
        else:
            self.log.add(line, kind, *facts)

    def hold(self, operator: Operator, line: int, facts: tuple[Any, ...]) -> None:
        """Hold back a gradient operator until its twin is known."""
        ready = [i for i, held in enumerate(self._held) if has_twin(held[0])]
        if ready:
            self.release(ready[-1] + 1)
        if not self._held:
            self.log.hold(self.release)
        self._held.append((operator, line, "op", facts))

    def release(self, count: int | None = None) -> None:
        """Write the events that were held back, or the first `count` of them."""
        if not self._held:
            return
        count = len(self._held) if count is None else count
        ready, self._held = self._held[:count], self._held[count:]
        self.log.holding = False
        for operator, line, kind, facts in ready:
            if operator is None:
                self.log.add(line, kind, *facts)
            else:
                self.log.add(line, kind, *facts, self.twin_of(operator))
        if self._held:
            self.log.hold(self.release)

    def twin_of(self, operator: Operator) -> int | None:
        """Return the number of an operator's forward operator, if it has one."""
        if operator.twin is None or is_sum(operator):
            return None
        return self._ops.find(operator.twin)

    def number(self, program: Program, announced: Any = None) -> int:
        """Return a program's number; write a new program with all its content.

        `announced` is left out of it: its own event follows.
        """
        known = self._programs.find(program)
        if known is not None:
            return known
        number = self._programs.give(program)
        is_new = self._created.find(program) is not None
        line = self.cursor.place() if is_new else 0
        role = program_role(program)
        origin = None if program.origin is None else self.number(program.origin)
        self.titles[number] = title = self.title(program, role, origin)
        self.write(line, "program", number, role, title, origin, self.process)
        for thing in contents(program):
            if thing is announced:
                continue
            if isinstance(thing, Block | ForeignProgram):
                self.write_block(thing, number, line)
            elif isinstance(thing, Variable | ForeignVariable):
                self.write_variable(thing, number, line)
            else:
                self.write_operator(thing, position_of(thing), number, line)
        self.release()
        return number

    def operator_number(self, operator: Operator) -> int | None:
        """Return an operator's number, None if it has no event."""
        return self._ops.find(operator)

    def title(self, program: Program, role: ProgramRole, origin: int | None) -> str:
        """Return a program's name in the user's code, or else a title by its role."""
        if isinstance(program, ForeignProgram):
            return clean(f"your {TITLES[role] if role != 'other' else program.title}")
        called = clean(self.called(program))
        if called or origin is None or role == "test":
            return called or TITLES[role]
        return clean(f"copy of {self.titles[origin].removeprefix('copy of ')}")

    def called(self, program: Program) -> str:
        """Return a program's name in the traced code, or that of its captured function.

        The name is empty if there is none.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code is TRACED:
                return name_of(frame.f_locals["self"])
            if frame.f_code.co_filename == self.cursor.source.filename:
                for name, value in frame.f_locals.items():
                    if value is program and not name.startswith("_"):
                        return name
            frame = frame.f_back
        return ""

    def write_block(self, block: Block, program: int, line: int) -> None:
        """Write a `block` event."""
        self.write(line, "block", program, block.idx, block.parent_idx)

    def write_variable(self, variable: Variable, program: int, line: int) -> None:
        """Write a `var` event."""
        shape = tuple(int(n) for n in variable.shape)
        block, name = variable.block.idx, clean(variable.name)
        self._shapes[program, block, variable.name] = shape
        role, dtype = variable_role(variable), dtype_name(variable.dtype)
        flags = bool(variable.persistable), bool(variable.stop_gradient)
        self.write(line, "var", program, block, name, role, shape, dtype, *flags)

    def write_operator(
        self, operator: Operator, index: int, program: int, line: int
    ) -> None:
        """Write an `op` event, or hold it back."""
        number = self._ops.give(operator)
        kind, role = clean(operator.type), op_role(operator.role)
        place = program, operator.block.idx, index, number, kind, role
        slots = named_slots(operator.inputs), named_slots(operator.outputs)
        attrs = short_texts(operator.own_attrs)
        if operator.role & OpRole.BACKWARD:
            self.hold(operator, line, (*place, *slots, attrs))
        else:
            scope = scope_of(operator) or self.layers.path
            self.write(line, "op", *place, *slots, attrs, None, scope)

    def write_new_shapes(self, operator: Operator, program: int, line: int) -> None:
        """Record the shapes of outputs that changed since the variables' events."""
        for name in operator.output_arg_names:
            variable = operator.block._find_var_recursive(name)
            if variable is None:
                continue
            key = program, variable.block.idx, name
            shape = tuple(int(n) for n in variable.shape)
            if self._shapes.get(key, shape) != shape:
                self._shapes[key] = shape
                self.write_attribute(variable, program, line, "shape", str([*shape]))

    def write_attribute(
        self, variable: Variable, program: int, line: int, name: str, text: str
    ) -> None:
        """Write an `attr` event of a variable."""
        owner = program, clean(variable.name)
        self.write(line, "attr", *owner, None, None, name, clean(text))


MOST_CHANGES = 200

TRACED = StaticFunction.traced.__code__
"""The code that runs while a function is captured."""

UNTOLD = ("op_callstack", "op_namescope", "op_role_var")
"""Attributes that are the framework's own bookkeeping."""

Held = tuple[Operator | None, int, str, tuple[Any, ...]]

TITLES: dict[ProgramRole, str] = {
    "startup": "startup program",
    "main": "main program",
    "test": "test program",
    "other": "program",
}


def contents(program: Program) -> Iterator[Block | Variable | Operator]:
    """Yield a program's content, variables before the operators that name them."""
    for block in program.blocks:
        yield block
        waiting = dict(block.vars)
        for operator in block.ops:
            for name in operator.input_arg_names + operator.output_arg_names:
                if name in waiting:
                    yield waiting.pop(name)
            yield operator
        yield from waiting.values()


def name_of(static: StaticFunction) -> str:
    """Return the name of a function or method, without its enclosing functions."""
    name: str = getattr(static.function, "__qualname__", static.__name__)
    return name.rpartition("<locals>.")[2]


def program_role(program: Program) -> ProgramRole:
    """Return a program's role: startup, main, test or other."""
    if isinstance(program, ForeignProgram):
        return (
            cast("ProgramRole", program.title) if program.title in TITLES else "other"
        )
    if program.origin is not None:
        return "test" if program.for_test else "other"
    if program is default_startup_program():
        return "startup"
    if program is default_main_program():
        return "main"
    operators = program.global_block().ops
    if operators and not any(operator.input_arg_names for operator in operators):
        return "startup"
    return "other"


def variable_role(variable: Variable) -> Role:
    """Return a variable's role as a letter."""
    if isinstance(variable, ForeignVariable):
        return variable.role
    if isinstance(variable, Parameter):
        return "P" if getattr(variable, "trainable", True) else "B"
    if variable.is_data:
        return "D"
    if GRAD in variable.name:
        return "g"
    return "L" if variable.persistable else "T"


def op_role(role: OpRole) -> events.OpRole:
    """Return an operator's role as a word."""
    if role & OpRole.OPTIMIZE:
        return "optimize"
    if role & OpRole.BACKWARD:
        return "backward"
    return "loss" if role & OpRole.LOSS else "forward"


def named_attribute(operator: Operator, name: str, value: Any) -> tuple[str, str]:
    """Return an operator's attribute as the log has it, with the role as a word."""
    if name == "op_role":
        return "role", op_role(OpRole(value))
    return clean(name), short_text(value)


def named_slots(slots: Mapping[str, list[str]]) -> tuple[tuple[str, Any], ...]:
    """Return slots as pairs, the form of a log's record."""
    return tuple(
        [(clean(slot), tuple(map(clean, names))) for slot, names in slots.items()]
    )


def scope_of(operator: Operator) -> str | None:
    """Return an operator's name scopes, outermost first; None outside of any."""
    path = str(operator.attrs.get("op_namescope", "")).strip("/")
    return clean(path) or None


def has_twin(operator: Operator | None) -> bool:
    """True if an operator has a twin: it is the gradient of another."""
    return operator is not None and operator.twin is not None


def is_sum(operator: Operator) -> bool:
    """True if an operator accumulates parts of a gradient: it has no twin."""
    return operator.type == "sum" and all(
        RENAMED in name for name in operator.input_arg_names
    )
