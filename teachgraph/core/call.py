"""How one operator is run: what it calls, with what, and where the results go.

The interpreter makes these calls one by one; the code generator writes them down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from teachgraph.control_flow.place_seeds import place_seed
from teachgraph.core.op import GradOp, force, slot_name
from teachgraph.core.program import EMPTY, Operator

__all__ = ["Call", "Expression", "call_of"]


class Expression(str):
    """An attribute that generated code computes as it makes the call: its text."""

    __slots__ = ()


class Call(NamedTuple):
    """`outputs = function(*arguments, **attrs)`.

    Attributes:
        operator: What this is a call of.
        function: The kernel, or the gradient rule.
        arguments: Variable names, None for an input that is left out.
        attrs: The attributes that differ from the function's own defaults.
        outputs: Variable names by position, None for a result nobody wants.
        single: Whether the function returns its one result bare.
        lazy: Whether results may be lambdas, to be called if wanted.
        by_shape: For each argument, whether its shape and dtype are enough; empty if
            for none.
        writes: Whether the function writes its result where `out` says.
    """

    operator: Operator
    function: Callable[..., Any]
    arguments: list[str | None]
    attrs: dict[str, Any]
    outputs: list[str | None]
    single: bool
    lazy: bool
    by_shape: Sequence[bool] = ()
    writes: bool = False

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The results for these argument values, None where nobody wants one."""
        returned = self.function(*values, **self.attrs)
        results = (returned,) if self.single else returned
        return [
            None if name is None else force(result) if self.lazy else result
            for name, result in zip(self.outputs, results, strict=True)
        ]


def as_it_is(name: str) -> str:
    """The name itself."""
    return name


def call_of(operator: Operator, names: Callable[[str], str] = as_it_is) -> Call:
    """The call an operator stands for.

    Args:
        operator: The operator. In a seeded program a random one without a seed of its
            own gets one that follows from its place.
        names: What the variables it names are called.
    """
    op = operator.op
    arguments = [known(name, names) for name in op.arguments(operator.inputs)]
    if isinstance(op, GradOp):
        return grad_call(operator, op, arguments, names)
    attrs = {
        name: value
        for name, value in operator.own_attrs.items()
        if name not in op.defaults or value is not op.defaults[name]
    }
    if op.random and (seed := place_seed(operator, operator.idx)) is not None:
        attrs["seed"] = seed
    slots = [slot_name(name) for name in op.outputs]
    outputs = [
        known(name, names) for slot in slots for name in operator.outputs.get(slot, ())
    ]
    single = len(outputs) == 1
    return Call(
        operator, op.kernel, arguments, attrs, outputs, single, False, (), op.writes
    )


def grad_call(
    operator: Operator,
    op: GradOp,
    arguments: list[str | None],
    called: Callable[[str], str],
) -> Call:
    """The call of a gradient operator: its rule, of which some results are wanted."""
    rule, own = op.source, operator.own_attrs
    attrs = {name: own[name] for name in rule.defaults}
    outputs: list[str | None] = []
    for name in rule.of:
        names = operator.outputs.get(f"{slot_name(name)}@GRAD", [])
        wanted = [known(n, called) for n in names]
        if op.forward.variadic and name == op.forward.inputs[-1]:
            wanted = wanted or [None] * len(operator.inputs.get(slot_name(name), ()))
        outputs.extend(wanted or [None])
    single = len(rule.of) == 1 and not op.forward.variadic
    lazy = may_defer(rule.function)
    by_shape = kept_by_shape(op, len(arguments)) if any(rule.shape_only) else ()
    function = rule.function
    return Call(operator, function, arguments, attrs, outputs, single, lazy, by_shape)


def kept_by_shape(op: GradOp, count: int) -> list[bool]:
    """For each argument of a gradient operator, whether its shape is all it wants."""
    arriving, saved = len(op.source.upstream), list(op.source.shape_only)
    listed = count - arriving - len(saved) + 1  # the last one may be a list
    return [False] * arriving + saved[:-1] + saved[-1:] * listed


@cache
def may_defer(rule: FunctionType) -> bool:
    """Whether a rule may return lambdas: it makes one, or a helper it calls does."""
    seen, left = {rule}, [rule]
    while left:
        function = left.pop()
        code = function.__code__
        if any(isinstance(constant, CodeType) for constant in code.co_consts):
            return True
        called = [function.__globals__.get(name) for name in code.co_names]
        helpers = {f for f in called if isinstance(f, FunctionType)} - seen
        seen |= helpers
        left += helpers
    return False


def known(name: str | None, names: Callable[[str], str]) -> str | None:
    """What a variable is called, None for the placeholder of one that nobody wants."""
    return None if name is None or name == EMPTY else names(name)
