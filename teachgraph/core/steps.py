"""Steps: each operator of a program becomes one, or whatever its op's lowering says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from teachgraph.core.errors import OpError
from teachgraph.core.extend import HookPoint
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import GradOp, force, slot_name
from teachgraph.core.program import EMPTY, Block, Operator, Program, Variable

Values = MutableMapping[str, Any]
Names = Callable[[str], str]
Lower = Callable[["Lowering", "Operator", Names], Sequence["Step"]]


class Step(Protocol):
    """A step of a plan, with names that are unique in the program; see `Lowering`.

    Attributes:
        operator: The operator, for messages.
        arguments: Variables it takes from around it, None for one that is left out.
        outputs: Variables that have a value after it, None for one nobody wants.
        inner: Further variables that have one if it went a certain way.
        told: Those whose values an error message shows.
    """

    @property
    def operator(self) -> Operator: ...  # noqa: D102
    @property
    def arguments(self) -> Sequence[str | None]: ...  # noqa: D102
    @property
    def outputs(self) -> Sequence[str | None]: ...  # noqa: D102
    @property
    def inner(self) -> AbstractSet[str]: ...  # noqa: D102
    @property
    def told(self) -> Sequence[str | None]: ...  # noqa: D102

    def run(self, values: Values) -> None:
        """Run it on these values."""


class Call:
    """`outputs = function(*arguments, **attrs)`: the step of an ordinary operator.

    Attributes:
        attrs: The attributes it is given: those that differ from its own defaults.
        single: Whether it returns its one result bare.
        lazy: Whether results may be lambdas, to be called if wanted.
    """

    inner: AbstractSet[str] = frozenset()

    def __init__(self, operator: Operator, names: Names) -> None:
        op, attrs = operator.op, operator.attrs
        self.operator, self.function = operator, op.kernel
        self.arguments = [settled(n, names) for n in op.arguments(operator.inputs)]
        self.told, self.lazy = self.arguments, isinstance(op, GradOp)
        if isinstance(op, GradOp):
            self.attrs = {name: attrs[name] for name in op.source.defaults}
            results = gradient_names(operator, op)
            self.single = len(op.source.of) == 1 and not op.forward.variadic
        else:
            own = op.attrs.items()
            self.attrs = {k: attrs[k] for k, v in own if attrs.get(k, v) is not v}
            slots = [slot_name(name) for name in op.outputs]
            results = [n for slot in slots for n in operator.outputs.get(slot, ())]
            self.single = len(results) == 1
        self.outputs = [settled(name, names) for name in results]

    def compute(self, values: Sequence[Any]) -> list[Any]:
        """The results for these argument values, None where nobody wants one."""
        returned = self.function(*values, **self.attrs)
        results = (returned,) if self.single else returned
        return [
            None if name is None else force(result) if self.lazy else result
            for name, result in zip(self.outputs, results, strict=True)
        ]

    def run(self, values: Values) -> None:
        """Run it on these values, and tell the observers."""
        given = [None if name is None else values[name] for name in self.arguments]
        results = zip(self.outputs, self.compute(given), strict=True)
        new = {name: result for name, result in results if name is not None}
        values.update(new)
        if observers:
            known = {name: value for name, value in new.items() if value is not None}
            announce("run_op", self.operator, known)


def gradient_names(operator: Operator, op: GradOp) -> list[str]:
    """A variable for each result of a rule, `@EMPTY@` for a gradient nobody wants."""
    found: list[str] = []
    for name in op.source.of:
        slot, count = slot_name(name), 1
        if op.forward.variadic and name == op.forward.inputs[-1]:
            count = len(operator.inputs.get(slot, ()))
        found += operator.outputs.get(f"{slot}@GRAD") or [EMPTY] * (count or 1)
    return found


def settled(name: str | None, names: Names) -> str | None:
    """A variable's name among all steps, None for the placeholder of no variable."""
    return None if name is None or name == EMPTY else names(name)


class Lowering:
    """Turns the operators of a program into steps.

    A name in a block stands for the innermost variable of that name. Among the steps,
    which may come from several blocks, each variable has a name of its own.

    Attributes:
        options: What lowerings of extensions may ask for, by name.
        writers: The steps that lowerings of extensions gave, by what they write.
    """

    def __init__(self, program: Program, options: Mapping[str, Any]) -> None:
        self.program, self.options = program, options
        self.writers: dict[str, Step] = {}
        self.shared = Counter(name for block in program.blocks for name in block.vars)

    def steps(self) -> list[Step]:
        """The steps of the program, in order; the global block's names stay (`str`)."""
        return self.body(self.program.global_block(), str)

    def body(self, block: Block, names: Names) -> list[Step]:
        """The steps of a block, in which these are the names of variables."""
        return [step for op in block.ops for step in lower.call(self, op, names)]

    def key(self, block: Block, name: str) -> str:
        """The name of a block's variable among those of all blocks."""
        alone = block.idx == 0 or self.shared[name] == 1
        return name if alone else f"{name}@block{block.idx}"

    def variables(self) -> dict[str, Variable]:
        """Every variable by its name among the steps."""
        return {
            self.key(block, name): variable
            for block in self.program.blocks
            for name, variable in block.vars.items()
        }


def lower_operator(
    lowering: Lowering, operator: Operator, names: Names
) -> Sequence[Step]:
    """The steps of an operator: those its op has a lowering for, else a call."""
    if (special := operator.op.lower) is None:
        return [Call(operator, names)]
    steps: Sequence[Step] = special(lowering, operator, names)
    lowering.writers |= {names(n): steps[-1] for n in operator.output_arg_names}
    return steps


lower: HookPoint[Lower] = HookPoint(lower_operator)
"""Lowers an operator; random ones in a seeded program wrap it."""


def run_steps(steps: Sequence[Step], values: Values) -> None:
    """Run steps one by one; an OpError names the user's line."""
    for step in steps:
        try:
            step.run(values)
        except Exception as error:
            raise failed(step, values, error) from cause_of(error)


def failed(step: Step, values: Mapping[str, Any], error: Exception) -> Exception:
    """The error to raise when a step raised `error`, after telling the observers.

    A step of a body has explained its own already. A gradient operator names the line
    of the forward one, which the user can change.
    """
    if getattr(error, "explained", False):
        return error
    operator, names = step.operator, step.told
    given = [None if name is None else values.get(name) for name in names]
    attrs, written = operator.own_attrs, operator.twin or operator
    whence = {"where": written.callsite, "names": names, "block": operator.block}
    explained = operator.op.explain(given, attrs, error, **whence)
    explained.explained = True  # type: ignore[attr-defined]
    inputs = {n: v for n, v in zip(names, given, strict=True) if n is not None}
    announce("run_failed", operator, inputs, explained)
    return explained


def cause_of(error: Exception) -> BaseException | None:
    """The error of a user's own function, which a traceback should show."""
    return error.__cause__ if isinstance(error, OpError) else None
