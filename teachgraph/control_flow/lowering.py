"""From operators to steps: each name is settled, each sub-block becomes a body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from teachgraph.control_flow.backward import AFTER, AT_STEP
from teachgraph.control_flow.block_slots import misfit
from teachgraph.control_flow.flow import (
    BEFORE,
    BackBranch,
    BackLoop,
    Branch,
    Loop,
    Step,
)
from teachgraph.control_flow.loop import write_backs
from teachgraph.control_flow.ops import limit_of
from teachgraph.control_flow.place_seeds import PlaceSeed
from teachgraph.control_flow.random_rounds import Draw, Source
from teachgraph.control_flow.scan import BackScan, Scan
from teachgraph.core.call import Call, call_of
from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.program import EMPTY, GRAD, Block, Operator, Program, Variable

__all__ = ["Lowering"]


class Names:
    """What the names in a block stand for.

    A name stands for the innermost variable there is. In the block of a loop's
    gradient, a loop variable stands for its value at the beginning of the round.

    Attributes:
        block: The block.
        outer: The names around it.
        before: The loop variables of the loop that this block goes back over.
    """

    def __init__(
        self,
        lowering: Lowering,
        block: Block,
        outer: Names | None = None,
        before: Collection[str] = (),
    ) -> None:
        self.lowering, self.block, self.outer = lowering, block, outer
        self.before = before

    def __call__(self, name: str) -> str:
        """A name of its own for the variable that `name` stands for here."""
        if name in self.before:
            assert self.outer is not None
            return self.outer(name) + BEFORE
        for seen in self.block.in_sight():
            if name in seen.vars:
                return self.lowering.key(seen, name)
        return name if self.outer is None else self.outer(name)


class Lowering:
    """Turns a program's operators into steps.

    Attributes:
        program: The program.
        max_iterations: How often a loop may go round that does not say so itself.
    """

    def __init__(self, program: Program, max_iterations: int | None = None) -> None:
        self.program, self.max_iterations = program, max_iterations
        self.depth, self.sources = 0, list[Source]()
        self.shared = Counter(name for block in program.blocks for name in block.vars)
        self.loops: dict[str, Loop] = {}
        self.scans: dict[str, Scan] = {}

    def steps(self) -> list[Step]:
        """What the program runs, in order."""
        block = self.program.global_block()
        return self.body(block, Names(self, block))

    def variables(self) -> dict[str, Variable]:
        """Every variable, by what the steps call it."""
        return {
            self.key(block, name): variable
            for block in self.program.blocks
            for name, variable in block.vars.items()
        }

    def key(self, block: Block, name: str) -> str:
        """What a block's variable is called among those of all blocks."""
        alone = block.idx == 0 or self.shared[name] == 1
        return name if alone else f"{name}@block{block.idx}"

    def body(self, block: Block, names: Names) -> list[Step]:
        """The steps of a block.

        In front of a loop that is in no other stand the sources of what draws in it.
        """
        found: list[Step] = []
        for operator in block.ops:
            step = self.step(operator, names)
            if self.depth == 0:
                found += self.sources
                self.sources = []
            found.append(step)
        return found

    def step(self, operator: Operator, names: Names) -> Step:
        """One operator as a step."""
        if operator.type in FLOWS:
            check_fits(operator)
            return FLOWS[operator.type](self, operator, names)
        call = call_of(operator, names)
        if self.depth == 0 or not isinstance(call.attrs.get("seed"), PlaceSeed):
            return call
        return self.draw(call)

    def draw(self, call: Call) -> Draw:
        """A call that draws anew in each round."""
        block = call.operator.block.idx
        name = f"{call.operator.type}.seeds@{block}@{call.operator.idx}"
        self.sources.append(Source(call.operator, [], name, call.attrs["seed"]))
        return Draw(call.operator, [], call, name)

    def round(self, inside: Names) -> list[Step]:
        """The steps of a block that runs again and again."""
        self.depth += 1
        try:
            return self.body(inside.block, inside)
        finally:
            self.depth -= 1

    def inside(
        self, operator: Operator, names: Names, before: Collection[str] = ()
    ) -> Names:
        """The names inside the block that an operator runs."""
        block = operator.sub_block
        assert block is not None
        return Names(self, block, names, before)

    def branch(self, operator: Operator, names: Names) -> Branch:
        """A branch."""
        inside = self.inside(operator, names)
        outs = list(map(names, operator.outputs["Out"]))
        read = set(map(names, operator.inputs["Input"]))
        return Branch(
            operator,
            self.body(inside.block, inside),
            names(operator.inputs["Cond"][0]),
            outs,
            [name for name in outs if name in read],
        )

    def back_branch(self, operator: Operator, names: Names) -> BackBranch:
        """The way back over a branch."""
        inside = self.inside(operator, names)
        wanted = zip(
            operator.outputs["Input@GRAD"], operator.inputs["Input"], strict=True
        )
        return BackBranch(
            operator,
            self.body(inside.block, inside),
            names(operator.inputs["Cond"][0]),
            [
                (names(grad), own_gradient(inside, name), names(name))
                for grad, name in wanted
                if grad != EMPTY
            ],
        )

    def loop(self, operator: Operator, names: Names) -> Loop:
        """A loop."""
        inside = self.inside(operator, names)
        outs = list(map(names, operator.outputs["Out"]))
        first = operator.inputs["X"][: len(outs) - 1] + operator.inputs["Condition"]
        assigned = write_backs(operator)
        own = limit_of(operator.attrs.get("max_iterations"))
        scopes = names(operator.outputs["StepScopes"][0])
        made = self.loops[scopes] = Loop(
            operator,
            self.round(inside),
            scopes,
            list(zip(outs, map(names, first), strict=True)),
            outs[-1],
            sum(name != new for name, new in assigned.items()),
            self.max_iterations if own is None else own,
        )
        return made

    def back_loop(self, operator: Operator, names: Names) -> BackLoop:
        """The way back over a loop."""
        outs, read = operator.inputs["Out"], operator.inputs["X"]
        inside = self.inside(operator, names, outs)
        arriving = zip(outs, operator.inputs["Out@GRAD"], strict=True)
        wanted = list(zip(operator.outputs["X@GRAD"], read, strict=True))
        seeds = {
            name: (inside(name + AFTER), names(grad), inside(name + GRAD))
            for name, grad in arriving
            if grad != EMPTY
        }
        firsts = list(zip(wanted[: len(outs) - 1], outs, strict=False))
        made = BackLoop(
            operator,
            self.round(inside),
            self.loops[names(operator.inputs["StepScopes"][0])],
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
        made.keep()
        return made


def check_fits(operator: Operator) -> None:
    """Refuse an operator that can't run its block.

    Raises:
        ProgramError: Its slots do not fit.
    """
    if (reason := misfit(operator)) is not None:
        message = f"#{operator.idx} {operator.type}: {reason}"
        raise ProgramError(at_user_line(message, operator.callsite))


def scan(lowering: Lowering, operator: Operator, names: Names) -> Scan:
    """A network that repeats over steps."""
    inside, attrs = lowering.inside(operator, names), operator.attrs
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
    made = lowering.scans[scopes] = Scan(
        operator,
        lowering.round(inside),
        scopes,
        list(zip(rows, sequences, strict=True)),
        list(zip(old, new, first, strict=True)),
        list(zip(outs, parts, arrays, strict=True)),
        bool(attrs.get("reverse")),
    )
    return made


def outs_of(operator: Operator) -> list[str]:
    """What a `recurrent` operator writes."""
    return operator.outputs["outputs"]


def back_scan(lowering: Lowering, operator: Operator, names: Names) -> BackScan:
    """The way back over the steps."""
    inside, attrs = lowering.inside(operator, names), operator.attrs
    inputs, outputs = operator.inputs, operator.outputs

    def gradients(slot: str, within: Iterable[str]) -> list[Gradient]:
        found = zip(outputs[slot + GRAD], within, inputs[slot], strict=True)
        return [
            (names(grad), own_gradient(inside, inner), names(name))
            for grad, inner, name in found
            if grad != EMPTY
        ]

    arriving = zip(attrs["step_outputs"], inputs["outputs@GRAD"], strict=True)
    states = {
        h: (inside(h + AFTER), names(first), inside(h + GRAD))
        for h, first in zip(attrs["ex_states"], inputs["initial_states"], strict=True)
        if h + AFTER in inside.block.vars
    }
    carried = zip(outputs["initial_states@GRAD"], attrs["ex_states"], strict=True)
    made = BackScan(
        operator,
        lowering.round(inside),
        lowering.scans[names(inputs["step_scopes"][0])],
        [(inside(y + AT_STEP), names(dout)) for y, dout in arriving],
        list(states.values()),
        gradients("inputs", attrs["step_inputs"]),
        [(names(grad), states[h][0]) for grad, h in carried if grad != EMPTY],
        gradients("parameters", inputs["parameters"]),
    )
    made.scan.keep_for(made.body)
    return made


Gradient = tuple[str, str | None, str]


def own_gradient(inside: Names, name: str) -> str | None:
    """What a gradient's block calls the gradient of a variable, None if it has none."""
    found = name + GRAD
    return inside(found) if found in inside.block.vars else None


FLOWS: dict[str, Callable[[Lowering, Operator, Names], Step]] = {
    "conditional_block": Lowering.branch,
    "conditional_block_grad": Lowering.back_branch,
    "while": Lowering.loop,
    "while_grad": Lowering.back_loop,
    "recurrent": scan,
    "recurrent_grad": back_scan,
}
