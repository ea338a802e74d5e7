"""What becomes of an op in a Block: an Operator, and Variables for its results.

`append` takes an op that was handed Variables; `insert_named` takes one by name, with
the slots spelled out, as `Block.append_op` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph import dtypes
from teachgraph.errors import MixedModeError, ProgramError, at_user_line
from teachgraph.observe import announce
from teachgraph.ops.creation import assign_value
from teachgraph.ops.infer import Spec, infer
from teachgraph.ops.op import GradOp, Op, find, slot_name
from teachgraph.ops.traced import Traced
from teachgraph.static import naming
from teachgraph.static.operator import Operator, Slots
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    from teachgraph.static.block import Block

__all__ = ["append", "insert_named"]


def append(
    block: Block, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Any:
    """Append `op` for these inputs, with new variables for its outputs.

    Raises:
        OpError: The inputs do not fit; nothing has been appended then.
    """
    variables = [taken(block, op, x, inputs, attrs) for x in inputs]
    specs = inferred(op, variables, attrs)
    slots = {
        slot: [v.name for v in found] for slot, found in op.slots(variables).items()
    }
    outputs = outputs_of(block, op, variables, specs)
    names = dict(
        zip(map(slot_name, op.outputs), ([v.name] for v in outputs), strict=True)
    )
    block.insert(len(block.ops), op.type, slots, names, op.complete(attrs))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def taken(
    block: Block, op: Op, value: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Variable | None:
    """An input as a Variable of this program; arrays become constants in it.

    Raises:
        MixedModeError: It is a Tensor.
        ProgramError: It belongs to another program.
    """
    if value is None:
        return None
    if isinstance(value, Variable):
        if block._find_var_recursive(value.name) is not value:
            raise ProgramError(
                at_user_line(
                    f"{op.type}: {value.name!r} is a variable of another program; "
                    "build under program_guard(that program)"
                )
            )
        return value
    if isinstance(value, Traced):
        error = MixedModeError(
            "a Tensor runs now, a Variable later in its program; feed the Tensor's "
            "values to the program, or build all of it in dynamic mode"
        )
        raise op.explain(inputs, attrs, error)
    array = np.asarray(value)
    dtype = dtype_beside(inputs, value) or array.dtype
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype)]
    constant = {"values": array.ravel(), "shape": list(array.shape), "dtype": code}
    with naming.scope(naming.Plain("assign")):
        return append(block, assign_value, (), constant)  # type: ignore[no-any-return]


def dtype_beside(inputs: Sequence[Any], value: Any) -> Any:
    """The dtype a bare number takes among these inputs."""
    if not isinstance(value, (bool, int, float)):
        return None
    return next(x.dtype_beside(value) for x in inputs if isinstance(x, Variable))


def inferred(
    op: Op, variables: Sequence[Variable | None], attrs: Mapping[str, Any]
) -> list[Spec]:
    """What the op's outputs will be, or an error that shows why it can't be."""
    try:
        return infer(op, [None if v is None else v.spec for v in variables], attrs)
    except Exception as error:
        explained = op.explain(variables, attrs, error)
        announce("op_failed", op.type, variables, attrs, explained)
        raise explained from None


def outputs_of(
    block: Block, op: Op, inputs: Sequence[Variable | None], specs: Sequence[Spec]
) -> list[Variable]:
    """Variables for an op's results: new ones, or the inputs they replace.

    No gradient goes to a result if none goes to any input.
    """
    names = naming.names_for(op.key)
    stop = all(v is None or v.stop_gradient for v in inputs)
    found = []
    for output, spec in zip(op.outputs, specs, strict=True):
        if output in op.inplace:
            replaced = inputs[op.inputs.index(op.inplace[output])]
            assert replaced is not None
            found.append(replaced)
        else:
            facts = {"stop_gradient": stop}
            found.append(block.create_var(names(), spec.shape, spec.dtype, **facts))
    return found


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
        raise ProgramError(
            at_user_line("`type` to initialized an Operator can not be None.")
        )
    op = find(type)
    ins, outs = names_in(block, inputs), names_in(block, outputs)
    check_slots(op, ins, outs)
    fill_outputs(block, op, ins, outs, attrs or {})
    return block.insert(index, type, ins, outs, op.complete(attrs or {}))


def names_in(block: Block, slots: Mapping[str, Any] | None) -> Slots:
    """Slots as lists of names, each of a variable that exists."""
    found: Slots = {}
    for slot, value in (slots or {}).items():
        values = value if isinstance(value, (list, tuple)) else [value]
        names = [v if isinstance(v, str) else v.name for v in values if v is not None]
        for name in names:
            block._var_recursive(name)
        found[slot] = names
    return found


def check_slots(op: Op, inputs: Slots, outputs: Slots) -> None:
    """Refuse an operator that lacks a slot its op needs."""
    if isinstance(op, GradOp):
        return
    for name in op.inputs:
        optional = name in op.optional or op.variadic
        if not optional and not inputs.get(slot_name(name)):
            raise ProgramError(
                at_user_line(f"{op.type}: Input {slot_name(name)} not found")
            )
    required = [slot_name(name) for name in op.outputs]
    if any(not outputs.get(slot) for slot in required) and op.type != "py_func":
        wanted = f"[{', '.join(required)}]"
        raise ProgramError(
            at_user_line(
                f'Incorrect setting for output(s) of operator "{op.type}", '
                f"should set: {wanted}."
            )
        )


def fill_outputs(
    block: Block, op: Op, inputs: Slots, outputs: Slots, attrs: Mapping[str, Any]
) -> None:
    """Give variables made without a shape the one their op will write."""
    if isinstance(op, GradOp) or op.type == "py_func":
        return
    slots = {
        slot: [block._var_recursive(n) for n in names] for slot, names in inputs.items()
    }
    specs = inferred(op, op.arguments(slots), attrs)
    for output, spec in zip(op.outputs, specs, strict=True):
        for name in outputs.get(slot_name(output), ()):
            variable = block._var_recursive(name)
            if not variable.shape:
                variable.shape, variable.dtype = spec
