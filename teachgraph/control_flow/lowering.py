"""Lowerings of branches and loops: each sub-block becomes the body of a step.

They are registered with the core here, op by op, and know of each other by what the
forward one writes: the gradient of a loop reads the step scopes of that loop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, cast

from teachgraph.control_flow import random_rounds
from teachgraph.control_flow.backward import AFTER, AT_STEP
from teachgraph.control_flow.block_slots import misfit
from teachgraph.control_flow.flow import BEFORE, BackBranch, BackLoop, Branch, Loop
from teachgraph.control_flow.loop import write_backs
from teachgraph.control_flow.ops import (
    conditional_block,
    conditional_block_grad,
    limit_of,
    recurrent,
    recurrent_grad,
    while_,
    while_grad,
)
from teachgraph.control_flow.scan import BackScan, Scan
from teachgraph.control_flow.sub_block import in_sight, position_of, sub_block_of
from teachgraph.core.errors import ProgramError
from teachgraph.core.op import Op
from teachgraph.core.program import EMPTY, GRAD, Block, Operator
from teachgraph.core.steps import Lowering, Step

__all__ = ["BlockNames"]

Names = Callable[[str], str]
Source = random_rounds.Source


class BlockNames:
    """Names of the variables in a sub-block among those of all steps.

    A name means the innermost variable there is. In the block of a loop's gradient, the
    name of a loop variable means its value at the beginning of the iteration.

    Attributes:
        block: The block.
        outer: The names of the outer block.
        before: The loop variables of the loop that this block differentiates.
        sources: Of a block in a loop, the sources of seeds that the loop makes first.
    """

    def __init__(
        self,
        lowering: Lowering,
        block: Block,
        outer: Names,
        before: Collection[str] = (),
        sources: list[Source] | None = None,
    ) -> None:
        self.lowering, self.block, self.outer = lowering, block, outer
        self.before, self.sources = before, sources

    def __call__(self, name: str) -> str:
        """The name, among all steps, of the variable that `name` means here."""
        if name in self.before:
            return self.outer(name) + BEFORE
        for seen in in_sight(self.block):
            if name in seen.vars:
                return self.lowering.key(seen, name)
        return self.outer(name)


Lower = Callable[[Lowering, Operator, Names, BlockNames], Step]


def lowers(
    op: Op, *, repeats: bool = False, back: bool = False
) -> Callable[[Lower], Lower]:
    """Register how an op that runs a block is lowered; a decorator.

    Args:
        op: The op.
        repeats: Whether the block runs again and again. In front of the outermost such
            step stand the sources of the seeds that are drawn inside.
        back: Whether `Out` names the loop variables of the loop it differentiates.
    """

    def registered(function: Lower) -> Lower:
        @op.lowering
        def lowered(
            lowering: Lowering, operator: Operator, names: Names
        ) -> Sequence[Step]:
            around = getattr(names, "sources", None)
            sources = [] if repeats and around is None else around
            try:
                before = operator.inputs["Out"] if back else ()
                block: Any = sub_block_of(operator)
                inside = BlockNames(lowering, block, names, before, sources)
                step = function(lowering, operator, names, inside)
            except (AttributeError, LookupError, TypeError, ValueError):
                check_fits(operator)
                raise
            return [*sources, step] if sources and around is None else [step]

        return function

    return registered


@lowers(conditional_block)
def branch(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> Branch:
    """Lower a branch to Python's `if`."""
    (condition,) = operator.inputs["Cond"]
    outs = list(map(names, operator.outputs["Out"]))
    read = set(map(names, operator.inputs["Input"]))
    return Branch(
        operator,
        lowering.body(inside.block, inside),
        names(condition),
        outs,
        [name for name in outs if name in read],
    )


@lowers(conditional_block_grad)
def back_branch(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> BackBranch:
    """Lower the backward of a branch."""
    wanted = zip(operator.outputs["Input@GRAD"], operator.inputs["Input"], strict=True)
    return BackBranch(
        operator,
        lowering.body(inside.block, inside),
        names(operator.inputs["Cond"][0]),
        [
            (names(grad), own_gradient(inside, name), names(name))
            for grad, name in wanted
            if grad != EMPTY
        ],
    )


@lowers(while_, repeats=True)
def loop(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> Loop:
    """Lower a loop to Python's `while`."""
    outs = list(map(names, operator.outputs["Out"]))
    (condition,), (scopes,) = (
        operator.inputs["Condition"],
        operator.outputs["StepScopes"],
    )
    first = [*operator.inputs["X"][: len(outs) - 1], condition]
    assigned = write_backs(operator)
    own = operator.attrs.get("max_iterations")
    return Loop(
        operator,
        lowering.body(inside.block, inside),
        names(scopes),
        list(zip(outs, map(names, first), strict=True)),
        outs[-1],
        sum(name != new for name, new in assigned.items()),
        lowering.options.get("max_iterations") if own is None else limit_of(own),
    )


@lowers(while_grad, repeats=True, back=True)
def back_loop(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> BackLoop:
    """Lower the backward of a loop to a `for` over its saved iterations."""
    outs, read = operator.inputs["Out"], operator.inputs["X"]
    arriving = zip(outs, operator.inputs["Out@GRAD"], strict=True)
    wanted = list(zip(operator.outputs["X@GRAD"], read, strict=True))
    seeds = {
        name: (inside(name + AFTER), names(grad), inside(name + GRAD))
        for name, grad in arriving
        if grad != EMPTY
    }
    firsts = list(zip(wanted[: len(outs) - 1], outs, strict=False))
    step = BackLoop(
        operator,
        lowering.body(inside.block, inside),
        cast("Loop", lowering.writers[names(operator.inputs["StepScopes"][0])]),
        list(seeds.values()),
        [
            (names(grad), seeds[out][0])
            for (grad, _), out in firsts
            if grad != EMPTY and out in seeds
        ],
        [
            (names(grad), own_gradient(inside, name), names(name))
            for grad, name in wanted[len(outs) - 1 :]
            if grad != EMPTY
        ]
        + [
            (names(grad), None, names(name))
            for (grad, name), out in firsts
            if grad != EMPTY and out not in seeds
        ],
    )
    step.keep()
    return step


def check_fits(operator: Operator) -> None:
    """Refuse an operator that can't run its block.

    Raises:
        ProgramError: Its slots do not fit.
    """
    if (reason := misfit(operator)) is not None:
        message = f"#{position_of(operator)} {operator.type}: {reason}"
        raise ProgramError.here(message, operator.callsite)


@lowers(recurrent, repeats=True)
def scan(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> Scan:
    """Lower a recurrent network to a `for` over the steps of its sequences."""
    attrs = operator.attrs
    sequences, first, outs = (
        list(map(names, slots))
        for slots in (
            operator.inputs["inputs"],
            operator.inputs["initial_states"],
            operator.outputs["outputs"],
        )
    )
    rows, old, new, parts = (
        list(map(inside, attrs[key]))
        for key in ("step_inputs", "ex_states", "states", "step_outputs")
    )
    block = operator.block
    arrays = [block._var_recursive(n).type != "LOD_TENSOR" for n in outs_of(operator)]
    scopes = names(operator.outputs["step_scopes"][0])
    return Scan(
        operator,
        lowering.body(inside.block, inside),
        scopes,
        list(zip(rows, sequences, strict=True)),
        list(zip(old, new, first, strict=True)),
        list(zip(outs, parts, arrays, strict=True)),
        bool(attrs.get("reverse")),
    )


def outs_of(operator: Operator) -> list[str]:
    """The variables that a `recurrent` operator writes."""
    return operator.outputs["outputs"]


@lowers(recurrent_grad, repeats=True)
def back_scan(
    lowering: Lowering, operator: Operator, names: Names, inside: BlockNames
) -> BackScan:
    """Lower the backward of a recurrent network."""
    attrs = operator.attrs
    inputs, outputs = operator.inputs, operator.outputs

    def gradients(slot: str, within: Iterable[str]) -> list[Gradient]:
        triples = zip(outputs[slot + GRAD], within, inputs[slot], strict=True)
        return [
            (names(grad), own_gradient(inside, inner), names(name))
            for grad, inner, name in triples
            if grad != EMPTY
        ]

    arriving = zip(attrs["step_outputs"], inputs["outputs@GRAD"], strict=True)
    states = {
        h: (inside(h + AFTER), names(first), inside(h + GRAD))
        for h, first in zip(attrs["ex_states"], inputs["initial_states"], strict=True)
        if h + AFTER in inside.block.vars
    }
    carried = zip(outputs["initial_states@GRAD"], attrs["ex_states"], strict=True)
    step = BackScan(
        operator,
        lowering.body(inside.block, inside),
        cast("Scan", lowering.writers[names(inputs["step_scopes"][0])]),
        [(inside(y + AT_STEP), names(dout)) for y, dout in arriving],
        list(states.values()),
        gradients("inputs", attrs["step_inputs"]),
        [(names(grad), states[h][0]) for grad, h in carried if grad != EMPTY],
        gradients("parameters", inputs["parameters"]),
    )
    step.scan.keep_for(step.body)
    return step


Gradient = tuple[str, str | None, str]


def own_gradient(inside: BlockNames, name: str) -> str | None:
    """The name of a variable's gradient in a gradient's block, None if it has none."""
    gradient = name + GRAD
    return inside(gradient) if gradient in inside.block.vars else None
