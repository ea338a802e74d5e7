"""One branch: a block that a `conditional_block` operator runs if a condition holds.

What a branch writes around it is either written in place, or (where a gradient may come
back) to a variable of its own, between which and the value before `select_input` picks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.control_flow.block_writes import settled
from teachgraph.control_flow.ops import conditional_block, select_input
from teachgraph.control_flow.pytree import flat, packed
from teachgraph.control_flow.sub_block import captured, kept_apart, traced_into, written
from teachgraph.core import dtypes
from teachgraph.core.build import append
from teachgraph.core.ops import assign
from teachgraph.core.program import Block, Variable
from teachgraph.ops import functions

__all__ = ["Branch", "select"]


class Branch:
    """A branch in the making.

    Attributes:
        parent: The block that its operator goes into.
        condition: One boolean Variable.
        block: What it runs.
        results: A nest of what it returns, which whoever traces it sets.
        carried: Its leaves, each Variable replaced by one of the parent that has a
            value if the branch was taken.
    """

    def __init__(self, parent: Block, condition: Variable) -> None:
        self.parent, self.condition = parent, condition
        self.block = parent
        self.results: Any = []
        self.carried: list[Any] = []

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Inside, operators go into the branch; then its own is appended."""
        with traced_into(self.parent) as self.block:
            yield
            outside = written(self.block)
            changed = [name for name in outside if self.apart(name)]
            latest = settled(self.block, changed)
            self.carried = [
                self.handed_out(latest.get(value.name, value))
                if isinstance(value, Variable)
                else value
                for value in flat(self.results)
            ]
            taken = {name: self.handed_out(latest[name]).name for name in changed}
        self.append([name for name in outside if name not in taken], [*taken.values()])
        for name, new in taken.items():
            self.choose(name, new)

    @property
    def nest(self) -> Any:
        """The branch's results, in variables of the parent block."""
        return packed(self.results, self.carried)

    def apart(self, name: str) -> bool:
        """Say if a write to a captured variable needs a variable of its own.

        That is so inside a loop, whose rounds keep their values, and where a gradient
        may have to come back to the value before.
        """
        variable = self.block._var_recursive(name)
        if variable.persistable or variable.is_data:
            return False
        passes = dtypes.is_floating(variable.dtype) and not variable.stop_gradient
        return passes or self.parent.idx != 0

    def handed_out(self, value: Variable) -> Variable:
        """A variable of the parent that a value of the branch is assigned to."""
        out = self.parent.create_var(
            shape=value.shape, dtype=value.dtype, type=value.type
        )
        append(self.block, assign, [value], {}, out=[out])
        out.stop_gradient = value.stop_gradient
        return out

    def append(self, in_place: list[str], taken: list[str]) -> None:
        """Append the operator that runs the block."""
        results = [v.name for v in self.carried if isinstance(v, Variable)]
        scope = self.parent.create_var(type="STEP_SCOPES", stop_gradient=True)
        own = {*results, *taken}
        read = [name for name in captured(self.block) if name not in own]
        self.parent.insert(
            len(self.parent.ops),
            conditional_block.type,
            {"Cond": [self.condition.name], "Input": sorted({*read, *in_place})},
            {"Out": [*results, *taken, *in_place], "Scope": [scope.name]},
            {"sub_block": self.block.idx, "is_scalar_condition": True},
        )

    def choose(self, name: str, taken: str) -> None:
        """Give a variable what the branch wrote if it was taken, else what it had."""
        variable = self.parent._var_recursive(name)
        mask = functions.cast(self.condition, "int32")
        before = kept_apart(self.parent, variable)
        select(self.parent, mask.name, [before.name, taken], name, kept=True)


def select(
    block: Block, mask: str, choices: list[str], out: str, *, kept: bool = False
) -> None:
    """Append the operator that picks what a branch gave."""
    slots = {"Mask": [mask], "X": choices}
    attrs = {"kept": True} if kept else {}
    block.insert(len(block.ops), select_input.type, slots, {"Out": [out]}, attrs)
