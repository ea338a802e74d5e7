"""Type checker of programs.

Every name that an operator reads must have a value by then, every slot must be filled
as its op demands, and the declared shapes and dtypes must be those that the ops infer.
"""

from __future__ import annotations

from collections.abc import Iterator

from teachgraph.control_flow.sub_block import in_sight, sub_block_of
from teachgraph.core.build import infer
from teachgraph.core.errors import (
    DTypeError,
    ProgramError,
    ShapeError,
    TeachgraphError,
    UnknownOpError,
    at_user_line,
)
from teachgraph.core.op import GradOp, slot_name
from teachgraph.core.program import EMPTY, Block, Operator, Program, Spec
from teachgraph.passes.graph import has_blocks
from teachgraph.static.append_op import check_slots

__all__ = ["check"]


NOT_INFERRED = ("py_func", "select_output")
"""Ops whose result the user declares, or that give one of two results."""


def check(program: Program) -> None:
    """Refuse a program whose operators do not fit together.

    Raises:
        UnknownOpError: An operator's type is not registered.
        ProgramError: An operator reads a variable without a value, lacks a slot, writes
            a fed variable, or writes one variable twice.
        ShapeError: A variable is declared with another shape than its operator infers.
        DTypeError: A variable is declared with another dtype.

    >>> from teachgraph import static
    >>> main = static.Program()
    >>> block = main.global_block()
    >>> x, y = block.create_var("x", [2]), block.create_var("y", [2])
    >>> relu = block.append_op("relu", {"X": x}, {"Out": y})
    >>> check(main)
    Traceback (most recent call last):
    ...
    teachgraph.core.errors.ProgramError: #0 relu reads 'x', which has no value...
    """
    check_block(program.global_block(), set())


def check_block(block: Block, outside: set[str]) -> None:
    """Check a block, where the variables `outside` have values already.

    So have persistable and fed variables; in a loop or a branch, the variables that its
    operator sets; and in a gradient's block, those of the forward block.
    """
    own, *before = in_sight(block)
    written = {name for operator in own.ops for name in operator.output_arg_names}
    external = {v.name for v in own.vars.values() if v.persistable or v.is_data}
    passed_in = own.vars.keys() - written if own.parent_idx >= 0 else set()
    known = outside.union(external, passed_in, *(seen.vars for seen in before))
    for place, operator in enumerate(block.ops):
        check_type(operator, place)
        check_reads(operator, place, known)
        check_writes(operator, place)
        check_specs(operator, place)
        if (inner := sub_block_of(operator)) is not None:
            inside = known | set(operator.output_arg_names)
            check_block(inner, inside)
        known.update(operator.output_arg_names)


def check_type(operator: Operator, place: int) -> None:
    """Check that the op is registered, and each of its slots filled.

    An operator with a sub-block has no fixed slots.
    """
    if has_blocks(operator):
        return
    try:
        check_slots(operator.op, operator.inputs, operator.outputs)
    except UnknownOpError as error:
        raise located(operator, place, str(error), UnknownOpError) from None
    except ProgramError as error:
        raise located(operator, place, str(error).split("\n")[0]) from None


def check_reads(operator: Operator, place: int, known: set[str]) -> None:
    """Check that every input has a value by then."""
    for name in operator.input_arg_names:
        if name != EMPTY and operator.block._find_var_recursive(name) is None:
            raise located(operator, place, f"reads {name!r}, which is no variable")
        if name != EMPTY and name not in known:
            raise located(
                operator, place, f"reads {name!r}, which has no value by then"
            )


def check_writes(operator: Operator, place: int) -> None:
    """Check that every output is a variable, not fed, and written once."""
    names = [name for name in operator.output_arg_names if name != EMPTY]
    for name in names:
        variable = operator.block._find_var_recursive(name)
        if variable is None:
            raise located(operator, place, f"writes {name!r}, which is no variable")
        if variable.is_data:
            raise located(operator, place, f"writes {name!r}, which is fed")
    if len(set(names)) < len(names):
        raise located(operator, place, f"writes a variable twice: {names}")


def check_specs(operator: Operator, place: int) -> None:
    """Check the declared shapes and dtypes of the outputs."""
    for name, inferred in inferred_specs(operator, place):
        declared = operator.block._var_recursive(name).spec
        if declared.dtype != inferred.dtype:
            says = f"gives {inferred.dtype}, but {name!r} is {declared.dtype}"
            raise located(operator, place, says, DTypeError)
        if not declared.fits(inferred):
            shapes = list(inferred.shape), list(declared.shape)
            says = f"gives {shapes[0]}, but {name!r} is {shapes[1]}"
            raise located(operator, place, says, ShapeError)


def inferred_specs(operator: Operator, place: int) -> Iterator[tuple[str, Spec]]:
    """Infer the shape and dtype of each output of an operator.

    A gradient has those of the variable it is the gradient of.
    """
    op, block = operator.op, operator.block
    if operator.type in NOT_INFERRED or has_blocks(operator):
        return
    if isinstance(op, GradOp):
        yield from gradient_specs(operator)
        return
    names = op.arguments(operator.inputs)
    specs = [
        None if name is None else block._var_recursive(name).spec for name in names
    ]
    try:
        inferred = infer(op, specs, operator.own_attrs)
    except Exception as error:
        reason = str(error).split("\n")[0]
        raise located(operator, place, f"cannot take its inputs: {reason}") from None
    slots = [operator.outputs.get(slot_name(output), []) for output in op.outputs]
    flat = [name for names in slots for name in names]
    for name, spec in zip(flat, inferred, strict=False):
        if name != EMPTY and len(flat) == len(inferred):
            yield name, spec


def gradient_specs(operator: Operator) -> Iterator[tuple[str, Spec]]:
    """Yield the gradients that an operator writes, with the specs of variables."""
    op, twin = operator.op, operator.twin
    assert isinstance(op, GradOp)
    for name in op.source.of if twin is not None and twin.op is op.forward else ():
        assert twin is not None
        slot = slot_name(name)
        grads = operator.outputs.get(f"{slot}@GRAD", ())
        for grad, of in zip(grads, twin.inputs.get(slot, ()), strict=False):
            variable = twin.block._find_var_recursive(of)
            if grad != EMPTY and variable is not None:
                yield grad, variable.spec


def located(
    operator: Operator,
    place: int,
    what: str,
    kind: type[TeachgraphError] = ProgramError,
) -> TeachgraphError:
    """Build an error about an operator, at the user's line that appended it."""
    # A gradient operator has no line of its own: its forward operator has.
    forward = operator.twin or operator
    where = operator.callsite or forward.callsite
    return kind(at_user_line(f"#{place} {operator.type} {what}", where))
