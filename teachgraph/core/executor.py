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
from types import TracebackType
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

    from teachgraph.core.program import Operator, Program, Variable

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
        needed = {n: s for n, s in outside.items() if self.is_fed(n)}
        given = {*fed}
        for name, reader in needed.items():
            if name not in given:
                raise FeedError(missing_feed(self.variables[name], reader))
        for name in given & self.variables.keys():
            if not self.is_fed(name):
                raise FeedError(not_to_be_fed(self.variables[name]))
        self.unknown = sorted(given - self.variables.keys())
        self.feeds = list(needed)
        self.reads = [name for name in outside if name not in needed]
        self.stores = [name for name in written if self.is_kept(name)]
        self.branches = not all(isinstance(step, Call) for step in steps)
        self.foreign = any(
            operator.op.context is copy_context
            for block in program.blocks
            for operator in block.ops
        )

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
        """Every fetched variable must be one that has a value by the end."""
        for name in self.fetches:
            known = name in self.variables
            if not known or not (
                name in written or self.is_kept(name) or self.is_fed(name)
            ):
                raise FetchError(no_such_fetch(self.program, name))

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

    def run(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it once; the scope changes only if every operator succeeds.

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
            raise self.located(error, code) from cause_of(error)
        values.update(stored)
        return fetched  # type: ignore[no-any-return]

    def prepared(self, feed: Inputs, values: Inputs) -> tuple[Inputs, Code]:
        """The feed as declared, and the code to run on it and the scope's values."""
        return self.checked(feed), self.code

    def checked(self, feed: Inputs) -> dict[str, Any]:
        """The fed values that are read, as arrays of the declared shapes and dtypes.

        Raises:
            FeedError: One is of another shape or dtype.
        """
        return {name: as_fed(self.variables[name], feed[name]) for name in self.feeds}

    def silence(self) -> Context:
        """A context in which NumPy warns of no infinity or NaN, as in Paddle."""
        context = SILENT.copy()
        if self.foreign:
            context.run(caller.set, copy_context())
        return context

    def interpret(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it step by step, telling the observers."""
        values: dict[str, Any] = self.checked(feed)
        self.check_initialized(scope)
        values.update((name, scope.values[name]) for name in self.reads)
        self.silence().run(run_steps, self.steps, values)
        scope.values.update((name, values[name]) for name in self.stores)
        return [values[name] for name in self.fetches]

    def watched(self, feed: Inputs, scope: Scope, *, interpret: bool) -> list[Any]:
        """Run it, telling the observers when it begins and ends."""
        feed = self.checked(feed)
        announce("run_begin", self.program, feed)
        try:
            return self.interpret(feed, scope) if interpret else self.run(feed, scope)
        finally:
            announce("run_end", self.program)

    def check_initialized(self, scope: Scope) -> None:
        """Every persistable variable that is read must have a value."""
        for name in self.reads:
            if scope.values.get(name) is None:
                readers = (s.operator for s in self.steps if name in s.arguments)
                raise NotInitializedError(not_initialized(name, next(readers, None)))

    def located(self, error: Exception, code: Code) -> Exception:
        """An error of generated code, told of the operator whose line it was."""
        frame: TracebackType | None = error.__traceback__
        while frame is not None and frame.tb_frame.f_code is not code.function.__code__:
            frame = frame.tb_next
        step = None if frame is None else code.steps.get(frame.tb_lineno)
        if frame is None or step is None:
            return error
        local = frame.tb_frame.f_locals
        return failed(step, {n: local.get(i) for i, n in code.names.items()}, error)


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


def as_fed(variable: Variable, value: Any) -> Array:
    """One fed value as an array of the declared shape and dtype.

    Raises:
        FeedError: It is of another shape or dtype.
    """
    array = np.asarray(
        value if hasattr(value, "dtype") else from_python(variable, value)
    )
    if array.dtype != variable.dtype:
        raise FeedError(
            at_user_line(
                f"The data type of fed Variable {variable.name!r} must be "
                f"'{variable.dtype}', but received '{array.dtype}': give "
                f"{variable.name}.astype('{variable.dtype}')"
            )
        )
    if not fits(array.shape, variable.shape):
        raise FeedError(
            at_user_line(
                f"The fed Variable {variable.name!r} should have dimensions = "
                f"{len(variable.shape)}, shape = {variable.shape}, but received fed "
                f"shape {list(array.shape)} on each device: -1 takes any size, every "
                "other size is as declared"
            )
        )
    return array


def from_python(variable: Variable, value: Any) -> Array:
    """Python's numbers in the declared dtype, unless that would change them."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise FeedError(
            at_user_line(f"the feed of {variable.name!r} is no array: {error}")
        ) from None
    if array.size and not np.can_cast(array.dtype, variable.dtype, "same_kind"):
        return array
    converted = array.astype(variable.dtype)
    exact = converted.dtype.kind == "f" or np.array_equal(converted, array)
    return converted if exact else array


def no_value(step: Step, name: str) -> ProgramError:
    """The error for a step that reads what nothing has given a value."""
    message = f"{step.operator.type} reads {name!r}, which has no value"
    return ProgramError(at_user_line(message, step.operator.callsite))


def no_such_fetch(program: Program, name: str) -> str:
    """The message for a fetch of a variable without a value by the end of a run."""
    why = "fetch a variable of this program that an operator writes"
    for block in program.blocks[1:]:
        if name in block.vars:
            writers = (op for op in block.ops if name in op.output_arg_names)
            writer = next(writers, None)
            where = ""
            if writer is not None and writer.callsite is not None:
                where = f", where {writer.type} of {writer.callsite.short} writes it"
            why = (
                f"it lives only inside a branch or a loop, in block {block.idx}"
                f"{where}; return it from there, and fetch what cond or while_loop "
                "returned"
            )
    return at_user_line(
        f"Input variable({name}) cannot be found in scope for operator 'Fetch': {why}"
    )


def missing_feed(variable: Variable, reader: Step | None) -> str:
    """The message for a feed that is not there."""
    by = "" if reader is None else f", which {reader.operator.type} reads"
    return at_user_line(
        f"The feed has no {variable.name!r}{by}: give feed={{{variable.name!r}: an "
        f"array of {variable.dtype} shaped {list(variable.shape)}}}"
    )


def not_to_be_fed(variable: Variable) -> str:
    """The message for a feed of a variable that is no data."""
    writers = (o for o in variable.block.ops if variable.name in o.output_arg_names)
    writer, who = next(writers, None), "it outlives runs in the scope"
    if writer is not None:
        line = "" if writer.callsite is None else f" of {writer.callsite.short}"
        who = f"{writer.type}{line} writes it, so a feed would be overwritten"
    return at_user_line(
        f"{variable.name!r} is no data variable: {who}; feed variables made by "
        "static.data"
    )


def not_initialized(name: str, reader: Operator | None) -> str:
    """The message for a persistable variable without a value."""
    who = "Fetch" if reader is None else f"the {reader.type} op"
    return at_user_line(
        f"The variable {name}, which {who} reads, has not been initialized. You may "
        "need to confirm if you put exe.run(startup_program) after optimizer.minimize "
        "function: run the startup program once before this one."
    )


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
        self.calls = Calls()

    def run(
        self,
        program: Program,
        feed: Inputs,
        fetch_list: Sequence[Variable | str] = (),
        *,
        scope: Scope | None = None,
    ) -> list[Array]:
        """Run a program once: one array for each fetch.

        Raises:
            FeedError: A feed is missing, or of the wrong shape or dtype.
            FetchError: A fetch names nothing that has a value.
            NotInitializedError: The startup program has not been run.
            OpError: An operator cannot take its inputs; it names the line that made it.
        """
        scope = global_scope() if scope is None else scope
        walked = self.walks(program) if observers else self.interpreting
        calls = program.caches.setdefault(self.calls, {})
        try:
            plan = calls[program.version, walked, *feed, None, *fetch_list]
        except (KeyError, TypeError):  # a list among the fetches, or a bad feed
            plan = self.plan_for(program, feed, fetch_list)
            with suppress(TypeError):
                drop_stale(calls, program.version)
                calls[program.version, walked, *feed, None, *fetch_list] = plan
        if plan.unknown:
            warnings.warn(
                f"The variable {plan.unknown[0]} is not found in program. It is not "
                "declared or is pruned.",
                stacklevel=3,
            )
        if observers:
            values = plan.watched(feed, scope, interpret=walked)
        else:
            values = (plan.interpret if walked else plan.run)(feed, scope)
        if plan.branches:
            check_taken(plan.fetches, values)
        return [np.array(value) for value in values]

    def walks(self, program: Program) -> bool:
        """Tell whether the next run is interpreted, operator by operator."""
        return self.interpreting or (bool(observers) and followed(program))

    def plan_for(
        self, program: Program, feed: Inputs, fetch_list: Sequence[Variable | str]
    ) -> Plan:
        """The plan for a run with this feed and these fetches."""
        names = [v if isinstance(v, str) else v.name for v in fetch_list]
        return self.plan(program, [*feed], names)

    def plan(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str]
    ) -> Plan:
        """The plan for these feeds and fetches, made when first needed."""
        plans: dict[Any, Plan] = program.caches.setdefault(self, {})
        key = (program.version, self.walks(program), *feeds, None, *fetches)
        if key not in plans:
            drop_stale(plans, program.version)
            plans[key] = self.new_plan(program, feeds, fetches)
        return plans[key]

    def new_plan(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str]
    ) -> Plan:
        """A plan for these feeds and fetches, which nobody keeps."""
        passes = () if self.walks(program) else program_passes
        return self.planner.of(program, feeds, fetches, passes, **self.options)


class Calls:
    """Stands for an executor's calls of `run` in what a program remembers of it.

    Beside the plans, which go by names, it remembers them by feeds and fetches as they
    were handed over: to look one up is all that a run does before it runs.
    """


def drop_stale(plans: dict[Any, Plan], version: int) -> None:
    """Forget the plans of a program as it was before it was changed."""
    for key in [key for key in list(plans) if key[0] != version]:
        plans.pop(key, None)


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
