"""Copies of programs: all of one, or only what a test runs."""

from __future__ import annotations

from copy import deepcopy

from teachgraph.control_flow.sub_block import create_block, sub_block_of
from teachgraph.core.program import (
    Block,
    Operator,
    OpRole,
    Program,
    Variable,
)
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.pruning import names_of
from teachgraph.static.variable import Parameter

__all__ = ["copy_blocks", "copy_variable"]


def copy_blocks(program: Program, copy: Program, *, for_test: bool) -> None:
    """Fill an empty program with the blocks of another one.

    Args:
        program: The program to copy.
        copy: The empty one.
        for_test: Leave out the operators that train and what only they use, and set
            `is_test` on every operator that has it.
    """
    kept = run_by_test(program.blocks[0]) if for_test else None
    for source in program.blocks:
        target = copy.blocks[0] if source.idx == 0 else create_block(copy)
        target.parent_idx = source.parent_idx
        target.forward_block_idx = source.forward_block_idx
        target.backward_block_idx = source.backward_block_idx
        copy_block(source, target, kept)
    copy.current_block_idx = 0


def run_by_test(block: Block, *, whole: bool = False) -> set[Operator]:
    """The operators of a block that a test runs, with those in blocks inside.

    They are all but the optimizer's and backward ones. Of the latter it runs what
    others need, or all if there is no loss: then gradients are results.

    Args:
        block: The block.
        whole: Keep all but the optimizer's, as in the block of a gradient.
    """
    whole = whole or not any(op.role & OpRole.LOSS for op in block.ops)
    kept, wanted = set[Operator](), set[str]()
    for op in reversed(block.ops):
        forward = not op.role & OpRole.BACKWARD
        needed = whole or not wanted.isdisjoint(op.output_arg_names)
        if op.role & OpRole.OPTIMIZE or not (forward or needed):
            continue
        kept.add(op)
        wanted.update(names_of(op))
        if (inner := sub_block_of(op)) is not None:
            kept |= run_by_test(inner, whole=not forward)
    return kept


def copy_block(source: Block, target: Block, tested: set[Operator] | None) -> None:
    """Copy variables and operators; for a test, only those that a test runs."""
    for_test = tested is not None
    kept = [op for op in source.ops if tested is None or op in tested]
    used = {name for op in kept for name in (*op.input_arg_names, *op.output_arg_names)}
    touched = {
        name
        for op in (source.ops if for_test else ())
        for name in (*op.input_arg_names, *op.output_arg_names)
    }
    for name, variable in source.vars.items():
        if name in used or name not in touched or isinstance(variable, Parameter):
            copy_variable(variable, target)
    copies: dict[Operator, Operator] = {}
    for op in kept:
        inputs, outputs = deepcopy(op.inputs), deepcopy(op.outputs)
        copy = target.insert(
            len(target.ops), op.type, inputs, outputs, deepcopy(op.attrs)
        )
        copies[op] = copy
        copy.callsite = op.callsite
        copy.twin = None if op.twin is None else copies.get(op.twin)
        if for_test and "is_test" in copy.attrs:
            copy.attrs["is_test"] = True


def copy_variable(variable: Variable, block: Block) -> Variable:
    """Add a variable of the same name and kind to another block."""
    if isinstance(variable, Parameter):
        attr = ParamAttr(
            learning_rate=variable.optimize_attr["learning_rate"],
            regularizer=variable.regularizer,
            trainable=variable.trainable,
            need_clip=variable.need_clip,
        )
        kind, shape = block.parameter_class, variable.shape
        return block.add(kind(block, variable.name, shape, variable.dtype, attr))
    copy = type(variable)(
        block,
        variable.name,
        variable.shape,
        variable.dtype,
        persistable=variable.persistable,
        stop_gradient=variable.stop_gradient,
        is_data=variable.is_data,
    )
    copy.type = variable.type
    return block.add(copy)
