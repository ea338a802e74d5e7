"""Plans written down as Python, with NumPy where the program's declarations hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from functools import cached_property
from operator import attrgetter
from typing import Any

import teachgraph.ops.statements  # noqa: F401  registers what the core's ops come to
from teachgraph.control_flow.source import Code
from teachgraph.core.executor import Inputs, Scope, is_like, silence
from teachgraph.core.observe import observers
from teachgraph.core.op import SILENT
from teachgraph.core.steps import Step, cause_of, failed
from teachgraph.ops.foreign import is_foreign
from teachgraph.planning.lifetimes import release
from teachgraph.planning.memory import MemoryPlan, memory_plan
from teachgraph.planning.refusals import Refusals
from teachgraph.planning.statements import StatementWriter, with_statements

__all__ = ["WrittenPlan"]

spec_of = attrgetter("shape", "dtype", "__class__")


class WrittenPlan(Refusals):
    """A plan that runs as one Python function, and whose memory can be planned.

    NumPy statements in place of calls check less than kernels: they are run on arrays
    of the shapes and dtypes that the program declares, compared before each run. Whom
    somebody follows runs step by step.

    Attributes:
        fitted: Shapes and dtypes of the feeds and the `reads` that fitted last.
        compares: False if whoever runs it has compared all that it reads.
    """

    fitted: Sequence[Any] = ()
    compares = True

    def execute(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it once, step by step if somebody follows."""
        if observers and followed(self.program):
            return self.announced(super().run, feed, scope)
        return self.run(feed, scope)

    def run(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run its code; the scope changes only if every operator succeeds.

        Raises:
            FeedError: A feed is of the wrong shape or dtype.
            NotInitializedError: A persistable variable has no value yet.
            OpError: An operator cannot take its inputs.
        """
        values = scope.values
        feed, code = self.prepared(feed, values) if self.compares else (feed, self.code)
        try:
            fetched, stored = self.context().run(code.function, feed, values)
        except Exception as error:
            self.check_initialized(scope)
            raise failed_at(error, code) from cause_of(error)
        values.update(stored)
        return fetched  # type: ignore[no-any-return]

    @cached_property
    def context(self) -> Callable[[], Context]:
        """Make the context of a run: with its caller, if the user's code may ask."""
        foreign = any(is_foreign(op.op) for b in self.program.blocks for op in b.ops)
        return silence.call if foreign else SILENT.copy

    @cached_property
    def settled(self) -> list[Step]:
        """The steps, with NumPy statements where shapes and dtypes are certain."""
        names = (*self.feeds, *self.reads)
        declared = {
            name: self.variables[name] for name in names if name in self.variables
        }
        return with_statements(self.steps, declared, self.known)

    @cached_property
    def code(self) -> Code:
        """The plan as Python, for values that are as the program declares them."""
        return self.written_down(self.settled)

    @cached_property
    def careful(self) -> Code:
        """The plan as Python in which each kernel is called, and checks its inputs."""
        return self.written_down(self.steps)

    @property
    def source(self) -> str:
        """The text of the program as Python."""
        return self.code.source

    def written_down(self, steps: Sequence[Step]) -> Code:
        """Steps as Python, in which each value is released after its last use."""
        writer = StatementWriter(self.fetches)
        for name in self.feeds:
            writer.line(f"{writer.name(name)} = feed[{name!r}]")
        for name in self.reads:
            writer.line(f"{writer.name(name)} = scope[{name!r}]")
        for step in release(steps, {*self.fetches, *self.stores}, self.known):
            writer.step(step)
        fetched = ", ".join(map(writer.name, self.fetches))
        stored = ", ".join(f"{n!r}: {writer.name(n)}" for n in self.stores)
        writer.line(f"return [{fetched}], {{{stored}}}")
        return writer.code()

    def prepared(self, feed: Inputs, values: Inputs) -> tuple[Inputs, Code]:
        """The feed as declared, and the code for what the scope holds."""
        arrays = [*map(feed.get, self.feeds), *map(values.get, self.reads)]
        try:
            if [*map(spec_of, arrays)] == self.fitted:
                return feed, self.code
        except AttributeError:  # a list of numbers, or no value at all
            pass
        if not self.as_declared(feed, values):
            feed = self.checked(feed)
            return feed, self.code if self.as_declared(feed, values) else self.careful
        self.fitted = [*map(spec_of, arrays)]
        return feed, self.code

    def as_declared(self, feed: Inputs, values: Inputs) -> bool:
        """Compare all that is read with the shapes and dtypes the program declares."""
        arrays = [*map(feed.get, self.feeds), *map(values.get, self.reads)]
        declared = map(self.variables.get, [*self.feeds, *self.reads])
        return all(map(is_like, arrays, declared))

    def memory(self, fed: Mapping[str, Sequence[int]]) -> MemoryPlan:
        """Plan the memory of a run with feeds of these shapes."""
        kept = {*self.fetches, *self.stores}
        return memory_plan(self.settled, kept, self.known, fed)


def failed_at(error: Exception, code: Code) -> Exception:
    """Find the step whose line of generated code raised an error; build its own."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code is not code.function.__code__:
        frame = frame.tb_next
    step = None if frame is None else code.steps.get(frame.tb_lineno)
    if frame is None or step is None:
        return error
    local = frame.tb_frame.f_locals
    return failed(step, {n: local.get(i) for i, n in code.names.items()}, error)


def followed(program: Any) -> bool:
    """True if some observer wants to be told of the next run of `program`."""
    wanted = False
    for observer in observers:  # all of them: some count the runs they are asked about
        wanted |= observer.follows(program)
    return wanted
