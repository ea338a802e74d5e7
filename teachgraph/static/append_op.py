"""`Block.append_op`: an operator by its type and its slots, spelled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph.core.build import (
    declare,
    infer_outputs,
    own_variable,
    pass_stop_gradient,
)
from teachgraph.core.errors import DTypeError, ProgramError
from teachgraph.core.op import GradOp, Op, find, slot_name
from teachgraph.core.program import Block, Operator, Slots, Variable

__all__ = ["check_slots", "insert_named"]


def insert_named(
    block: Block,
    index: int,
    type: str | None,
    inputs: Mapping[str, Any] | None,
    outputs: Mapping[str, Any] | None,
    attrs: Mapping[str, Any] | None,
) -> Operator:
    """Put an operator, given by its type and slots, at `index` of a block.

    Raises:
        ProgramError: The type, a slot or a variable is missing.
        OpError: The inputs do not fit.
    """
    if not type:
        raise ProgramError.here("`type` to initialized an Operator can not be None.")
    op = find(type)
    ins, outs = names_in(block, inputs), names_in(block, outputs)
    check_slots(op, ins, outs)
    # `op_role` and the like are attributes of every operator, not of the op.
    own = {name: v for name, v in (attrs or {}).items() if not name.startswith("op_")}
    declare_outputs(block, op, ins, outs, own)
    variables = variables_of(block, ins), variables_of(block, outs)
    pass_stop_gradient(block, *variables)
    return block.insert(index, type, ins, outs, op.complete(attrs or {}))


def names_in(block: Block, slots: Mapping[str, Any] | None) -> Slots:
    """Slots as lists of names, each of a variable that exists.

    Raises:
        DTypeError: The slots are no dictionary, or hold no Variables or names.
        ProgramError: A variable is not of this program.
    """
    if not isinstance(slots, (Mapping, type(None))):
        raise DTypeError.here(f"slots are a dict of Variables or names, got {slots!r}")
    names: Slots = {}
    for slot, value in (slots or {}).items():
        values = value if isinstance(value, (list, tuple)) else [value]
        names[slot] = [name_of(block, slot, v) for v in values if v is not None]
    return names


def name_of(block: Block, slot: str, value: Any) -> str:
    """The name of a variable of this program, given by itself or by its name."""
    if isinstance(value, str):
        return block._var_recursive(value).name
    if not isinstance(value, Variable):
        raise DTypeError.here(f"slot {slot} takes Variables or names, got {value!r}")
    return own_variable(block, f"slot {slot}", value).name


def check_slots(op: Op, inputs: Slots, outputs: Slots) -> None:
    """Refuse an operator that lacks a slot its op needs."""
    if isinstance(op, GradOp):
        return
    for name in op.inputs:
        slot, several = slot_name(name), op.variadic and name == op.inputs[-1]
        count = len(inputs.get(slot, ()))
        if not count and not several and name not in op.optional:
            raise ProgramError.here(f"{op.type}: Input {slot} not found")
        if count > 1 and not several:
            raise ProgramError.here(
                f"{op.type}: Input {slot} is one variable, got {count}"
            )
    required = [slot_name(name) for name in op.outputs]
    if any(not outputs.get(slot) for slot in required) and op.type != "py_func":
        wanted = f"[{', '.join(required)}]"
        raise ProgramError.here(
            f'Incorrect setting for output(s) of operator "{op.type}", '
            f"should set: {wanted}."
        )


def declare_outputs(
    block: Block, op: Op, inputs: Slots, outputs: Slots, attrs: Mapping[str, Any]
) -> None:
    """Give the variables of an op's results the shape and dtype that it will write.

    Raises:
        ProgramError: It does not fit a variable that is fed or kept.
    """
    if isinstance(op, GradOp) or op.type == "py_func":
        return
    slots = {
        slot: [block._var_recursive(n) for n in names] for slot, names in inputs.items()
    }
    specs = infer_outputs(op, op.arguments(slots), attrs)
    for output, spec in zip(op.outputs, specs, strict=True):
        for name in outputs.get(slot_name(output), ()):
            declare(block._var_recursive(name), spec, op)


def variables_of(block: Block, slots: Slots) -> Sequence[Variable]:
    """The variables that slots name."""
    return [block._var_recursive(n) for names in slots.values() for n in names]
