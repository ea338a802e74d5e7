"""Blocks: the variables and operators of one scope, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teachgraph.control_flow.array_variable import ARRAY, ArrayVariable
from teachgraph.core import dtypes, unique_name
from teachgraph.core.build import append, insert_named
from teachgraph.core.callsite import callsite
from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.observe import announce
from teachgraph.core.op import Op
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.devices import device_in_force
from teachgraph.static.operator import Operator, OpRole, Slots
from teachgraph.static.variable import Parameter, Variable

if TYPE_CHECKING:
    from teachgraph.static.program import Program

__all__ = ["Block"]


class Block:
    """An ordered list of operators and the variables they name.

    Attributes:
        program: The Program it belongs to.
        idx: Its number there.
        parent_idx: The number of the block around it, -1 for the outermost.
        forward_block_idx: For a gradient block, the block it goes back over.
        vars: Variables by name, in order of creation.
        ops: Operators, in order of execution.

    In Paddle this is `paddle.base.framework.Block`.
    """

    def __init__(self, program: Program, idx: int, parent_idx: int = -1) -> None:
        self.program, self.idx, self.parent_idx = program, idx, parent_idx
        self.forward_block_idx = self.backward_block_idx = -1
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operator] = []

    @property
    def parent(self) -> Block | None:
        """The block around this one."""
        return None if self.parent_idx < 0 else self.program.block(self.parent_idx)

    def in_sight(self) -> Iterator[Block]:
        """This block and, if it is a gradient's, the one it goes back over."""
        yield self
        if self.forward_block_idx >= 0:
            yield from self.program.block(self.forward_block_idx).in_sight()

    def create_var(
        self,
        name: str | None = None,
        shape: Sequence[int] | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> Variable:
        """A new variable, or the one there is if it is as described.

        Args:
            name: By default `_generated_var_N`.
            shape: -1 or None for a size that is not known.
            dtype: By default float32.
            **options: `persistable`, `stop_gradient`, `is_data`, `type`; Paddle's
                `lod_level` is accepted.

        Raises:
            TypeError: `name` is no string.
            ProgramError: The name stands for something else already, or a size is
                less than -1.
        """
        name = unique_name.generate("_generated_var") if name is None else name
        if not isinstance(name, str):
            raise TypeError(f"a variable's name is a string, got {type(name)}")
        known = {"persistable", "stop_gradient", "is_data"}
        facts = {key: value for key, value in options.items() if key in known}
        kind = ArrayVariable if options.get("type") == ARRAY else Variable
        variable = kind(self, name, sizes(shape), dtype or dtypes.float32, **facts)
        variable.type = options.get("type", variable.type)
        if (old := self.vars.get(name)) is not None:
            given = {"shape": shape, "dtype": dtype, **facts}
            same_as(old, variable, [fact for fact, v in given.items() if v is not None])
            return old
        return self.add(variable)

    def create_parameter(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any = dtypes.float32,
        attr: ParamAttr | None = None,
    ) -> Parameter:
        """A new parameter in the global block.

        Raises:
            TypeError: There is no shape.
            ProgramError: A size is not positive, or the name stands for something else.
        """
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"the shape of a parameter is a list, got {shape!r}")
        if any(size <= 0 for size in shape):
            raise ProgramError(
                at_user_line(
                    "Each dimension of shape for Parameter must be greater than 0, "
                    f"but received {list(shape)}"
                )
            )
        block = self.program.global_block()
        parameter = Parameter(block, name, shape, dtype, attr)
        old = block.vars.get(name)
        if isinstance(old, Parameter):
            same_as(old, parameter, ("shape", "dtype"))
            return old
        if old is not None:
            raise ProgramError(
                at_user_line(f"{name!r} is a variable already, and no parameter")
            )
        block.add(parameter)
        return parameter

    def add(self, variable: Variable) -> Variable:
        """Take a variable in."""
        self.vars[variable.name] = variable
        self.program.touch()
        announce("variable_created", variable)
        return variable

    def has_var(self, name: str) -> bool:
        """Whether a variable of this block has that name."""
        return name in self.vars

    def var(self, name: str) -> Variable:
        """The variable of that name, of this block only.

        Raises:
            TypeError: `name` is no string.
            ProgramError: There is none.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"var require string as parameter, but get {type(name)} instead."
            )
        if name not in self.vars:
            raise ProgramError(at_user_line(f"var {name} not in this block"))
        return self.vars[name]

    def _find_var_recursive(self, name: str) -> Variable | None:
        block: Block | None = self
        while block is not None:
            for seen in block.in_sight():
                if name in seen.vars:
                    return seen.vars[name]
            block = block.parent
        return None

    def _var_recursive(self, name: str) -> Variable:
        found = self._find_var_recursive(name)
        if found is None:
            raise ProgramError(
                at_user_line(f"var {name} is not in this block or one around it")
            )
        return found

    def rename_var(self, old: str, new: str) -> None:
        """Give a variable another name, here and in every operator of the program.

        Raises:
            ProgramError: The new name is taken.
        """
        if new in self.vars:
            raise ProgramError(at_user_line(f"the name {new!r} is taken"))
        self.vars = {
            new if name == old else name: variable
            for name, variable in self.vars.items()
        }
        self.vars[new]._name = new
        for block in self.program.blocks:
            for operator in block.ops:
                operator.rename(old, new)
        self.program.touch()

    def all_parameters(self) -> list[Parameter]:
        """The parameters, in order of creation."""
        return list(self.iter_parameters())

    def iter_parameters(self) -> Iterator[Parameter]:
        """The parameters, one by one."""
        return (v for v in self.vars.values() if isinstance(v, Parameter))

    def apply(self, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Append `op` for these inputs, with new variables for its outputs.

        Raises:
            OpError: The inputs do not fit; nothing has been appended then.
        """
        return append(self, op, inputs, attrs)

    def append_op(
        self,
        type: str | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | None = None,
        attrs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> Operator:
        """Append an operator by hand, and infer the shapes of its outputs at once.

        Args:
            type: The op's type.
            inputs: By slot, Variables or names, one or a list.
            outputs: The same, for variables that exist already.
            attrs: Attributes.

        Raises:
            ProgramError: The type, a slot or a variable is missing.
            OpError: The inputs do not fit.
        """
        return self._insert_op(len(self.ops), type, inputs, outputs, attrs)

    def prepend_op(self, type: str | None = None, **parts: Any) -> Operator:
        """`append_op`, but as the first."""
        return self._insert_op(0, type, **parts)

    def insert_op(self, index: int, type: str | None = None, **parts: Any) -> Operator:
        """`append_op`, but at this place.

        An operator that then reads what is only written later is refused when the
        program is run.
        """
        return self._insert_op(index, type, **parts)

    def remove_op(self, index: int) -> None:
        """Take the operator at this place out.

        Raises:
            ProgramError: There is none.
        """
        if not -len(self.ops) <= index < len(self.ops):
            raise ProgramError(
                at_user_line(
                    f"no operator {index}: block {self.idx} has {len(self.ops)}"
                )
            )
        self._remove_op(index)

    def remove_var(self, name: str) -> None:
        """Take a variable out.

        Raises:
            ProgramError: There is none of that name.
        """
        del self.vars[self.var(name).name]
        self.program.touch()

    _remove_var = remove_var

    def _rename_var(self, name: str, new_name: str) -> Variable:
        self.rename_var(self.var(name).name, new_name)
        return self.vars[new_name]

    def _prepend_op(self, type: str | None = None, **parts: Any) -> Operator:
        return self._insert_op(0, type, **parts)

    def _insert_op(
        self,
        index: int,
        type: str | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> Operator:
        return insert_named(self, index, type, inputs, outputs, attrs)

    def insert(
        self,
        index: int,
        type: str,
        inputs: Slots,
        outputs: Slots,
        attrs: dict[str, Any],
    ) -> Operator:
        """Put an operator in as it is: the one way into `ops`."""
        attrs.setdefault("op_role", int(self.program.op_role))
        attrs.setdefault("op_namescope", self.program.name_scope)
        if device := device_in_force():
            attrs.setdefault("op_device", device)
        operator = Operator(self, type, inputs, outputs, attrs)
        operator.callsite = callsite()
        self.ops.insert(index, operator)
        self.program.touch()
        announce("operator_inserted", operator, index)
        return operator

    def _remove_op(self, index: int) -> None:
        operator = self.ops.pop(index)
        self.program.touch()
        announce("operator_removed", operator, index)

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The block as `print(program)` shows it."""
        head = (
            f"{{ // block_idx:{self.idx}  parent_idx:{self.parent_idx}  "
            f"forward_idx:{self.forward_block_idx}  "
            f"backward_idx:{self.backward_block_idx}"
        )
        lines = [f"    {v.to_string()}" for v in self.vars.values()]
        steps = [f"    {op.to_string()}" for op in self.ops]
        return "\n".join([head, *lines, "", *steps, "}"])

    __repr__ = to_string

    def role(self, role: OpRole) -> Any:
        """A context in which appended operators have this role."""
        return self.program.with_role(role)


def sizes(shape: Sequence[int | None] | None) -> tuple[int, ...]:
    """A shape with -1 for what is not known.

    Raises:
        ProgramError: A size is less than -1.
    """
    found = tuple(-1 if n is None else int(n) for n in shape or ())
    if min(found, default=0) < -1:
        raise ProgramError(
            at_user_line(f"a size is a number, or -1 or None, got {list(found)}")
        )
    return found


def same_as(old: Variable, new: Variable, facts: Sequence[str]) -> None:
    """Refuse a second variable of a name unless it is like the first.

    Raises:
        ProgramError: One of these facts is another.
    """
    for fact in set(facts) & {"shape", "dtype", "persistable"}:
        before, now = getattr(old, fact), getattr(new, fact)
        if before != now:
            raise ProgramError(
                at_user_line(
                    f"Variable '{old.name}' has been created before. The previous "
                    f"{fact} is {before}, the new {fact} is {now}. "
                    "They are not matched."
                )
            )
