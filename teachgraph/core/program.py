"""Programs: blocks of operators and variables, to be run later by an Executor.

All is plain data. An Operator names the variables that it reads and writes, slot by
slot; a Block holds operators in order, and the variables they name; a Program holds
blocks, the first of which is where it starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from enum import IntFlag
from functools import partial
from math import prod
from types import NoneType
from typing import Any, ClassVar, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.core import dtypes, unique_name
from teachgraph.core.callsite import Callsite, callsite
from teachgraph.core.errors import ProgramError
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Attrs, Op, Traced, Values, find
from teachgraph.core.threads import Guard, InForce

GRAD = "@GRAD"
"""Suffix of a gradient's name: the gradient of `x` is `x@GRAD`."""

EMPTY = "@EMPTY@"
"""Placeholder in a slot for a gradient that nobody wants."""

Slots = dict[str, list[str]]
"""Variable names by slot."""

Shape = Sequence[int]
"""Sizes of the dimensions, -1 for one that is not known."""

FACTS = "shape", "dtype", "persistable"
"""Facts that two descriptions of one variable must agree on."""

FLAGS = "persistable", "stop_gradient", "is_data"

marks: ContextVar[dict[str, Any] | None] = ContextVar("marks", default=None)
"""Attributes that every new operator gets."""


class OpRole(IntFlag):
    """The purpose of an operator, in Paddle's bits."""

    FORWARD = 0
    BACKWARD = 1
    OPTIMIZE = 2
    RATE = 16
    LOSS = 256


def fits(shape: Shape, declared: Sequence[int]) -> bool:
    """Say if a shape is as declared, where -1 is any size."""
    pairs = zip(shape, declared, strict=False)
    return len(shape) == len(declared) and all(-1 in (a, b) or a == b for a, b in pairs)


class Spec(NamedTuple):
    """A shape (-1 for an unknown size) and a dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def fits(self, other: Spec) -> bool:
        """Say if an array of one description may be one of the other."""
        return self.dtype == other.dtype and fits(self.shape, other.shape)

    def nbytes(self, unknown: int = 1) -> int:
        """The bytes that a value takes if each unknown size is this."""
        sizes = (unknown if size == -1 else size for size in self.shape)
        return prod(sizes) * self.dtype.itemsize


class Variable(Traced):
    """A value of a program that is yet to run: a name, a shape and a dtype.

    An op handed to a Variable is appended to the current Block.

    Attributes:
        shape: Sizes of the dimensions, -1 for a size that is not known yet.
        is_data: True for a variable that is fed.
        type: Paddle's word for its content.

    In Paddle this is `paddle.static.Variable`.
    """

    type = "LOD_TENSOR"

    def __init__(
        self,
        block: Block,
        name: str,
        shape: Sequence[int] = (),
        dtype: Any = dtypes.float32,
        *,
        persistable: bool = False,
        stop_gradient: bool = False,
        is_data: bool = False,
    ) -> None:
        self.block, self._name, self.is_data = block, name, is_data
        self.shape: tuple[int, ...] = tuple(shape)
        self.dtype: np.dtype[Any] = dtypes.convert(dtype)
        self._persistable, self._stop_gradient = persistable, stop_gradient

    def apply(self, op: Op, inputs: Values, attrs: Attrs) -> Any:
        """Append `op` to the current Block; its outputs are new Variables."""
        from teachgraph.core.build import append  # the builder knows Variables

        return append(current_block(), op, inputs, attrs)

    @property
    def name(self) -> str:
        """The name, unique in its block."""
        return self._name

    @property
    def persistable(self) -> bool:
        """True for a value that outlives a run: a parameter, a learning rate."""
        return self._persistable

    @persistable.setter
    def persistable(self, persistable: bool) -> None:
        self._persistable = persistable
        self.block.program.touch()
        if observers:
            announce("attribute_changed", self, "persistable", persistable)

    @property
    def stop_gradient(self) -> bool:
        """True for a constant of differentiation: no gradient flows to it."""
        return self._stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, stop: bool) -> None:
        self._stop_gradient = stop
        if observers:
            announce("attribute_changed", self, "stop_gradient", stop)

    @property
    def spec(self) -> Spec:
        """Shape and dtype together."""
        return Spec(self.shape, self.dtype)

    @property
    def op(self) -> Operator | None:
        """The operator that last wrote it, None for data and parameters."""
        writers = (o for o in reversed(self.block.ops) if o.writes(self._name))
        return next(writers, None)

    def __repr__(self) -> str:
        return f"<Variable {self.name} {self.dtype} {list(self.shape)}>"


class Parameter(Variable):
    """A Variable that an optimizer updates: persistable, in the global block.

    In Paddle this is `paddle.base.framework.Parameter`.
    """

    def __init__(
        self, block: Block, name: str, shape: Shape, dtype: Any, attr: Any = None
    ) -> None:
        stop = attr is not None and not attr.trainable
        flags = {"persistable": True, "stop_gradient": stop}
        super().__init__(block, name, shape, dtype, **flags)
        self.follow(attr)

    def follow(self, attr: Any) -> None:
        """Take over the rest of its description; here there is none."""


V = TypeVar("V", bound=Variable)


class Operator:
    """One step of a program: an op, and the names of what it reads and writes.

    Attributes:
        inputs, outputs: Variable names by slot.
        attrs: The op's own, and Paddle's `op_role`, `op_role_var`, `op_namescope`.
        callsite: The user's line that appended it.
        twin: For a gradient operator, the forward operator that it differentiates.

    In Paddle this is `paddle.base.framework.Operator`.
    """

    callsite: Callsite | None = None
    twin: Operator | None = None

    def __init__(
        self, block: Block, type: str, inputs: Slots, outputs: Slots, attrs: Attrs
    ) -> None:
        self.block, self.type = block, type
        self.inputs, self.outputs, self.attrs = inputs, outputs, dict(attrs)

    @property
    def op(self) -> Op:
        """The registered op of this type."""
        return find(self.type)

    @property
    def role(self) -> OpRole:
        """The purpose it serves."""
        return OpRole(self.attrs.get("op_role", 0))

    @property
    def own_attrs(self) -> dict[str, Any]:
        """The attributes that the kernel takes."""
        known = self.op.attrs
        return {name: value for name, value in self.attrs.items() if name in known}

    @property
    def input_arg_names(self) -> list[str]:
        """All variables that it reads."""
        return [name for names in self.inputs.values() for name in names]

    @property
    def output_arg_names(self) -> list[str]:
        """All variables that it writes."""
        return [name for names in self.outputs.values() for name in names]

    def writes(self, name: str) -> bool:
        """Say if it writes the variable of that name."""
        return any(name in names for names in self.outputs.values())

    def set_attr(self, name: str, value: Any) -> None:
        """Set an attribute of an operator that stands in a block."""
        self.attrs[name] = value
        self.block.program.touch()
        if observers:
            announce("attribute_changed", self, name, value)

    def __repr__(self) -> str:
        return f"<Operator {self.type} {self.inputs} -> {self.outputs}>"


class Block:
    """An ordered list of operators and the variables they name.

    Attributes:
        parent_idx: The number of the block around it, -1 for the outermost.
        forward_block_idx: For a gradient block, the block that it differentiates.
        vars: Variables by name, in order of creation.
        ops: Operators, in order of execution.

    In Paddle this is `paddle.base.framework.Block`.
    """

    operator_class: ClassVar[type[Operator]] = Operator
    variable_class: ClassVar[type[Variable]] = Variable
    parameter_class: ClassVar[type[Parameter]] = Parameter
    classes: ClassVar[Mapping[str, type[Variable]]] = {}
    forward_block_idx = backward_block_idx = -1

    def __init__(self, program: Program, idx: int, parent_idx: int = -1) -> None:
        self.program, self.idx, self.parent_idx = program, idx, parent_idx
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operator] = []

    def create_var(
        self,
        name: str | None = None,
        shape: Sequence[int | None] | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> Variable:
        """Create a variable, or return the one of that name if it is as described.

        Args:
            name: By default `_generated_var_N`.
            shape: -1 or None for a size that is not known.
            dtype: By default float32.
            **options: `persistable`, `stop_gradient`, `is_data`, `type`.

        Raises:
            TypeError: `name` is no string.
            ProgramError: The name stands for something else, or a size is below -1.
        """
        name = unique_name.generate("_generated_var") if name is None else name
        if not isinstance(name, str):
            raise TypeError(f"a variable's name is a string, got {type(name)}")
        sizes = tuple(-1 if n is None else int(n) for n in shape or ())
        if min(sizes, default=0) < -1:
            raise ProgramError.here(f"a size is a number, -1 or None, got {[*sizes]}")
        kind = self.classes.get(options.get("type", ""), self.variable_class)
        flags = {key: options[key] for key in FLAGS if key in options}
        variable = kind(self, name, sizes, dtype or dtypes.float32, **flags)
        if "type" in options:
            variable.type = options["type"]
        said = {"shape": shape, "dtype": dtype, **flags}
        return self.add(
            variable, [fact for fact in FACTS if said.get(fact) is not None]
        )

    def add_parameter(
        self, name: str, shape: Shape, dtype: Any = "float32", attr: Any = None
    ) -> Parameter:
        """Create a parameter in the global block, or return the one of that name."""
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"the shape of a parameter is a list, got {shape!r}")
        if any(size <= 0 for size in shape):
            raise ProgramError.here(
                "Each dimension of shape for Parameter must be greater than 0, but "
                f"received {list(shape)}"
            )
        block = self.program.blocks[0]
        if not isinstance(block.vars.get(name), (Parameter, NoneType)):
            raise ProgramError.here(f"{name!r} is a variable already, and no parameter")
        parameter = block.parameter_class(block, name, shape, dtype, attr)
        return block.add(parameter, ["shape", "dtype"])

    def add(self, variable: V, facts: Iterable[str] = ()) -> V:
        """Add a variable, or return the one of that name if these facts agree."""
        if (old := self.vars.get(variable._name)) is not None:
            for fact in facts:
                if getattr(old, fact) != getattr(variable, fact):
                    raise differs(old, variable, fact)
            return old  # type: ignore[return-value]  # of the class of its type
        self.vars[variable._name] = variable
        self.program.touch()
        if observers:
            announce("variable_created", variable)
        return variable

    def var(self, name: str) -> Variable:
        """The variable of that name, of this block only; a ProgramError without it."""
        if name not in self.vars:
            raise self.no_variable(name)
        return self.vars[name]

    def no_variable(self, name: str) -> Exception:
        """The error for a name that no variable of this block has."""
        return ProgramError.here(f"var {name} not in this block")

    def _find_var_recursive(self, name: str) -> Variable | None:
        """The innermost variable of that name in this block and those around it."""
        found = self.vars.get(name)
        return self._find_around(name) if found is None else found

    def _find_around(self, name: str) -> Variable | None:
        return None  # control flow has blocks around this one

    def _var_recursive(self, name: str) -> Variable:
        variable = self._find_var_recursive(name)
        if variable is None:
            raise ProgramError.here(f"var {name} is not in this block or one around it")
        return variable

    def all_parameters(self) -> list[Parameter]:
        """The parameters, in order of creation."""
        return [v for v in self.vars.values() if isinstance(v, Parameter)]

    def insert(
        self, at: int, type: str, inputs: Slots, outputs: Slots, attrs: dict[str, Any]
    ) -> Operator:
        """Insert an operator, whose names are settled: the one way into `ops`."""
        scope = self.program.name_scope
        around = {"op_role": int(self.program.op_role), "op_namescope": scope}
        attrs = attrs | (marks.get() or {}) | around | attrs  # its own take precedence
        operator = self.operator_class(self, type, inputs, outputs, attrs)
        operator.callsite = callsite()
        self.ops.insert(at, operator)
        self.program.touch()
        if observers:
            announce("operator_inserted", operator, at)
        return operator

    def remove(self, index: int) -> None:
        """Remove the operator at a position."""
        operator = self.ops.pop(index)
        self.program.touch()
        if observers:
            announce("operator_removed", operator, index)

    def __repr__(self) -> str:
        return "\n".join(map(repr, [*self.vars.values(), *self.ops]))


def differs(old: Variable, new: Variable, fact: str) -> ProgramError:
    """The error for a variable that is there already, and not as described."""
    return ProgramError.here(
        f"Variable '{old.name}' has been created before. The previous {fact} is "
        f"{getattr(old, fact)}, the new {fact} is {getattr(new, fact)}. They are not "
        "matched."
    )


class Program:
    """Blocks of operators and variables; block 0 is where it starts.

    Attributes:
        op_role, name_scope: The role and the name scope that new operators get.
        origin, for_test: The program that it was cloned from, and if for testing.
        version: Counts changes, so that an Executor knows when its plan is stale.
        caches: Plans and the like, by their owner, for as long as both live.

    In Paddle this is `paddle.static.Program`.
    """

    block_class: ClassVar[type[Block]] = Block
    first_seed: ClassVar[int] = 0
    op_role, name_scope, current_block_idx = OpRole.FORWARD, "/", 0

    def __init__(
        self, *, origin: Program | None = None, for_test: bool = False
    ) -> None:
        self.version, self._random_seed = 0, self.first_seed
        self.origin, self.for_test = origin, for_test
        self.name_scopes: Counter[str] = Counter()
        self.caches: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
        self.blocks = [self.block_class(self, 0)]
        if observers:
            announce("program_created", self)

    @property
    def random_seed(self) -> int:
        """If not 0, random ops draw the same numbers in every run."""
        return self._random_seed

    def touch(self) -> None:
        """Note that something changed."""
        self.version += 1

    def global_block(self) -> Block:
        """Block 0."""
        return self.blocks[0]

    def current_block(self) -> Block:
        """The block that new operators go into."""
        return self.blocks[self.current_block_idx]

    def all_parameters(self) -> list[Parameter]:
        """All parameters, in order of creation."""
        return self.blocks[0].all_parameters()

    def with_role(self, role: OpRole) -> Guard[OpRole]:
        """Give appended operators this role, inside a `with` block."""
        here = self, "op_role"
        return Guard(partial(getattr, *here), partial(setattr, *here), role)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.blocks))


default_programs = InForce((Program(), Program()))
"""The main and the startup program that layers build outside of a `program_guard`."""


def default_main_program() -> Program:
    """The program that layers append to."""
    return default_programs.value[0]


def default_startup_program() -> Program:
    """The program that initialises parameters; run it once."""
    return default_programs.value[1]


def current_block() -> Block:
    """The block that layers append to."""
    return default_programs.value[0].current_block()


def program_guard(
    main_program: Program, startup_program: Program | None = None
) -> Guard[tuple[Program, Program]]:
    """Let layers build these programs, inside a `with` block.

    Without a startup program, the one in force stays so.

    Raises:
        TypeError: One is no Program.

    >>> main = Program()
    >>> with program_guard(main):
    ...     default_main_program() is main
    True
    """
    startup = default_startup_program() if startup_program is None else startup_program
    for name, program in ("main", main_program), ("startup", startup):
        if not isinstance(program, Program):
            raise TypeError(
                f"The type of '{name}_program' in paddle.static.program_guard must be "
                f"Program, but received {type(program)}."
            )
    return default_programs.holding((main_program, startup))
