"""The public Operator: the core's, with the small methods that Paddle gives it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from teachgraph.control_flow.sub_block import position_of, sub_block_of
from teachgraph.core import program as core
from teachgraph.core.errors import ProgramError
from teachgraph.core.observe import announce
from teachgraph.core.program import OpRole, Slots
from teachgraph.static.op_desc import OpDesc
from teachgraph.static.printing import operator_line

__all__ = ["OpRole", "Operator", "Slots"]


class Operator(core.Operator):
    """An op and the names of the variables it reads and writes.

    In Paddle this is `paddle.base.framework.Operator`.
    """

    twin: Operator | None

    def input(self, slot: str) -> list[str]:
        """The variable names in an input slot.

        Raises:
            ProgramError: There is no such slot.
        """
        return slot_names(self, "input", self.inputs, slot)

    def output(self, slot: str) -> list[str]:
        """The variable names in an output slot.

        Raises:
            ProgramError: There is no such slot.
        """
        return slot_names(self, "output", self.outputs, slot)

    @property
    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.outputs)

    @property
    def attr_names(self) -> list[str]:
        """The names of its attributes."""
        return list(self.attrs)

    def attr(self, name: str) -> Any:
        """An attribute, None if it has none of that name."""
        return self.attrs.get(name)

    def has_attr(self, name: str) -> bool:
        """Say if it has an attribute of that name."""
        return name in self.attrs

    def attr_type(self, name: str) -> str:
        """The kind of an attribute's value, in Paddle's words: `INT`, `FLOATS`, ...

        Raises:
            ProgramError: It has no attribute of that name.
        """
        if name not in self.attrs:
            raise ProgramError(f"{self.type} has no attribute {name!r}")
        return kind_of(name, self.attrs[name])

    def all_attrs(self) -> dict[str, Any]:
        """A copy of its attributes."""
        return copy.deepcopy(self.attrs)

    _set_attr = core.Operator.set_attr

    @property
    def idx(self) -> int:
        """Its position in its block."""
        return position_of(self)

    @property
    def sub_block(self) -> Any:
        """The block that it runs, if it is a branch or a loop."""
        return sub_block_of(self)

    @property
    def desc(self) -> OpDesc:
        """The operator, asked by calls."""
        return OpDesc(self)

    def _remove_attr(self, name: str) -> None:
        self.attrs.pop(name, None)
        self.block.program.touch()
        announce("attribute_changed", self, name, None)

    def _rename_input(self, old_name: str, new_name: str) -> None:
        self._rename_in(self.inputs, old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        self._rename_in(self.outputs, old_name, new_name)

    def _rename_in(self, slots: Slots, old: str, new: str) -> None:
        for slot, names in slots.items():
            slots[slot] = [new if name == old else name for name in names]
        self.block.program.touch()

    def _is_optimize_op(self) -> bool:
        return bool(self.role & OpRole.OPTIMIZE)

    def _is_backward_op(self) -> bool:
        return bool(self.role & OpRole.BACKWARD)

    def __repr__(self) -> str:
        return operator_line(self)

    def to_string(self, throw_on_error: bool = True) -> str:
        """The line that `print(program)` shows for it."""
        return repr(self)


KINDS = {bool: "BOOL", int: "INT", float: "FLOAT", str: "STRING"}


def kind_of(name: str, value: Any) -> str:
    """Paddle's word for the kind of an attribute."""
    if name == "sub_block":
        return "BLOCK"
    if isinstance(value, (list, tuple)):
        return f"{KINDS.get(type(value[0]), 'INT') if value else 'INT'}S"
    return KINDS.get(type(value), "TENSOR" if isinstance(value, np.ndarray) else "NONE")


def slot_names(operator: Operator, kind: str, slots: Slots, slot: str) -> list[str]:
    """The names in a slot, or an error that lists the slots there are."""
    try:
        return slots[slot]
    except KeyError:
        raise ProgramError(
            f"{operator.type} has no {kind} slot {slot!r}; it has {list(slots)}"
        ) from None
