"""Patterns: small trees of op types, and their matches in a program.

A pattern names the op types, from the last one back, and captures its inputs.
`relu(elementwise_add(mul(x, w), b))` is

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

__all__ = ["Match", "Node", "any_operator", "find_match", "node"]


def any_operator(operator: Operator) -> bool:
    """True for every operator: no condition."""
    return True


@dataclass(frozen=True)
class Node:
    """One operator of a pattern.

    Attributes:
        types: The op types it may have.
        slots: For an input slot, the operator that must write the input, or a name to
            capture it under; the same name twice is the same value.
        name: The name of the operator in the match, and of its result.
        where: Another condition on the operator.
        symmetric: True if X and Y may be swapped.
        shared: True if its result may have other readers; then the operator stays.
    """

    types: tuple[str, ...]
    slots: Mapping[str, Node | str]
    name: str = ""
    where: Callable[[Operator], bool] = any_operator
    symmetric: bool = False
    shared: bool = False

    def orders(self) -> Iterator[list[tuple[str, Node | str]]]:
        """Yield the slots as they are and, if symmetric, with X and Y swapped."""
        yield list(self.slots.items())
        if self.symmetric:
            other = {"X": "Y", "Y": "X"}
            yield [(other.get(slot, slot), what) for slot, what in self.slots.items()]


def node(
    *types: str,
    name: str = "",
    where: Callable[[Operator], bool] = any_operator,
    symmetric: bool = False,
    shared: bool = False,
    **slots: Node | str,
) -> Node:
    """Build a Node, its slots as keyword arguments."""
    return Node(types, slots, name or types[0], where, symmetric, shared)


@dataclass(frozen=True)
class Match:
    """A match of a pattern in a program.

    Attributes:
        graph: The program.
        at: The place of the pattern's last operator.
        places: The places of the matched operators.
        names: Their names in the pattern.
        values: The captured variables.
        uses: Each captured variable, with a place where it is read.
        private: The places of operators whose results must have no other readers.
    """

    graph: Graph
    at: int
    places: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    values: Mapping[str, str] | None = None
    uses: tuple[tuple[str, int], ...] = ()
    private: tuple[int, ...] = ()

    def __getitem__(self, name: str) -> str:
        """Return the variable that was captured under a name."""
        assert self.values is not None
        return self.values[name]

    @property
    def root(self) -> Derived:
        """The last operator of the pattern."""
        return self.graph.operator(self.at)

    @property
    def operators(self) -> list[Derived]:
        """The matched operators, in their order in the program."""
        return [self.graph.operator(at) for at in sorted(set(self.places))]

    def operator(self, name: str) -> Derived:
        """Return the operator with a name in the pattern."""
        return self.graph.operator(self.places[self.names.index(name)])

    def attr(self, name: str, attr: str) -> Any:
        """Return an attribute of an operator, or its default."""
        operator = self.operator(name)
        return operator.attrs.get(attr, operator.op.attrs.get(attr))

    def spec(self, name: str) -> Spec:
        """Return the shape and dtype of a captured variable."""
        return self.graph.variable(self[name]).spec

    def capture(self, name: str, variable: str) -> Mapping[str, str] | None:
        """Return `values` and one more variable; None if another has that name."""
        known = self.values or {}
        if known.get(name, variable) != variable:
            return None
        return {**known, name: variable}

    def sound(self) -> bool:
        """True if one operator at the place of the last can replace all.

        It comes later than the others, so these names must not be overwritten in
        between; and only gradient operators of the match may read inner results.
        """
        stays = all(self.graph.unchanged(n, use, self.at) for n, use in self.uses)
        return stays and self.closed((*self.places, *self.backward))

    def alone(self) -> bool:
        """True if not even gradient operators of the match read inner results."""
        return self.closed(self.places)

    def closed(self, places: Sequence[int]) -> bool:
        """True if inner results are read at these places only."""
        return all(
            self.graph.is_unused(name) or self.graph.inside(name, places)
            for at in self.private
            for name in self.graph.operator(at).output_arg_names
        )

    def only_for_backward(self, name: str) -> bool:
        """True if only gradient operators of the match read a value."""
        return self.graph.is_unused(name) or self.graph.inside(name, self.backward)

    @cached_property
    def backward(self) -> list[int]:
        """The places of the gradient operators of the match."""
        graph = self.graph
        # The sum of gradients of a result belongs to its readers, not to the match.
        results = {f"{name}{GRAD}" for name in self.root.output_arg_names}
        return [
            at
            for at in graph.gradients_of(self.operators)
            if results.isdisjoint(graph.operator(at).output_arg_names)
        ]


def find_match(graph: Graph, pattern: Node, at: int) -> Match | None:
    """Find a match of a pattern whose last operator is at `at`, if there is one."""
    result = next(iter(graph.operator(at).output_arg_names), "")
    candidates = matches(pattern, at, result, Match(graph, at))
    return next((match for match in candidates if match.sound()), None)


def matches(pattern: Node, at: int, result: str, match: Match) -> Iterator[Match]:
    """Yield every extension of a match by the operator at `at` and its inputs.

    The rest of the pattern reads one of its results, `result`.
    """
    operator = match.graph.operator(at)
    if operator.type not in pattern.types or not pattern.where(operator):
        return
    values = match.capture(pattern.name, result)
    if values is None:
        return
    private = () if pattern.shared or at == match.at else (at,)
    deeper = replace(
        match,
        values=values,
        places=(*match.places, at),
        names=(*match.names, pattern.name),
        private=match.private + private,
    )
    for order in pattern.orders():
        yield from fill(order, operator, at, deeper)


def fill(
    wanted: Sequence[tuple[str, Node | str]], operator: Operator, at: int, match: Match
) -> Iterator[Match]:
    """Yield every extension of a match by these slots of an operator."""
    if not wanted:
        yield match
        return
    (slot, what), *rest = wanted
    names = operator.inputs.get(slot, [])
    if len(names) != 1:
        return
    for extended in input_matches(names[0], what, at, match):
        yield from fill(rest, operator, at, extended)


def input_matches(
    name: str, what: Node | str, at: int, match: Match
) -> Iterator[Match]:
    """Yield every extension of a match by a variable read at `at`."""
    if isinstance(what, str):
        values = match.capture(what, name)
        if values is not None:
            yield replace(match, values=values, uses=(*match.uses, (name, at)))
        return
    writer = match.graph.writer(name, at)
    operator = None if writer is None else match.graph.ops[writer]
    if writer is None or operator is None or name not in operator.output_arg_names:
        return
    yield from matches(what, writer, name, match)
