"""The public Program: the core's, with Paddle's methods; parameters in static mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.control_flow.random_rounds import prepare_seeds
from teachgraph.core import build, modes
from teachgraph.core import program as core
from teachgraph.core.program import set_default_programs
from teachgraph.ops.initializer import Initializer
from teachgraph.ops.param_attr import ParamAttr
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
        first_seed: The `random_seed` of new programs; see `global_seed`.
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
    first_seed = 0

    origin: Program | None
    blocks: list[Block]  # type: ignore[assignment]  # list is invariant

    def __init__(
        self, *, origin: Program | None = None, for_test: bool = False
    ) -> None:
        self.scope_counts: Counter[str] = Counter()
        self.asked: dict[str, Callable[[], float]] = {}
        self.adopt: Callable[[Any], Variable] | None = None
        super().__init__(origin=origin, for_test=for_test)
        self._random_seed = self.first_seed

    @property
    def random_seed(self) -> int:
        """If not 0, random ops draw the same numbers in every run."""
        return self._random_seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise TypeError(f"Program.random_seed is an integer, got {type(seed)}")
        if seed:
            prepare_seeds()
        self._random_seed = seed
        self.touch()

    @property
    def num_blocks(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    if TYPE_CHECKING:  # blocks are of the class above

        def global_block(self) -> Block:
            """Block 0."""

        def current_block(self) -> Block:
            """The block that new operators go into."""

        def _create_block(self, parent_idx: int | None = None) -> Block: ...
        def all_parameters(self) -> list[Parameter]:  # type: ignore[override]
            """All parameters, in order of creation."""

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

    @contextmanager
    def within_name_scope(self, scope: str) -> Iterator[None]:
        """Inside, appended operators carry this name scope."""
        before, self.name_scope = self.name_scope, scope
        try:
            yield
        finally:
            self.name_scope = before

    def child_scope(self, name: str) -> str:
        """Paddle's next name scope in the present one: `/s/`, `/s_1/`, ..."""
        path = f"{self.name_scope}{name}"
        count = self.scope_counts[path]
        self.scope_counts[path] += 1
        return f"{path}_{count}/" if count else f"{path}/"

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
        copy.asked = dict(self.asked)
        return copy

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The program as text, block after block."""
        given = {"throw_on_error": throw_on_error, "with_details": with_details}
        for name, value in given.items():
            if not isinstance(value, bool):
                raise TypeError(
                    f"The type of {name} parameter is wrong, expected bool, but "
                    f"received {type(value)}."
                )
        return repr(self)


set_default_programs(Program(), Program())


if TYPE_CHECKING:  # the programs that everybody gets are of the class above

    def default_main_program() -> Program:
        """The program that layers append to."""

    def default_startup_program() -> Program:
        """The program that initialises parameters; run it once."""

    def current_block() -> Block:
        """The block that layers append to."""

else:
    default_main_program = core.default_main_program
    default_startup_program = core.default_startup_program
    current_block = core.current_block


def program_guard(
    main_program: core.Program, startup_program: core.Program | None = None
) -> AbstractContextManager[Any]:
    """Let layers build these programs, inside a `with` block.

    Args:
        main_program: The program that layers append to.
        startup_program: The program that initialises parameters; by default the one
            in force.

    Raises:
        TypeError: One is no Program.

    >>> main = Program()
    >>> with program_guard(main):
    ...     default_main_program() is main
    True
    """
    for name, program in (("main", main_program), ("startup", startup_program)):
        optional = program is None and name == "startup"
        if not optional and not isinstance(program, core.Program):
            raise TypeError(
                f"The type of '{name}_program' in paddle.static.program_guard must be "
                f"{Program}, but received {type(program)}."
            )
    return core.program_guard(main_program, startup_program)


class Static(build.Static):
    """Static mode, for ops that have no input to hand themselves to."""

    def create_parameter(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any,
        attr: ParamAttr,
        initializer: Initializer,
    ) -> Parameter:
        """Create a parameter in both programs; its initializer's op goes into startup.

        A layer that a traced function creates keeps its values itself.
        """
        if default_main_program().adopt is not None:
            make = modes.interpreter("dynamic").create_parameter
            return make(name, shape, dtype, attr, initializer)  # type: ignore[no-any-return]
        return super().create_parameter(name, shape, dtype, attr, initializer)  # type: ignore[return-value]


modes.interpreters["static"] = Static()
