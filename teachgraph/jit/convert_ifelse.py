"""`if` at run time: Python's own, or a conditional block if a tensor decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.control_flow.arrays import array_length
from teachgraph.control_flow.branch import Branch
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Traced
from teachgraph.core.program import Spec, Variable, current_block
from teachgraph.errors import ConversionError
from teachgraph.jit.as_array import array_of
from teachgraph.jit.container_snapshot import BodyResult
from teachgraph.jit.merge import Merge
from teachgraph.jit.tracing import as_variable, snapshot
from teachgraph.jit.undefined import NOTHING, Either, Undefined
from teachgraph.ops import functions
from teachgraph.static.array_variable import ArrayVariable

__all__ = [
    "as_condition",
    "convert_guard",
    "convert_ifelse",
    "convert_load",
    "convert_nothing",
    "convert_ternary",
    "convert_undefined",
]

Body = Callable[..., tuple[Any, ...]]


def convert_undefined(name: str) -> Undefined:
    """Return the placeholder of a name without a value."""
    return Undefined(name)


def convert_load(value: Any) -> Any:
    """Return the value of a name that may have none, where the user reads it.

    Raises:
        UnboundLocalError: It has none.
    """
    if isinstance(value, Undefined):
        value.refuse()
    if isinstance(value, Either) and isinstance(value.no, Undefined):
        return value.the_tensor() if isinstance(value.yes, Traced) else value
    return value


def convert_nothing() -> Any:
    """Return the placeholder of a result before the first `return`."""
    return NOTHING


def convert_ifelse(
    test: Any,
    then: Body,
    otherwise: Body | None,
    values: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """`if test: then, else: otherwise`.

    Args:
        test: The condition.
        then: Takes the values; returns the variables in `names`.
        otherwise: Does likewise; None leaves the variables as they are.
        values: The values that the branches take.
        names: The names of the variables that they return.
    """
    condition = as_condition(test)
    if not isinstance(condition, Variable):
        taken = then if condition else otherwise
        return unchanged(then, values, names) if taken is None else taken(*values)
    yes, no = TracedBranch(condition), TracedBranch(condition, holds=False)
    pair = yes.run(then, values), no.run(otherwise or identity(then, names), values)
    return Merge(condition, yes, no, pair).all(names)


def unchanged(
    then: Body, values: tuple[Any, ...], names: Sequence[str]
) -> tuple[Any, ...]:
    """Return the named variables as they were, found among a branch's parameters."""
    code = then.__code__
    parameters = code.co_varnames[: code.co_argcount]
    by_name = dict(zip(parameters, values, strict=True))
    return tuple(by_name[name] for name in names)


def identity(then: Body, names: Sequence[str]) -> Body:
    """Return a branch that changes nothing."""
    return lambda *values: unchanged(then, values, names)


def as_condition(test: Any) -> Any:
    """Turn a tensor into one boolean Variable; return anything else as it is.

    Raises:
        InvalidValueError: It has several elements.
    """
    value = as_variable(test)
    if not isinstance(value, Variable):
        return value
    if isinstance(value, ArrayVariable):
        return functions.reshape(array_length(value), []) > 0
    if any(size not in (1, -1) for size in value.shape):
        raise InvalidValueError.here(several_elements(value))
    return value if value.dtype == "bool" else functions.cast(value, "bool")


def several_elements(value: Variable) -> str:
    """Error message for a condition of several elements."""
    return (
        "a tensor used as a condition must have one element; this one has shape "
        f"{list(value.shape)}: use .any() or .all()"
    )


def convert_guard(test: Any, what: str) -> Any:
    """Return a condition that only Python can decide.

    Raises:
        ConversionError: It is a tensor of the program.
    """
    if isinstance(as_variable(test), Variable):
        raise ConversionError.here(
            f"a tensor decides the {what}, but it has no value before the program "
            "runs: write an if statement, in a for loop that appends to a list if "
            "that is what it makes"
        )
    return test


class TracedBranch:
    """A branch that is traced into a conditional block.

    Attributes:
        branch: The conditional block, with the variables handed out of it.
        handed_out: These variables, by the identity of those in the block.
    """

    def __init__(self, flag: Variable, *, holds: bool = True) -> None:
        self.branch = Branch(current_block(), flag, holds=holds)
        self.handed_out: dict[int, Variable] = {}

    def run(self, body: Body, arguments: tuple[Any, ...]) -> BodyResult:
        """Trace the branch; return its values and its changes to containers.

        The copies are made before the snapshot puts the old contents back.
        """
        with snapshot(arguments) as before, self.branch.traced():
            return BodyResult(before, body(*arguments), self.outside)

    def outside(self, leaf: Any) -> Any:
        """Hand out a variable of the block; return any other value as it is."""
        if not isinstance(leaf, Variable) or leaf.name not in self.branch.block.vars:
            return leaf
        if id(leaf) not in self.handed_out:
            self.handed_out[id(leaf)] = self.branch.hand_out(leaf)
        return self.handed_out[id(leaf)]

    def hand_out(self, value: Variable) -> Variable:
        """Return a variable that comes out of the branch, also for one from before it.

        So the backward sends no gradient through a branch that is not taken.
        """
        known = any(value is out for out in self.branch.outputs)
        if known or value.stop_gradient or self.outdated(value):
            return value
        if self.branch.operator is not None:
            return late_output(self.branch, value)
        with self.branch.traced():
            return self.branch.hand_out(value)

    def array(self, value: Any, like: Spec | None) -> Variable:
        """Hand out a tensor array, or a list as one."""
        if isinstance(value, Variable):
            return self.hand_out(value)
        branch = self.branch
        other = Branch(branch.parent, branch.condition, holds=branch.holds)
        with other.traced():
            return other.hand_out(array_of(value, like))

    def outdated(self, value: Variable) -> bool:
        """True if an operator after the branch overwrites a variable in place."""
        if self.branch.operator is None:
            return False
        ops = self.branch.parent.ops
        since = ops[ops.index(self.branch.operator) :]
        return any(value.name in op.output_arg_names for op in since)


def late_output(branch: Branch, value: Variable) -> Variable:
    """Add an output with this value to a branch that has been appended already."""
    operator, out = branch.operator, branch.hand_out(value)
    assert operator is not None
    read, written = operator.inputs["Input"], operator.outputs["Out"]
    operator.inputs["Input"] = sorted({*read, value.name})
    operator.outputs["Out"] = [*written, out.name]
    return out


def convert_ternary(test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """`yes() if test else no()`."""
    condition = as_condition(test)
    if not isinstance(condition, Variable):
        return yes() if condition else no()
    (value,) = convert_ifelse(
        condition, lambda: (yes(),), lambda: (no(),), (), ("the value",)
    )
    return value
