"""Rewrite engine: applies a table of (pattern, rewrite) to a program.

A rewrite is a function of the match. It returns the operators that replace the last
one, or the captured value that its result is, or None to leave it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from teachgraph.passes.copying import Derived
from teachgraph.passes.fused_backward import FusedBackward
from teachgraph.passes.graph import Graph
from teachgraph.passes.pattern import Match, Node, find_match
from teachgraph.passes.replacement import ExistingValue, NewOperator, Replacement
from teachgraph.passes.report import Change
from teachgraph.static.operator import Operator

__all__ = [
    "ExistingValue",
    "NewOperator",
    "Replacement",
    "Rule",
    "Work",
    "rewrite",
    "same_as",
]


class Work:
    """The state of one pass over one program.

    Attributes:
        graph: The program.
        changes: The rewrites so far.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changes: list[Change] = []

    def note(self, old: Sequence[Operator], new: Sequence[Operator], what: str) -> None:
        """Add a rewrite to the report."""
        change = Change(
            [op.type for op in old], [op.type for op in new], what, line_of(old)
        )
        self.changes.append(change)

    def derived(self, new: NewOperator, olds: Sequence[Derived]) -> Derived:
        """Build an operator that replaces others."""
        block = self.graph.block
        attrs = {name: v for name, v in olds[-1].attrs.items() if name in MARKS}
        operator = Derived(
            block,
            new.type,
            {slot: list(names) for slot, names in new.inputs.items()},
            {slot: list(names) for slot, names in new.outputs.items()},
            {**attrs, **new.attrs},
        )
        operator.sources = olds
        lines = (op.callsite for op in olds[::-1] if op.callsite)
        operator.callsite = next(lines, None)
        operator.attrs.update(operator.op.complete(operator.attrs))
        return operator

    def put(
        self, at: int, new: Sequence[NewOperator], places: Iterable[int], what: str
    ) -> None:
        """Replace an operator; remove others whose results are unused afterwards."""
        graph, others = self.graph, sorted(set(places) - {at}, reverse=True)
        old = [op for place in sorted({*others, at}) for op in [graph.ops[place]] if op]
        operators = [self.derived(one, old) for one in new]
        written = {name for op in operators for name in op.output_arg_names}
        for place in others:
            operator = graph.ops[place]
            if operator and written.issuperset(operator.output_arg_names):
                graph.remove(place)
        graph.replace(at, operators)
        self.sweep(others)
        self.note(old, operators, what)

    def put_gradient(self, backward: FusedBackward, new: NewOperator) -> None:
        """Replace all gradient operators of a match by one."""
        first, *others = backward.match.backward
        operator = self.derived(new, backward.operators)
        for place in others:
            self.graph.remove(place)
        self.graph.replace(first, [operator])
        backward.shorten_sums(operator)
        self.note(backward.operators, [operator], "")

    def drop(self, at: int, same: str, places: Iterable[int] = ()) -> bool:
        """Remove an operator whose first result is another variable's value."""
        graph = self.graph
        operator = graph.operator(at)
        result, *others = operator.output_arg_names
        if not graph.may_be(result, same, at) or not all(map(graph.is_unused, others)):
            return False
        graph.remove(at)
        graph.read_as(result, same)
        self.sweep(sorted(set(places) - {at}, reverse=True))
        self.note([operator], [], f"{result} is {same}")
        return True

    def sweep(self, places: Iterable[int]) -> None:
        """Remove those of these operators whose results are unused."""
        for at in places:
            operator = self.graph.ops[at]
            if operator and all(map(self.graph.is_unused, operator.output_arg_names)):
                self.graph.remove(at)


MARKS = ("op_role", "op_namescope", "op_device")


class Rule(NamedTuple):
    """A pattern and its rewrite.

    Attributes:
        pattern: The pattern.
        rewrite: Returns the replacement of a match.
        idle: Output slots of the last operator that only copy their input.
    """

    pattern: Node
    rewrite: Callable[[Match], Replacement]
    idle: tuple[str, ...] = ()


def same_as(name: str) -> Callable[[Match], Replacement]:
    """Return the rewrite of an operator to one of its inputs."""
    return lambda match: ExistingValue(match[name])


def rewrite(work: Work, rules: Sequence[Rule]) -> None:
    """Sweep over a program once, from the end, and rewrite where a rule matches.

    From the end, the longest of several patterns matches first: the bias that follows
    a product, before the product.
    """
    table: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for type in rule.pattern.types:
            table[type].append(rule)
    for at in reversed(range(len(work.graph.ops))):
        current: Operator | None = work.graph.ops[at]
        # What a rule has written may match another one.
        while current is not None and current.type in table:
            if not any(applied(work, rule, at) for rule in table[current.type]):
                break
            current = work.graph.ops[at]


def applied(work: Work, rule: Rule, at: int) -> bool:
    """Rewrite the operator at `at`, if the rule matches."""
    match = find_match(work.graph, rule.pattern, at)
    new = None if match is None else rule.rewrite(match)
    if match is None or new is None:
        return False
    if isinstance(new, ExistingValue):
        return work.drop(at, new.name, match.places)
    backward = FusedBackward(match) if match.backward and len(new) == 1 else None
    gradient = None if backward is None else backward.operator(new[0])
    if backward is None or gradient is None:
        alone = match.alone() and replaceable(
            match, new, rule.idle, match.graph.is_unused
        )
        return alone and replace_match(work, match, new)
    if not replaceable(match, new, rule.idle, match.only_for_backward):
        return False
    # The gradient first: the operators it replaces read inner values of the forward,
    # which could not be removed while they are there.
    work.put_gradient(backward, gradient)
    replace_match(work, match, new)
    work.graph.set_twin(match.backward[0], at)
    return True


def replace_match(work: Work, match: Match, new: Sequence[NewOperator]) -> bool:
    """Replace the operators of a match; return True."""
    work.put(match.at, new, match.places, "")
    return True


def replaceable(
    match: Match,
    new: Sequence[NewOperator],
    idle: Sequence[str],
    unused: Callable[[str], bool],
) -> bool:
    """True if these operators can replace those of the match.

    They must write every result of the last operator that is not unused.
    """
    written = {name for op in new for names in op.outputs.values() for name in names}
    wanted = {
        name
        for slot, names in match.root.outputs.items()
        if slot not in idle
        for name in names
    }
    early = [op for op in match.operators if op is not match.root]
    return all(name in written or unused(name) for name in wanted) and all(
        may_come_later(match, operator, written) for operator in early
    )


def may_come_later(match: Match, operator: Operator, written: set[str]) -> bool:
    """True if results of an earlier operator may be written at the last one's place."""
    names = operator.output_arg_names
    if written.isdisjoint(names):
        return True
    graph = match.graph
    return all(
        len(graph.writes[name]) == 1
        and min(graph.reads.get(name, [match.at])) >= match.at
        for name in names
    ) and set(names) <= set(written)


def line_of(operators: Sequence[Operator]) -> str:
    """Return the user's line of some operators."""
    return next((op.callsite.short for op in operators[::-1] if op.callsite), "")
