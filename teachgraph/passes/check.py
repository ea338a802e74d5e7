"""Whether a program can be what it says: a typechecker for Programs.

Every name an operator reads must have a value by then, every slot must be filled as its
op says, and the shapes and dtypes declared must be those that the ops infer.
"""

from __future__ import annotations

from collections.abc import Iterator

from teachgraph.core.build import fits, infer
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
"""What gives what the user says, or one of two results."""


def check(program: Program) -> None:
    """Refuse a program whose operators do not fit together.

    Raises:
        UnknownOpError: An operator's type is not registered.
        ProgramError: An operator reads what has no value yet, lacks a slot, writes what
            is fed, or writes one variable twice.
        ShapeError: A variable has not the shape that the operator writing it gives.
        DTypeError: The same for its dtype.

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

    So have those that live on or are fed; in a loop or a branch, those it is handed;
    and those of the block that it goes back over, if it is a gradient's.
    """
    own, *before = block.in_sight()
    made = {name for operator in own.ops for name in operator.output_arg_names}
    given = {v.name for v in own.vars.values() if v.persistable or v.is_data}
    handed = own.vars.keys() - made if own.parent_idx >= 0 else set()
    known = outside.union(given, handed, *(seen.vars for seen in before))
    for place, operator in enumerate(block.ops):
        check_type(operator, place)
        check_reads(operator, place, known)
        check_writes(operator, place)
        check_specs(operator, place)
        if operator.sub_block is not None:
            inside = known | set(operator.output_arg_names)
            check_block(operator.sub_block, inside)
        known.update(operator.output_arg_names)


def check_type(operator: Operator, place: int) -> None:
    """The op must be known, and each of its slots filled as it says.

    What runs a block takes whatever the block does.
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
    """Everything that is read must have a value by then."""
    for name in operator.input_arg_names:
        if name != EMPTY and operator.block._find_var_recursive(name) is None:
            raise located(operator, place, f"reads {name!r}, which is no variable")
        if name != EMPTY and name not in known:
            raise located(
                operator, place, f"reads {name!r}, which has no value by then"
            )


def check_writes(operator: Operator, place: int) -> None:
    """What is written must be a variable, not fed, and only once in one operator."""
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
    """What is declared must be what the op gives."""
    for name, given in given_by(operator, place):
        declared = operator.block._var_recursive(name).spec
        if declared.dtype != given.dtype:
            says = f"gives {given.dtype}, but {name!r} is {declared.dtype}"
            raise located(operator, place, says, DTypeError)
        if not fits(declared, given):
            says = f"gives {list(given.shape)}, but {name!r} is {list(declared.shape)}"
            raise located(operator, place, says, ShapeError)


def given_by(operator: Operator, place: int) -> Iterator[tuple[str, Spec]]:
    """The variables an operator writes, with the shape and dtype it gives each.

    A gradient is like what it is the gradient of.
    """
    op, block = operator.op, operator.block
    if operator.type in NOT_INFERRED or has_blocks(operator):
        return
    if isinstance(op, GradOp):
        yield from gradients_of(operator)
        return
    names = op.arguments(operator.inputs)
    specs = [
        None if name is None else block._var_recursive(name).spec for name in names
    ]
    try:
        found = infer(op, specs, operator.own_attrs)
    except Exception as error:
        reason = str(error).split("\n")[0]
        raise located(operator, place, f"cannot take its inputs: {reason}") from None
    slots = [operator.outputs.get(slot_name(output), []) for output in op.outputs]
    flat = [name for names in slots for name in names]
    for name, spec in zip(flat, found, strict=False):
        if name != EMPTY and len(flat) == len(found):
            yield name, spec


def gradients_of(operator: Operator) -> Iterator[tuple[str, Spec]]:
    """The gradients that an operator writes, each with what it must look like."""
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
    """An error about an operator, with the user's line that made it."""
    made = operator.twin or operator
    where = operator.callsite or made.callsite
    return kind(at_user_line(f"#{place} {operator.type} {what}", where))
