"""Data flow graph of a block: the writers and readers of each value, while it changes.

A name may be written more than once (a parameter and its update), so a value is a name
at a place: the result of the last operator before it that writes the name.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from teachgraph.control_flow.sub_block import sub_block_of
from teachgraph.core import unique_name
from teachgraph.core.observe import announce, observers
from teachgraph.core.program import EMPTY, Block, Operator, Variable
from teachgraph.ops.foreign import is_foreign
from teachgraph.passes.copying import Derived

__all__ = ["Graph", "pure"]


class Graph:
    """The global block of a program as a graph of values.

    Attributes:
        block: The block.
        scope: The Scope with the values of persistable variables, or None.
        ops: Its operators by place, None where one has been removed.
        before: Operators that a rewrite has inserted right before a place.
        live_out: Names that are live at the end: fetched, persistable, fed, or used in
            a sub-block.
        writes: For each name, the places where it is written, in order.
        reads: For each name, the places where it is read, in order.
        twins: For each operator, the places of its gradient operators.
    """

    def __init__(
        self, block: Block, fetches: Collection[str] = (), scope: Any = None
    ) -> None:
        self.block, self.scope = block, scope
        self.fetches = set(fetches)
        self.rebuild()
        self.mentioned = {*self.reads, *self.writes}

    def rebuild(self) -> None:
        """Build the graph from the block anew."""
        self.ops: list[Derived | None] = list(self.block.ops)  # type: ignore[arg-type]
        self.before: dict[int, list[Derived]] = {}
        self.writes: dict[str, list[int]] = {}
        self.reads: dict[str, list[int]] = {}
        self.twins: dict[Operator, list[int]] = {}
        self.live_out = set(self.fetches)
        self.live_out.update(v.name for v in self.block.vars.values() if outlives(v))
        for at, op in enumerate(self.block.ops):
            self.register(op, at)
            if op.twin is not None:
                self.twins.setdefault(op.twin, []).append(at)
            if has_blocks(op):
                self.live_out.update(names_of(op))

    def register(self, op: Operator, at: int) -> None:
        """Add the reads and writes of an operator."""
        for table, names in ((self.reads, reads_of(op)), (self.writes, writes_of(op))):
            for name in names:
                insort(table.setdefault(name, []), at)

    def forget(self, op: Operator, at: int) -> None:
        """Remove the reads and writes of an operator."""
        for table, names in ((self.reads, reads_of(op)), (self.writes, writes_of(op))):
            for name in names:
                places = table[name]
                del places[bisect_left(places, at)]

    def walk(self) -> Iterator[tuple[int, Derived]]:
        """Yield places and operators, also while a pass removes some of them."""
        for at in range(len(self.ops)):
            op = self.ops[at]
            if op is not None:
                yield at, op

    def operator(self, at: int) -> Derived:
        """Return the operator at a place that has one."""
        operator = self.ops[at]
        assert operator is not None
        return operator

    def gradients_of(self, operators: Collection[Operator]) -> list[int]:
        """Return the places of the gradient operators of these operators, in order."""
        places = {at for op in operators for at in self.twins.get(op, ())}
        return sorted(at for at in places if is_twin(self.ops[at], operators))

    def set_twin(self, gradient: int, at: int) -> None:
        """Note that the operator at `gradient` is the gradient of the one at `at`."""
        operator = self.operator(gradient)
        operator.twin = self.operator(at)
        self.twins.setdefault(operator.twin, []).append(gradient)

    def variable(self, name: str) -> Variable:
        """Return the variable of a name, of this block or one around it."""
        return self.block._var_recursive(name)

    def writer(self, name: str, at: int) -> int | None:
        """Return the place of the operator whose value one at `at` reads."""
        places = self.writes.get(name, ())
        count = bisect_left(places, at)
        return places[count - 1] if count else None

    def unchanged(self, name: str, first: int, last: int) -> bool:
        """True if operators at two places read the same value under a name."""
        places = self.writes.get(name, ())
        return bisect_left(places, first) == bisect_left(places, last)

    def temporary(self, name: str) -> bool:
        """True if a name is written once, and is not live at the end."""
        return name not in self.live_out and len(self.writes.get(name, ())) == 1

    def is_unused(self, name: str) -> bool:
        """True if no operator reads a name."""
        return name == EMPTY or (self.temporary(name) and not self.reads.get(name))

    def useless(self, name: str, at: int) -> bool:
        """True if no operator reads the value that the one at `at` writes."""
        if name in self.live_out and name != EMPTY:
            return False
        writes, reads = self.writes[name], self.reads.get(name, [])
        later = writes[bisect_right(writes, at) :]
        after = reads[bisect_right(reads, at) :]
        return name == EMPTY or not after or bool(later and later[0] < after[0])

    def inside(self, name: str, places: Collection[int]) -> bool:
        """True if a value is temporary, and read at some of these places only."""
        return self.temporary(name) and set(self.reads.get(name, ())) <= set(places)

    def remove(self, at: int) -> None:
        """Remove an operator."""
        op = self.operator(at)
        self.forget(op, at)
        self.ops[at] = None

    def replace(self, at: int, operators: Sequence[Derived]) -> None:
        """Replace an operator by several; all but the last get a place in `rebuild`.

        Places of other operators must not move while a pass walks over them.
        """
        old = self.operator(at)
        self.forget(old, at)
        self.ops[at] = operators[-1]
        if len(operators) > 1:
            self.before.setdefault(at, []).extend(operators[:-1])
        for operator in operators:
            self.register(operator, at)

    def insert_after(self, at: int, operator: Derived) -> None:
        """Insert an operator right after a place."""
        self.before.setdefault(at + 1, []).append(operator)
        self.register(operator, at + 1)

    def may_be(self, name: str, other: str, at: int) -> bool:
        """True if all readers of `name`, written at `at`, can read `other` instead."""
        if not self.temporary(name):
            return False
        last = max(self.reads.get(name, ()), default=at)
        return self.unchanged(other, at, last)

    def read_as(self, name: str, other: str) -> None:
        """Let all readers of `name` read `other`."""
        places = self.reads.setdefault(other, [])
        for at in sorted(set(self.reads.pop(name, ()))):
            for op in self.operators_at(at):
                if rename_inputs(op, name, other):
                    insort(places, at)

    def operators_at(self, place: int) -> list[Derived]:
        """List the operators at a place."""
        op = self.ops[place]
        return [*self.before.get(place, ()), *([] if op is None else [op])]

    def new(self, base: str, shape: Sequence[int], dtype: Any) -> str:
        """Create a variable for a value that a rewrite adds; return its name."""
        name = unique_name.generate(f"{base}@pass")
        while name in self.block.vars:
            name = unique_name.generate(f"{base}@pass")
        self.mentioned.add(name)
        return self.block.create_var(name, shape, dtype).name

    def add_constant(self, base: str, value: Any) -> str:
        """Create a persistable variable for a value that a rewrite has computed."""
        name = self.new(base, value.shape, value.dtype)
        self.variable(name).persistable = True
        self.live_out.add(name)
        self.scope.values[name] = value
        return name

    def finish(self) -> None:
        """Write the operators back to the block; remove variables without any."""
        ops = [op for at in range(len(self.ops)) for op in self.operators_at(at)]
        if observers:
            announce_changes(self.block.ops, ops)
        self.block.ops[:] = ops
        named = {name for op in self.block.ops for name in names_of(op)} | self.live_out
        for name in self.mentioned - named:
            self.block.vars.pop(name, None)
        self.mentioned |= named
        self.block.program.touch()


def is_twin(op: Operator | None, of: Collection[Operator]) -> bool:
    """True if an operator has not been removed, and is a gradient of one of these."""
    return op is not None and op.twin in of


def announce_changes(before: Sequence[Operator], after: Sequence[Operator]) -> None:
    """Announce each removed and each inserted operator, with its place at that time."""
    old, new = set(before), set(after)
    # Removals from the end, so that each place is that of the block before it.
    for place, operator in reversed(list(enumerate(before))):
        if operator not in new:
            announce("operator_removed", operator, place)
    for place, operator in enumerate(after):
        if operator not in old:
            announce("operator_inserted", operator, place)


def reads_of(op: Operator) -> set[str]:
    """Return the names that an operator or its sub-block reads."""
    names = {name for slot in op.inputs.values() for name in slot}
    return names.union(*(reads_of(inner) for inner in inner_ops(op)))


def writes_of(op: Operator) -> set[str]:
    """Return the names that an operator or its sub-block writes."""
    names = {name for slot in op.outputs.values() for name in slot}
    return names.union(*(writes_of(inner) for inner in inner_ops(op)))


def names_of(op: Operator) -> set[str]:
    """Return the names that an operator or its sub-block mentions."""
    return reads_of(op) | writes_of(op)


def inner_ops(op: Operator) -> list[Operator]:
    """List the operators of the sub-block."""
    body = sub_block_of(op)
    return [] if body is None else body.ops


def rename_inputs(op: Operator, old: str, new: str) -> bool:
    """Rename an input of an operator; return True if it now reads one name more."""
    known = any(new in names for names in op.inputs.values())
    slots = [slot for slot, names in op.inputs.items() if old in names]
    for slot in slots:
        op.inputs[slot] = [new if name == old else name for name in op.inputs[slot]]
    return bool(slots) and not known


def pure(op: Operator) -> bool:
    """True if an operator only computes: it draws no numbers, calls no user's code."""
    if has_blocks(op):
        return False
    return not op.op.random and not is_foreign(op.op)


def outlives(variable: Variable) -> bool:
    """True for a persistable or fed variable, and one that changes in place."""
    lives = variable.persistable or variable.is_data
    return lives or variable.type != "LOD_TENSOR"


def has_blocks(op: Operator) -> bool:
    """True if an operator runs a sub-block."""
    return sub_block_of(op) is not None
