"""Gradients of branches and loops: gradient operators with blocks of their own.

The block of a gradient operator is what `append_backward` makes of the forward block.
It sees the variables of that block, in a loop those of the iteration that it
differentiates. By name, `x@GRAD` in it is what one iteration adds to the gradient of
the captured `x`, and `h@GRAD@AFTER` the upstream gradient of the loop variable `h`,
from the iterations after. In the block of a `recurrent_grad`, `y@GRAD@AT_STEP` is the
upstream gradient of a step's output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.control_flow.block_writes import renamed
from teachgraph.control_flow.loop import write_backs
from teachgraph.control_flow.ops import (
    conditional_block,
    conditional_block_grad,
    recurrent,
    recurrent_grad,
    while_,
    while_grad,
)
from teachgraph.control_flow.sub_block import (
    create_block,
    inner_operators,
    sub_block_of,
)
from teachgraph.core import dtypes, unique_name
from teachgraph.core.backward import Backward, Parts
from teachgraph.core.errors import ProgramError
from teachgraph.core.program import EMPTY, GRAD, Block, Operator, OpRole, Variable
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.math import assign
from teachgraph.ops.selection import select_input, select_output
from teachgraph.ops.tensor_array import array_zeros_like

__all__ = ["AFTER", "AT_STEP"]

AFTER = f"{GRAD}@AFTER"
AT_STEP = f"{GRAD}@AT_STEP"


@contextmanager
def block_of_gradient(backward: Backward, forward: Block) -> Iterator[Block]:
    """A new block for the gradient of `forward`."""
    program = forward.program
    for name in [name for name in forward.vars if name.endswith(GRAD)]:
        # A gradient that the body itself takes: here `x@GRAD` means another one.
        renamed(forward, name, unique_name.generate(f"{name}@INSIDE"))
    before = program.current_block_idx
    block = create_block(program, backward.block.idx)
    block.forward_block_idx, forward.backward_block_idx = forward.idx, block.idx
    try:
        with program.with_role(OpRole.BACKWARD):
            yield block
    finally:
        program.current_block_idx = before


@select_input.grad_builder
def build_select_input_grad(
    backward: Backward, operator: Operator, parts: Parts
) -> None:
    """Pass the upstream gradient on to the branch that was taken."""
    (out,) = operator.outputs["Out"]
    outputs = [parts.get(1 + i, EMPTY) for i in range(2)]
    slots = {"Mask": operator.inputs["Mask"], "X": [backward.names[out]]}
    if operator.attrs.get("kept") and 1 in parts:
        slots["Kept"] = operator.inputs["X"][:1]
    insert(
        backward,
        operator,
        select_output.type,
        slots,
        {"Out": outputs},
        {},
    )


@select_output.grad_builder
def build_select_output_grad(
    backward: Backward, operator: Operator, parts: Parts
) -> None:
    """Pick the gradient that comes from the branch that was taken."""
    if 2 in parts:
        kept = backward.current(operator.inputs["Kept"][0])
        zeros(backward.block, backward.block._var_recursive(kept), parts[2])
    if 1 not in parts:
        return
    mask, x = operator.inputs["Mask"], operator.inputs["X"][0]
    variable = backward.block._var_recursive(backward.current(x))
    arrived = [
        None if name == EMPTY else backward.names.get(name)
        for name in operator.outputs["Out"]
    ]
    gradients = [
        name or zeros(backward.block, variable, backward.free_name(x)).name
        for name in arrived
    ]
    slots = {"Mask": mask, "X": gradients}
    outputs = {"Out": [parts[1]]}
    insert(backward, operator, select_input.type, slots, outputs, {"kept": True})


@conditional_block.grad_builder
def build_branch_grad(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append a `conditional_block_grad`, whose block differentiates the branch."""
    forward, names = sub_block_of(operator), operator.inputs["Input"]
    assert forward is not None
    outs = [name for name in operator.outputs["Out"] if backward.names.get(name)]
    grads = [backward.names[name] for name in outs]
    leaves = [n for i, n in enumerate(names) if 1 + i in parts]
    with block_of_gradient(backward, forward) as block:
        fill_gradient_block(backward, block, forward.ops, outs, grads, leaves)
    insert(
        backward,
        operator,
        conditional_block_grad.type,
        {
            "Cond": operator.inputs["Cond"],
            "Input": names,
            "Out": outs,
            "Out@GRAD": grads,
            "Scope": operator.outputs["Scope"],
        },
        {"Input@GRAD": [parts.get(1 + i, EMPTY) for i in range(len(names))]},
        {
            "sub_block": block.idx,
            "is_scalar_condition": True,
            **backward.role_var(operator, parts),
        },
    )


def fill_gradient_block(
    backward: Backward,
    block: Block,
    ops: Sequence[Operator],
    targets: Sequence[str],
    grads: Sequence[str],
    leaves: Sequence[str],
) -> dict[str, str]:
    """Fill a gradient block; return the gradient's name there of each leaf reached."""
    outputs, inputs = (
        [block._var_recursive(name) for name in names] for names in (targets, leaves)
    )
    inner = Backward(block, outputs, backward.constant, inputs, ops)
    return inner.run(grads)


@while_.grad_builder
def build_loop_grad(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append a `while_grad`, whose block differentiates one iteration."""
    refuse_changed_inside(operator)
    forward, names = sub_block_of(operator), operator.inputs["X"]
    assert forward is not None
    results = write_backs(operator)
    outs = operator.outputs["Out"]
    carried = [name for name in outs if backward.passes(name)]
    arriving = {name: upstream_of(backward, name) for name in carried}
    # `X` begins with a first value for each of `Out` but its last, the condition.
    read = [
        n for i, n in enumerate(names[len(outs) - 1 :], len(outs) - 1) if i in parts
    ]
    with block_of_gradient(backward, forward) as block:
        after = {name: gradient_after(block, name) for name in carried}
        through = [n for n in carried if is_on_path(backward, block, results[n])]
        # Without the assignments at the end: their gradients are the seeds of an
        # iteration.
        ops = forward.ops[: len(forward.ops) - changed(results)]
        gradients = fill_gradient_block(
            backward,
            block,
            ops,
            [results[n] for n in through],
            [after[n].name for n in through],
            [*carried, *read],
        )
        for name in carried:
            name_gradient(block, name, gradients.get(name))
    insert(
        backward,
        operator,
        while_grad.type,
        {
            "X": names,
            "Out": outs,
            "Out@GRAD": [arriving.get(name, EMPTY) for name in outs],
            "StepScopes": operator.outputs["StepScopes"],
        },
        {"X@GRAD": [parts.get(i, EMPTY) for i in range(len(names))]},
        {
            "sub_block": block.idx,
            "is_test": False,
            "original_output_grad": list(arriving.values()),
            **backward.role_var(operator, parts),
        },
    )


@recurrent.grad_builder
def build_recurrent_grad(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append a `recurrent_grad`, whose block differentiates one step."""
    forward, attrs = sub_block_of(operator), operator.attrs
    assert forward is not None
    _, first, read = (operator.inputs[slot] for slot in STEP_SLOTS)
    outs = zip(operator.outputs["outputs"], attrs["step_outputs"], strict=True)
    handed = {y: out for out, y in outs if backward.names.get(out)}
    states = dict(zip(attrs["ex_states"], attrs["states"], strict=True))
    wanted = [
        name
        for i, name in enumerate([*attrs["step_inputs"], *first, *read])
        if i in parts and name not in first
    ]
    with block_of_gradient(backward, forward) as block:
        carried = [h for h in states if is_on_path(backward, block, h)]
        after = {h: gradient_after(block, h) for h in carried}
        arriving = {y: gradient_after(block, y, AT_STEP) for y in handed}
        through = [h for h in carried if is_on_path(backward, block, states[h])]
        gradients = fill_gradient_block(
            backward,
            block,
            forward.ops,
            [*arriving, *(states[h] for h in through)],
            [v.name for v in (*arriving.values(), *(after[h] for h in through))],
            [*carried, *wanted],
        )
        for name in carried:
            name_gradient(block, name, gradients.get(name))
    # `parts` numbers the inputs of all slots consecutively.
    left = iter(range(len(operator.input_arg_names)))
    insert(
        backward,
        operator,
        recurrent_grad.type,
        {
            **operator.inputs,
            "outputs": list(handed.values()),
            "outputs@GRAD": [backward.names[out] for out in handed.values()],
            "step_scopes": operator.outputs["step_scopes"],
        },
        {
            slot + GRAD: [parts.get(next(left), EMPTY) for _ in operator.inputs[slot]]
            for slot in STEP_SLOTS
        },
        {
            **operator.own_attrs,
            "step_outputs": list(handed),
            "sub_block": block.idx,
            **backward.role_var(operator, parts),
        },
    )


STEP_SLOTS = ("inputs", "initial_states", "parameters")


def is_on_path(backward: Backward, block: Block, name: str) -> bool:
    """Say if a gradient may pass this variable of an iteration."""
    variable = block._var_recursive(name)
    return name not in backward.constant and not variable.stop_gradient


def changed(results: Mapping[str, str]) -> int:
    """The number of loop variables that the body assigns to."""
    return sum(name != result for name, result in results.items())


def upstream_of(backward: Backward, name: str) -> str:
    """The upstream gradient of a loop variable after the loop: zeros if none."""
    known = backward.names.get(name)
    if known is not None:
        return known
    variable = backward.block._var_recursive(name)
    return zeros(backward.block, variable, backward.free_name(name)).name


def gradient_after(block: Block, name: str, suffix: str = AFTER) -> Variable:
    """Create the variable for the upstream gradient of an iteration's variable."""
    like = block._var_recursive(name)
    return block.create_var(name + suffix, like.shape, like.dtype, type=like.type)


def name_gradient(block: Block, name: str, found: str | None) -> None:
    """Make `name@GRAD` the gradient that an iteration gives to its loop variable."""
    variable = block._var_recursive(name)
    if found is None:
        zeros(block, variable, name + GRAD)
    elif found != name + GRAD:
        block.create_var(
            name + GRAD, variable.shape, variable.dtype, type=variable.type
        )
        slots = {"Out": [name + GRAD]}
        block.insert(len(block.ops), assign.type, {"X": [found]}, slots, {})


def zeros(block: Block, variable: Variable, name: str) -> Variable:
    """A gradient of zeros."""
    gradient = block.create_var(
        name, variable.shape, variable.dtype, type=variable.type
    )
    if variable.type != "LOD_TENSOR":
        array = {"X": [variable.name]}, {"Out": [gradient.name]}
        block.insert(len(block.ops), array_zeros_like.type, *array, {})
        return gradient
    attrs = {"value": 0.0, "dtype": dtypes.PADDLE_CODES[variable.dtype]}
    slots = {"X": [variable.name]}, {"Out": [gradient.name]}
    block.insert(len(block.ops), fill_any_like.type, *slots, attrs)
    return gradient


def refuse_changed_inside(operator: Operator) -> None:
    """Refuse a body that overwrites a value which its gradient needs.

    Raises:
        ProgramError: A block inside the loop's block assigns to a loop variable.
    """
    block, results = sub_block_of(operator), write_backs(operator)
    assert block is not None
    ends = set(block.ops[len(block.ops) - changed(results) :])
    for inner in inner_operators(block):
        if inner in ends:
            continue
        for name in set(inner.output_arg_names) & results.keys():
            if block._find_var_recursive(name) is not None:
                raise ProgramError.here(
                    f"{inner.type} changes {name!r} in the middle of a round, and "
                    "the gradient needs the value before: give the new value a "
                    "variable of its own",
                    inner.callsite,
                )


def insert(
    backward: Backward,
    operator: Operator,
    type: str,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Sequence[str]],
    attrs: Mapping[str, Any],
) -> None:
    """Append a gradient operator."""
    canonical = backward.current
    grad_operator = backward.block.insert(
        len(backward.block.ops),
        type,
        {slot: [canonical(n) for n in names] for slot, names in inputs.items()},
        {slot: list(names) for slot, names in outputs.items()},
        {**attrs, "op_namescope": operator.attrs.get("op_namescope", "/")},
    )
    grad_operator.twin = operator
