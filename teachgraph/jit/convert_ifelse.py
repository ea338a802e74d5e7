"""`if` at run time: Python's own, or a conditional block if a tensor decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.control_flow.arrays import array_length
from teachgraph.control_flow.branch import Branch
from teachgraph.core.errors import ConversionError, InvalidValueError, at_user_line
from teachgraph.core.op import Traced
from teachgraph.core.program import Block, Operator, Spec, Variable, current_block
from teachgraph.jit.as_array import array_of
from teachgraph.jit.container_snapshot import BodyResult, Copies
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
    merge = Merge(condition, yes, no, pair)
    triples = zip(pair[0].values, pair[1].values, names, strict=True)
    return merge.all(list(triples))


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
        raise InvalidValueError(
            at_user_line(
                "a tensor used as a condition must have one element; this one has "
                f"shape {list(value.shape)}: use .any() or .all()"
            )
        )
    return value if value.dtype == "bool" else functions.cast(value, "bool")


def convert_guard(test: Any, what: str) -> Any:
    """Return a condition that only Python can decide.

    Raises:
        ConversionError: It is a tensor of the program.
    """
    if isinstance(as_variable(test), Variable):
        raise ConversionError(
            at_user_line(
                f"a tensor decides the {what}, but it has no value before the program "
                "runs: write an if statement, in a for loop that appends to a list if "
                "that is what it makes"
            )
        )
    return test


class TracedBranch:
    """A branch that is traced into a conditional block.

    Attributes:
        flag: The condition.
        holds: True for the branch taken if it holds, False for the other one.
        made: The conditional block; None if the branch appends no operator.
        outside: The variables handed out of it, by identity.
    """

    def __init__(self, flag: Variable, *, holds: bool = True) -> None:
        self.flag, self.holds = flag, holds
        self.parent = current_block()
        self.made: Branch | None = None
        self.outside: dict[int, Variable] = {}

    def run(self, body: Body, arguments: tuple[Any, ...]) -> BodyResult:
        """Trace the branch; return its values and its changes to containers."""
        values: tuple[Any, ...] = ()
        own: dict[int, Variable] = {}

        def results() -> list[Variable]:
            nonlocal values
            values = body(*arguments)
            collect = Copies(lambda leaf: note(leaf, current_block(), own))
            collect((values, [saved.container for saved in before.changed()]))
            return list(own.values())

        with snapshot(arguments) as before:
            outside = self.branch(results)
            handed_out = dict(zip(own, outside, strict=True))
            self.outside = {id(v): v for v in outside}
            # The copies are made before the snapshot puts the old contents back.
            return BodyResult(
                before, values, lambda leaf: handed_out.get(id(leaf), leaf)
            )

    def branch(self, results: Callable[[], list[Variable]]) -> list[Variable]:
        """Append the conditional block, unless it has no operators."""
        count = len(self.parent.ops)
        flag = self.flag if self.holds else functions.logical_not(self.flag)
        self.made = Branch(self.parent, flag)
        with self.made.traced():
            self.made.results = results()
        if not self.made.block.ops:
            while len(self.parent.ops) > count:
                self.parent.remove(len(self.parent.ops) - 1)
            self.parent.program.blocks.remove(self.made.block)
            self.made = None
            return []
        outside: list[Variable] = self.made.nest
        return outside

    def hand_out(self, value: Variable) -> Variable:
        """Return a variable that comes out of the branch, also for one from before it.

        So the backward sends no gradient through a branch that is not taken.
        """
        if value.stop_gradient or id(value) in self.outside or self.outdated(value):
            return value
        if self.made is None:
            (out,) = self.branch(lambda: [value])
        else:
            out = late_output(self.made, value)
        self.outside[id(out)] = out
        return out

    def array(self, value: Any, like: Spec | None) -> Variable:
        """Hand out a tensor array, or a list as one."""
        if isinstance(value, Variable):
            return self.hand_out(value)
        made = self.made
        (out,) = self.branch(lambda: [array_of(value, like)])
        self.made = made or self.made
        return out

    def outdated(self, value: Variable) -> bool:
        """True if an operator after the branch overwrites a variable in place."""
        if self.made is None:
            return False
        ops = self.parent.ops
        since = ops[ops.index(operator_of(self.made)) :]
        return any(value.name in op.output_arg_names for op in since)


def late_output(made: Branch, value: Variable) -> Variable:
    """Add an output with this value to a branch that has been appended already."""
    out = made.handed_out(value)
    operator = operator_of(made)
    read, written = operator.inputs["Input"], operator.outputs["Out"]
    operator.inputs["Input"] = sorted({*read, value.name})
    operator.outputs["Out"] = [*written, out.name]
    return out


def operator_of(made: Branch) -> Operator:
    """Return the operator that runs a branch."""
    ops = made.parent.ops
    return next(op for op in reversed(ops) if op.sub_block is made.block)


def note(leaf: Any, block: Block, own: dict[int, Variable]) -> None:
    """Add a variable to `own` if it belongs to the block."""
    if isinstance(leaf, Variable) and leaf.name in block.vars:
        own[id(leaf)] = leaf


def convert_ternary(test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """`yes() if test else no()`."""
    condition = as_condition(test)
    if not isinstance(condition, Variable):
        return yes() if condition else no()
    (value,) = convert_ifelse(
        condition, lambda: (yes(),), lambda: (no(),), (), ("the value",)
    )
    return value
