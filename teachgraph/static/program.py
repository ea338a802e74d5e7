"""The public Program: the core's, with Paddle's methods; parameters in static mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.control_flow.random_rounds import prepare_seeds
from teachgraph.control_flow.sub_block import create_block
from teachgraph.core import program as core
from teachgraph.core.errors import DTypeError
from teachgraph.core.program import default_programs
from teachgraph.static import foreign_inputs, size_search  # noqa: F401  hook into build
from teachgraph.static.block import Block
from teachgraph.static.program_io import ProgramIO
from teachgraph.static.variable import Parameter, Variable

__all__ = [
    "Program",
    "current_block",
    "default_main_program",
    "default_startup_program",
    "program_guard",
]


class Program(ProgramIO):
    """Blocks of operators and variables; block 0 is where it starts.

    Attributes:
        asked: Variables, by name, whose value is asked for before each run.
        adopt: Makes a variable of a Tensor that meets one here, while a function is
            traced into this program; None otherwise.

    In Paddle this is `paddle.static.Program`.

    >>> print(Program())
    { // block_idx:0  parent_idx:-1  forward_idx:-1  backward_idx:-1
    <BLANKLINE>
    }
    """

    block_class = Block
    asked: Mapping[str, Callable[[], float]] = MappingProxyType({})
    adopt: Callable[[Any], Variable] | None = None

    origin: Program | None
    blocks: list[Block]  # type: ignore[assignment]  # list is invariant

    def _seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise DTypeError.here(f"random_seed is an integer, got {type(seed)}")
        if seed:
            prepare_seeds()
        self._random_seed = seed
        self.touch()

    if TYPE_CHECKING:
        random_seed: int
    else:
        random_seed = core.Program.random_seed.setter(_seed)

    @property
    def num_blocks(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    if TYPE_CHECKING:  # blocks are of the class above

        def global_block(self) -> Block:
            """Block 0."""

        def current_block(self) -> Block:
            """The block that new operators go into."""

        def all_parameters(self) -> list[Parameter]:  # type: ignore[override]
            """All parameters, in order of creation."""

    def _create_block(self, parent_idx: int | None = None) -> Block:
        return create_block(self, parent_idx)  # type: ignore[return-value]

    def block(self, index: int) -> Block:
        """The block of that number."""
        return self.blocks[index]

    def global_seed(self, seed: int = 0) -> None:
        """Give this program, and every program made from now on, a `random_seed`.

        In Paddle this is `Program.global_seed`.
        """
        self.random_seed = seed
        Program.first_seed = seed

    def create_block(self, parent_idx: int | None = None) -> Block:
        """A new block, which operators go into until `rollback`.

        Args:
            parent_idx: The block around it; by default the current one.
        """
        return self._create_block(parent_idx)

    def rollback(self) -> None:
        """Go back to the block around the current one."""
        self._rollback()

    def _rollback(self) -> None:
        self.current_block_idx = self.current_block().parent_idx

    def list_vars(self) -> Iterator[Variable]:
        """All variables, block by block in order of creation."""
        for block in self.blocks:
            yield from block.vars.values()

    def ask(self, name: str, value: Callable[[], float]) -> None:
        """Ask for the value of a variable before each run."""
        self.asked = {**self.asked, name: value}

    def answers(self) -> dict[str, np.ndarray[Any, Any]]:
        """The present values of the variables that are asked for before each run."""
        known = self.global_block().vars
        return {
            name: np.array(ask(), known[name].dtype)
            for name, ask in self.asked.items()
            if name in known
        }

    def clone(self, for_test: bool = False) -> Self:
        """Copy the program; see `ProgramIO.clone`."""
        copy = super().clone(for_test)
        copy.asked = self.asked
        return copy

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The program as text, block after block."""
        flags = {"throw_on_error": throw_on_error, "with_details": with_details}
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise DTypeError.here(
                    f"The type of {name} parameter is wrong, expected bool, but "
                    f"received {type(value)}."
                )
        return repr(self)


default_programs.everyones = (Program(), Program())


if TYPE_CHECKING:  # the programs that everybody gets are of the class above

    def default_main_program() -> Program:
        """The program that layers append to."""

    def default_startup_program() -> Program:
        """The program that initialises parameters; run it once."""

    def current_block() -> Block:
        """The block that layers append to."""

    def program_guard(
        main_program: core.Program, startup_program: core.Program | None = None
    ) -> AbstractContextManager[Any]:
        """Let layers build these programs, inside a `with` block."""

else:
    default_main_program = core.default_main_program
    default_startup_program = core.default_startup_program
    current_block = core.current_block
    program_guard = core.program_guard
