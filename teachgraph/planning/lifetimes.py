"""How long values are needed, and which results may take over an input's memory.

A value goes after its last reader. A gradient rule that asks for no more than a shape
does not keep the numbers. And where an op can write over an input that nobody needs
after it, it need not ask for memory at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from teachgraph.control_flow.flow import Flow, Step
from teachgraph.core.call import Call
from teachgraph.core.program import Variable

__all__ = ["Lifetimes", "lifetimes"]

LARGE = 1 << 16
"""Of fewer bytes it costs more to take care than it saves."""

UNKNOWN = 64
"""What an unknown size is taken for."""


class Lifetimes(NamedTuple):
    """How long each value of a program is needed, told for each step.

    Attributes:
        ends: The variables nobody needs after it.
        fades: Those of which only shape and dtype are needed after it.
        taken: The input that its result may be written over, None if there is none.
    """

    ends: list[list[str]]
    fades: list[list[str]]
    taken: list[str | None]


def lifetimes(
    steps: Sequence[Step], kept: Collection[str], variables: Mapping[str, Variable]
) -> Lifetimes:
    """How long the values of a program are needed.

    Args:
        steps: What it runs, in order.
        kept: Variables whose values are wanted in the end.
        variables: What is known of them.
    """
    # Nor does a name end that may stand for nothing.
    own = [name for step in steps if isinstance(step, Flow) for name in unsure(step)]
    ends = last(steps, {*kept, *own}, by_shape=True)
    needed = last(steps, {*kept, *own}, by_shape=False)
    fades = [
        [name for name in done if name not in gone and large(variables.get(name))]
        for done, gone in zip(needed, ends, strict=True)
    ]
    taken = [
        over(step, gone, variables) for step, gone in zip(steps, needed, strict=True)
    ]
    return Lifetimes(ends, fades, taken)


def unsure(flow: Flow) -> set[str]:
    """What has a value after a branch or a loop only if it went that way."""
    return flow.inner - {name for name in flow.outputs if name is not None}


def last(steps: Sequence[Step], kept: set[str], *, by_shape: bool) -> list[list[str]]:
    """For each step, the variables that none after it reads.

    Args:
        steps: The steps.
        kept: Variables that are needed in the end.
        by_shape: Whether to count those who want the shape alone.
    """
    seen, found = set(kept), []
    for step in reversed(steps):
        read = step.arguments if by_shape else values_of(step)
        done = [
            name
            for name in dict.fromkeys([*read, *step.outputs])
            if name is not None and name not in seen
        ]
        seen.update(done)
        found.append(done)
    return found[::-1]


def values_of(step: Step) -> Sequence[str | None]:
    """The variables whose numbers a step reads."""
    if isinstance(step, Flow) or not any(step.by_shape):
        return step.arguments
    return list(compress(step.arguments, (not only for only in step.by_shape)))


def large(variable: Variable | None) -> bool:
    """Whether a value has enough bytes to care."""
    return variable is not None and variable.spec.nbytes(UNKNOWN) >= LARGE


def over(
    step: Step, gone: Sequence[str], variables: Mapping[str, Variable]
) -> str | None:
    """The input that a step's result may be written over."""
    if not isinstance(step, Call) or not step.writes or step.outputs[0] is None:
        return None
    if step.outputs[0] in step.arguments:
        return None
    out = variables.get(step.outputs[0])
    if out is None or out.dtype.kind != "f" or not large(out):
        return None
    fitting = (
        name
        for name in step.arguments
        if name in gone and fits(name, out, step.arguments, variables)
    )
    return next(fitting, None)


def fits(
    name: str | None,
    out: Variable,
    arguments: Sequence[str | None],
    variables: Mapping[str, Variable],
) -> bool:
    """Whether a result is like this input, whatever unknown sizes turn out to be."""
    x = variables.get(name or "")
    if x is None or x.persistable or x.is_data:
        return False
    if (x.shape, x.dtype) != (out.shape, out.dtype):
        return False
    return -1 not in x.shape or all(
        other == name or narrower(variables.get(other or ""), x) for other in arguments
    )


def narrower(other: Variable | None, x: Variable) -> bool:
    """Whether `other` broadcasts to the shape of x, if they broadcast at all."""
    if other is None:
        return False
    padded = (1,) * (len(x.shape) - len(other.shape)) + other.shape
    return len(padded) == len(x.shape) and all(
        size == 1 or size == wanted != -1
        for size, wanted in zip(padded, x.shape, strict=True)
    )
