"""What becomes of an op in a Block: an Operator, and Variables for its results.

`append` takes an op that was handed Variables; `insert_named` takes one by name, with
the slots spelled out, as `Block.append_op` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.core import dtypes, naming
from teachgraph.core.errors import MixedModeError, ProgramError, at_user_line
from teachgraph.core.infer import Spec, infer
from teachgraph.core.modes import is_grad_enabled
from teachgraph.core.observe import announce
from teachgraph.core.op import GradOp, Op, Traced, find, slot_name
from teachgraph.ops.creation import assign_value
from teachgraph.static.operator import Operator, OpRole, Slots, flat
from teachgraph.static.variable import Parameter, Variable

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
        return own_variable(block, op.type, value)
    if isinstance(value, Traced):
        if block.program.adopt is not None:
            return own_variable(block, op.type, block.program.adopt(value))
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

    No gradient goes to a result if none goes to any input, nor in a function traced
    into a program where it says `no_grad`.
    """
    names = naming.names_for(op.key)
    stop = all(v is None or v.stop_gradient for v in inputs)
    if block.program.adopt is not None:
        stop |= not is_grad_enabled()
    found = []
    for output, spec in zip(op.outputs, specs, strict=True):
        if output in op.inplace:
            replaced = inputs[op.inputs.index(op.inplace[output])]
            assert replaced is not None
            found.append(replaced)
        else:
            name = names()
            shape = known_of(block.vars.get(name), spec.shape)
            found.append(block.create_var(name, shape, spec.dtype, stop_gradient=stop))
    return found


def known_of(declared: Variable | None, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with the sizes it leaves open as declared.

    A gradient is declared in the shape of its variable, which may be known better than
    from the op that computes it.
    """
    if declared is None or len(declared.shape) != len(shape):
        return shape
    pairs = zip(shape, declared.shape, strict=True)
    return tuple(known if size == -1 else size for size, known in pairs)


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
    own = {name: v for name, v in (attrs or {}).items() if not name.startswith("op_")}
    fill_outputs(block, op, ins, outs, own)
    if block.program.op_role == OpRole.FORWARD:
        pass_stop_gradient(block, ins, outs)
    return block.insert(index, type, ins, outs, op.complete(attrs or {}))


def names_in(block: Block, slots: Mapping[str, Any] | None) -> Slots:
    """Slots as lists of names, each of a variable that exists.

    Raises:
        TypeError: The slots are no dictionary, or hold no Variables or names.
        ProgramError: A variable is not of this program.
    """
    if not isinstance(slots, (Mapping, type(None))):
        raise TypeError(f"slots are a dict of Variables or names, got {slots!r}")
    found: Slots = {}
    for slot, value in (slots or {}).items():
        values = value if isinstance(value, (list, tuple)) else [value]
        found[slot] = [name_of(block, slot, v) for v in values if v is not None]
    return found


def name_of(block: Block, slot: str, value: Any) -> str:
    """The name of a variable of this program, given by itself or by its name."""
    if isinstance(value, str):
        return block._var_recursive(value).name
    if not isinstance(value, Variable):
        raise TypeError(f"slot {slot} takes Variables or names, got {value!r}")
    return own_variable(block, f"slot {slot}", value).name


def own_variable(block: Block, what: str, variable: Variable) -> Variable:
    """The variable, if it is one of this program.

    Raises:
        ProgramError: It belongs to another one.
    """
    if block._find_var_recursive(variable.name) is not variable:
        if variable.block.program is block.program:
            raise ProgramError(
                at_user_line(
                    f"{what}: {variable.name!r} lives inside a branch or a loop, and "
                    "may not have been computed: return it from there"
                )
            )
        raise ProgramError(
            at_user_line(
                f"{what}: {variable.name!r} is a variable of another program; build "
                "under program_guard(that program)"
            )
        )
    return variable


def check_slots(op: Op, inputs: Slots, outputs: Slots) -> None:
    """Refuse an operator that lacks a slot its op needs."""
    if isinstance(op, GradOp):
        return
    for name in op.inputs:
        slot, several = slot_name(name), op.variadic and name == op.inputs[-1]
        count = len(inputs.get(slot, ()))
        if not count and not several and name not in op.optional:
            raise ProgramError(at_user_line(f"{op.type}: Input {slot} not found"))
        if count > 1 and not several:
            raise ProgramError(
                at_user_line(f"{op.type}: Input {slot} is one variable, got {count}")
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
    """Give the variables of an op's results the shape and dtype that it will write.

    Raises:
        ProgramError: It does not fit a variable that is fed or kept.
    """
    if isinstance(op, GradOp) or op.type == "py_func":
        return
    slots = {
        slot: [block._var_recursive(n) for n in names] for slot, names in inputs.items()
    }
    specs = inferred(op, op.arguments(slots), attrs)
    for output, spec in zip(op.outputs, specs, strict=True):
        for name in outputs.get(slot_name(output), ()):
            variable = block._var_recursive(name)
            if not (variable.persistable or variable.is_data):
                variable.shape, variable.dtype = spec
            elif not fits(variable.spec, spec):
                raise ProgramError(
                    at_user_line(
                        f"{op.type} gives {spec.dtype} {list(spec.shape)}, but "
                        f"{name!r} is {variable.dtype} {list(variable.shape)}"
                    )
                )


def fits(declared: Spec, made: Spec) -> bool:
    """Whether an array of one description may be one of the other."""
    return (
        declared.dtype == made.dtype
        and len(declared.shape) == len(made.shape)
        and all(
            -1 in (a, b) or a == b for a, b in zip(declared[0], made[0], strict=True)
        )
    )


def pass_stop_gradient(block: Block, inputs: Slots, outputs: Slots) -> None:
    """Stop the gradient at an operator's outputs if it is stopped at every input."""
    if all(block._var_recursive(n).stop_gradient for n in flat(inputs.values())):
        for name in flat(outputs.values()):
            variable = block._var_recursive(name)
            if not isinstance(variable, Parameter):
                variable.stop_gradient = True
