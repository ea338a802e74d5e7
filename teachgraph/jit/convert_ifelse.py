"""`if` at run time: Python's own, or a branch of the program if a tensor decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.control_flow.arrays import array_length
from teachgraph.control_flow.branch import Branch
from teachgraph.core.errors import ConversionError, InvalidValueError, at_user_line
from teachgraph.core.op import Traced
from teachgraph.core.program import Block, Operator, Spec, Variable, current_block
from teachgraph.jit.as_array import array_of
from teachgraph.jit.container_snapshot import Copies
from teachgraph.jit.effects import Effects, journal
from teachgraph.jit.merge import Merge
from teachgraph.jit.tracing import as_variable
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
    """What a name stands for before anything is assigned to it."""
    return Undefined(name)


def convert_load(value: Any) -> Any:
    """A name that may stand for nothing, where it is read.

    Raises:
        UnboundLocalError: It does.
    """
    if isinstance(value, Undefined):
        value.refuse()
    if isinstance(value, Either) and isinstance(value.no, Undefined):
        return value.the_tensor() if isinstance(value.yes, Traced) else value
    return value


def convert_nothing() -> Any:
    """What a result is before there is one."""
    return NOTHING


def convert_ifelse(
    test: Any,
    then: Body,
    otherwise: Body | None,
    given: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """`if test: then, else: otherwise`.

    Args:
        test: What decides.
        then: Takes the variables given; returns those named.
        otherwise: The same, or None to leave them as they are.
        given: Variables that are changed, as they are before.
        names: What the variables are called that come out.
    """
    condition = as_condition(test)
    if not isinstance(condition, Variable):
        taken = then if condition else otherwise
        return unchanged(then, given, names) if taken is None else taken(*given)
    yes, no = TracedBranch(condition), TracedBranch(condition, holds=False)
    pair = yes.run(then, given), no.run(otherwise or as_it_was(then, names), given)
    merge = Merge(condition, yes, no, pair)
    triples = zip(pair[0].found, pair[1].found, names, strict=True)
    return merge.all(list(triples))


def unchanged(
    then: Body, given: tuple[Any, ...], names: Sequence[str]
) -> tuple[Any, ...]:
    """The variables as they were: those that come out are among those that go in."""
    code = then.__code__
    parameters = code.co_varnames[: code.co_argcount]
    values = dict(zip(parameters, given, strict=True))
    return tuple(values[name] for name in names)


def as_it_was(then: Body, names: Sequence[str]) -> Body:
    """A branch that changes nothing."""
    return lambda *given: unchanged(then, given, names)


def as_condition(test: Any) -> Any:
    """A tensor as one boolean Variable; anything else as it is.

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
    """A condition that Python decides by.

    Raises:
        ConversionError: A tensor of the program would.
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
    """A branch of the program.

    Attributes:
        flag: The condition.
        holds: Whether the branch is taken if it holds, or if it does not.
        made: The branch, once there is one.
    """

    def __init__(self, flag: Variable, *, holds: bool = True) -> None:
        self.flag, self.holds = flag, holds
        self.parent = current_block()
        self.made: Branch | None = None
        self.outside: dict[int, Variable] = {}

    def run(self, body: Body, given: tuple[Any, ...]) -> Effects:
        """What a branch returns and changes, traced into a block."""
        found: tuple[Any, ...] = ()
        own: dict[int, Variable] = {}

        def results() -> list[Variable]:
            nonlocal found
            found = body(*given)
            noting = Copies(lambda leaf: note(leaf, current_block(), own))
            noting((found, [kept.container for kept in log.changed()]))
            return list(own.values())

        with journal(given) as log:
            outside = self.branch(results)
            handed_out = dict(zip(own, outside, strict=True))
            self.outside = {id(v): v for v in outside}
            return Effects(log, found, lambda leaf: handed_out.get(id(leaf), leaf))

    def branch(self, results: Callable[[], list[Variable]]) -> list[Variable]:
        """Append the branch; one that does nothing is left out."""
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
        """A variable that comes out of the branch, also if it was there before.

        So the way back knows that no gradient comes here if it is not taken.
        """
        if value.stop_gradient or id(value) in self.outside or self.outdated(value):
            return value
        if self.made is None:
            (out,) = self.branch(lambda: [value])
        else:
            out = passed_on(self.made, value)
        self.outside[id(out)] = out
        return out

    def array(self, value: Any, like: Spec | None) -> Variable:
        """The same of an array, or of a list as one."""
        if isinstance(value, Variable):
            return self.hand_out(value)
        made = self.made
        (out,) = self.branch(lambda: [array_of(value, like)])
        self.made = made or self.made
        return out

    def outdated(self, value: Variable) -> bool:
        """Whether a variable has had another value since, and the branch no longer."""
        if self.made is None:
            return False
        ops = self.parent.ops
        since = ops[ops.index(operator_of(self.made)) :]
        return any(value.name in op.output_arg_names for op in since)


def passed_on(made: Branch, value: Variable) -> Variable:
    """A variable that a branch gives this value, although it is done already."""
    out = made.handed_out(value)
    operator = operator_of(made)
    read, given = operator.inputs["Input"], operator.outputs["Out"]
    operator.inputs["Input"] = sorted({*read, value.name})
    operator.outputs["Out"] = [*given, out.name]
    return out


def operator_of(made: Branch) -> Operator:
    """The operator that runs a branch."""
    ops = made.parent.ops
    return next(op for op in reversed(ops) if op.sub_block is made.block)


def note(leaf: Any, block: Block, own: dict[int, Variable]) -> None:
    """Add a variable of the block to those that are handed out."""
    if isinstance(leaf, Variable) and leaf.name in block.vars:
        own[id(leaf)] = leaf


def convert_ternary(test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """`yes() if test else no()`."""
    condition = as_condition(test)
    if not isinstance(condition, Variable):
        return yes() if condition else no()
    (found,) = convert_ifelse(
        condition, lambda: (yes(),), lambda: (no(),), (), ("the value",)
    )
    return found
