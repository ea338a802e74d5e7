"""Operators: one step of a program, by names."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from enum import IntFlag
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.core.callsite import Callsite
from teachgraph.core.errors import ProgramError
from teachgraph.core.observe import announce
from teachgraph.core.op import Op, find

if TYPE_CHECKING:
    from teachgraph.static.block import Block

__all__ = ["OpRole", "Operator"]


class OpRole(IntFlag):
    """What an operator is there for, in Paddle's bits."""

    FORWARD = 0
    BACKWARD = 1
    OPTIMIZE = 2
    RATE = 16
    LOSS = 256


Slots = dict[str, list[str]]


class Operator:
    """An op and the names of the variables it reads and writes.

    Attributes:
        block: The Block it stands in.
        type: The op's type.
        inputs: Variable names by slot.
        outputs: Variable names by slot.
        attrs: Attributes, the op's own and Paddle's `op_role`, `op_role_var`,
            `op_namescope`.
        callsite: The user's line that appended it.
        twin: For a gradient op, the operator it is the gradient of.

    In Paddle this is `paddle.base.framework.Operator`.
    """

    def __init__(
        self,
        block: Block,
        type: str,
        inputs: Slots,
        outputs: Slots,
        attrs: Mapping[str, Any],
    ) -> None:
        self.block, self.type = block, type
        self.inputs, self.outputs, self.attrs = inputs, outputs, dict(attrs)
        self.callsite: Callsite | None = None
        self.twin: Operator | None = None

    @property
    def op(self) -> Op:
        """The registered op of this type."""
        return find(self.type)

    @property
    def role(self) -> OpRole:
        """What it is there for."""
        return OpRole(self.attrs.get("op_role", 0))

    @property
    def own_attrs(self) -> dict[str, Any]:
        """The attributes the kernel takes."""
        known = self.op.attrs
        return {name: value for name, value in self.attrs.items() if name in known}

    @property
    def sub_block(self) -> Block | None:
        """The block it runs, if it is a branch or a loop."""
        number = self.attrs.get("sub_block")
        return None if number is None else self.block.program.block(number)

    @property
    def idx(self) -> int:
        """Where it stands in its block."""
        return next(i for i, op in enumerate(self.block.ops) if op is self)

    def input(self, slot: str) -> list[str]:
        """The variable names in an input slot.

        Raises:
            ProgramError: There is no such slot.
        """
        return named(self, "input", self.inputs, slot)

    def output(self, slot: str) -> list[str]:
        """The variable names in an output slot."""
        return named(self, "output", self.outputs, slot)

    @property
    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """Every variable it reads."""
        return flat(self.inputs.values())

    @property
    def output_arg_names(self) -> list[str]:
        """Every variable it writes."""
        return flat(self.outputs.values())

    @property
    def attr_names(self) -> list[str]:
        """The names of its attributes."""
        return list(self.attrs)

    def attr(self, name: str) -> Any:
        """An attribute, None if it has none of that name."""
        return self.attrs.get(name)

    def has_attr(self, name: str) -> bool:
        """Whether it has an attribute of that name."""
        return name in self.attrs

    def attr_type(self, name: str) -> str:
        """What kind of value an attribute is, in Paddle's words: `INT`, `FLOATS`, ...

        Raises:
            ProgramError: It has no attribute of that name.
        """
        if name not in self.attrs:
            raise ProgramError(f"{self.type} has no attribute {name!r}")
        return kind_of(name, self.attrs[name])

    def all_attrs(self) -> dict[str, Any]:
        """A copy of its attributes."""
        return copy.deepcopy(self.attrs)

    def _set_attr(self, name: str, value: Any) -> None:
        self.attrs[name] = value
        self.block.program.touch()
        announce("attribute_changed", self, name, value)

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

    def rename(self, old: str, new: str) -> None:
        """Put one variable name in place of another."""
        for slots in (self.inputs, self.outputs):
            for slot, names in slots.items():
                slots[slot] = [new if name == old else name for name in names]

    def to_string(self, throw_on_error: bool = True) -> str:
        """The line that `print(program)` shows for it."""
        attrs = ", ".join(
            f"{name} = {shown(value) if name != 'sub_block' else f'block[{value}]'}"
            for name, value in sorted(self.attrs.items())
        )
        inputs = shown_slots(self.inputs)
        separator = ", " if attrs else ""
        return (
            f"{{{shown_slots(self.outputs)}}} = "
            f"{self.type}(inputs={{{inputs}}}{separator}{attrs})"
        )

    def __repr__(self) -> str:
        return self.to_string()


KINDS = {bool: "BOOL", int: "INT", float: "FLOAT", str: "STRING"}


def kind_of(name: str, value: Any) -> str:
    """Paddle's word for the kind of an attribute."""
    if name == "sub_block":
        return "BLOCK"
    if isinstance(value, (list, tuple)):
        return f"{KINDS.get(type(value[0]), 'INT') if value else 'INT'}S"
    return KINDS.get(type(value), "TENSOR" if isinstance(value, np.ndarray) else "NONE")


def named(operator: Operator, kind: str, slots: Slots, slot: str) -> list[str]:
    """The names in a slot, or an error that lists the slots there are."""
    try:
        return slots[slot]
    except KeyError:
        raise ProgramError(
            f"{operator.type} has no {kind} slot {slot!r}; it has {list(slots)}"
        ) from None


def flat(lists: Iterable[Sequence[str]]) -> list[str]:
    """All names of several lists."""
    return [name for names in lists for name in names]


def shown_slots(slots: Slots) -> str:
    """Slots in order of their names, as Paddle prints them."""
    return ", ".join(f"{slot}={names}" for slot, names in sorted(slots.items()))


def shown(value: Any) -> str:
    """An attribute as text: strings bare, arrays by size, all else as Python does."""
    if isinstance(value, np.ndarray):
        return f"<{value.size} values>"
    return value if isinstance(value, str) else repr(value)
