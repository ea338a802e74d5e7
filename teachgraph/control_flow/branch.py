"""One branch: a block that a `conditional_block` operator runs if a condition holds.

A captured variable that a branch writes is either written in place or, where a gradient
may pass, replaced by a variable of the branch: `select_input` then picks between that
and the value before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from teachgraph.control_flow.block_writes import redirect_writes
from teachgraph.control_flow.ops import conditional_block
from teachgraph.control_flow.sub_block import (
    append_assign,
    captured,
    kept_apart,
    traced_into,
    written,
)
from teachgraph.core import dtypes
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.ops import functions
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.math import cast
from teachgraph.ops.selection import choice, select_input

__all__ = ["Branch", "select", "selected"]


class Branch:
    """A branch while it is built.

    Attributes:
        parent: The block that its operator goes into.
        condition: One boolean Variable.
        holds: True if it runs where the condition holds, False where it does not.
        block: What it runs.
        operator: What runs it; None as long as there is nothing to run.
        outputs: Variables of the parent that have a value if the branch was taken.
    """

    def __init__(
        self, parent: Block, condition: Variable, *, holds: bool = True
    ) -> None:
        self.parent, self.condition, self.holds = parent, condition, holds
        self.block = parent
        self.operator: Operator | None = None
        self.outputs: list[Variable] = []

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Inside, operators go into the branch; then its own is appended.

        A block without operators is removed: it is the last, as it contains no block.
        """
        with traced_into(self.parent) as self.block:
            yield
        if self.block.ops:
            self.append()
        else:
            self.parent.program.blocks.remove(self.block)

    def hand_out(self, value: Variable) -> Variable:
        """A variable of the parent that a value of the branch is assigned to."""
        out = self.parent.create_var(
            shape=value.shape,
            dtype=value.dtype,
            type=value.type,
            stop_gradient=value.stop_gradient,
        )
        append_assign(self.block, value.name, out.name)
        self.outputs.append(out)
        return out

    def append(self) -> None:
        """Append the operator that runs the block.

        A variable that is written in place is an input as well: if the branch is not
        taken, it keeps its value.
        """
        if not self.holds:
            self.condition, self.holds = functions.logical_not(self.condition), True
        taken = self.written_apart()
        outs = [v.name for v in self.outputs]
        in_place = [name for name in written(self.block) if name not in outs]
        read = [name for name in captured(self.block) if name not in outs]
        scope = self.parent.create_var(type="STEP_SCOPES", stop_gradient=True)
        self.operator = self.parent.insert(
            len(self.parent.ops),
            conditional_block.type,
            {"Cond": [self.condition.name], "Input": sorted({*read, *in_place})},
            {"Out": [*outs, *in_place], "Scope": [scope.name]},
            {"sub_block": self.block.idx, "is_scalar_condition": True},
        )
        for name, new in taken.items():
            self.choose(name, new)

    def written_apart(self) -> dict[str, str]:
        """Redirect writes to variables of the branch; output these, by name."""
        own = {v.name for v in self.outputs}
        changed = [n for n in written(self.block) if n not in own and self.apart(n)]
        if not changed:
            return {}
        latest = redirect_writes(self.block, changed)
        return {name: self.hand_out(latest[name]).name for name in changed}

    def apart(self, name: str) -> bool:
        """Say if a write to a captured variable needs a variable of its own.

        That is so inside a loop, which saves the values of each iteration, and where a
        gradient may pass to the value before.
        """
        variable = self.block._var_recursive(name)
        if variable.persistable or variable.is_data:
            return False
        passes = is_floating(variable.dtype) and not variable.stop_gradient
        return passes or self.parent.idx != 0

    def choose(self, name: str, taken: str) -> None:
        """Assign the branch's value to a variable if it was taken, else the old one."""
        variable = self.parent._var_recursive(name)
        mask = functions.cast(self.condition, "int32")
        before = kept_apart(self.parent, variable)
        select(self.parent, mask.name, [before.name, taken], name, kept=True)


def selected(block: Block, mask: Variable, yes: Variable, no: Variable) -> Variable:
    """Append the choice between the results of two branches; return the one taken.

    It is cast to a floating dtype if a gradient has to pass, else it has its own.
    """
    shape, dtype = choice(yes, no)
    passing = [x.dtype for x in (yes, no) if not x.stop_gradient]
    floating = [*filter(is_floating, passing)]
    out = block.create_var(
        shape=shape,
        dtype=floating[0] if floating else dtype,
        stop_gradient=yes.stop_gradient and no.stop_gradient,
        type=yes.type,
    )
    select(block, mask.name, [no.name, yes.name], out.name)
    if yes.dtype == no.dtype or not floating:
        return out
    # Not `functions.cast`, which leaves out what is stated to be of the dtype already.
    stated, other = (
        dtypes.PADDLE_CODES[dtype]
        for dtype in (out.dtype, no.dtype if yes.dtype == out.dtype else yes.dtype)
    )
    return cast(out, in_dtype=other, out_dtype=stated)  # type: ignore[no-any-return]


def select(
    block: Block, mask: str, choices: list[str], out: str, *, kept: bool = False
) -> None:
    """Append the operator that picks the value of one branch."""
    slots = {"Mask": [mask], "X": choices}
    attrs = {"kept": True} if kept else {}
    block.insert(len(block.ops), select_input.type, slots, {"Out": [out]}, attrs)
