"""A Program from its document, of which every field is checked before it is used.

Blocks can only stand in earlier ones, operators can only name ops that are known, slots
these ops have and variables that are declared around them: so what is built is a
program that could have been written by hand.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np

from teachgraph.control_flow.block_slots import misfit
from teachgraph.control_flow.ops import limit_of
from teachgraph.control_flow.sub_block import create_block
from teachgraph.core import dtypes
from teachgraph.core.callsite import Callsite
from teachgraph.core.errors import DTypeError, InvalidValueError, UnknownOpError
from teachgraph.core.op import GradOp, Op, find, slot_name
from teachgraph.core.program import EMPTY, Block, Operator, Program, Slots
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.ops.selection import select_output
from teachgraph.regularizer import L1Decay, L2Decay, WeightDecayRegularizer
from teachgraph.static.document import Part, parsed, reading
from teachgraph.static.late_numbers import call_function, call_function_grad
from teachgraph.static.serialize import CALLS_PYTHON, FORMAT, VERSION

__all__ = ["program_from_bytes", "program_from_document"]

MOST_BLOCKS, MOST, MOST_DIMENSIONS = 10_000, 1_000_000, 32
LARGEST, LARGEST_INTEGER = 2**48, 2**63

TYPES = ("LOD_TENSOR_ARRAY", "STEP_SCOPES")
REGULARIZERS: dict[str, type[WeightDecayRegularizer]] = {
    "L1Decay": L1Decay,
    "L2Decay": L2Decay,
}


P = TypeVar("P", bound=Program)


def program_from_bytes(content: bytes | str, kind: type[P]) -> P:
    """The program that a document describes.

    Raises:
        DataError: The document is damaged, or not one of ours; the message says where.
    """
    return program_from_document(parsed(content), kind)


def program_from_document(document: Part, kind: type[P]) -> P:
    """The program of a parsed document."""
    with reading("the program"):
        return built_program(document, kind)


def built_program(document: Part, kind: type[P]) -> P:
    """Build the program of a parsed document."""
    top = document.fields("format", "version", "random_seed", "blocks")
    if top["format"].value != FORMAT:
        raise top["format"].refuse(f"{FORMAT!r} was expected")
    version = top["version"].integer(1, LARGEST_INTEGER)
    if version > VERSION:
        raise top["version"].refuse(
            f"{version} is newer than {VERSION}, the newest this release can read"
        )
    program = kind()
    seeded: Any = program  # the public class, whose seed can be set
    seeded.random_seed = top["random_seed"].integer(-LARGEST_INTEGER, LARGEST_INTEGER)
    parts = [
        part.fields("parent", "forward", "backward", "vars", "ops")
        for part in top["blocks"].items(MOST_BLOCKS)
    ]
    if not parts:
        raise top["blocks"].refuse("a program has a block at least")
    for index, part in enumerate(parts):
        read_block(program, index, part, len(parts))
    program.current_block_idx = 0
    for block, part in zip(program.blocks, parts, strict=True):
        for operator in part["ops"].items(MOST):
            read_operator(block, operator)
    return linked(program, parts)


def read_block(program: Program, index: int, part: dict[str, Part], count: int) -> None:
    """Add a block and its variables; it stands in one that came before it."""
    parent = part["parent"].integer(-1 if index == 0 else 0, index - 1)
    block = program.blocks[0] if index == 0 else create_block(program, parent)
    block.forward_block_idx = part["forward"].integer(-1, index - 1)
    block.backward_block_idx = part["backward"].integer(-1, count - 1)
    for variable in part["vars"].items(MOST):
        read_variable(block, variable)


def read_variable(block: Block, part: Part) -> None:
    """Add a variable to its block."""
    kept = ("persistable", "stop_gradient", "is_data")
    facts = part.fields("name", "shape", "dtype", *kept, optional=["parameter", "type"])
    name = facts["name"].name()
    if name in block.vars or name == EMPTY:
        raise facts["name"].refuse(f"there is a {name!r} already")
    shape, dtype = read_shape(facts["shape"], least=-1), read_dtype(facts["dtype"])
    flags = {fact: facts[fact].flag() for fact in kept}
    if "parameter" in facts:
        training = facts["parameter"]
        trainable = not flags["stop_gradient"]
        if block.idx or "type" in facts:
            raise training.refuse("parameters are tensors, in block 0")
        attr = read_training(training, trainable=trainable)
        block.add(block.parameter_class(block, name, shape, dtype, attr))
    else:
        variable = block.add(block.variable_class(block, name, shape, dtype, **flags))
        if "type" in facts:
            variable.type = read_type(facts["type"])


def read_type(part: Part) -> str:
    """Read the type of a variable that holds no tensor."""
    if part.value not in TYPES:
        raise part.refuse(f"known are {', '.join(TYPES)}")
    return str(part.value)


def read_training(part: Part, *, trainable: bool) -> ParamAttr:
    """Read the training attributes of a parameter."""
    facts = part.fields("learning_rate", "regularizer", "need_clip")
    return ParamAttr(
        learning_rate=facts["learning_rate"].number(),
        regularizer=read_regularizer(facts["regularizer"]),
        trainable=trainable,
        need_clip=facts["need_clip"].flag(),
    )


def read_regularizer(part: Part) -> WeightDecayRegularizer | None:
    """A parameter's own decay."""
    if part.value is None:
        return None
    facts = part.fields("type", "coeff")
    kind = REGULARIZERS.get(facts["type"].name())
    if kind is None:
        raise facts["type"].refuse(f"known are {', '.join(REGULARIZERS)}")
    return kind(facts["coeff"].number())


def read_shape(part: Part, *, least: int) -> tuple[int, ...]:
    """Sizes, whose product is such as an array might have."""
    shape = tuple(n.integer(least, LARGEST) for n in part.items(MOST_DIMENSIONS))
    if prod(map(abs, shape)) > LARGEST:
        raise part.refuse(f"no array has the shape {list(shape)}")
    return shape


def read_dtype(part: Part) -> np.dtype[Any]:
    """An element type, by its name."""
    try:
        return dtypes.convert(part.name())
    except DTypeError as error:
        raise part.refuse(error.reason) from None


def read_operator(block: Block, part: Part) -> None:
    """Add an operator to its block, if it fits its op."""
    facts = part.fields("type", "inputs", "outputs", "attrs", optional=["line", "twin"])
    op = read_op(facts["type"])
    enters = "sub_block" in op.attrs
    read = read_slots(block, facts["inputs"], None if enters else op.input_slots)
    written = read_slots(block, facts["outputs"], None if enters else output_slots(op))
    if not (enters or isinstance(op, GradOp)):
        check_counts(op, facts, read, written)
    attrs = {name: read_attribute(v) for name, v in facts["attrs"].entries().items()}
    if "sub_block" in attrs:
        facts["attrs"].entries()["sub_block"].integer(
            block.idx + 1, len(block.program.blocks) - 1
        )
    # A gradient operator has all attributes of the operator that it goes back over.
    needed = op.source.defaults if isinstance(op, GradOp) else op.attrs
    optional = () if isinstance(op, GradOp) else op.defaults
    for name in needed:
        if name not in attrs and name not in optional:
            raise facts["attrs"].refuse(f"{op.type} needs {name!r}")
    for name, kind in (("op_role", int), ("op_namescope", str)):
        if type(attrs.get(name, kind())) is not kind:
            raise facts["attrs"].refuse(f"{name!r} is of type {kind.__name__}")
    try:
        limit_of(attrs.get("max_iterations"))
    except InvalidValueError as error:
        raise facts["attrs"].refuse(str(error)) from None
    if not isinstance(op, GradOp) and op.rule is not None:
        # A gradient appended later asks for attributes that a file may leave out.
        asked = [n for n in op.rule.defaults if n in op.defaults and n not in attrs]
        attrs |= {name: op.defaults[name] for name in asked}
    operator = block.insert(len(block.ops), op.type, read, written, attrs)
    operator.callsite = read_line(facts["line"]) if "line" in facts else None


def read_op(part: Part) -> Op:
    """The op of a type, which must be known and able to stand in a document."""
    try:
        op = find(part.name())
    except UnknownOpError as error:
        raise part.refuse(str(error)) from None
    if op.type in CALLS_PYTHON:
        raise part.refuse(f"a {op.type} would call a function that nobody has")
    return op


def output_slots(op: Op) -> list[str]:
    """The names of an op's output slots: of a gradient op, one for each input."""
    if isinstance(op, GradOp):
        return [f"{slot_name(name)}@GRAD" for name in op.source.of]
    return [*map(slot_name, op.outputs)]


def read_slots(block: Block, part: Part, known: Sequence[str] | None) -> Slots:
    """Slots the op has, with names of variables that can be seen from the block.

    What runs a block has slots of its own.
    """
    slots: Slots = {}
    for slot, names in part.entries().items():
        if known is not None and slot not in known:
            raise names.refuse(f"there is no such slot, known are {list(known)}")
        slots[slot] = [read_reference(block, name) for name in names.items(MOST)]
    return slots


def read_reference(block: Block, part: Part) -> str:
    """The name of a variable that can be seen from a block."""
    name = part.name()
    if name != EMPTY and block._find_var_recursive(name) is None:
        raise part.refuse(f"no variable is called {name!r}")
    return name


def check_counts(op: Op, facts: dict[str, Part], read: Slots, written: Slots) -> None:
    """Each slot holds one name, an optional one at most one, a list any number."""
    for name in op.inputs:
        several = op.variadic and name == op.inputs[-1]
        least = 0 if several or name in op.optional else 1
        check_count(
            facts["inputs"], read, slot_name(name), least, MOST if several else 1
        )
    for name in op.outputs:
        count = 2 if op is select_output else 1
        most = MOST if op in (call_function, call_function_grad) else count
        check_count(facts["outputs"], written, slot_name(name), count, most)


def check_count(part: Part, slots: Slots, slot: str, least: int, most: int) -> None:
    """Refuse a slot with too few or too many names."""
    count = len(slots.get(slot, ()))
    if not least <= count <= most:
        raise part.refuse(f"{slot} holds {most if count else least} name, not {count}")


def read_line(part: Part) -> Callsite:
    """The user's line that appended an operator."""
    parts = list(part.items(3))
    if len(parts) < 3:
        raise part.refuse("a line is a file's name, a number and a function's name")
    return Callsite(parts[0].name(), parts[1].integer(0, MOST), parts[2].name())


def read_attribute(part: Part) -> Any:
    """An attribute's value."""
    value = part.value
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return part.integer(-LARGEST_INTEGER, LARGEST_INTEGER)
    if isinstance(value, list):
        return [read_attribute(item) for item in part.items(MOST)]
    if "tuple" in value:
        return tuple(map(read_attribute, part.fields("tuple")["tuple"].items(MOST)))
    if "float" in value:
        return read_float(part.fields("float")["float"])
    return read_array(part)


def read_float(part: Part) -> float:
    """A number that JSON has not."""
    if part.value not in ("inf", "-inf", "nan"):
        raise part.refuse("inf, -inf or nan was expected")
    return float(part.value)


def read_array(part: Part) -> np.ndarray[Any, Any]:
    """An array, of as many bytes as its shape and dtype say."""
    facts = part.fields("array", "dtype", "shape")
    shape, dtype = read_shape(facts["shape"], least=0), read_dtype(facts["dtype"])
    try:
        content = base64.b64decode(facts["array"].of(str, "base64"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise facts["array"].refuse(f"no base64: {error}") from None
    if len(content) != prod(shape) * dtype.itemsize:
        raise facts["array"].refuse(
            f"{len(content)} bytes are no {dtype} {list(shape)}"
        )
    array = np.frombuffer(content, dtype.newbyteorder("<")).astype(dtype)
    return array.reshape(shape)


def linked(program: P, parts: Sequence[dict[str, Part]]) -> P:
    """The program, each gradient operator told which one it goes back over."""
    for block, part in zip(program.blocks, parts, strict=True):
        for operator, source in zip(block.ops, part["ops"].items(MOST), strict=True):
            if "twin" in source.value:
                operator.twin = read_twin(program, source.entries()["twin"])
            if (reason := misfit(operator)) is not None:
                raise source.refuse(f"{operator.type}: {reason}")
    return program


def read_twin(program: Program, part: Part) -> Operator:
    """The operator at a place: a block's number, and one in it."""
    place = [n.integer(0, MOST) for n in part.items(2)]
    if len(place) == 2 and place[0] < len(program.blocks):
        ops = program.blocks[place[0]].ops
        if place[1] < len(ops):
            return ops[place[1]]
    raise part.refuse(f"there is no operator at {place}")
