"""A plan: what running one program for one set of feeds and fetches takes."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from functools import cached_property
from itertools import count
from types import TracebackType
from typing import Any

import numpy as np

from teachgraph.control_flow.flow import Flow, Step
from teachgraph.control_flow.lowering import Lowering
from teachgraph.control_flow.random_rounds import Source
from teachgraph.core.codegen import Code, generate, read_first, written
from teachgraph.core.errors import (
    FeedError,
    FetchError,
    NotInitializedError,
    OpError,
    at_user_line,
)
from teachgraph.core.observe import announce, unwatched
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.core.scope import Scope
from teachgraph.passes import apply_pass
from teachgraph.planning.memory import MemoryPlan, memory_plan
from teachgraph.static.order import check_order, first_writer
from teachgraph.static.program import Program

__all__ = ["Plan"]

_numbers = count(1)


class Plan:
    """A program made ready to run.

    Args:
        program: The program, which stays as it is.
        feeds: Names of the variables that are fed.
        fetches: Names of the variables that are to be returned.
        passes: What to do to a copy of it first; see `passes.list()`.
        max_iterations: How often a loop may go round that does not say so itself.

    Attributes:
        program: The program.
        feeds: Names of the variables that are fed, and used.
        fetches: Names of the variables that are returned.
        calls: Its operators, after the passes, as calls.
        known: The variables by what the calls name them.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        passes: Sequence[str] = (),
        max_iterations: int | None = None,
    ) -> None:
        block = program.global_block()
        check_order(block)
        self.program, self.fetches = program, list(fetches)
        running = program if not passes else rewritten(program, passes, fetches)
        lowering = Lowering(running, max_iterations)
        self.calls, self.known = lowering.steps(), lowering.variables()
        self.variables = block.vars
        self.persistent = [n for n, v in block.vars.items() if v.persistable]
        self.check_fetches(block.vars)
        self.feeds = self.needed_feeds(set(feeds), block.vars)
        self.reads = read_first(self.calls, self.persistent, self.fetches)
        self.stores = written(self.calls, self.persistent)

    @cached_property
    def code(self) -> Code:
        """The program as Python."""
        title = f"program {next(_numbers)}"
        return generate(
            self.calls, self.feeds, self.fetches, self.persistent, title, self.known
        )

    def memory(self, fed: Mapping[str, Sequence[int]]) -> MemoryPlan:
        """Where its values lie while it runs, for feeds of these shapes."""
        return memory_plan(self.calls, {*self.fetches, *self.stores}, self.known, fed)

    @property
    def source(self) -> str:
        """The text of the program as Python, a line an operator."""
        return self.code.source

    def check_fetches(self, variables: Mapping[str, Variable]) -> None:
        """Every fetched variable must be one that has a value by the end."""
        made = {name for call in self.calls for name in call.outputs}
        for name in self.fetches:
            variable = variables.get(name)
            if variable is None or not (
                name in made or variable.persistable or variable.is_data
            ):
                raise FetchError(no_such_fetch(self.program, name))

    def needed_feeds(
        self, given: set[str], variables: Mapping[str, Variable]
    ) -> list[str]:
        """The fed variables that are read; every one of them must be given."""
        needed: dict[str, Step | None] = {}
        for call in self.calls:
            for name in call.arguments:
                if name is not None and name in variables and variables[name].is_data:
                    needed.setdefault(name, call)
        for name in self.fetches:
            if variables[name].is_data:
                needed.setdefault(name, None)
        for name, reader in needed.items():
            if name not in given:
                raise FeedError(missing_feed(variables[name], reader))
        return list(needed)

    def run(self, feed: Mapping[str, Any], scope: Scope) -> list[Any]:
        """Run it once; the scope changes only if every operator succeeds.

        Raises:
            NotInitializedError: A persistable variable has no value yet.
            OpError: An operator cannot take its inputs.
        """
        values = scope.values
        try:
            fetched, stored = self.code.function(feed, values)
        except Exception as error:
            self.check_initialized(scope)
            raise self.located(error) from cause_of(error)
        values.update(stored)
        return fetched  # type: ignore[no-any-return]

    def interpret(self, feed: Mapping[str, Any], scope: Scope) -> list[Any]:
        """Run it operator by operator, telling the observers."""
        self.check_initialized(scope)
        values: dict[str, Any] = dict(feed)
        values.update((name, scope.values[name]) for name in self.reads)
        walk(self.calls, values)
        scope.values.update((name, values[name]) for name in self.stores)
        return [values[name] for name in self.fetches]

    def check_initialized(self, scope: Scope) -> None:
        """Every persistable variable that is read must have a value."""
        for name in self.reads:
            if scope.values.get(name) is None:
                reader = next(
                    (c.operator for c in self.calls if name in c.arguments), None
                )
                raise NotInitializedError(not_initialized(name, reader))

    def located(self, error: Exception) -> Exception:
        """An error of generated code, told of the operator whose line it was."""
        frame = deepest(error.__traceback__, self.code.function.__code__)
        if frame is None:
            return error
        step = self.code.steps.get(frame.tb_lineno)
        if step is None:
            return error
        local = {
            name: frame.tb_frame.f_locals.get(python)
            for python, name in self.code.names.items()
        }
        return failed(step, local, error)


def rewritten(
    program: Program, passes: Sequence[str], fetches: Sequence[str]
) -> Program:
    """A copy of a program, after some passes."""
    with unwatched():
        return apply_pass(program, passes, fetches=fetches, checked=False)


def deepest(traceback: TracebackType | None, code: Any) -> TracebackType | None:
    """The entry of a traceback that stands in `code`."""
    while traceback is not None and traceback.tb_frame.f_code is not code:
        traceback = traceback.tb_next
    return traceback


def cause_of(error: Exception) -> BaseException | None:
    """What the user's own function raised, which a traceback should show."""
    return error.__cause__ if isinstance(error, OpError) else None


def walk(steps: Sequence[Step], values: MutableMapping[str, Any]) -> None:
    """Run some steps one by one, telling the observers."""
    for step in steps:
        try:
            new = results_of(step, values)
        except Exception as error:
            if isinstance(step, Flow) and isinstance(error, OpError) and error.op:
                raise  # a step of its body has told
            raise failed(step, values, error) from cause_of(error)
        if isinstance(step, Source):
            continue  # no operator has run
        given = {name: value for name, value in new.items() if value is not None}
        announce("run_op", step.operator, given)


def results_of(step: Step, values: MutableMapping[str, Any]) -> dict[str, Any]:
    """Run one step; what it computes, which joins the values."""
    if isinstance(step, Flow):
        step.interpret(values, walk)
        given = {n: values[n] for n in step.outputs if n is not None}
        return {n: v for n, v in given.items() if isinstance(v, np.ndarray)}
    arguments = [None if n is None else values[n] for n in step.arguments]
    results = zip(step.outputs, step.run(arguments), strict=True)
    new = {name: result for name, result in results if name is not None}
    values.update(new)
    return new


def told(step: Step) -> list[str | None]:
    """The inputs that a message about a step shows."""
    return step.tested if isinstance(step, Flow) else step.arguments


def failed(step: Step, values: Mapping[str, Any], error: Exception) -> Exception:
    """What to raise when a step raised `error`, after telling the observers.

    A gradient operator names the line of the forward one, which the user can change.
    """
    operator, names = step.operator, told(step)
    given = [None if name is None else values.get(name) for name in names]
    attrs, written = operator.own_attrs, operator.twin or operator
    called = [called_in(operator.block, name) for name in names]
    explained = operator.op.explain(
        given, attrs, error, where=written.callsite, called=called
    )
    inputs = {n: v for n, v in zip(names, given, strict=True) if n is not None}
    announce("run_failed", operator, inputs, explained)
    return explained


def called_in(block: Block, name: str | None) -> str:
    """What a message calls a value: its variable, and how it was declared."""
    variable = None if name is None else block._find_var_recursive(name)
    if variable is None or -1 not in variable.shape:
        return name or ""
    return f"{name}, declared {list(variable.shape)}"


def no_such_fetch(program: Program, name: str) -> str:
    """The message for a fetch of what has no value by the end of a run."""
    why = "fetch a variable of this program that an operator writes"
    for block in program.blocks[1:]:
        if name in block.vars:
            writer = first_writer(block, name)
            made = (
                ""
                if writer is None or writer.callsite is None
                else (f", where {writer.type} of {writer.callsite.short} writes it")
            )
            why = (
                f"it lives only inside a branch or a loop, in block {block.idx}{made}; "
                "return it from there, and fetch what cond or while_loop returned"
            )
    return at_user_line(
        f"Input variable({name}) cannot be found in scope for operator 'Fetch': {why}"
    )


def missing_feed(variable: Variable, call: Step | None) -> str:
    """The message for a feed that is not there."""
    reader = "" if call is None else f", which {call.operator.type} reads"
    return at_user_line(
        f"The feed has no {variable.name!r}{reader}: give feed={{{variable.name!r}: an "
        f"array of {variable.dtype} shaped {list(variable.shape)}}}"
    )


def not_initialized(name: str, reader: Operator | None) -> str:
    """The message for a persistable variable without a value."""
    who = "Fetch" if reader is None else f"the {reader.type} op"
    return at_user_line(
        f"The variable {name}, which {who} reads, has not been initialized. You may "
        "need to confirm if you put exe.run(startup_program) after optimizer.minimize "
        "function: run the startup program once before this one."
    )
