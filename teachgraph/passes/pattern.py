"""Patterns: small trees of op types, and where a program looks like one.

A pattern names the op types, from the last one back, and captures the values that flow
into it. `relu(elementwise_add(mul(x, w), b))` is

    node("relu", X=node("elementwise_add", X=node("mul", X="x", Y="w"), Y="b"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from teachgraph.core.program import Spec
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph
from teachgraph.static.operator import Operator
from teachgraph.static.variable import GRAD

__all__ = ["Match", "Node", "always", "find_match", "node"]


def always(operator: Operator) -> bool:
    """No condition."""
    return True


@dataclass(frozen=True)
class Node:
    """One operator of a pattern.

    Attributes:
        types: The op types it may have.
        slots: For an input slot, what must flow into it: another Node, or the name that
            whatever does is captured under; the same name twice is the same value.
        name: What the match calls the operator, and the result of it that flows on.
        where: What must hold of the operator besides.
        symmetric: Whether what is said of X and Y may hold of Y and X.
        shared: Whether others may read its result too; then it stays.
    """

    types: tuple[str, ...]
    slots: Mapping[str, Node | str]
    name: str = ""
    where: Callable[[Operator], bool] = always
    symmetric: bool = False
    shared: bool = False

    def orders(self) -> Iterator[list[tuple[str, Node | str]]]:
        """What must flow into which slot, in one way or two."""
        yield list(self.slots.items())
        if self.symmetric:
            other = {"X": "Y", "Y": "X"}
            yield [(other.get(slot, slot), what) for slot, what in self.slots.items()]


def node(
    *types: str,
    name: str = "",
    where: Callable[[Operator], bool] = always,
    symmetric: bool = False,
    shared: bool = False,
    **slots: Node | str,
) -> Node:
    """A Node with its slots as keyword arguments."""
    return Node(types, slots, name or types[0], where, symmetric, shared)


@dataclass(frozen=True)
class Match:
    """A place where a program looks like a pattern.

    Attributes:
        graph: The program.
        at: The place of the pattern's last operator.
        places: The places of the operators that match.
        names: For each of them, what the pattern calls it.
        values: The captured variables.
        uses: Each captured variable, with a place where it is read.
        private: The places of operators whose results nobody else may read.
    """

    graph: Graph
    at: int
    places: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    values: Mapping[str, str] | None = None
    uses: tuple[tuple[str, int], ...] = ()
    private: tuple[int, ...] = ()

    def __getitem__(self, name: str) -> str:
        """The name of the variable that was captured so."""
        assert self.values is not None
        return self.values[name]

    @property
    def root(self) -> Derived:
        """The last operator of the pattern."""
        return self.graph.operator(self.at)

    @property
    def operators(self) -> list[Derived]:
        """All that match, in their order in the program."""
        return [self.graph.operator(at) for at in sorted(set(self.places))]

    def operator(self, name: str) -> Derived:
        """The operator that the pattern calls so."""
        return self.graph.operator(self.places[self.names.index(name)])

    def attr(self, name: str, attr: str) -> Any:
        """An attribute of an operator, or its default."""
        operator = self.operator(name)
        return operator.attrs.get(attr, operator.op.attrs.get(attr))

    def spec(self, name: str) -> Spec:
        """Shape and dtype of a captured variable."""
        return self.graph.variable(self[name]).spec

    def capture(self, name: str, variable: str) -> Match | None:
        """The match with one more variable, None if the name stands for another."""
        known = self.values or {}
        if known.get(name, variable) != variable:
            return None
        return replace(self, values={**known, name: variable})

    def sound(self) -> bool:
        """Whether the last operator could read all captured values itself.

        It stands later than the others, so nobody may have written these names since;
        and nobody else may read what would be gone, but what goes back over it.
        """
        stays = all(self.graph.unchanged(n, use, self.at) for n, use in self.uses)
        return stays and self.closed((*self.places, *self.back))

    def alone(self) -> bool:
        """Whether nothing that goes back over these operators needs what is inside."""
        return self.closed(self.places)

    def closed(self, places: Sequence[int]) -> bool:
        """Whether what would be gone is read at these places only."""
        return all(
            self.graph.dead(name) or self.graph.inside(name, places)
            for at in self.private
            for name in self.graph.operator(at).output_arg_names
        )

    def spare(self, name: str) -> bool:
        """Whether nobody reads a value but what goes back over these operators."""
        return self.graph.dead(name) or self.graph.inside(name, self.back)

    @cached_property
    def back(self) -> list[int]:
        """The places of what goes back over these operators, from the results on."""
        graph = self.graph
        whole = {f"{name}{GRAD}" for name in self.root.output_arg_names}
        return [
            at
            for at in graph.back_over(self.operators)
            if whole.isdisjoint(graph.operator(at).output_arg_names)
        ]


def find_match(graph: Graph, pattern: Node, at: int) -> Match | None:
    """The match of a pattern whose last operator stands at `at`, if there is one."""
    result = next(iter(graph.operator(at).output_arg_names), "")
    found = matches(pattern, at, result, Match(graph, at))
    return next((match for match in found if match.sound()), None)


def matches(pattern: Node, at: int, result: str, match: Match) -> Iterator[Match]:
    """Every way in which the operator at `at`, and what flows into it, fits.

    It is one of its results that the rest of the pattern reads.
    """
    operator = match.graph.operator(at)
    if operator.type not in pattern.types or not pattern.where(operator):
        return
    taken = match.capture(pattern.name, result)
    if taken is None:
        return
    private = () if pattern.shared or at == match.at else (at,)
    deeper = replace(
        taken,
        places=(*taken.places, at),
        names=(*taken.names, pattern.name),
        private=taken.private + private,
    )
    for order in pattern.orders():
        yield from fill(order, operator, at, deeper)


def fill(
    wanted: Sequence[tuple[str, Node | str]], operator: Operator, at: int, match: Match
) -> Iterator[Match]:
    """Every way in which these slots of an operator fit."""
    if not wanted:
        yield match
        return
    (slot, what), *rest = wanted
    names = operator.inputs.get(slot, [])
    if len(names) != 1:
        return
    for found in flowing(names[0], what, at, match):
        yield from fill(rest, operator, at, found)


def flowing(name: str, what: Node | str, at: int, match: Match) -> Iterator[Match]:
    """Every way in which a variable read at `at` is what the pattern wants there."""
    if isinstance(what, str):
        found = match.capture(what, name)
        if found is not None:
            yield replace(found, uses=(*found.uses, (name, at)))
        return
    writer = match.graph.writer(name, at)
    maker = None if writer is None else match.graph.ops[writer]
    if writer is not None and maker is not None and name in maker.output_arg_names:
        yield from matches(what, writer, name, match)
