"""Steps of branches and loops: Python's own `if`, `while` and `for`.

Each kind of control flow can be walked by the interpreter and written down by the code
generator. A loop saves the values of each iteration that its backward needs, which
reads them in reverse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.control_flow.ops import count_iteration
from teachgraph.core.observe import announce, observers
from teachgraph.core.program import Operator
from teachgraph.core.steps import Step, Values, run_steps
from teachgraph.ops.tensor_array import zeros_like

if TYPE_CHECKING:
    from teachgraph.control_flow.source import Writer

__all__ = ["BackBranch", "BackLoop", "Branch", "Flow", "Loop", "Rounds"]

BEFORE = "@BEFORE"
"""Ends the name of a loop variable's value at the beginning of a round."""


@dataclass
class Flow:
    """Base of all steps of control flow.

    Attributes:
        operator: The operator.
        body: What its block runs.
    """

    operator: Operator
    body: list[Step]

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        raise NotImplementedError

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it, whichever path was taken."""
        raise NotImplementedError

    @property
    def inner(self) -> set[str]:
        """Variables that have a value after it only on some paths."""
        return inner_of(self.body)

    @property
    def told(self) -> list[str | None]:
        """Variables that decide on the path, for messages."""
        return []

    def run(self, values: Values) -> None:
        """Run it on these values, and tell the observers."""
        self.execute(values)
        if observers:
            named = {n: values[n] for n in self.outputs if n is not None}
            kinds = (np.ndarray, np.generic)  # an op may return a number of NumPy's
            arrays = {n: v for n, v in named.items() if isinstance(v, kinds)}
            announce("run_op", self.operator, arrays)

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        raise NotImplementedError

    def write(self, writer: Writer) -> None:
        """Write it down."""
        raise NotImplementedError


def inner_of(steps: Iterable[Step]) -> set[str]:
    """Every variable that these steps may write."""
    names: set[str] = set()
    for step in steps:
        names.update(name for name in step.outputs if name is not None)
        names |= step.inner
    return names


def read_outside(steps: Iterable[Step]) -> list[str]:
    """Variables that these steps read before one of them has written them."""
    written: set[str] = set()
    read: dict[str, None] = {}
    for step in steps:
        for name in step.arguments:
            if name is not None and name not in written:
                read[name] = None
        written |= inner_of([step])
    return list(read)


@dataclass
class Branch(Flow):
    """`if condition:` the body, which gives the outputs their values.

    Attributes:
        condition: One boolean.
        outs: The outputs.
        kept: Those that keep the value they have if the branch is not taken; the others
            are None then.
    """

    condition: str
    outs: list[str]
    kept: list[str]

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        return [self.condition, *read_outside(self.body), *self.kept]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it, whichever path was taken."""
        return list(self.outs)

    @property
    def told(self) -> list[str | None]:
        """Variables that decide on the path, for messages."""
        return [self.condition]

    def missing(self, needed: set[str]) -> list[str]:
        """Variables that are None if the branch is not taken."""
        others = sorted((self.inner & needed) - {*self.outs})
        return [name for name in [*self.outs, *others] if name not in self.kept]

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        if values[self.condition]:
            run_steps(self.body, values)
        else:
            values.update(dict.fromkeys(self.missing(self.inner)))

    def write(self, writer: Writer) -> None:
        """Write it down."""
        writer.line(f"if {writer.name(self.condition)}:", self, comment=True)
        writer.body(self.body)
        if missing := self.missing(writer.wanted):
            writer.line("else:")
            writer.line(f"    {' = '.join(map(writer.name, missing))} = None")


@dataclass
class BackBranch(Flow):
    """Backward of a branch: its gradient block if it was taken, else zeros.

    Attributes:
        condition: The branch's condition.
        gradients: For each gradient wanted: its name, what the block calls it (None if
            the branch does not depend on the variable), and the variable.
    """

    condition: str
    gradients: list[tuple[str, str | None, str]]

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        likes = [like for _, _, like in self.gradients]
        return [self.condition, *read_outside(self.body), *likes]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it, whichever path was taken."""
        return [name for name, _, _ in self.gradients]

    @property
    def told(self) -> list[str | None]:
        """Variables that decide on the path, for messages."""
        return [self.condition]

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        taken = bool(values[self.condition])
        if taken:
            run_steps(self.body, values)
        for name, inner, like in self.gradients:
            reached = inner is not None and taken
            values[name] = values[inner or ""] if reached else zeros_like(values[like])

    def write(self, writer: Writer) -> None:
        """Write it down."""
        name = writer.name
        writer.line(f"if {name(self.condition)}:", self, comment=True)
        writer.body(self.body)
        for out, inner, like in self.gradients:
            gradient = zeros_of(writer, like) if inner is None else name(inner)
            if name(out) != gradient:
                writer.line(f"    {name(out)} = {gradient}")
        if self.gradients:
            writer.line("else:")
        for out, _, like in self.gradients:
            writer.line(f"    {name(out)} = {zeros_of(writer, like)}")


def zeros_of(writer: Writer, like: str) -> str:
    """Zeros like a variable, as text."""
    return f"{writer.uses(zeros_like)}({writer.name(like)})"


def tuple_of(writer: Writer, names: Iterable[str]) -> str:
    """Variables as a tuple, as text."""
    texts = [writer.name(name) for name in names]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


@dataclass
class Rounds(Flow):
    """Base of the steps of loops: saves values of each iteration for backward.

    Attributes:
        scopes: The step scopes: a list of the values saved of each iteration.
        has_backward: Whether there is a backward, for which it saves values.
        saved: The names of these values.
    """

    scopes: str
    has_backward: bool = field(default=False, kw_only=True)
    saved: dict[str, None] = field(default_factory=dict, kw_only=True)

    def keep_for(self, body: Iterable[Step], before: Iterable[str] = ()) -> None:
        """Save the values of each iteration that a backward reads.

        Args:
            body: The backward of an iteration.
            before: The variables that an iteration's end assigns: saved is their value
                before that.
        """
        self.has_backward = True
        first = {name + BEFORE: name for name in before}
        inner = self.inner - {*first.values()}
        for name in read_outside(body):
            if name in first:
                self.saved[first[name]] = None
            elif name in inner:
                self.saved[name] = None

    def kept_of(self, values: Values) -> tuple[Any, ...]:
        """Values saved of one iteration."""
        return tuple(values.get(name) for name in self.saved)

    def write_kept(self, writer: Writer) -> None:
        """Write the statement that saves them."""
        if self.has_backward:
            kept = tuple_of(writer, self.saved)
            writer.line(f"    {writer.name(self.scopes)}.append({kept})")


@dataclass
class Loop(Rounds):
    """`while condition:` the body.

    Attributes:
        start: Each loop variable, the condition among them, and its first value.
        condition: The loop variable that decides whether there is another iteration.
        ends: The number of assignments of loop variables at the body's end.
        limit: The largest number of iterations, None for any.
    """

    start: list[tuple[str, str]]
    condition: str
    ends: int
    limit: int | None

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        own = {name for name, _ in self.start}
        read = [name for name in read_outside(self.body) if name not in own]
        return [*(first for _, first in self.start), *read]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it, whichever path was taken."""
        scopes = [self.scopes] if self.has_backward else []
        return [*(name for name, _ in self.start), *scopes]

    @property
    def told(self) -> list[str | None]:
        """Variables that decide on the path, for messages."""
        return [self.condition]

    @property
    def parts(self) -> tuple[list[Step], list[Step]]:
        """The steps of an iteration, and the assignments at its end."""
        middle = len(self.body) - self.ends
        return self.body[:middle], self.body[middle:]

    def execute(self, values: Values) -> None:
        """Run it on these values.

        Values are saved before the assignments at the end: backward reads what a loop
        variable was at the beginning of the iteration.
        """
        values.update([(name, values[first]) for name, first in self.start])
        scopes: list[Any] = []
        values[self.scopes] = scopes
        work, ends = self.parts
        rounds = 0
        while values[self.condition]:
            if self.limit is not None:
                rounds = count_iteration(rounds, self.limit)
            run_steps(work, values)
            if self.has_backward:
                scopes.append(self.kept_of(values))
            run_steps(ends, values)

    def write(self, writer: Writer) -> None:
        """Write it down."""
        name = writer.name
        for loop_variable, first in self.start:
            if loop_variable != first:
                writer.line(f"{name(loop_variable)} = {name(first)}")
        # A branch of the body then sets what is saved to None where it is not taken.
        writer.wanted |= self.saved.keys()
        if self.has_backward:
            writer.line(f"{name(self.scopes)} = []")
        rounds = None if self.limit is None else writer.fresh("rounds")
        if rounds:
            writer.line(f"{rounds} = 0")
        writer.line(f"while {name(self.condition)}:", self, comment=True)
        if rounds:
            count = (
                f"{rounds} = {writer.uses(count_iteration)}({rounds}, {self.limit!r})"
            )
            writer.line(f"    {count}", self)
        work, ends = self.parts
        writer.body(work, empty=not self.body)
        self.write_kept(writer)
        writer.body(ends, empty=False)


@dataclass
class BackLoop(Flow):
    """Backward of a loop: a `for` over the saved iterations, last first.

    Attributes:
        loop: The loop.
        seeds: For each loop variable with a gradient the names of three: its upstream
            gradient in an iteration, that after the loop, and the gradient of its
            value before the iteration.
        carried: For each gradient wanted of a first value: its name, and that of the
            loop variable's upstream gradient.
        sums: For each gradient wanted of a captured variable: its name, that of an
            iteration's part (None if there is none), and the variable.
    """

    loop: Loop
    seeds: list[tuple[str, str, str]]
    carried: list[tuple[str, str]]
    sums: list[tuple[str, str | None, str]]

    def keep(self) -> None:
        """Let the loop save the values that this reads of each iteration."""
        self.loop.keep_for(self.body, [name for name, _ in self.loop.start])

    @property
    def kept(self) -> list[str]:
        """Names of an iteration's saved values in the block of the gradient."""
        own = {name for name, _ in self.loop.start}
        return [name + BEFORE if name in own else name for name in self.loop.saved]

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        set_per_iteration = {*self.kept, *(after for after, _, _ in self.seeds)}
        read = [
            name for name in read_outside(self.body) if name not in set_per_iteration
        ]
        arrive = [arrives for _, arrives, _ in self.seeds]
        likes = [like for _, _, like in self.sums]
        return [self.loop.scopes, *arrive, *likes, *read]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it, whichever path was taken."""
        return [name for name, *_ in (*self.carried, *self.sums)]

    @property
    def inner(self) -> set[str]:
        """Variables that have a value after it only on some paths."""
        after = (name for name, _, _ in self.seeds)
        return inner_of(self.body) | {*self.kept, *after}

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        values.update([(after, values[arrives]) for after, arrives, _ in self.seeds])
        # Zeros, as the loop may have run no iteration at all.
        totals = {name: zeros_like(values[like]) for name, _, like in self.sums}
        for step in reversed(values[self.loop.scopes]):
            values.update(zip(self.kept, step, strict=True))
            run_steps(self.body, values)
            for name, part, _ in self.sums:
                if part is not None:
                    totals[name] = totals[name] + values[part]
            values.update([(after, values[dx]) for after, _, dx in self.seeds])
        values.update([(name, values[after]) for name, after in self.carried])
        values.update(totals)

    def write(self, writer: Writer) -> None:
        """Write it down."""
        name = writer.name
        for after, arrives, _ in self.seeds:
            writer.line(f"{name(after)} = {name(arrives)}")
        totals = [writer.fresh(f"total_{name(out)}") for out, _, _ in self.sums]
        for total, (_, _, like) in zip(totals, self.sums, strict=True):
            writer.line(f"{total} = {zeros_of(writer, like)}")
        kept = tuple_of(writer, self.kept) if self.kept else "_"
        scopes = name(self.loop.scopes)
        writer.line(f"for {kept} in reversed({scopes}):", self, comment=True)
        writer.body(self.body)
        for total, (_, part, _) in zip(totals, self.sums, strict=True):
            if part is not None:
                sum_ = f"{total} = {total} + {name(part)}"
                writer.line(f"    {sum_}", self)
        for after, _, dx in self.seeds:
            writer.line(f"    {name(after)} = {name(dx)}")
        for out, after in self.carried:
            writer.line(f"{name(out)} = {name(after)}")
        for total, (out, _, _) in zip(totals, self.sums, strict=True):
            writer.line(f"{name(out)} = {total}")
