"""Split a program with gradients into two plans: its forward and its backward.

The forward runs when the function is called, the backward once gradients of its outputs
arrive. Both are plans of an executor over steps of one program; the forward also
returns the tensors that the backward reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph.core.program import Variable
from teachgraph.core.steps import Lowering, Step
from teachgraph.passes import DEFAULT, apply_pass
from teachgraph.planning.written import WrittenPlan
from teachgraph.static.program import Program
from teachgraph.static.scope import Scope

__all__ = ["Part", "forward_part", "split"]

PASSES = (*DEFAULT, "dead_code")


class Part(WrittenPlan):
    """Some steps of a program.

    Args:
        program: The program.
        steps: What it runs of it.
        feeds: What it is handed; persistable variables may be among it.
        fetches: What it returns.
        stateful: Whether other persistable variables live in a scope.
        matched: Whether what it is handed is known to be as declared.
    """

    def __init__(
        self,
        program: Program,
        steps: Sequence[Step],
        feeds: Sequence[str],
        fetches: Sequence[str],
        *,
        stateful: bool,
        matched: bool = False,
    ) -> None:
        self.handed, self.stateful, self.some = {*feeds}, stateful, steps
        super().__init__(program, feeds, fetches)
        self.compares = bool(self.reads) or not matched
        # A fed array belongs to the caller: no result may reuse its memory.
        self.known = {n: v for n, v in self.known.items() if n not in self.handed}

    def lowered(
        self, options: Mapping[str, Any]
    ) -> tuple[Sequence[Step], Mapping[str, Variable]]:
        """The steps that were chosen."""
        return self.some, self.variables

    def is_fed(self, name: str) -> bool:
        """True if a variable is handed in."""
        return name in self.handed

    def is_kept(self, name: str) -> bool:
        """True if the value of a variable lives in the scope."""
        return self.stateful and super().is_kept(name)

    def refuse_fetch(self, name: str) -> None:
        """Refuse nothing: backward may need values from inside a branch, or None."""

    def checked(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """The values handed in, as they are: whoever traces has looked at them."""
        return {name: feed[name] for name in self.feeds}

    __call__ = WrittenPlan.execute

    def run_once(self, feed: dict[str, Any]) -> list[Any]:
        """Run the steps in a scope of their own."""
        return self(feed, Scope())


def steps_of(program: Program, fetches: Sequence[str]) -> tuple[Program, list[Step]]:
    """Apply the passes to a program; return the result and its steps."""
    running = apply_pass(program, PASSES, fetches=fetches, checked=False)
    return running, Lowering(running, {}).steps()


def forward_part(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], *, matched: bool
) -> Part:
    """Plan a whole program without a backward; see `Part`."""
    running, steps = steps_of(program, fetches)
    read = {name for step in steps for name in step.arguments} | {*fetches}
    handed = [name for name in feeds if name in read]
    return Part(running, steps, handed, fetches, stateful=True, matched=matched)


def split(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    seeds: Sequence[str],
    gradients: Sequence[str],
    *,
    matched: bool,
) -> tuple[Part, Part]:
    """Plan the forward and the backward of a program.

    Args:
        program: A program with gradient operators.
        feeds: The inputs of the forward.
        fetches: Its outputs; the tensors saved for the backward follow them.
        seeds: The upstream gradients, which the backward is fed besides those.
        gradients: The outputs of the backward.
        matched: Whether the inputs are known to be as declared.
    """
    running, steps = steps_of(program, [*fetches, *gradients])
    dependent = depending(steps, seeds)
    backward = [step for step in steps if id(step) in dependent]
    # Gradient operators that need no seed, as of a constant, run in the forward.
    forward = [step for step in steps if id(step) not in dependent]
    outputs = {name for step in backward for name in written_by(step)}
    read = dict.fromkeys(
        [n for s in backward for n in s.arguments if n is not None]
        + [name for name in gradients if name not in outputs]
    )
    saved = [n for n in read if n not in seeds and not written_first(backward, n)]
    results = [*fetches, *(n for n in saved if n not in fetches)]
    needed = {n for s in forward for n in s.arguments} | {*results}
    inputs = [n for n in feeds if n in needed]
    used = {n for s in backward for n in s.arguments} | {*gradients}
    backward_inputs = [n for n in dict.fromkeys([*saved, *seeds]) if n in used]
    return (
        Part(running, forward, inputs, results, stateful=True, matched=matched),
        Part(running, backward, backward_inputs, gradients, stateful=False),
    )


def written_first(steps: Sequence[Step], name: str) -> bool:
    """True if the first of these steps to mention a name writes it."""
    for step in steps:
        if name in step.arguments:
            return False
        if name in written_by(step):
            return True
    return False


def written_by(step: Step) -> set[str]:
    """Return the names that a step may write."""
    return {*step.inner, *(name for name in step.outputs if name is not None)}


def depending(steps: Sequence[Step], seeds: Sequence[str]) -> set[int]:
    """Return the identities of the steps that depend on an upstream gradient."""
    tainted, dependent = set(seeds), set[int]()
    for step in steps:
        if tainted.intersection(step.arguments):
            dependent.add(id(step))
            tainted |= written_by(step)
    return dependent
