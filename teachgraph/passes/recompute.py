"""Pass `recompute`: recompute values of the forward in the backward to save memory.

The forward is cut into about sqrt(n) segments of sqrt(n) operators, each cut where the
fewest bytes are live. Only these stay in memory; the rest of a segment is recomputed
right before the first gradient that needs it:

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
    create_like,
    held_by,
    once_only,
    own_moments,
    renamed,
    uses,
)
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph, has_blocks, names_of
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import NewOperator, Work
from teachgraph.static.operator import Operator, OpRole

__all__ = ["recompute"]

FEWEST = 8
"""In a shorter forward there is too little to free."""


@register("recompute")
def recompute(work: Work) -> None:
    """Compute values of the forward again in the backward, instead of keeping them.

    Random values are kept: of dropout the mask, so that the second run drops the same
    elements. A program that recomputes values already stays as it is.
    """
    graph = work.graph
    ops = [op for _, op in graph.walk()]
    back = [at for at, op in enumerate(ops) if op.role & OpRole.BACKWARD]
    if not back or back[0] < FEWEST or any(SUFFIX in name for name in graph.mentioned):
        return
    forward, later = ops[: back[0]], ops[back[0] :]
    segments = segments_of(graph, forward)
    held = kept_values(ops[: back[-1] + 1], forward, later, segments)
    backward = [ops[at] for at in back]
    readers, _ = uses(backward)
    inserted: dict[Derived, list[Derived]] = {}
    for number, segment in enumerate(reversed(segments)):
        inside = forward[segment.start : segment.stop]
        freed = {n for op in inside for n in op.output_arg_names if n not in held}
        places = sorted({at for name in freed for at in readers.get(name, ())})
        reading = [backward[at] for at in places]
        suffix = f"{SUFFIX}{number}"
        if second := recomputed_segment(work, inside, freed, reading, suffix):
            inserted[reading[0]] = [*inserted.get(reading[0], ()), *second]
    if inserted:
        backward = [o for op in later for o in (*inserted.get(op, ()), op)]
        graph.ops = [*forward, *backward]
        graph.finish()
        graph.rebuild()


def segments_of(graph: Graph, forward: Sequence[Operator]) -> list[Segment]:
    """Return all segments but the last, whose values the backward needs at once."""
    crossing, step = live_bytes(graph, forward), isqrt(len(forward))
    cuts = [0]
    while cuts[-1] + 2 * step <= len(forward):
        first = cuts[-1] + (step + 1) // 2
        window = range(first, cuts[-1] + step + step // 2 + 1)
        cuts.append(min(window, key=lambda at: (crossing[at], -at)))
    return [Segment(a, b) for a, b in itertools.pairwise(cuts)]


def live_bytes(graph: Graph, forward: Sequence[Operator]) -> list[int]:
    """Count the bytes that are live at each place: written before it, read after it."""
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


def kept_values(
    until: Sequence[Operator],
    forward: Sequence[Operator],
    later: Sequence[Operator],
    segments: Sequence[Segment],
) -> set[str]:
    """Return the values that stay: also inputs of blocks, and dropout masks."""
    drops = {op for op in forward if by_its_mask(op)}
    held = held_by(forward, segments, once_only(until) - drops)
    held.update(name for op in drops for name in op.output("Mask"))
    return held.union(*(names_of(op) for op in later if has_blocks(op)))


def by_its_mask(operator: Operator) -> bool:
    """True for a dropout with a mask: given that, it is a product."""
    return operator.type == "dropout" and bool(operator.outputs.get("Mask"))


def recomputed_segment(
    work: Work,
    segment: Sequence[Derived],
    freed: Collection[str],
    reading: Sequence[Derived],
    suffix: str,
) -> list[Derived]:
    """Copy the operators of a segment; let its readers read the recomputed values.

    Args:
        work: The pass.
        segment: The operators.
        freed: Their results that do not stay in memory.
        reading: The operators of the backward that read these.
        suffix: The suffix of the recomputed variables' names.
    """
    wanted = {name for op in reading for name in op.input_arg_names}.intersection(freed)
    needed = needed_for(segment, wanted, freed)
    instead = {name: name + suffix for name in freed}
    second = [recomputed(work, op, instead, suffix) for op in needed]
    for op in reading:
        op.inputs = renamed(op.inputs, instead)
    if second:
        work.note(needed, second, "again, before its gradient")
    return second


def needed_for(
    segment: Sequence[Derived], wanted: Collection[str], freed: Collection[str]
) -> list[Derived]:
    """Return the operators of a segment that these values depend on."""
    names, needed = set(wanted), list[Derived]()
    for op in reversed(segment):
        if not names.isdisjoint(op.output_arg_names):
            names.update(set(op.input_arg_names).intersection(freed))
            needed.append(op)
    return needed[::-1]


def recomputed(
    work: Work, operator: Derived, instead: dict[str, str], suffix: str
) -> Derived:
    """Copy an operator; it reads recomputed values, and writes variables of its own."""
    block = work.graph.block
    # batch_norm must not update its running moments a second time.
    aside = {name: name + suffix for name in own_moments(operator)}
    for name in operator.output_arg_names:
        if name in instead or name in aside:
            create_like(block, name, name + suffix)
    inputs = renamed(operator.inputs, instead)
    outputs = renamed(operator.outputs, {**instead, **aside})
    attrs = {**operator.own_attrs, "op_role": int(OpRole.BACKWARD)}
    if by_its_mask(operator):
        inputs = {"Out@GRAD": inputs["X"], "Mask": operator.output("Mask")}
        outputs = {"X@GRAD": outputs["Out"]}
    type = "dropout_grad" if by_its_mask(operator) else operator.type
    return work.derived(NewOperator(type, inputs, outputs, attrs), [operator])
