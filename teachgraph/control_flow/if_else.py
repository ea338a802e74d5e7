"""`IfElse`: a column of booleans parts the rows of a batch between two blocks.

The rows for which it holds go through one, the others through the other, and what both
give is merged in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.control_flow.branch import Branch
from teachgraph.core.errors import (
    DTypeError,
    ModeError,
    ProgramError,
    ShapeError,
    at_user_line,
)
from teachgraph.core.modes import chosen
from teachgraph.core.program import Variable, current_block
from teachgraph.ops import functions
from teachgraph.ops.selection import merge_lod_tensor, split_lod_tensor

__all__ = ["IfElse"]


class IfElse:
    """Two blocks for the two kinds of rows of a batch.

    Args:
        cond: [rows, 1] booleans.
        name: Accepted for Paddle's sake.

    Raises:
        TypeError: `cond` is no boolean Variable.
        ShapeError: It is no column.
        ModeError: In dynamic mode, where `tg.where` or a mask does it.

    In Paddle 1.x this is `fluid.layers.IfElse`.

    >>> import numpy as np
    >>> from teachgraph import modes, static
    >>> with modes.using(True), static.program_guard(static.Program()):
    ...     x = static.data("x", [-1, 1])
    ...     choice = IfElse(x > 0.0)
    ...     with choice.true_block():
    ...         choice.output(choice.input(x) * 10.0)
    ...     with choice.false_block():
    ...         choice.output(-choice.input(x))
    ...     feed = {"x": np.array([[1], [-2], [3]], "float32")}
    ...     static.Executor().run(feed=feed, fetch_list=choice())[0].tolist()
    [[10.0], [2.0], [30.0]]
    """

    def __init__(self, cond: Variable, name: str | None = None) -> None:
        if chosen() is False:
            raise ModeError.here("IfElse makes blocks of a program: here use tg.where")
        if not isinstance(cond, Variable) or cond.dtype != bool:
            raise TypeError(
                at_user_line(f"IfElse takes a column of booleans, not {cond!r}")
            )
        if len(cond.shape) != 2 or cond.shape[1] not in (1, -1):
            raise ShapeError.here(
                f"IfElse takes a column of booleans, [rows, 1], but {cond.name!r} "
                f"is shaped {list(cond.shape)}"
            )
        self.cond = cond
        self.parts: dict[str, tuple[Variable, Variable]] = {}
        self.outputs: tuple[list[Variable], list[Variable]] = ([], [])
        self.side: int | None = None

    @contextmanager
    def true_block(self) -> Iterator[None]:
        """Inside, operators work on the rows for which the condition holds."""
        with self.block(1):
            yield

    @contextmanager
    def false_block(self) -> Iterator[None]:
        """Inside, operators work on the other rows."""
        with self.block(0):
            yield

    @contextmanager
    def block(self, side: int) -> Iterator[None]:
        """One side, which runs if it has any rows."""
        if self.side is not None:
            raise ProgramError.here("cannot invoke one block in another")
        holds = self.cond if side else functions.logical_not(self.cond)
        branch = Branch(current_block(), functions.any(holds))
        self.parent, self.side, self.results = current_block(), side, list[Variable]()
        try:
            with branch.traced():
                yield
                self.outputs[side].extend(map(branch.hand_out, self.results))
        finally:
            self.side = None

    def input(self, x: Variable) -> Variable:
        """The rows of `x` that go to this block.

        Raises:
            ProgramError: It is called outside of the blocks.
        """
        if self.side is None:
            raise ProgramError.here("input must in true/false blocks of an IfElse")
        if x.name not in self.parts:
            self.parts[x.name] = self.split(x)
        return self.parts[x.name][self.side]

    def split(self, x: Variable) -> tuple[Variable, Variable]:
        """The rows for which the condition does not hold, and those for which."""
        program = self.parent.program
        inside, program.current_block_idx = program.current_block_idx, self.parent.idx
        try:
            holds, others = split_lod_tensor(x, self.cond)
        finally:
            program.current_block_idx = inside
        return others, holds

    def output(self, *outs: Variable) -> None:
        """Give these for the rows of this block.

        Raises:
            ProgramError: It is called outside of the blocks.
            TypeError: One is no Variable.
        """
        if self.side is None:
            raise ProgramError.here(
                "output can only be invoked in the sub-block of an IfElse"
            )
        for out in outs:
            if not isinstance(out, Variable):
                raise TypeError(at_user_line("each output should be a Variable"))
        self.results.extend(outs)

    def __call__(self) -> list[Variable]:
        """The outputs of both blocks, rows in the order of the batch.

        Raises:
            ProgramError: They gave different numbers of outputs, or none.
            DTypeError: They gave different dtypes.
        """
        others, holds = self.outputs
        if len(others) != len(holds) or not holds:
            raise ProgramError.here(
                f"the true block gives {len(holds)} outputs and the false block "
                f"{len(others)}: both give the same, at least one"
            )
        return [self.merged(*pair) for pair in zip(holds, others, strict=True)]

    def merged(self, yes: Variable, no: Variable) -> Variable:
        """The rows of both."""
        if yes.dtype != no.dtype:
            raise DTypeError.here(
                f"an output of IfElse is {yes.dtype} in the true block and "
                f"{no.dtype} in the false block: cast one of them"
            )
        rows: Any = merge_lod_tensor(self.cond, yes, no)
        assert isinstance(rows, Variable)
        return rows
