"""Recomputation in a program: parts of the forward run again where their gradient is.

Checkpoints cut the forward into segments. What is computed inside a segment is let go,
and before the gradients of a segment are computed its operators run a second time, from
the checkpoint before it. With a checkpoint every sqrt(n) layers of n, the values kept
grow as sqrt(n) instead of n, for one more forward (Chen et al., 2016).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from teachgraph.core import unique_name
from teachgraph.core.backward import Backward, Visit, Wrapper
from teachgraph.core.program import Block, Operator, OpRole, Slots
from teachgraph.ops.dropout import drawn_seed
from teachgraph.ops.foreign import is_foreign

__all__ = [
    "SUFFIX",
    "Recompute",
    "Segment",
    "create_like",
    "held_by",
    "once_only",
    "own_moments",
    "recomputing",
    "renamed",
    "uses",
]

SUFFIX = ".subprog_"


class Segment(NamedTuple):
    """Operators between two checkpoints: places from `start` on, before `stop`."""

    start: int
    stop: int


class Recompute:
    """The segments of a forward pass that run again before their gradients, last first.

    Attributes:
        block: Where they run again.
        operators: The forward's operators.
        left: The segments that have not yet run again.
        done: How many have.
        held: The variables that are kept from the forward.
        instead: For a variable that is not, what the second run calls it.
    """

    def __init__(
        self, block: Block, operators: Sequence[Operator], checkpoints: Collection[str]
    ) -> None:
        self.block = block
        self.operators = with_seeds(block, operators)
        segments = recompute_segments(self.operators, checkpoints)
        once = once_only(block.ops)
        self.held = held_by(self.operators, segments, once) | set(checkpoints)
        self.left, self.done, self.instead = segments, 0, dict[str, str]()
        self.places = {op: at for at, op in enumerate(self.operators)}
        for number, segment in enumerate(reversed(segments)):
            self.name(segment, f"{SUFFIX}{number}")

    def name(self, segment: Segment, suffix: str) -> None:
        """Make a variable for each value that the second run of a segment computes."""
        for operator in self.operators[segment.start : segment.stop]:
            for name in ordered_names(operator):
                if name not in self.held and name not in self.instead:
                    self.instead[name] = name + suffix
                    create_like(self.block, name, name + suffix)

    def reach(self, operator: Operator) -> None:
        """Run the segments again that the gradient of an operator goes back into."""
        while self.left and self.places[operator] < self.left[-1].stop:
            segment = self.left.pop()
            for again in self.operators[segment.start : segment.stop]:
                if not self.held.issuperset(again.output_arg_names):
                    repeat(again, self.block, self.instead, f"{SUFFIX}{self.done}")
            self.done += 1


def recomputing(checkpoints: Collection[str]) -> Wrapper:
    """Wrap a reverse pass: it computes again what lies between checkpoints."""

    def wrap(backward: Backward, visit: Visit) -> Visit:
        passed = [
            operator
            for operator in backward.path
            if not backward.live.isdisjoint(operator.output_arg_names)
        ]
        recompute = Recompute(backward.block, passed, checkpoints)
        backward.saved = recompute.instead

        def visit_recomputed(operator: Operator, wanted: Sequence[str]) -> None:
            recompute.reach(operator)
            visit(operator, wanted)

        return visit_recomputed

    return wrap


def recompute_segments(
    operators: Sequence[Operator], checkpoints: Collection[str]
) -> list[Segment]:
    """The parts to run again: up to the first checkpoint, and from each to the next.

    What comes after the last checkpoint is needed at once, so it is kept.
    """
    readers, writers = uses(operators)
    known = [name for name in checkpoints if name in readers or name in writers]
    order = sorted(set(known), key=lambda name: writers.get(name, [-1])[-1])
    if len(order) == 1:
        last = writers.get(order[0], [-1])[-1]
        return [Segment(0, last + 1)] if last > 0 else []
    segments = []
    for first, second in itertools.pairwise(order):
        start = readers.get(first, [len(operators)])[0]
        last = writers.get(second, [-1])[-1]
        if start < last:
            segments.append(Segment(start, last + 1))
    if segments and segments[0].start > 0:
        segments.insert(0, Segment(0, segments[0].start))
    return segments


def uses(
    operators: Sequence[Operator],
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The places where each variable is read, and those where it is written."""
    readers: dict[str, list[int]] = {}
    writers: dict[str, list[int]] = {}
    for at, operator in enumerate(operators):
        for name in operator.input_arg_names:
            readers.setdefault(name, []).append(at)
        for name in operator.output_arg_names:
            writers.setdefault(name, []).append(at)
    return readers, writers


def held_by(
    operators: Sequence[Operator], parts: Sequence[Segment], once: Collection[Operator]
) -> set[str]:
    """The variables that are kept, besides checkpoints.

    They come from outside, live on, go from one segment into another, or cannot be
    computed a second time.
    """
    readers, writers = uses(operators)
    held = {name for name in readers if name not in writers}
    for start, stop in parts:
        for operator in operators[start:stop]:
            held.update(
                name
                for name in operator.output_arg_names
                if readers.get(name, [-1])[-1] >= stop
            )
            held.update(
                name
                for name in operator.input_arg_names
                if writers.get(name, [start])[0] < start
            )
    for operator in operators:
        names = {*operator.input_arg_names, *operator.output_arg_names}
        held.update(n for n in names if operator in once or outlives_run(operator, n))
    return held


def once_only(operators: Sequence[Operator]) -> set[Operator]:
    """The operators that run once: the second time they would do something else.

    They read what is written later, draw random numbers, or call the user's function.
    """
    unrepeatable, written = set(), set[str]()
    for operator in reversed(operators):
        read = set(operator.input_arg_names) - own_moments(operator)
        if not written.isdisjoint(read) or not repeatable(operator):
            unrepeatable.add(operator)
        written.update(operator.output_arg_names)
    return unrepeatable


def repeatable(operator: Operator) -> bool:
    """Say if an operator may run twice: no randomness, no side effect."""
    if operator.attrs.get("sub_block") is not None or is_foreign(operator.op):
        return False
    if operator.op.random and not operator.inputs.get("Seed"):
        return False
    written = set(operator.output_arg_names) - own_moments(operator)
    return not any(outlives_run(operator, name) for name in written)


def outlives_run(operator: Operator, name: str) -> bool:
    """Say if a variable outlives the run, or is no plain tensor."""
    variable = operator.block._find_var_recursive(name)
    return variable is None or variable.persistable or variable.type != "LOD_TENSOR"


def own_moments(operator: Operator) -> set[str]:
    """The moving moments of a batch_norm: a second run shall not move them again."""
    if operator.type != "batch_norm":
        return set()
    return {*operator.outputs["MeanOut"], *operator.outputs["VarianceOut"]}


def repeat(
    operator: Operator, block: Block, instead: Mapping[str, str], suffix: str
) -> Operator:
    """Append an operator a second time, on what the second run has computed."""
    aside = {name: name + suffix for name in own_moments(operator)}
    for name, spare in aside.items():
        create_like(block, name, spare)
    attrs = {k: v for k, v in operator.attrs.items() if k != "op_role_var"}
    copy = block.insert(
        len(block.ops),
        operator.type,
        renamed(operator.inputs, instead),
        renamed(operator.outputs, {**instead, **aside}),
        {**attrs, "op_role": int(OpRole.BACKWARD)},
    )
    copy.callsite = operator.callsite
    return copy


def renamed(slots: Slots, instead: Mapping[str, str]) -> Slots:
    """Slots with other names in them."""
    return {slot: [instead.get(n, n) for n in names] for slot, names in slots.items()}


def create_like(block: Block, name: str, new: str) -> None:
    """Make a variable like another one, which does not outlive the run."""
    if new not in block.vars:
        old = block._var_recursive(name)
        variable = block.create_var(new, old.shape, old.dtype, type=old.type)
        variable.stop_gradient = old.stop_gradient


def ordered_names(operator: Operator) -> Iterable[str]:
    """The variables of an operator, slot by slot."""
    for slots in (operator.inputs, operator.outputs):
        for _, names in sorted(slots.items()):
            yield from names


def with_seeds(block: Block, operators: Sequence[Operator]) -> list[Operator]:
    """The operators, and before each dropout one that gives it a seed.

    So its second run leaves out what the first has left out.
    """
    seeded: list[Operator] = []
    for operator in operators:
        if operator.type == "dropout" and not operator.inputs.get("Seed"):
            seeded.append(seed_for(block, operator))
        seeded.append(operator)
    return seeded


def seed_for(block: Block, dropout: Operator) -> Operator:
    """Insert what gives a dropout its seed, instead of the attribute."""
    name = f"{unique_name.generate('seed')}.tmp_0"
    block.create_var(name, [1], "int32")
    fixed = dropout.attrs.pop("fix_seed", False)
    seed = dropout.attrs.pop("seed", 0)
    attrs = {"seed": seed if fixed else 0, "op_role": int(dropout.role)}
    draw = block.insert(
        block.ops.index(dropout), drawn_seed.type, {}, {"Out": [name]}, attrs
    )
    draw.callsite = dropout.callsite
    dropout.inputs["Seed"] = [name]
    return draw
