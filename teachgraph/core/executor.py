"""Executing: a Program becomes a plan, and the plan writes itself down as Python.

A plan is a list of steps, one an operator. The interpreter runs them one by one; for
speed, and to be read, they write the lines of one straight Python function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.core.errors import (
    FeedError,
    FetchError,
    NotInitializedError,
    ProgramError,
    at_user_line,
)
from teachgraph.core.observe import announce, followed, observers
from teachgraph.core.op import SILENT
from teachgraph.core.scope import Scope, global_scope
from teachgraph.core.source import Code, Writer
from teachgraph.core.steps import (
    Call,
    Lowering,
    Step,
    caller,
    cause_of,
    failed,
    run_steps,
)

if TYPE_CHECKING:
    from contextvars import Context

    from teachgraph.core.program import Program, Variable

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Any]

program_passes: list[Callable[[Any, Sequence[str]], Any]] = []
"""Rewrite a program (`program, fetches -> program`) before it is lowered."""

StepPass = Callable[[Sequence[Step], set[str], Mapping[str, "Variable"]], list[Step]]

step_passes: list[StepPass] = []
"""Rewrite steps (`steps, kept, variables -> steps`) before they are written."""


class Plan:
    """A program made ready to run with these feeds and fetches.

    Attributes:
        program: The program, which stays as it is.
        steps: What it runs.
        known: The variables by their names among the steps.
        variables: Those of the program's outermost block.
        fetches: Names of the variables that are returned.
        feeds: Names of the variables that must be fed.
        unknown: Names that are fed, and are no variables.
        reads, stores: Names of those that it takes from the scope, and leaves there.
        branches: Whether it does not always run all of its operators.
        foreign: Whether it calls code of the user's own.
        writer: Writes the steps down.
    """

    writer: type[Writer] = Writer

    def __init__(
        self,
        program: Program,
        steps: Sequence[Step],
        known: Mapping[str, Variable],
        fed: Iterable[str],
        fetches: Sequence[str],
    ) -> None:
        self.program, self.steps, self.known = program, steps, known
        self.variables, self.fetches = program.global_block().vars, list(fetches)
        written = dict.fromkeys(n for s in steps for n in s.outputs if n is not None)
        outside = self.outside()
        self.check_fetches(written)
        self.feeds = [name for name in outside if self.is_fed(name)]
        self.reads = [name for name in outside if not self.is_fed(name)]
        self.stores = [name for name in written if self.is_kept(name)]
        self.check_feeds({*fed}, outside)
        self.unknown = sorted({*fed} - self.variables.keys())
        self.branches = not all(isinstance(step, Call) for step in steps)
        operators = (operator for block in program.blocks for operator in block.ops)
        self.foreign = any(o.op.context is copy_context for o in operators)

    @classmethod
    def of(
        cls,
        program: Program,
        fed: Iterable[str],
        fetches: Sequence[str],
        passes: Sequence[Callable[[Program, Sequence[str]], Program]] = (),
        **options: Any,
    ) -> Self:
        """The plan of a program, after these passes over a copy of it."""
        running = program
        for rewrite in passes:
            running = rewrite(running, fetches)
        lowering = Lowering(running, options)
        steps, known = lowering.steps(), lowering.variables()
        for step in steps:
            for name in step.arguments if isinstance(step, Call) else ():
                if name is not None and name not in known:
                    raise no_value(step, name)
        plan = cls(running, steps, known, fed, fetches)
        plan.program = program
        return plan

    def is_fed(self, name: str) -> bool:
        """Tell whether the caller gives the value of a variable."""
        return name in self.variables and self.variables[name].is_data

    def is_kept(self, name: str) -> bool:
        """Tell whether the value of a variable lives in the scope."""
        return name in self.variables and self.variables[name].persistable

    def outside(self) -> dict[str, Step | None]:
        """The variables that are read before a step writes them, and their readers.

        Raises:
            ProgramError: One is neither fed nor in the scope.
        """
        made, perhaps = set[str](), set[str]()
        found: dict[str, Step | None] = {}
        for step in self.steps:
            for name in step.arguments:
                if name is None or name in made:
                    continue
                if self.is_fed(name) or self.is_kept(name):
                    found.setdefault(name, step)
                elif name not in perhaps:
                    raise no_value(step, name)
            made.update(name for name in step.outputs if name is not None)
            perhaps |= step.inner
        unread = [n for n in self.fetches if n not in made and n not in found]
        return found | {n: None for n in unread if self.is_fed(n) or self.is_kept(n)}

    def check_fetches(self, written: Mapping[str, None]) -> None:
        """Require that every fetched variable has a value by the end."""
        for name in self.fetches:
            if name not in written and not (self.is_kept(name) or self.is_fed(name)):
                raise self.not_fetched(name)

    def check_feeds(self, fed: set[str], outside: Mapping[str, Step | None]) -> None:
        """Require a feed of each data variable that is read, and of no other one."""
        for name in self.feeds:
            if name not in fed:
                raise self.not_given(name, outside[name])
        for name in fed & self.variables.keys():
            if not self.is_fed(name):
                raise self.not_data(name)

    @cached_property
    def code(self) -> Code:
        """The plan as Python."""
        return self.written_down(self.steps)

    def written_down(self, steps: Sequence[Step]) -> Code:
        """Steps as Python, after the passes over them."""
        writer = self.writer(self.fetches)
        for change in step_passes:
            steps = change(steps, {*self.fetches, *self.stores}, self.known)
        for name in self.feeds:
            writer.line(f"{writer.name(name)} = feed[{name!r}]")
        for name in self.reads:
            writer.line(f"{writer.name(name)} = scope[{name!r}]")
        for step in steps:
            step.write(writer)
        fetched = ", ".join(map(writer.name, self.fetches))
        stored = ", ".join(f"{n!r}: {writer.name(n)}" for n in self.stores)
        writer.line(f"return [{fetched}], {{{stored}}}")
        return writer.code()

    @property
    def source(self) -> str:
        """The text of the program as Python."""
        return self.code.source

    def execute(self, feed: Inputs, scope: Scope, *, interpret: bool) -> list[Any]:
        """Run it once, telling the observers when it begins and ends."""
        run = self.interpret if interpret else self.run
        if not observers:
            return run(feed, scope)
        feed = self.checked(feed)
        announce("run_begin", self.program, feed)
        try:
            return run(feed, scope)
        finally:
            announce("run_end", self.program)

    def run(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run its code; the scope changes only if every operator succeeds.

        Raises:
            FeedError: A feed is of the wrong shape or dtype.
            NotInitializedError: A persistable variable has no value yet.
            OpError: An operator cannot take its inputs.
        """
        values = scope.values
        feed, code = self.prepared(feed, values)
        try:
            fetched, stored = self.silence().run(code.function, feed, values)
        except Exception as error:
            self.check_initialized(scope)
            raise failed_at(error, code) from cause_of(error)
        values.update(stored)
        return fetched  # type: ignore[no-any-return]

    def interpret(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it step by step, telling the observers."""
        values: dict[str, Any] = {**self.checked(feed)}
        self.check_initialized(scope)
        values.update((name, scope.values[name]) for name in self.reads)
        self.silence().run(run_steps, self.steps, values)
        scope.values.update((name, values[name]) for name in self.stores)
        return [values[name] for name in self.fetches]

    def prepared(self, feed: Inputs, values: Inputs) -> tuple[Inputs, Code]:
        """The feed as declared, and the code to run on it and the scope's values."""
        return self.checked(feed), self.code

    def checked(self, feed: Inputs) -> Inputs:
        """The fed values that are read, as arrays of the declared shapes and dtypes.

        Raises:
            FeedError: One is of another shape or dtype.
        """
        arrays = {name: np.asarray(feed[name]) for name in self.feeds}
        for name, array in arrays.items():
            if not is_like(array, self.variables[name]):
                raise FeedError(at_user_line(f"{self.variables[name]} got {array!r}"))
        return arrays

    def silence(self) -> Context:
        """A context in which NumPy warns of no infinity or NaN, as in Paddle."""
        context = SILENT.copy()
        if self.foreign:
            context.run(caller.set, copy_context())
        return context

    def check_initialized(self, scope: Scope) -> None:
        """Every persistable variable that is read must have a value."""
        for name in self.reads:
            if scope.values.get(name) is None:
                readers = (step for step in self.steps if name in step.arguments)
                raise self.not_initialized(name, next(readers, None))

    def not_fetched(self, name: str) -> FetchError:
        """The error for a fetch of a variable without a value by the end of a run."""
        return FetchError(at_user_line(f"{name!r} has no value to fetch"))

    def not_given(self, name: str, reader: Step | None) -> FeedError:
        """The error for a feed that is not there."""
        return FeedError(at_user_line(f"the feed has no {name!r}"))

    def not_data(self, name: str) -> FeedError:
        """The error for a feed of a variable that is no data."""
        return FeedError(at_user_line(f"{name!r} is no data variable"))

    def not_initialized(self, name: str, reader: Step | None) -> NotInitializedError:
        """The error for a persistable variable without a value."""
        return NotInitializedError(at_user_line(f"{name!r} has not been initialized"))


def is_like(value: Any, variable: Variable | None) -> bool:
    """Tell whether a value is an array of a variable's declared shape and dtype."""
    if variable is None or not (
        type(value) is np.ndarray or isinstance(value, np.generic)
    ):
        return False
    same = value.dtype == variable.dtype
    return bool(same and fits(value.shape, variable.shape))


def fits(shape: Sequence[int], declared: Sequence[int]) -> bool:
    """Tell whether a shape is as declared, where -1 is any size."""
    pairs = zip(shape, declared, strict=False)
    return len(shape) == len(declared) and all(want in (-1, got) for got, want in pairs)


def no_value(step: Step, name: str) -> ProgramError:
    """The error for a step that reads what nothing has given a value."""
    message = f"{step.operator.type} reads {name!r}, which has no value"
    return ProgramError(at_user_line(message, step.operator.callsite))


def failed_at(error: Exception, code: Code) -> Exception:
    """An error of generated code, told of the operator whose line it was."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code is not code.function.__code__:
        frame = frame.tb_next
    step = None if frame is None else code.steps.get(frame.tb_lineno)
    if frame is None or step is None:
        return error
    local = frame.tb_frame.f_locals
    return failed(step, {n: local.get(i) for i, n in code.names.items()}, error)


class Executor:
    """Runs programs, and remembers with each program the plans of the ways to run it.

    Args:
        interpret: Run step by step instead of as generated code.
        **options: What lowerings of extensions may ask for.

    Attributes:
        planner: What makes plans.
    """

    planner: type[Plan] = Plan

    def __init__(self, *, interpret: bool = False, **options: Any) -> None:
        self.interpreting, self.options = interpret, options

    def run(
        self,
        program: Program,
        feed: Inputs,
        fetch_list: Sequence[Variable | str] = (),
        *,
        scope: Scope | None = None,
    ) -> list[Array]:
        """Run a program once: one array for each fetch.

        Plans are remembered by feeds and fetches as they were handed over: to look one
        up is all that a run does before it runs.

        Raises:
            FeedError: A feed is missing, or of the wrong shape or dtype.
            FetchError: A fetch names nothing that has a value.
            NotInitializedError: The startup program has not been run.
            OpError: An operator cannot take its inputs; it names the line that made it.
        """
        scope = global_scope() if scope is None else scope
        walked = self.walks(program) if observers else self.interpreting
        plans = program.caches.setdefault(self, {})
        try:
            plan = plans[program.version, walked, *feed, None, *fetch_list]
        except (KeyError, TypeError):  # a list among the fetches, or a bad feed
            walked = walked or (not observers and self.is_first(program))
            plan = self.plan_for(program, feed, fetch_list, walked=walked)
            with suppress(TypeError):
                plans[program.version, walked, *feed, None, *fetch_list] = plan
        if plan.unknown:
            warnings.warn(
                f"The variable {plan.unknown[0]} is not found in program. It is not "
                "declared or is pruned.",
                stacklevel=3,
            )
        values = plan.execute(feed, scope, interpret=walked)
        if plan.branches:
            check_taken(plan.fetches, values)
        return [np.array(value) for value in values]

    def walks(self, program: Program) -> bool:
        """Tell whether the next run is interpreted, operator by operator."""
        return self.interpreting or (bool(observers) and followed(program))

    def is_first(self, program: Program) -> bool:
        """Tell whether it has not run yet as it is: code is for what runs again."""
        version, plans = program.version, program.caches[self]
        return not any(key[0] == version for key in [*plans])

    def plan_for(
        self,
        program: Program,
        feed: Inputs,
        fetch_list: Sequence[Variable | str],
        *,
        walked: bool,
    ) -> Plan:
        """The plan for a run with this feed and these fetches."""
        names = [v if isinstance(v, str) else v.name for v in fetch_list]
        return self.plan(program, [*feed], names, walked=walked)

    def plan(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        *,
        walked: bool = False,
    ) -> Plan:
        """The plan for these feeds and fetches, made when first needed."""
        plans: dict[Any, Plan] = program.caches.setdefault(self, {})
        key = (program.version, walked, *feeds, None, *fetches)
        if key not in plans:
            for stale in [key for key in [*plans] if key[0] != program.version]:
                plans.pop(stale, None)
            plans[key] = self.new_plan(program, feeds, fetches, walked=walked)
        return plans[key]

    def new_plan(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        *,
        walked: bool = False,
    ) -> Plan:
        """A plan for these feeds and fetches, which nobody keeps."""
        passes = () if walked else program_passes
        return self.planner.of(program, feeds, fetches, passes, **self.options)


def check_taken(fetches: Sequence[str], values: Sequence[Any]) -> None:
    """Refuse a fetch of a variable that only a branch writes that was not taken.

    Raises:
        FetchError: There is one.
    """
    for name, value in zip(fetches, values, strict=True):
        if value is None:
            raise FetchError(
                at_user_line(
                    f"{name!r} has no value: the branch that writes it was not taken; "
                    "fetch what cond returned"
                )
            )
