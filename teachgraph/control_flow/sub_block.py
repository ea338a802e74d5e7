"""Sub-blocks: tracing one, and the variables that it captures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any
from weakref import WeakSet

import numpy as np

from teachgraph.core import dtypes, modes, unique_name
from teachgraph.core.backward import Backward, find_path
from teachgraph.core.build import append
from teachgraph.core.errors import ProgramError, ShapeError, at_user_line
from teachgraph.core.observe import announce, observers
from teachgraph.core.ops import fill_constant
from teachgraph.core.program import (
    EMPTY,
    Block,
    Operator,
    Program,
    Variable,
    current_block,
)
from teachgraph.ops import naming
from teachgraph.ops.math import assign

__all__ = [
    "Mark",
    "append_assign",
    "as_variable",
    "building_in",
    "captured",
    "check_condition",
    "create_block",
    "handed_in",
    "in_sight",
    "inner_operators",
    "kept_apart",
    "loops",
    "parent_of",
    "position_of",
    "replace_name",
    "sub_block_of",
    "traced_into",
    "written",
]


def create_block(program: Program, parent_idx: int | None = None) -> Block:
    """Create a block of a program, and let new operators go into it."""
    find_path.wrap(path_with_outer)
    parent = program.current_block_idx if parent_idx is None else parent_idx
    block = program.block_class(program, len(program.blocks), parent)
    program.blocks.append(block)
    program.current_block_idx = block.idx
    program.touch()
    if observers:
        announce("block_created", block)
    return block


def sub_block_of(operator: Operator) -> Block | None:
    """The block that an operator runs, if it is a branch or a loop."""
    number = operator.attrs.get("sub_block")
    return None if number is None else operator.block.program.blocks[number]


def parent_of(block: Block) -> Block | None:
    """The block around another one."""
    return None if block.parent_idx < 0 else block.program.blocks[block.parent_idx]


def position_of(operator: Operator) -> int:
    """The position of an operator in its block."""
    return operator.block.ops.index(operator)


def in_sight(block: Block) -> Iterator[Block]:
    """A block and, if it is a gradient block, the one that it differentiates."""
    yield block
    if block.forward_block_idx >= 0:
        yield from in_sight(block.program.blocks[block.forward_block_idx])


@contextmanager
def traced_into(parent: Block) -> Iterator[Block]:
    """A new block inside `parent`; operators go into it meanwhile."""
    program = parent.program
    before = program.current_block_idx
    block = create_block(program, parent.idx)
    try:
        with modes.using(True), naming.scope(None):
            yield block
    finally:
        program.current_block_idx = before


loops: WeakSet[Block] = WeakSet()
"""The blocks that repeat."""


def replace_name(operator: Operator, old: str, new: str) -> None:
    """Replace one variable name of an operator by another."""
    for slots in (operator.inputs, operator.outputs):
        for slot, names in slots.items():
            slots[slot] = [new if name == old else name for name in names]


def path_with_outer(straight_path: Any) -> Any:
    """Choose operators also of the outer blocks, for a loss inside a branch."""

    def path_of(backward: Backward) -> Sequence[Operator]:
        block = backward.block
        if parent_of(block) is None or backward.ops is not block.ops:
            return straight_path(backward)  # type: ignore[no-any-return]
        backward.ops = run_before(block)
        path: Sequence[Operator] = straight_path(backward)
        refuse_around_loop(backward, path)
        return path

    return path_of


def run_before(block: Block) -> list[Operator]:
    """The operators of a block, after those of the outer blocks before it."""
    if (parent := parent_of(block)) is None:
        return block.ops
    around = run_before(parent)
    return [*takewhile(lambda one: sub_block_of(one) is not block, around), *block.ops]


def refuse_around_loop(backward: Backward, path: Sequence[Operator]) -> None:
    """Refuse to differentiate in a loop what was computed before it.

    Raises:
        ProgramError: That is on the path; an iteration would differentiate it at
            parameters that the iterations before have changed.
    """
    inside, block = set[Block](), backward.block
    while (parent := parent_of(block)) is not None and block not in loops:
        inside.add(block)
        block = parent
    if block not in loops:
        return
    live = backward.reachable(path)
    for operator in path:
        own = operator.block in inside or operator.block is block
        if not own and not live.isdisjoint(operator.output_arg_names):
            raise ProgramError.here(
                f"a gradient in a loop goes through {operator.type}, which ran "
                "before the loop: compute in the body what depends on parameters",
                operator.callsite,
            )


@contextmanager
def building_in(block: Block) -> Iterator[None]:
    """Operators go into a block meanwhile."""
    program = block.program
    before, program.current_block_idx = program.current_block_idx, block.idx
    try:
        with modes.using(True):
            yield
    finally:
        program.current_block_idx = before


class Mark:
    """A point of a block that can be returned to."""

    def __init__(self, block: Block) -> None:
        self.block, self.program = block, block.program
        self.counters = unique_name.switch()
        unique_name.switch(self.counters.copy())
        self.ops, self.blocks = len(block.ops), len(self.program.blocks)
        self.vars = dict(block.vars)

    def undo(self) -> None:
        """Remove what was appended since, but for parameters and adopted Tensors."""
        unique_name.switch(self.counters)
        self.program.current_block_idx = self.block.idx
        for block in reversed(self.program.blocks[self.blocks :]):
            remove_after(block, 0)
        del self.program.blocks[self.blocks :]
        remove_after(self.block, self.ops)
        lasting = {n: v for n, v in self.block.vars.items() if v.persistable}
        self.block.vars.clear()
        self.block.vars.update(self.vars | lasting)


def remove_after(block: Block, count: int) -> None:
    """Remove the operators of a block after the first `count`."""
    while len(block.ops) > count:
        block.remove(len(block.ops) - 1)


def append_assign(block: Block, value: str, name: str) -> None:
    """Append `name = value` to a block, for two variables that there are."""
    slots = {"X": [value]}, {"Out": [name]}
    block.insert(len(block.ops), assign.type, *slots, {})


def captured(block: Block) -> list[str]:
    """The captured variables that a block's operators read, in order of names."""
    names = {
        name
        for operator in block.ops
        for name in operator.input_arg_names
        if name not in block.vars and name != EMPTY
    }
    return sorted(names)


def written(block: Block) -> list[str]:
    """The captured variables that a block's operators write, in order."""
    names = {
        name: None
        for operator in block.ops
        for name in operator.output_arg_names
        if name not in block.vars and name != EMPTY
    }
    return list(names)


def as_variable(value: Any) -> Variable:
    """A Variable as it is; a number or an array as a constant of the program."""
    if isinstance(value, Variable):
        return value
    array = np.asarray(value)
    kind = dtypes.float32 if isinstance(value, float) else array.dtype
    if array.ndim:
        from teachgraph.ops.functions.creation import assign as constant

        return constant(array)  # type: ignore[no-any-return]
    attrs = {"shape": [], "value": float(value), "dtype": dtypes.PADDLE_CODES[kind]}
    return append(current_block(), fill_constant, (), attrs)  # type: ignore[no-any-return]


def check_condition(what: str, where: str, value: Any) -> Variable:
    """The value, if it is a boolean Variable of one element.

    Raises:
        TypeError: It is not boolean, or no Variable.
        ShapeError: It is known to have several elements.
    """
    if not isinstance(value, Variable):
        raise TypeError(
            at_user_line(
                f"The type of '{what}' in {where} must be {Variable}, but received "
                f"{type(value)}."
            )
        )
    if value.dtype != np.bool_:
        raise TypeError(
            at_user_line(
                f"The data type of '{what}' in {where} must be ['bool'], but received "
                f"{value.dtype}."
            )
        )
    if any(size not in (1, -1) for size in value.shape):
        raise ShapeError.here(
            f"'{what}' in {where} must have one element, but is shaped "
            f"{list(value.shape)}: reduce it by `all` or `any`"
        )
    return value


def kept_apart(block: Block, variable: Variable) -> Variable:
    """Keep a variable's value so far under another name: an operator overwrites it.

    All that the block's operators have done to it so far goes to a variable with
    another name; its own name is for what comes. A captured variable, or one that
    outlives the run, is returned as it is.
    """
    name = variable.name
    lives_on = variable.persistable or variable.is_data
    if name not in block.vars or lives_on or variable.op is None:
        return variable
    old = block.create_var(
        unique_name.generate(f"{name}.before"),
        variable.shape,
        variable.dtype,
        stop_gradient=variable.stop_gradient,
        type=variable.type,
    )
    for operator in inner_operators(block):
        replace_name(operator, name, old.name)
    return old


def inner_operators(block: Block) -> Iterator[Operator]:
    """The operators of a block and of all blocks they run."""
    for operator in block.ops:
        yield operator
        if (inner := sub_block_of(operator)) is not None:
            yield from inner_operators(inner)


def handed_in(operator: Operator) -> list[str]:
    """The variables that an operator gives values to before each run of its block."""
    if operator.type == "recurrent":
        return [*operator.attrs["step_inputs"], *operator.attrs["ex_states"]]
    return operator.output_arg_names if operator.type == "while" else []
