"""Liveness of values, and which results may reuse an input's memory.

A value is freed after its last reader. A gradient rule that asks for no more than a
shape does not keep the numbers. An op that can write its result over an input that
nobody needs after it allocates nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from teachgraph.control_flow.source import Expression, Writer, with_attrs
from teachgraph.core.op import GradOp, like
from teachgraph.core.program import Operator, Variable
from teachgraph.core.steps import Call, Step, Values
from teachgraph.planning.spare import reusable
from teachgraph.planning.statements import Statements

__all__ = ["Lifetimes", "lifetimes", "release"]

LARGE = 1 << 16
"""Values of fewer bytes are not planned: it would cost more than it saves."""

UNKNOWN = 64
"""The size assumed for an unknown dimension."""


class Lifetimes(NamedTuple):
    """Lifetimes of a program's values, step by step.

    Attributes:
        ends: The variables nobody needs after it.
        fades: Those of which only shape and dtype are needed after it.
        taken: The input that its result may be written over, None if there is none.
    """

    ends: list[list[str]]
    fades: list[list[str]]
    taken: list[str | None]


class Release:
    """`del a, b`: the step after the last use of some values.

    Attributes:
        ends: The variables that nobody needs any more.
        fades: Those of which only shape and dtype are needed from here on.
    """

    arguments = outputs = told = ()
    inner = frozenset[str]()

    def __init__(
        self, operator: Operator, ends: Sequence[str], fades: Sequence[str]
    ) -> None:
        self.operator, self.ends, self.fades = operator, ends, fades

    def run(self, values: Values) -> None:
        """Free the values."""
        for name in self.ends:
            del values[name]
        values.update((name, like(values[name])) for name in self.fades)

    def write(self, writer: Writer) -> None:
        """Write the `del`."""
        writer.release([writer.name(name) for name in self.ends])
        for name in map(writer.name, self.fades):
            writer.line(f"{name} = {writer.uses(like)}({name})")


class Overwriting:
    """A call that may write its result over an input.

    Attributes:
        call: The call.
        over: The input.
    """

    def __init__(self, call: Call, over: str) -> None:
        self.call, self.over = call, over
        self.operator, self.arguments = call.operator, call.arguments
        self.outputs, self.inner, self.told = call.outputs, call.inner, call.told

    def run(self, values: Values) -> None:
        """Run the call; only generated code writes over values."""
        self.call.run(values)

    def write(self, writer: Writer) -> None:
        """Write the call with `out=`."""
        out = Expression(f"{writer.uses(reusable)}({writer.name(self.over)})")
        writer.step(with_attrs(self.call, out=out))


def release(
    steps: Sequence[Step], kept: set[str], variables: Mapping[str, Variable]
) -> list[Step]:
    """The steps, with each value released after its last use, or written over."""
    if not any(map(large, variables.values())):
        variables = {}  # small values are not written over: nothing to know of them
    steps, with_releases = reorder_for_memory(steps, variables), list[Step]()
    for step, ends, fades, over in zip(
        steps, *lifetimes(steps, kept, variables), strict=True
    ):
        if over is not None and isinstance(step, Call):
            with_releases.append(Overwriting(step, over))
        else:
            with_releases.append(step)
        if ends or fades:
            with_releases.append(Release(step.operator, ends, fades))
    return with_releases


def reorder_for_memory(
    steps: Sequence[Step], variables: Mapping[str, Variable]
) -> Sequence[Step]:
    """The steps, with the call in place of statements where that saves memory."""
    if not any(map(large, variables.values())):
        return steps
    return [
        step.call
        if isinstance(step, Statements) and saves_memory(step, variables)
        else step
        for step in steps
    ]


def lifetimes(
    steps: Sequence[Step], kept: Collection[str], variables: Mapping[str, Variable]
) -> Lifetimes:
    """Compute the lifetimes of a program's values.

    Args:
        steps: What it runs, in order.
        kept: Variables whose values are wanted in the end.
        variables: What is known of them.
    """
    # A name that may stand for nothing does not end either.
    own = {name for step in steps for name in {*step.inner} - {*step.outputs}}
    if not any(map(large, variables.values())):
        nothing: list[list[str]] = [[] for _ in steps]
        ends = last_reads(steps, {*kept, *own}, by_shape=True)
        return Lifetimes(ends, nothing, [None for _ in steps])
    ends = last_reads(steps, {*kept, *own}, by_shape=True)
    needed = last_reads(steps, {*kept, *own}, by_shape=False)
    fades = [
        [name for name in done if name not in gone and large(variables.get(name))]
        for done, gone in zip(needed, ends, strict=True)
    ]
    taken = [
        overwritable_input(step, gone, variables)
        for step, gone in zip(steps, needed, strict=True)
    ]
    return Lifetimes(ends, fades, taken)


def last_reads(
    steps: Sequence[Step], kept: set[str], *, by_shape: bool
) -> list[list[str]]:
    """For each step, the variables that none after it reads.

    Args:
        steps: The steps.
        kept: Variables that are needed in the end.
        by_shape: Whether to count those who want the shape alone.
    """
    seen, ends = set(kept), []
    for step in reversed(steps):
        read = reads(step, by_shape=by_shape)
        done = [
            name
            for name in dict.fromkeys([*read, *step.outputs])
            if name is not None and name not in seen
        ]
        seen.update(done)
        ends.append(done)
    return ends[::-1]


def reads(step: Step, *, by_shape: bool) -> Sequence[str | None]:
    """The variables a step reads; those it asks only for a shape, if `by_shape`."""
    if not isinstance(step, Call):
        return step.arguments
    if isinstance(step, Statements):
        return step.used
    return step.arguments if by_shape else values_of(step)


def values_of(call: Call) -> Sequence[str | None]:
    """The variables whose numbers a kernel or a rule reads."""
    op = call.operator.op
    if not isinstance(op, GradOp) or not any(op.source.shape_only):
        return call.arguments
    arriving, saved = len(op.source.upstream), list(op.source.shape_only)
    listed = len(call.arguments) - arriving - len(saved) + 1  # the last may be a list
    shape_only = [False] * arriving + saved[:-1] + saved[-1:] * listed
    return list(compress(call.arguments, (not only for only in shape_only)))


def saves_memory(call: Call, variables: Mapping[str, Variable]) -> bool:
    """Tell whether a call takes less memory than the op's statements.

    It may write its result over an input, or do with the shape of a large value.
    """
    if call.operator.op.writes:
        return any(large(variables.get(name or "")) for name in call.outputs)
    only_shapes = {*call.arguments}.difference(values_of(call))
    return any(large(variables.get(name or "")) for name in only_shapes)


def large(variable: Variable | None) -> bool:
    """Tell whether a value has enough bytes to care."""
    return variable is not None and variable.spec.nbytes(UNKNOWN) >= LARGE


def overwritable_input(
    step: Step, gone: Sequence[str], variables: Mapping[str, Variable]
) -> str | None:
    """The input that a step's result may be written over."""
    if not isinstance(step, Call) or not step.operator.op.writes:
        return None
    if isinstance(step, Statements) or step.outputs[0] is None:
        return None
    if step.outputs[0] in step.arguments and not step.operator.op.inplace:
        return None
    out = variables.get(step.outputs[0])
    if out is None or out.dtype.kind != "f" or not large(out):
        return None
    fitting = (
        name
        for name in step.arguments
        if name in gone and is_like_input(name, out, step.arguments, variables)
    )
    return next(fitting, None)


def is_like_input(
    name: str | None,
    out: Variable,
    arguments: Sequence[str | None],
    variables: Mapping[str, Variable],
) -> bool:
    """Tell whether a result is like this input, whatever unknown sizes are."""
    x = variables.get(name or "")
    if x is None or x.persistable or x.is_data:
        return False
    if (x.shape, x.dtype) != (out.shape, out.dtype):
        return False
    # With unknown sizes another argument may be larger, and the result with it.
    return -1 not in x.shape or all(
        other == name or narrower(variables.get(other or ""), x) for other in arguments
    )


def narrower(other: Variable | None, x: Variable) -> bool:
    """Tell whether `other` broadcasts to the shape of x, if they broadcast at all."""
    if other is None:
        return False
    padded = (1,) * (len(x.shape) - len(other.shape)) + other.shape
    return len(padded) == len(x.shape) and all(
        size == 1 or size == wanted != -1
        for size, wanted in zip(padded, x.shape, strict=True)
    )
