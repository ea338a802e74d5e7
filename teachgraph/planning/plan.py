"""Plans whose generated code is NumPy where the program's declarations hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import teachgraph.ops.statements  # registers what the core's ops come to
import teachgraph.planning.lifetimes  # noqa: F401  registers when values are released
from teachgraph.control_flow.random_rounds import prepare_seeds
from teachgraph.core.executor import Inputs, is_like
from teachgraph.core.program import Program
from teachgraph.core.source import Code
from teachgraph.core.steps import Step
from teachgraph.planning.feeds import as_fed
from teachgraph.planning.memory import MemoryPlan, memory_plan
from teachgraph.planning.refusals import Refusals
from teachgraph.planning.statements import StatementWriter, with_statements

__all__ = ["Plan"]

spec_of = attrgetter("shape", "dtype", "__class__")


class Plan(Refusals):
    """A plan with NumPy statements in place of calls, and whose memory can be planned.

    Statements check less than kernels: they are run on arrays of the shapes and dtypes
    that the program declares, compared before each run.

    Attributes:
        fed, held: Shapes and dtypes of feeds and of `reads` that fitted last.
    """

    writer = StatementWriter

    @classmethod
    def of(cls, program: Program, *args: Any, **options: Any) -> Self:
        """The plan of a program; random operators of a seeded one get their seeds."""
        prepare_seeds(program)
        return super().of(program, *args, **options)

    fed: Sequence[Any] = ()
    held: Sequence[Any] = ()

    @cached_property
    def settled(self) -> list[Step]:
        """The steps, with NumPy statements where shapes and dtypes are certain."""
        names = (*self.feeds, *self.reads)
        given = {name: self.variables[name] for name in names if name in self.variables}
        return with_statements(self.steps, given, self.known)

    @cached_property
    def code(self) -> Code:
        """The plan as Python, for values that are as the program declares them."""
        return self.written_down(self.settled)

    @cached_property
    def careful(self) -> Code:
        """The plan as Python in which each kernel is called, and checks its inputs."""
        return self.written_down(self.steps)

    def prepared(self, feed: Inputs, values: Inputs) -> tuple[Inputs, Code]:
        """The feed as declared, and the code for what the scope holds."""
        try:
            if [*map(spec_of, map(feed.get, self.feeds))] == self.fed and [
                *map(spec_of, map(values.get, self.reads))
            ] == self.held:
                return feed, self.code
        except AttributeError:  # a list of numbers, or no value at all
            pass
        if not self.as_declared(feed, values):
            feed = self.checked(feed)
            return feed, self.code if self.as_declared(feed, values) else self.careful
        self.fed = [spec_of(feed[name]) for name in self.feeds]
        self.held = [spec_of(values[name]) for name in self.reads]
        return feed, self.code

    def checked(self, feed: Inputs) -> Inputs:
        """The fed values that are read, as arrays of the declared shapes and dtypes.

        Raises:
            FeedError: One is of another shape or dtype.
        """
        values = {name: feed[name] for name in self.feeds}
        for name, value in values.items():
            if not is_like(value, variable := self.variables[name]):
                values[name] = as_fed(variable, value)
        return values

    def as_declared(self, feed: Inputs, values: Inputs) -> bool:
        """Compare all that is read with the shapes and dtypes the program declares."""
        given = [*map(feed.get, self.feeds), *map(values.get, self.reads)]
        declared = map(self.variables.get, [*self.feeds, *self.reads])
        return all(map(is_like, given, declared))

    def memory(self, fed: Mapping[str, Sequence[int]]) -> MemoryPlan:
        """Plan the memory of a run with feeds of these shapes."""
        kept = {*self.fetches, *self.stores}
        return memory_plan(self.settled, kept, self.known, fed)
