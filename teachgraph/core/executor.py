"""Executing: a Program becomes a plan, a list of steps that run one by one.

Values come from feeds and the scope, and go to fetches and the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from teachgraph.core.errors import (
    FeedError,
    FetchError,
    NotInitializedError,
    ProgramError,
)
from teachgraph.core.extend import HookPoint
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import SILENT
from teachgraph.core.program import Program, Variable, fits
from teachgraph.core.steps import Call, Lowering, Step, run_steps
from teachgraph.core.threads import InForce

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Any]
Run = Callable[[Inputs, "Scope"], list[Any]]


class Scope:
    """Values of variables by name: where they live between runs.

    In Paddle this is `paddle.static.Scope`.
    """

    def __init__(self) -> None:
        self.values: dict[str, Array | None] = {}


scopes = InForce(Scope())
"""The scope that runs use when none is given."""


def global_scope() -> Scope:
    """The scope in use."""
    return scopes.value


silence = HookPoint(SILENT.copy)
"""Makes the context of a run, in which NumPy warns of no infinity or NaN."""


class Plan:
    """A program made ready to run with these feeds and fetches.

    Attributes:
        known: Its variables, by their names among the steps.
        feeds: Names of the values that the caller gives.
        reads: Names of the values it takes from the scope.
        stores: Names of the values it puts into the scope.
    """

    def __init__(
        self, program: Program, fed: Iterable[str], fetches: Iterable[str], **more: Any
    ) -> None:
        self.program, self.fetches = program, [*fetches]
        self.variables = program.global_block().vars
        self.steps, self.known = self.lowered(more)
        written = dict.fromkeys(name for step in self.steps for name in step.outputs)
        outside = self.outside()
        self.feeds = [name for name in outside if self.is_fed(name)]
        self.reads = [name for name in outside if not self.is_fed(name)]
        self.stores = [name for name in written if name and self.is_kept(name)]
        self.check_feeds({*fed}, outside)

    def lowered(
        self, options: Mapping[str, Any]
    ) -> tuple[Sequence[Step], Mapping[str, Variable]]:
        """The steps of the program, and its variables by their names among them."""
        lowering = Lowering(self.program, options)
        return lowering.steps(), lowering.variables()

    def is_fed(self, name: str) -> bool:
        """Tell whether the caller gives the value of a variable."""
        return name in self.variables and self.variables[name].is_data

    def is_kept(self, name: str) -> bool:
        """Tell whether the value of a variable lives in the scope."""
        return name in self.variables and self.variables[name].persistable

    def outside(self) -> dict[str, Step | None]:
        """The variables that are read before a step writes them, and their readers."""
        made, perhaps = set[str](), set[str]()
        found: dict[str, Step | None] = {}
        for step in self.steps:
            for name in step.arguments:
                if name is None or name in made:
                    continue
                if self.is_fed(name) or self.is_kept(name):
                    found.setdefault(name, step)
                elif name not in perhaps:
                    raise self.no_value(step, name)
            own = self.known if isinstance(step, Call) else step.outputs
            made.update(name for name in step.outputs if name and name in own)
            perhaps |= step.inner
        for name in [name for name in self.fetches if name not in made]:
            if self.is_fed(name) or self.is_kept(name):
                found.setdefault(name, None)
            else:
                self.refuse_fetch(name)
        return found

    def check_feeds(self, fed: set[str], outside: Mapping[str, Step | None]) -> None:
        """Require a feed of each data variable that is read, and of no other one."""
        for name in self.feeds:
            if name not in fed:
                raise self.not_given(name, outside[name])
        for name in fed & self.variables.keys():
            if not self.is_fed(name):
                raise FeedError.here(f"{name!r} is no data variable")

    def execute(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it once, telling the observers when it begins and ends."""
        run = self.run
        return self.announced(run, feed, scope) if observers else run(feed, scope)

    def announced(self, run: Run, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it in one of its ways, telling the observers."""
        announce("run_begin", self.program, feed)
        try:
            return run(feed, scope)
        finally:
            announce("run_end", self.program)

    def run(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it step by step; the scope changes only if every operator succeeds."""
        values: dict[str, Any] = {**self.checked(feed)}
        self.check_initialized(scope)
        values.update((name, scope.values[name]) for name in self.reads)
        silence.call().run(run_steps, self.steps, values)
        scope.values.update({name: values[name] for name in self.stores})
        return [values[name] for name in self.fetches]

    def checked(self, feed: Inputs) -> Inputs:
        """The fed values that are read, as arrays of the declared shapes and dtypes."""
        values = {name: feed[name] for name in self.feeds}
        for name, value in values.items():
            if not is_like(value, variable := self.variables[name]):
                values[name] = self.as_fed(variable, value)
        return values

    def as_fed(self, variable: Variable, value: Any) -> Array:
        """A fed value that was no array as one, of the declared shape and dtype."""
        if not is_like(array := np.asarray(value), variable):
            raise FeedError.here(f"{variable} got {array!r}")
        return array

    def check_initialized(self, scope: Scope) -> None:
        """Every persistable variable that is read must have a value."""
        for name in self.reads:
            if scope.values.get(name) is None:
                readers = (step for step in self.steps if name in step.arguments)
                raise self.not_initialized(name, next(readers, None))

    def refuse_fetch(self, name: str) -> None:
        """Refuse a fetch of a variable without a value by the end of a run."""
        raise FetchError.here(f"{name!r} has no value to fetch")

    def no_value(self, step: Step, name: str) -> ProgramError:
        """The error for a step that reads what nothing has given a value."""
        message = f"{step.operator.type} reads {name!r}, which has no value"
        return ProgramError.here(message, step.operator.callsite)

    def not_given(self, name: str, reader: Step | None) -> FeedError:
        """The error for a feed that is not there."""
        return FeedError.here(f"the feed has no {name!r}")

    def not_initialized(self, name: str, reader: Step | None) -> NotInitializedError:
        """The error for a persistable variable without a value."""
        return NotInitializedError.here(f"{name!r} has not been initialized")


def is_like(value: Any, variable: Variable | None) -> bool:
    """Tell whether a value is an array of a variable's declared shape and dtype."""
    exact = type(value) is np.ndarray or isinstance(value, np.generic)
    if variable is None or not exact:
        return False
    return bool(value.dtype == variable.dtype and fits(value.shape, variable.shape))


class Executor:
    """Runs programs by plans kept with them; lowerings may read its options."""

    planner: type[Plan] = Plan

    def __init__(self, **options: Any) -> None:
        self.options = options

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
        plans = program.caches.setdefault(self, {})
        try:
            plan = plans[program.version, *feed, None, *fetch_list]
        except (KeyError, TypeError):  # a list among the fetches, or a bad feed
            plan = self.plan(program, feed, fetch_list)
            with suppress(TypeError):
                plans[program.version, *feed, None, *fetch_list] = plan
        return [*map(np.array, plan.execute(feed, scope))]

    def plan(
        self, program: Program, feed: Inputs, fetch_list: Sequence[Variable | str]
    ) -> Plan:
        """The plan for these feeds and fetches, made when first needed."""
        names = [v if isinstance(v, str) else v.name for v in fetch_list]
        plans: dict[Any, Plan] = program.caches.setdefault(self, {})
        key = (program.version, *feed, None, *names)
        if key not in plans:
            for stale in [key for key in [*plans] if key[0] != program.version]:
                plans.pop(stale, None)
            plans[key] = self.new_plan(program, feed, names)
        return plans[key]

    def new_plan(self, program: Program, feed: Inputs, fetches: list[str]) -> Plan:
        """A plan for these feeds and fetches, which nobody keeps."""
        return self.planner(program, feed, fetches, **self.options)
