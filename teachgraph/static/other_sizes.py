"""Feeds of other sizes than a program was built for.

A program that was saved with a size of 3 computes on 4 as well, where its operators do:
its kernels look at the arrays. Only the shapes of its variables say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph.control_flow.sub_block import sub_block_of
from teachgraph.core.build import infer_outputs
from teachgraph.core.op import GradOp, find, slot_name
from teachgraph.core.program import Block, Operator, Variable, fits
from teachgraph.static.program import Program

__all__ = ["Shape", "other_sizes", "with_sizes"]

Shape = tuple[int, ...]


def other_sizes(
    variables: Sequence[Variable], values: Sequence[Any]
) -> dict[str, Shape]:
    """Shapes by name, -1 for each size that a value has otherwise than declared.

    A value of another number of dimensions is left to those who check it.
    """
    shapes = {}
    for variable, value in zip(variables, values, strict=True):
        shape, declared = getattr(value, "shape", ()), variable.shape
        if len(shape) == len(declared) and not fits(shape, declared):
            pairs = zip(shape, declared, strict=True)
            shapes[variable.name] = tuple(d if s == d else -1 for s, d in pairs)
    return shapes


def with_sizes(program: Program, shapes: Mapping[str, Shape]) -> Program:
    """Copy a program with other shapes of its feeds, and of what they lead to.

    Raises:
        OpError: An operator does not take them.
    """
    copy = program.clone()
    block = copy.global_block()
    for name, shape in shapes.items():
        block.var(name).shape = shape
    changed = set(shapes)
    for operator in block.ops:
        if not changed.isdisjoint(read_by(operator)):
            changed.update(infer_again(block, operator))
    return copy


def read_by(operator: Operator) -> set[str]:
    """Names that an operator reads, its sub-block's included."""
    names = set(operator.input_arg_names)
    if (inner := sub_block_of(operator)) is not None:
        names |= {name for one in inner.ops for name in read_by(one)}
    return names


def infer_again(block: Block, operator: Operator) -> set[str]:
    """Set the shapes of an operator's outputs anew; return those that changed."""
    before = {name: block._var_recursive(name).shape for name in written_by(operator)}
    if (inner := sub_block_of(operator)) is not None:
        forget(inner)
        shapes = {name: unknown(shape) for name, shape in before.items()}
    elif isinstance(op := find(operator.type), GradOp) or op.type == "py_func":
        shapes = {name: of_gradient(block, name) for name in before}
    else:
        shapes = inferred(block, operator)
    changed = set()
    for name, shape in shapes.items():
        variable = block._var_recursive(name)
        if not variable.persistable and shape != before[name]:
            variable.shape = shape
            changed.add(name)
    return changed


def written_by(operator: Operator) -> list[str]:
    """The names of an operator's outputs, those without a variable left out."""
    return [name for name in operator.output_arg_names if name != "@EMPTY@"]


def inferred(block: Block, operator: Operator) -> dict[str, Shape]:
    """The shapes of the outputs, by name, from those of the inputs."""
    op = find(operator.type)
    slots = {
        slot: [block._var_recursive(name) for name in names]
        for slot, names in operator.inputs.items()
    }
    attrs = {n: v for n, v in operator.attrs.items() if not n.startswith("op_")}
    specs = infer_outputs(op, op.arguments(slots), attrs)
    outputs = {name: operator.outputs.get(slot_name(name), []) for name in op.outputs}
    if len(specs) == len(outputs):
        pairs = zip(outputs.values(), specs, strict=True)
        return {name: spec.shape for names, spec in pairs for name in names}
    names = [name for several in outputs.values() for name in several]
    return {n: spec.shape for n, spec in zip(names, specs, strict=True)}


def of_gradient(block: Block, name: str) -> Shape:
    """The shape of what a gradient belongs to; unknown sizes if that is not here."""
    variable = block._find_var_recursive(name.partition("@GRAD")[0])
    if variable is None or variable.name == name:
        return unknown(block._var_recursive(name).shape)
    return variable.shape


def forget(block: Block) -> None:
    """Take all sizes in a block for unknown."""
    for variable in block.vars.values():
        variable.shape = unknown(variable.shape)
    for operator in block.ops:
        if (inner := sub_block_of(operator)) is not None:
            forget(inner)


def unknown(shape: Shape) -> Shape:
    """A shape of as many unknown sizes; that of a condition or a counter is kept."""
    return shape if shape in {(), (1,)} else (-1,) * len(shape)
