"""Gradients of gradients in a program: gradient operators are replaced on the path.

A `*_grad` operator that a gradient has to go through is expanded into the ops that its
rule is made of, so that gradients of gradients need no rules of their own. Operators
that differentiate a loop or a branch are replaced by what `double_grad_builders` say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.core import backward as core
from teachgraph.core import modes, unique_name
from teachgraph.core.backward import Backward, has_gradient
from teachgraph.core.errors import ProgramError
from teachgraph.core.op import GradOp, force, slot_name
from teachgraph.core.program import EMPTY, GRAD, Block, Operator, OpRole, Variable
from teachgraph.ops import naming

__all__ = ["double_grad_builder", "double_grad_builders", "inside_a_body"]

Find = Callable[[str], Variable]
DoubleGradBuilder = Callable[[Operator, Find], Mapping[str, Variable]]

double_grad_builders: dict[str, DoubleGradBuilder] = {}
"""Replacements of operators whose gradient has no rule, by type."""


def double_grad_builder(type: str) -> Callable[[DoubleGradBuilder], DoubleGradBuilder]:
    """Register what replaces operators of this type before they are differentiated.

    The function takes the operator, and a function that finds the variable for a name.
    It appends ordinary operators and returns the variable that holds each gradient.
    """

    def register(function: DoubleGradBuilder) -> DoubleGradBuilder:
        double_grad_builders[type] = function
        return function

    return register


def with_gradients(inner: Any) -> Any:
    """Count gradient operators in: they are replaced before they are reached."""
    return lambda operator: inner(operator) or is_gradient(operator)


def is_gradient(operator: Operator) -> bool:
    """Say if an operator has to be replaced before a gradient can go through it."""
    return isinstance(operator.op, GradOp) or operator.type in double_grad_builders


@core.expand.wrap
def with_expansion(inner: Any) -> Any:
    """Expand the gradient operators on a path."""

    def expansion(backward: Backward, path: Sequence[Operator]) -> Sequence[Operator]:
        if not any(map(is_gradient, path)):
            return inner(backward, path)  # type: ignore[no-any-return]
        has_gradient.wrap(with_gradients)
        return expanded(backward, path)

    return expansion


def expanded(backward: Backward, path: Sequence[Operator]) -> list[Operator]:
    """The path, with replacements for the gradient operators that a gradient needs."""
    live, block = backward.reachable(path), backward.block
    result: list[Operator] = []
    around = path[0].block
    known = {*around.ops}
    for operator in path:
        if not is_gradient(operator) or live.isdisjoint(operator.input_arg_names):
            result.append(operator)
            continue
        last = block.ops[-1] if block.ops else None
        expand(backward, operator)
        result.extend(operators_after(block.ops, last))
    return with_new(result, around.ops, known | {*result})


def expand(backward: Backward, operator: Operator) -> None:
    """Append ordinary operators that compute what a gradient operator computes."""
    block = backward.block

    def find(name: str) -> Variable:
        return block._var_recursive(backward.current(name))

    if isinstance(operator.op, GradOp):
        build: DoubleGradBuilder = expand_rule
    else:
        build = double_grad_builders[operator.type]
        if operator.block is not block:
            raise inside_a_body(operator)
    with block.program.with_role(OpRole.BACKWARD), appending_to(block):
        replaced = build(operator, find)
    backward.renamed.update((name, v.name) for name, v in replaced.items())


@contextmanager
def appending_to(block: Block) -> Iterator[None]:
    """Append operators to a block, inside a `with` block."""
    program = block.program
    before, program.current_block_idx = program.current_block_idx, block.idx
    try:
        with modes.using(True):
            yield
    finally:
        program.current_block_idx = before


def expand_rule(operator: Operator, find: Find) -> dict[str, Variable]:
    """Append the ops of a gradient operator's rule, for the outputs it has."""
    op, outputs = operator.op, flat_outputs(operator)
    assert isinstance(op, GradOp)
    slots = {slot: [*map(find, names)] for slot, names in operator.inputs.items()}
    key = unique_name.generate(f"{operator.type}_rule")
    with naming.scope(naming.Layer(key)):
        arguments, arriving = op.arguments(slots), len(op.source.upstream)
        upstream, saved = arguments[:arriving], arguments[arriving:]
        results = op.source.gradients(upstream, saved, operator.own_attrs)
        # A list of inputs without gradients counts once, as the slot it is.
        pairs = zip(outputs, results, strict=False)
        return {name: force(result) for name, result in pairs if name}


def flat_outputs(operator: Operator) -> list[str]:
    """The output names of a gradient operator by input position, "" for none."""
    op = operator.op
    assert isinstance(op, GradOp)
    flat: list[str] = []
    for name in op.forward.inputs:
        names = operator.outputs.get(slot_name(name) + GRAD, [])
        flat.extend("" if n == EMPTY else n for n in names or [""])
    return flat


def inside_a_body(operator: Operator) -> ProgramError:
    """The error for a body that itself holds both a loop and its gradient."""
    return ProgramError.here(
        f"{operator.type} stands in a loop or a branch whose body takes gradients "
        "itself: such a gradient has none in a program; take it outside of the "
        "body, or all of them in dynamic mode",
        (operator.twin or operator).callsite,
    )


def with_new(
    path: Sequence[Operator], ops: Sequence[Operator], known: set[Operator]
) -> list[Operator]:
    """A path with the operators that a branch on it has been given since."""
    following: dict[Operator, list[Operator]] = {}
    latest: list[Operator] = []
    for operator in ops:
        if operator in known:
            latest = following.setdefault(operator, [])
        else:
            latest.append(operator)
    return [
        each for operator in path for each in (operator, *following.get(operator, ()))
    ]


def operators_after(ops: Sequence[Operator], last: Operator | None) -> list[Operator]:
    """The operators that follow one, or all if there is none."""
    following: list[Operator] = []
    for operator in reversed(ops):
        if operator is last:
            break
        following.append(operator)
    return following[::-1]
