"""The public Block: the core's, with the ways to change it by hand that Paddle has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teachgraph.control_flow.sub_block import in_sight, parent_of, replace_name
from teachgraph.core import dtypes
from teachgraph.core import program as core
from teachgraph.core.build import append
from teachgraph.core.errors import ProgramError
from teachgraph.core.op import Op
from teachgraph.core.program import OpRole, Slots
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.append_op import insert_named
from teachgraph.static.array_variable import ARRAY, ArrayVariable
from teachgraph.static.operator import Operator
from teachgraph.static.printing import block_text
from teachgraph.static.variable import Parameter, Variable

if TYPE_CHECKING:
    from teachgraph.static.program import Program

__all__ = ["Block"]


class Block(core.Block):
    """An ordered list of operators and the variables they name.

    In Paddle this is `paddle.base.framework.Block`.
    """

    operator_class = Operator
    variable_class = Variable
    parameter_class = Parameter
    classes = {ARRAY: ArrayVariable}  # noqa: RUF012  declared by the core

    program: Program
    vars: dict[str, Variable]  # type: ignore[assignment]  # dict is invariant
    ops: list[Operator]  # type: ignore[assignment]  # as list is

    if TYPE_CHECKING:  # the classes above make them

        def create_var(
            self,
            name: str | None = None,
            shape: Sequence[int | None] | None = None,
            dtype: Any = None,
            **options: Any,
        ) -> Variable:
            """Create a variable, or return the one of that name."""

        def add_parameter(
            self, name: str, shape: Sequence[int], dtype: Any = "", attr: Any = None
        ) -> Parameter:
            """Create a parameter, or return the one of that name."""

        def insert(
            self,
            index: int,
            type: str,
            inputs: Slots,
            outputs: Slots,
            attrs: dict[str, Any],
        ) -> Operator:
            """Insert an operator."""

        def _find_var_recursive(self, name: str) -> Variable | None: ...
        def _var_recursive(self, name: str) -> Variable: ...
        def var(self, name: str) -> Variable:
            """The variable of that name, of this block only."""

        def all_parameters(self) -> list[Parameter]:  # type: ignore[override]
            """The parameters, in order of creation."""

    @property
    def parent(self) -> Block | None:
        """The block around this one."""
        return parent_of(self)  # type: ignore[return-value]  # of the same program

    def create_parameter(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any = dtypes.float32,
        attr: ParamAttr | None = None,
        *,
        initializer: Any = None,
        trainable: bool = True,
        **settings: Any,
    ) -> Parameter:
        """Create a parameter in the global block.

        Args:
            name: Its name.
            shape: The sizes of its dimensions.
            dtype: The dtype.
            attr: Its description.
            initializer: Gives its first value, by an operator of this block.
            trainable: False for one that no optimizer updates.
            settings: Other settings of a `ParamAttr`, in place of `attr`; a parameter's
                `optimize_attr` too.

        Raises:
            TypeError: There is no shape.
            ProgramError: A size is not positive, or the name stands for something else.
        """
        if (factors := settings.pop("optimize_attr", None)) is not None:
            settings["learning_rate"] = factors["learning_rate"]
        if attr is None and (settings or not trainable):
            attr = ParamAttr(trainable=trainable, **settings)
        parameter = self.add_parameter(name, shape, dtype, attr)
        if initializer is not None:
            op, attrs = initializer.operation(parameter.shape, parameter.dtype)
            append(self, op, (), attrs, out=[parameter])
        return parameter

    def has_var(self, name: str) -> bool:
        """Say if a variable of this block has that name."""
        return name in self.vars

    def _find_around(self, name: str) -> Variable | None:
        block: Any = self
        while block is not None:
            for seen in in_sight(block):
                if name in seen.vars:
                    return seen.vars[name]  # type: ignore[return-value]  # public
            block = parent_of(block)
        return None

    def no_variable(self, name: Any) -> Exception:
        """The error for a name that no variable of this block has."""
        if isinstance(name, str):
            return super().no_variable(name)
        return TypeError(
            f"var require string as parameter, but get {type(name)} instead."
        )

    def rename_var(self, old: str, new: str) -> None:
        """Give a variable another name, here and in every operator of the program.

        Raises:
            ProgramError: The new name is taken.
        """
        if new in self.vars and new != old:
            raise ProgramError.here(f"the name {new!r} is taken")
        self.vars = {
            new if name == old else name: variable
            for name, variable in self.vars.items()
        }
        self.vars[new]._name = new
        for block in self.program.blocks:
            for operator in block.ops:
                replace_name(operator, old, new)
        self.program.touch()

    def iter_parameters(self) -> Iterator[Parameter]:
        """The parameters, one by one."""
        return iter(self.all_parameters())

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
            raise ProgramError.here(
                f"no operator {index}: block {self.idx} has {len(self.ops)}"
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
        operator = insert_named(self, index, type, inputs, outputs, attrs)
        assert isinstance(operator, Operator)
        return operator

    def _remove_op(self, index: int) -> None:
        self.remove(index)

    def __repr__(self) -> str:
        return block_text(self)

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The block as `print(program)` shows it."""
        return repr(self)

    def role(self, role: OpRole) -> Any:
        """A context in which appended operators have this role."""
        return self.program.with_role(role)
