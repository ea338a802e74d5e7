"""Compute values of the forward again in the backward, so that they need not be kept.

The forward is cut into about sqrt(n) parts of sqrt(n) operators, each cut where least
flows across. Only what flows across is kept; the rest of a part is computed again right
before the first gradient that needs it:

    h = tanh(x W)                      h = tanh(x W)
    y = h V                            y = h V
    ...                         ->     ...
    dV = h' dy                         again = tanh(x W)
                                       dV = again' dy
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from math import isqrt

from teachgraph.autograd.recompute_program import (
    SUFFIX,
    Segment,
    held_by,
    like,
    once_only,
    own_moments,
    renamed,
    uses,
)
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph, has_blocks, names_of
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Step, Work
from teachgraph.static.operator import Operator, OpRole

__all__ = ["recompute"]

FEWEST = 8
"""A shorter forward is not worth it."""


@register("recompute")
def recompute(work: Work) -> None:
    """Compute values of the forward again in the backward, instead of keeping them.

    What is random is kept: of dropout its mask, by which the second run leaves out the
    same. A program that computes something again already stays as it is.
    """
    graph = work.graph
    ops = [op for _, op in graph.walk()]
    back = [at for at, op in enumerate(ops) if op.role & OpRole.BACKWARD]
    if not back or back[0] < FEWEST or any(SUFFIX in name for name in graph.mentioned):
        return
    forward, later = ops[: back[0]], ops[back[0] :]
    parts = parts_of(graph, forward)
    held = kept(ops[: back[-1] + 1], forward, later, parts)
    backward = [ops[at] for at in back]
    readers, _ = uses(backward)
    new: dict[Derived, list[Derived]] = {}
    for number, part in enumerate(reversed(parts)):
        inside = forward[part.start : part.stop]
        made = {n for op in inside for n in op.output_arg_names if n not in held}
        places = sorted({at for name in made for at in readers.get(name, ())})
        reading = [backward[at] for at in places]
        if again := part_again(work, inside, made, reading, f"{SUFFIX}{number}"):
            new[reading[0]] = [*new.get(reading[0], ()), *again]
    if new:
        graph.ops = [*forward, *(o for op in later for o in (*new.get(op, ()), op))]
        graph.finish()
        graph.settle()


def parts_of(graph: Graph, forward: Sequence[Operator]) -> list[Segment]:
    """All parts but the last, whose values are needed at once."""
    crossing, step = flow(graph, forward), isqrt(len(forward))
    cuts = [0]
    while cuts[-1] + 2 * step <= len(forward):
        first = cuts[-1] + (step + 1) // 2
        window = range(first, cuts[-1] + step + step // 2 + 1)
        cuts.append(min(window, key=lambda at: (crossing[at], -at)))
    return [Segment(a, b) for a, b in itertools.pairwise(cuts)]


def flow(graph: Graph, forward: Sequence[Operator]) -> list[int]:
    """For each place, the bytes that operators from there on read of those before."""
    readers, writers = uses(forward)
    change = [0] * (len(forward) + 1)
    for name, places in writers.items():
        last = readers.get(name, [0])[-1]
        variable = graph.variable(name)
        if last > places[0] and not variable.persistable:
            size = variable.spec.nbytes()
            change[places[0] + 1] += size
            change[last + 1] -= size
    for at in range(1, len(change)):
        change[at] += change[at - 1]
    return change


def kept(
    until: Sequence[Operator],
    forward: Sequence[Operator],
    later: Sequence[Operator],
    parts: Sequence[Segment],
) -> set[str]:
    """What stays of the forward: also what blocks read, and each mask of a dropout."""
    drops = {op for op in forward if by_its_mask(op)}
    held = held_by(forward, parts, once_only(until) - drops)
    held.update(name for op in drops for name in op.output("Mask"))
    return held.union(*(names_of(op) for op in later if has_blocks(op)))


def by_its_mask(operator: Operator) -> bool:
    """Whether it is a dropout, which given its mask is a product."""
    return operator.type == "dropout" and bool(operator.outputs.get("Mask"))


def part_again(
    work: Work,
    part: Sequence[Derived],
    made: Collection[str],
    reading: Sequence[Derived],
    suffix: str,
) -> list[Derived]:
    """The second run of one part, whose values the backward then reads instead."""
    wanted = {name for op in reading for name in op.input_arg_names}.intersection(made)
    needed = needed_for(part, wanted, made)
    instead = {name: name + suffix for name in made}
    again = [once_more(work, op, instead, suffix) for op in needed]
    for op in reading:
        op.inputs = renamed(op.inputs, instead)
    if again:
        work.note(needed, again, "again, before its gradient")
    return again


def needed_for(
    part: Sequence[Derived], wanted: Collection[str], made: Collection[str]
) -> list[Derived]:
    """The operators of a part that these values are made by."""
    names, found = set(wanted), list[Derived]()
    for op in reversed(part):
        if not names.isdisjoint(op.output_arg_names):
            names.update(set(op.input_arg_names).intersection(made))
            found.append(op)
    return found[::-1]


def once_more(
    work: Work, operator: Derived, instead: dict[str, str], suffix: str
) -> Derived:
    """The second run of an operator, on what the second run has computed."""
    block = work.graph.block
    aside = {name: name + suffix for name in own_moments(operator)}
    for name in operator.output_arg_names:
        if name in instead or name in aside:
            like(block, name, name + suffix)
    inputs = renamed(operator.inputs, instead)
    outputs = renamed(operator.outputs, {**instead, **aside})
    attrs = {**operator.own_attrs, "op_role": int(OpRole.BACKWARD)}
    if by_its_mask(operator):
        inputs = {"Out@GRAD": inputs["X"], "Mask": operator.output("Mask")}
        outputs = {"X@GRAD": outputs["Out"]}
    type = "dropout_grad" if by_its_mask(operator) else operator.type
    return work.step(Step(type, inputs, outputs, attrs), [operator])
