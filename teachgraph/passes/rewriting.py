"""The rewrite engine: a table of (pattern, what to put there), run over a program.

A rewrite is a function of the match. It returns the operators to put in place of the
last one, or which captured value the result simply is, or None to let things be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from teachgraph.passes.copying import Derived
from teachgraph.passes.fused_backward import Back
from teachgraph.passes.graph import Graph
from teachgraph.passes.pattern import Match, Node, find_match
from teachgraph.passes.replacement import Same, Step
from teachgraph.passes.report import Change
from teachgraph.static.operator import Operator

__all__ = ["Found", "Rule", "Same", "Step", "Work", "rewrite", "same_as"]


Found = Sequence[Step] | Same | None


class Work:
    """One pass at work on one program.

    Attributes:
        graph: The program.
        changes: What has been done.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changes: list[Change] = []

    def note(self, old: Sequence[Operator], new: Sequence[Operator], what: str) -> None:
        """Write down one change."""
        change = Change(
            [op.type for op in old], [op.type for op in new], what, where(old)
        )
        self.changes.append(change)

    def step(self, step: Step, olds: Sequence[Derived]) -> Derived:
        """An operator that stands for these."""
        block = self.graph.block
        attrs = {name: v for name, v in olds[-1].attrs.items() if name in MARKS}
        made = Derived(
            block,
            step.type,
            {slot: list(names) for slot, names in step.inputs.items()},
            {slot: list(names) for slot, names in step.outputs.items()},
            {**attrs, **step.attrs},
        )
        made.sources = olds
        made.callsite = next((op.callsite for op in olds[::-1] if op.callsite), None)
        made.attrs.update(made.op.complete(made.attrs))
        return made

    def put(
        self, at: int, steps: Sequence[Step], places: Iterable[int], what: str
    ) -> None:
        """Put operators in place of one; others that nobody needs now go with it."""
        graph, others = self.graph, sorted(set(places) - {at}, reverse=True)
        old = [op for place in sorted({*others, at}) for op in [graph.ops[place]] if op]
        made = [self.step(step, old) for step in steps]
        taken = {name for step in made for name in step.output_arg_names}
        for place in others:
            operator = graph.ops[place]
            if operator and taken.issuperset(operator.output_arg_names):
                graph.remove(place)
        graph.replace(at, made)
        self.sweep(others)
        self.note(old, made, what)

    def put_back(self, back: Back, step: Step) -> None:
        """Put one gradient operator in place of all that go back over a pattern."""
        first, *others = back.match.back
        made = self.step(step, back.operators)
        for place in others:
            self.graph.remove(place)
        self.graph.replace(first, [made])
        back.spare(made)
        self.note(back.operators, [made], "")

    def drop(self, at: int, same: str, places: Iterable[int] = ()) -> bool:
        """Take out an operator whose first result is another variable's value."""
        graph = self.graph
        operator = graph.operator(at)
        result, *others = operator.output_arg_names
        if not graph.may_be(result, same, at) or not all(map(graph.dead, others)):
            return False
        graph.remove(at)
        graph.read_as(result, same)
        self.sweep(sorted(set(places) - {at}, reverse=True))
        self.note([operator], [], f"{result} is {same}")
        return True

    def sweep(self, places: Iterable[int]) -> None:
        """Take out those operators, of these, whose results nobody reads any more."""
        for at in places:
            operator = self.graph.ops[at]
            if operator and all(map(self.graph.dead, operator.output_arg_names)):
                self.graph.remove(at)


MARKS = ("op_role", "op_namescope", "op_device")


class Rule(NamedTuple):
    """A pattern, and what to put where a program looks like it.

    Attributes:
        pattern: The pattern.
        rewrite: What to put there, for a match.
        idle: Output slots of the last operator which only pass on what they find.
    """

    pattern: Node
    rewrite: Callable[[Match], Found]
    idle: tuple[str, ...] = ()


def same_as(name: str) -> Callable[[Match], Found]:
    """The rewrite of an operator that changes nothing."""
    return lambda match: Same(match[name])


def rewrite(work: Work, rules: Sequence[Rule]) -> None:
    """Go back over a program once and rewrite wherever a rule fits.

    From the end, the longest of several patterns is found first: the bias that follows
    a product, before the product.
    """
    table: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for type in rule.pattern.types:
            table[type].append(rule)
    for at in reversed(range(len(work.graph.ops))):
        current: Operator | None = work.graph.ops[at]
        while current is not None and any(
            applied(work, rule, at) for rule in table.get(current.type, ())
        ):
            current = work.graph.ops[at]


def applied(work: Work, rule: Rule, at: int) -> bool:
    """Rewrite the operator at `at`, if the rule fits."""
    match = find_match(work.graph, rule.pattern, at)
    found = None if match is None else rule.rewrite(match)
    if match is None or found is None:
        return False
    if isinstance(found, Same):
        return work.drop(at, found.name, match.places)
    back = Back(match) if match.back and len(found) == 1 else None
    gradient = None if back is None else back.step(found[0])
    if back is None or gradient is None:
        alone = match.alone() and replaceable(match, found, rule.idle, match.graph.dead)
        return alone and put(work, match, found)
    if not replaceable(match, found, rule.idle, match.spare):
        return False
    work.put_back(back, gradient)
    put(work, match, found)
    work.graph.pair(match.back[0], at)
    return True


def put(work: Work, match: Match, steps: Sequence[Step]) -> bool:
    """Put these steps in place of what matches; True."""
    work.put(match.at, steps, match.places, "")
    return True


def replaceable(
    match: Match,
    steps: Sequence[Step],
    idle: Sequence[str],
    spare: Callable[[str], bool],
) -> bool:
    """Whether these steps may stand for what matches.

    They must write whatever anybody wants of the last operator, but what is spare.
    """
    made = {name for step in steps for names in step.outputs.values() for name in names}
    wanted = {
        name
        for slot, names in match.root.outputs.items()
        if slot not in idle
        for name in names
    }
    early = [op for op in match.operators if op is not match.root]
    return all(name in made or spare(name) for name in wanted) and all(
        may_come_later(match, operator, made) for operator in early
    )


def may_come_later(match: Match, operator: Operator, made: set[str]) -> bool:
    """Whether nobody minds that the steps write what an earlier operator wrote."""
    names = operator.output_arg_names
    if made.isdisjoint(names):
        return True
    graph = match.graph
    return all(
        len(graph.writes[name]) == 1
        and min(graph.reads.get(name, [match.at])) >= match.at
        for name in names
    ) and set(names) <= set(made)


def where(operators: Sequence[Operator]) -> str:
    """The user's line behind some operators."""
    return next((op.callsite.short for op in operators[::-1] if op.callsite), "")
