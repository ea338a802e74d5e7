"""Who writes and who reads each value of a block, kept up to date while it changes.

A name may be written more than once (a parameter and its update), so a value is a name
at a place: what the last operator before that place has written there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator, Sequence
from contextvars import copy_context
from typing import Any

from teachgraph.core import unique_name
from teachgraph.core.observe import announce, observers
from teachgraph.core.program import EMPTY, Block, Operator, Variable
from teachgraph.passes.copying import Derived

__all__ = ["Graph", "pure"]


class Graph:
    """The global block of a program, seen as values that flow between operators.

    Attributes:
        block: The block.
        scope: The Scope with the values of persistable variables, if it is given.
        ops: Its operators by place, None where one has been removed.
        before: Operators that a rewrite has put right before a place.
        kept: Names whose last value is wanted from outside: fetched, persistable, fed,
            or used by the body of a loop or a branch.
        writes: For each name, the places where it is written, in order.
        reads: For each name, the places where it is read, in order.
        twins: For each operator, the places of those that go back over it.
    """

    def __init__(
        self, block: Block, fetches: Collection[str] = (), scope: Any = None
    ) -> None:
        self.block, self.scope = block, scope
        self.fetches = set(fetches)
        self.mentioned = {name for op in block.ops for name in names_of(op)}
        self.settle()

    def settle(self) -> None:
        """Read the block anew."""
        self.ops: list[Derived | None] = list(self.block.ops)  # type: ignore[arg-type]
        self.before: dict[int, list[Derived]] = {}
        self.writes: dict[str, list[int]] = {}
        self.reads: dict[str, list[int]] = {}
        self.twins: dict[Operator, list[int]] = {}
        self.kept = set(self.fetches)
        self.kept.update(v.name for v in self.block.vars.values() if wanted_outside(v))
        for at, op in enumerate(self.block.ops):
            self.register(op, at)
            if op.twin is not None:
                self.twins.setdefault(op.twin, []).append(at)
            if has_blocks(op):
                self.kept.update(names_of(op))

    def register(self, op: Operator, at: int) -> None:
        """Note what an operator reads and writes."""
        for table, names in ((self.reads, reads_of(op)), (self.writes, writes_of(op))):
            for name in names:
                insort(table.setdefault(name, []), at)

    def forget(self, op: Operator, at: int) -> None:
        """The reverse of `register`."""
        for table, names in ((self.reads, reads_of(op)), (self.writes, writes_of(op))):
            for name in names:
                places = table[name]
                del places[bisect_left(places, at)]

    def walk(self) -> Iterator[tuple[int, Derived]]:
        """The places and operators there are, also while some of them change."""
        for at in range(len(self.ops)):
            op = self.ops[at]
            if op is not None:
                yield at, op

    def operator(self, at: int) -> Derived:
        """The operator at a place that has one."""
        found = self.ops[at]
        assert found is not None
        return found

    def back_over(self, operators: Collection[Operator]) -> list[int]:
        """The places of the operators that are gradients of these, in order."""
        places = {at for op in operators for at in self.twins.get(op, ())}
        return sorted(at for at in places if is_twin(self.ops[at], operators))

    def pair(self, back: int, at: int) -> None:
        """Note that the operator at `back` is the gradient of the one at `at`."""
        made = self.operator(back)
        made.twin = self.operator(at)
        self.twins.setdefault(made.twin, []).append(back)

    def variable(self, name: str) -> Variable:
        """The variable of that name, of this block or one around it."""
        return self.block._var_recursive(name)

    def writer(self, name: str, at: int) -> int | None:
        """The place where the value was written that an operator at `at` reads."""
        places = self.writes.get(name, ())
        found = bisect_left(places, at)
        return places[found - 1] if found else None

    def unchanged(self, name: str, first: int, last: int) -> bool:
        """Whether operators at two places read the same value under this name."""
        places = self.writes.get(name, ())
        return bisect_left(places, first) == bisect_left(places, last)

    def temporary(self, name: str) -> bool:
        """Whether a name is written once, and nothing outside wants it."""
        return name not in self.kept and len(self.writes.get(name, ())) == 1

    def dead(self, name: str) -> bool:
        """Whether nobody reads what is written under a name."""
        return name == EMPTY or (self.temporary(name) and not self.reads.get(name))

    def useless(self, name: str, at: int) -> bool:
        """Whether nobody reads what the operator at `at` writes under a name."""
        if name in self.kept and name != EMPTY:
            return False
        writes, reads = self.writes[name], self.reads.get(name, [])
        later = writes[bisect_right(writes, at) :]
        after = reads[bisect_right(reads, at) :]
        return name == EMPTY or not after or bool(later and later[0] < after[0])

    def inside(self, name: str, places: Collection[int]) -> bool:
        """Whether a value is temporary, and read at some of these places only."""
        return self.temporary(name) and set(self.reads.get(name, ())) <= set(places)

    def remove(self, at: int) -> None:
        """Take an operator out."""
        op = self.operator(at)
        self.forget(op, at)
        self.ops[at] = None

    def replace(self, at: int, steps: Sequence[Derived]) -> None:
        """Put operators where one was; all but the last are seen after `settle`."""
        old = self.operator(at)
        self.forget(old, at)
        self.ops[at] = steps[-1]
        if len(steps) > 1:
            self.before.setdefault(at, []).extend(steps[:-1])
        for step in steps:
            self.register(step, at)

    def put_after(self, at: int, step: Derived) -> None:
        """Put an operator right after a place."""
        self.before.setdefault(at + 1, []).append(step)
        self.register(step, at + 1)

    def may_be(self, name: str, other: str, at: int) -> bool:
        """Whether what is written at `at` as `name` can be read as `other` instead."""
        if not self.temporary(name):
            return False
        last = max(self.reads.get(name, ()), default=at)
        return self.unchanged(other, at, last)

    def read_as(self, name: str, other: str) -> None:
        """Let whoever reads `name` read `other`."""
        places = self.reads.setdefault(other, [])
        for at in sorted(set(self.reads.pop(name, ()))):
            for op in self.at(at):
                if rename_inputs(op, name, other):
                    insort(places, at)

    def at(self, place: int) -> list[Derived]:
        """The operators at a place."""
        op = self.ops[place]
        return [*self.before.get(place, ()), *([] if op is None else [op])]

    def new(self, base: str, shape: Sequence[int], dtype: Any) -> str:
        """A variable for a value that a rewrite adds."""
        name = unique_name.generate(f"{base}@pass")
        while self.block.has_var(name):
            name = unique_name.generate(f"{base}@pass")
        self.mentioned.add(name)
        return self.block.create_var(name, shape, dtype).name

    def keep(self, base: str, value: Any) -> str:
        """A persistable variable for a value that a rewrite has computed."""
        name = self.new(base, value.shape, value.dtype)
        self.variable(name).persistable = True
        self.kept.add(name)
        self.scope.values[name] = value
        return name

    def finish(self) -> None:
        """Write the block down again, without the variables that nobody names now."""
        ops = [op for at in range(len(self.ops)) for op in self.at(at)]
        if observers:
            tell(self.block.ops, ops)
        self.block.ops[:] = ops
        named = {name for op in self.block.ops for name in names_of(op)} | self.kept
        for name in self.mentioned - named:
            self.block.vars.pop(name, None)
        self.mentioned |= named
        self.block.program.touch()


def is_twin(op: Operator | None, of: Collection[Operator]) -> bool:
    """Whether an operator is still there, and the gradient of one of these."""
    return op is not None and op.twin in of


def tell(before: Sequence[Operator], after: Sequence[Operator]) -> None:
    """Tell the observers of each operator that has gone or come, at its place then."""
    old, new = set(before), set(after)
    for place, operator in reversed(list(enumerate(before))):
        if operator not in new:
            announce("operator_removed", operator, place)
    for place, operator in enumerate(after):
        if operator not in old:
            announce("operator_inserted", operator, place)


def reads_of(op: Operator) -> set[str]:
    """What an operator reads, or an operator of a block that it runs."""
    found = {name for names in op.inputs.values() for name in names}
    return found.union(*(reads_of(inner) for inner in inner_ops(op)))


def writes_of(op: Operator) -> set[str]:
    """What an operator writes, or an operator of a block that it runs."""
    found = {name for names in op.outputs.values() for name in names}
    return found.union(*(writes_of(inner) for inner in inner_ops(op)))


def names_of(op: Operator) -> set[str]:
    """Every name an operator has to do with."""
    return reads_of(op) | writes_of(op)


def inner_ops(op: Operator) -> list[Operator]:
    """The operators of the block that an operator runs."""
    body = op.sub_block
    return [] if body is None else body.ops


def rename_inputs(op: Operator, old: str, new: str) -> bool:
    """Let an operator read another variable; whether it is a new one to it."""
    known = any(new in names for names in op.inputs.values())
    found = [slot for slot, names in op.inputs.items() if old in names]
    for slot in found:
        op.inputs[slot] = [new if name == old else name for name in op.inputs[slot]]
    return bool(found) and not known


def pure(op: Operator) -> bool:
    """Whether an operator only computes: it neither draws nor calls the user's code."""
    if has_blocks(op):
        return False
    return not op.op.random and op.op.context is not copy_context


def wanted_outside(variable: Variable) -> bool:
    """Whether a variable lives on, comes from outside, or changes as arrays do."""
    lives = variable.persistable or variable.is_data
    return lives or variable.type != "LOD_TENSOR"


def has_blocks(op: Operator) -> bool:
    """Whether an operator runs a block."""
    return op.sub_block is not None
