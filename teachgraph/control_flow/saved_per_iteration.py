"""Arrays of values that a loop or a branch computes: a part for each iteration.

A branch that is not taken leaves an empty array.
"""

from __future__ import annotations

from typing import Any

from teachgraph.control_flow.loop import write_backs
from teachgraph.control_flow.sub_block import position_of, sub_block_of
from teachgraph.core import dtypes
from teachgraph.core.ops import fill_constant
from teachgraph.core.program import Block, Operator, OpRole, Variable
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.math import assign, cast
from teachgraph.ops.selection import select_input
from teachgraph.ops.tensor_array import create_array, lod_array_length, write_to_array

__all__ = ["kept_array"]

ARRAY = "LOD_TENSOR_ARRAY"


def kept_array(forward: Operator, name: str) -> Variable:
    """The array of a variable's values in each iteration of a loop, or in a branch.

    Of a loop variable it holds the values at the beginning of the iterations. The
    operator is made to write the array, if it does not yet.
    """
    inside, block = sub_block_of(forward), forward.block
    assert inside is not None
    label = f"{name}@ROUNDS@{inside.idx}"
    if label not in block.vars:
        with block.program.with_role(OpRole.FORWARD):
            KEEP[forward.type](forward, inside, name, label)
        block.program.touch()
    return block.vars[label]


def variable_like(block: Block, label: str, value: Variable, kind: str) -> str:
    """A variable in the shape of a value, or an array of such."""
    stop = value.stop_gradient or not is_floating(value.dtype)
    return block.create_var(
        label, value.shape, value.dtype, type=kind, stop_gradient=stop
    ).name


def empty_array(forward: Operator, label: str, value: Variable) -> str:
    """An empty array, made before the operator runs."""
    array = variable_like(forward.block, f"{label}@EMPTY", value, ARRAY)
    code = {"dtype": dtypes.PADDLE_CODES[value.dtype]}
    insert_op(forward.block, position_of(forward), create_array.type, {}, array, code)
    return array


def insert_op(
    block: Block,
    at: int,
    type: str,
    inputs: dict[str, str],
    out: str,
    attrs: dict[str, Any] | None = None,
) -> None:
    """Insert an operator of one output."""
    slots = {slot: [name] for slot, name in inputs.items()}
    block.insert(at, type, slots, {"Out": [out]}, attrs or {})


def keep_of_loop(forward: Operator, inside: Block, name: str, label: str) -> None:
    """Add a loop variable: an array to which each iteration appends a value."""
    value = inside._var_recursive(name)
    start = empty_array(forward, label, value)
    array = variable_like(forward.block, label, value, ARRAY)
    number = inside.create_var(f"{label}@NUMBER", [1], "int64", stop_gradient=True).name
    longer = variable_like(inside, f"{label}@NEXT", value, ARRAY)
    results = write_backs(forward)
    at = len(inside.ops) - sum(old != new for old, new in results.items())
    insert_op(inside, at, lod_array_length.type, {"X": array}, number)
    slots = {"X": name, "I": number, "Array": array}
    insert_op(inside, at + 1, write_to_array.type, slots, longer)
    insert_op(inside, len(inside.ops), assign.type, {"X": longer}, array)
    outs = forward.outputs["Out"]
    forward.inputs["X"].insert(len(outs) - 1, start)
    outs.insert(len(outs) - 1, array)


def keep_of_branch(forward: Operator, inside: Block, name: str, label: str) -> None:
    """Add a result: an array of one part, or of none."""
    value = inside._var_recursive(name)
    block = forward.block
    start = empty_array(forward, label, value)
    longer = variable_like(inside, f"{label}@NEXT", value, ARRAY)
    taken = variable_like(block, f"{label}@TAKEN", value, ARRAY)
    zero = inside.create_var(f"{label}@NUMBER", [1], "int64", stop_gradient=True).name
    code = dtypes.PADDLE_CODES[dtypes.convert("int64")]
    attrs: dict[str, Any] = {"shape": [1], "value": 0.0, "dtype": code}
    insert_op(inside, len(inside.ops), fill_constant.type, {}, zero, attrs)
    slots = {"X": name, "I": zero, "Array": start}
    insert_op(inside, len(inside.ops), write_to_array.type, slots, longer)
    insert_op(inside, len(inside.ops), assign.type, {"X": longer}, taken)
    forward.inputs["Input"].append(start)
    forward.outputs["Out"].append(taken)
    array = variable_like(block, label, value, ARRAY)
    mask = block.create_var(f"{label}@MASK", [1], "int32", stop_gradient=True).name
    to = {"out_dtype": dtypes.PADDLE_CODES[dtypes.convert("int32")]}
    insert_op(
        block,
        position_of(forward) + 1,
        cast.type,
        {"X": forward.inputs["Cond"][0]},
        mask,
        to,
    )
    both = {"Mask": [mask], "X": [start, taken]}
    attrs = {"kept": True}
    at = position_of(forward) + 2
    block.insert(at, select_input.type, both, {"Out": [array]}, attrs)


def keep_of_steps(forward: Operator, inside: Block, name: str, label: str) -> None:
    """Add an output that is an array, not stacked."""
    value = inside._var_recursive(name)
    part = variable_like(inside, f"{label}@PART", value, value.type)
    insert_op(inside, len(inside.ops), assign.type, {"X": name}, part)
    array = variable_like(forward.block, label, value, ARRAY)
    forward.outputs["outputs"].append(array)
    attrs = forward.attrs
    attrs["step_outputs"] = [*attrs["step_outputs"], part]


KEEP = {
    "while": keep_of_loop,
    "conditional_block": keep_of_branch,
    "recurrent": keep_of_steps,
}
