"""Plans of the public executor: walked at first, written down for what runs again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from teachgraph.core.errors import FetchError
from teachgraph.core.executor import Inputs, Scope
from teachgraph.core.observe import observers
from teachgraph.core.program import Program
from teachgraph.core.steps import Call
from teachgraph.planning.lifetimes import LARGE, UNKNOWN
from teachgraph.planning.refusals import Refusals
from teachgraph.planning.written import WrittenPlan, followed

__all__ = ["AnyFeedPlan", "Plan"]

ProgramPass = Callable[[Any, Sequence[str]], Any]


class Plan(Refusals):
    """A plan that is walked in its first run, and written down before its second.

    To rewrite a program and to generate its code takes longer than to walk over it
    once. What somebody follows is walked as it stands in the program.

    Attributes:
        passes: Rewrite the program (`program, fetches -> program`) that is written
            down; None if it never is.
        options: What lowerings of extensions may ask for.
        unknown: Names that were fed and that the program does not have.
        branches: Whether a value may be missing at the end of a run.
        ready: Whether it may run as Python: once it has run, if it ever may. A program
            of large values may at once: generated code lets go of them after their last
            use, a walk does not.
    """

    def __init__(
        self,
        program: Program,
        fed: Iterable[str],
        fetches: Iterable[str],
        passes: Sequence[ProgramPass] | None = (),
        **options: Any,
    ) -> None:
        super().__init__(program, fed, fetches, **options)
        self.passes, self.options = passes, options
        self.unknown = sorted({*fed} - self.variables.keys())
        self.branches = not all(isinstance(step, Call) for step in self.steps)
        sizes = (v.spec.nbytes(UNKNOWN) for v in self.variables.values())
        self.ready = passes is not None and max(sizes, default=0) >= LARGE

    @cached_property
    def written(self) -> WrittenPlan:
        """The program as Python, after the passes."""
        running: Program = self.program
        for rewrite in self.passes or ():
            running = rewrite(running, self.fetches)
        plan = WrittenPlan(running, self.feeds, self.fetches, **self.options)
        plan.program = self.program
        return plan

    def execute(self, feed: Inputs, scope: Scope) -> list[Any]:
        """Run it once, as a walk or as Python.

        Raises:
            FeedError: A feed is of the wrong shape or dtype.
            FetchError: What is fetched is in a branch that was not taken.
            NotInitializedError: A persistable variable has no value yet.
            OpError: An operator cannot take its inputs.
        """
        if self.unknown:
            warn_of_unknown(self.unknown[0])
        if observers and (followed(self.program) or self.passes is None):
            values = self.announced(self.run, feed, scope)
        else:
            plan = self.written if self.ready or observers else self
            values = plan.run(feed, scope)
        self.ready = self.passes is not None
        if self.branches:
            check_taken(self.fetches, values)
        return values


def warn_of_unknown(name: str) -> None:
    """Warn the caller of `Executor.run` of a feed that the program does not have."""
    warnings.warn(
        f"The variable {name} is not found in program. It is not declared or is "
        "pruned.",
        stacklevel=5,
    )


class AnyFeedPlan(Plan):
    """A plan that is fed variables that are no data, as Paddle allows.

    What an operator writes first is overwritten; a parameter keeps what it was fed. It
    is only walked: rewriting programs and planning their memory take feeds to be data.

    Attributes:
        fed_names: The names that were fed.
    """

    def __init__(
        self, program: Program, fed: Iterable[str], fetches: Iterable[str], **more: Any
    ) -> None:
        self.fed_names = frozenset(fed)
        super().__init__(program, self.fed_names, fetches, **more | {"passes": None})
        kept = filter(self.is_kept, self.feeds)
        self.stores += [name for name in kept if name not in self.stores]

    def is_fed(self, name: str) -> bool:
        """Tell whether the caller gives the value of a variable, data or not."""
        fed = name in self.fed_names and name in self.variables
        return fed or super().is_fed(name)

    def checked(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fed values that are read; a copy of those that stay in the scope."""
        values = super().checked(feed)
        kept = filter(self.is_kept, self.feeds)
        return {**values, **{name: np.array(values[name]) for name in kept}}


def check_taken(fetches: Sequence[str], values: Sequence[Any]) -> None:
    """Refuse a fetch of a variable that only a branch writes that was not taken.

    Raises:
        FetchError: There is one.
    """
    for name, value in zip(fetches, values, strict=True):
        if value is None:
            raise FetchError.here(
                f"{name!r} has no value: the branch that writes it was not taken; "
                "fetch what cond returned"
            )
