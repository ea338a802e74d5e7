"""Programs: what `import`ed layers build, an Executor runs and passes rewrite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.core import modes
from teachgraph.core.observe import announce
from teachgraph.core.op import Op
from teachgraph.core.threads import InForce
from teachgraph.ops.initializer import Initializer
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator, OpRole
from teachgraph.static.program_io import Kept
from teachgraph.static.variable import Parameter, Variable

__all__ = [
    "Program",
    "current_block",
    "default_main_program",
    "default_startup_program",
    "program_guard",
]


class Program(Kept):
    """Blocks of operators and variables; block 0 is where it starts.

    Attributes:
        blocks: All blocks, by number.
        random_seed: If not 0, random ops draw the same numbers in every run.
        version: Counts changes, so that an Executor knows when its plan is stale.
        origin: The program this one was cloned from.
        for_test: Whether it was cloned for testing.
        caches: What others remember about it, by who does, for as long as both live.
        first_seed: What `random_seed` is at first; see `global_seed`.
        asked: Variables, by name, whose value is asked for before each run.
        adopt: Makes a variable of a Tensor that meets one here; None to refuse it.

    In Paddle this is `paddle.static.Program`.

    >>> print(Program())
    { // block_idx:0  parent_idx:-1  forward_idx:-1  backward_idx:-1
    <BLANKLINE>
    }
    """

    first_seed = 0

    def __init__(
        self, *, origin: Program | None = None, for_test: bool = False
    ) -> None:
        self.version = 0
        self._random_seed = self.first_seed
        self.origin, self.for_test = origin, for_test
        self.caches: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
        self.op_role = OpRole.FORWARD
        self.name_scope = "/"
        self.scope_counts: Counter[str] = Counter()
        self.asked: dict[str, Callable[[], float]] = {}
        self.adopt: Callable[[Any], Variable] | None = None
        self.blocks = [Block(self, 0)]
        self.current_block_idx = 0
        announce("program_created", self)

    @property
    def random_seed(self) -> int:
        """If not 0, random ops draw the same numbers in every run."""
        return self._random_seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise TypeError(f"Program.random_seed is an integer, got {type(seed)}")
        self._random_seed = seed
        self.touch()

    @property
    def num_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    def touch(self) -> None:
        """Note that something changed."""
        self.version += 1

    def global_block(self) -> Block:
        """Block 0."""
        return self.blocks[0]

    def current_block(self) -> Block:
        """The block that new operators go into."""
        return self.blocks[self.current_block_idx]

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

    def _create_block(self, parent_idx: int | None = None) -> Block:
        parent = self.current_block_idx if parent_idx is None else parent_idx
        block = Block(self, len(self.blocks), parent)
        self.blocks.append(block)
        self.current_block_idx = block.idx
        self.touch()
        announce("block_created", block)
        return block

    def _rollback(self) -> None:
        self.current_block_idx = self.current_block().parent_idx

    def list_vars(self) -> Iterator[Variable]:
        """All variables, block by block in order of creation."""
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list[Parameter]:
        """All parameters, in order of creation."""
        return self.global_block().all_parameters()

    @contextmanager
    def with_role(self, role: OpRole) -> Iterator[None]:
        """Inside, appended operators have this role."""
        before, self.op_role = self.op_role, role
        try:
            yield
        finally:
            self.op_role = before

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
        """What the variables that are asked for are now."""
        known = self.global_block().vars
        return {
            name: np.array(ask(), known[name].dtype)
            for name, ask in self.asked.items()
            if name in known
        }

    def clone(self, for_test: bool = False) -> Program:
        """A copy that shares values with this one through the scope (same names).

        Args:
            for_test: Leave out the backward and optimizer operators and what only they
                use, and set `is_test` on every operator that has it.
        """
        copy = Program(origin=self, for_test=for_test)
        copy.random_seed = self.random_seed
        copy.asked = dict(self.asked)
        for source in self.blocks:
            target = copy.blocks[0] if source.idx == 0 else copy._create_block()
            target.parent_idx = source.parent_idx
            target.forward_block_idx = source.forward_block_idx
            target.backward_block_idx = source.backward_block_idx
            copy_block(source, target, for_test)
        copy.current_block_idx = 0
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
        return "\n".join(block.to_string() for block in self.blocks)

    __repr__ = __str__ = to_string


def copy_block(source: Block, target: Block, for_test: bool) -> None:
    """Copy variables and operators; for a test, only what a test runs."""
    trained = OpRole.BACKWARD | OpRole.OPTIMIZE
    kept = [op for op in source.ops if not (for_test and op.role & trained)]
    left_out = [op for op in source.ops if for_test and op.role & trained]
    copies: dict[Operator, Operator] = {}
    used = {name for op in kept for name in op.input_arg_names + op.output_arg_names}
    only_there = {
        name for op in left_out for name in op.input_arg_names + op.output_arg_names
    } - used
    for name, variable in source.vars.items():
        if name not in only_there or isinstance(variable, Parameter):
            target.add(copy_variable(variable, target))
    for op in kept:
        copied = target.insert(
            len(target.ops),
            op.type,
            {slot: list(names) for slot, names in op.inputs.items()},
            {slot: list(names) for slot, names in op.outputs.items()},
            op.all_attrs(),
        )
        copies[op] = copied
        copied.callsite = op.callsite
        copied.twin = None if op.twin is None else copies.get(op.twin)
        if for_test and "is_test" in copied.attrs:
            copied.attrs["is_test"] = True


def copy_variable(variable: Variable, block: Block) -> Variable:
    """The same variable in another block."""
    if isinstance(variable, Parameter):
        attr = ParamAttr(
            learning_rate=variable.optimize_attr["learning_rate"],
            regularizer=variable.regularizer,
            trainable=variable.trainable,
            need_clip=variable.need_clip,
        )
        return Parameter(block, variable.name, variable.shape, variable.dtype, attr)
    copied = Variable(
        block,
        variable.name,
        variable.shape,
        variable.dtype,
        persistable=variable.persistable,
        stop_gradient=variable.stop_gradient,
        is_data=variable.is_data,
    )
    copied.type = variable.type
    return copied


_defaults = InForce((Program(), Program()))
"""The programs, main and startup, that layers build when nobody says otherwise."""


def default_main_program() -> Program:
    """The program that layers append to."""
    return _defaults.value[0]


def default_startup_program() -> Program:
    """The program that initialises parameters; run it once."""
    return _defaults.value[1]


def current_block() -> Block:
    """The block that layers append to."""
    return _defaults.value[0].current_block()


@contextmanager
def program_guard(
    main_program: Program, startup_program: Program | None = None
) -> Iterator[None]:
    """Inside, layers build these programs; the startup program only if given.

    Raises:
        TypeError: One is no Program.

    >>> main = Program()
    >>> with program_guard(main):
    ...     default_main_program() is main
    True
    """
    for name, program in (
        ("main_program", main_program),
        ("startup_program", startup_program),
    ):
        optional = program is None and name == "startup_program"
        if not optional and not isinstance(program, Program):
            raise TypeError(
                f"The type of '{name}' in paddle.static.program_guard must be "
                f"{Program}, but received {type(program)}."
            )
    startup = default_startup_program() if startup_program is None else startup_program
    with _defaults.holding((main_program, startup)):
        yield


class Static:
    """Static mode, for ops that have no input to hand themselves to."""

    def create(self, op: Op, attrs: Mapping[str, Any]) -> Any:
        """Append an op that has no inputs."""
        return current_block().apply(op, (), attrs)

    def create_parameter(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any,
        attr: ParamAttr,
        initializer: Initializer,
    ) -> Parameter:
        """A parameter in both programs; its initializer's op goes into startup.

        A layer that a traced function makes keeps its values itself.
        """
        if default_main_program().adopt is not None:
            make = modes.interpreters["dynamic"].create_parameter
            return make(name, shape, dtype, attr, initializer)  # type: ignore[no-any-return]
        parameter = current_block().create_parameter(name, shape, dtype, attr)
        startup = default_startup_program().global_block()
        if not startup.has_var(name):
            begin(startup.create_parameter(name, shape, dtype, attr), initializer)
        return parameter


def begin(variable: Variable, initializer: Initializer) -> Operator:
    """Append to a variable's block the op that gives it its first value."""
    op, attrs = initializer.operation(variable.shape, variable.dtype)
    return variable.block.append_op(op.type, {}, {"Out": variable}, attrs)


modes.interpreters["static"] = Static()
