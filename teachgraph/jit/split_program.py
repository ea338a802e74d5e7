"""A program cut in two: what runs now, and the way back, which runs later.

Both are plans of an executor, made of the steps of one program. The way forward also
returns what the way back reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from teachgraph.core.executor import Lowering, Plan, Step
from teachgraph.core.observe import followed, observers
from teachgraph.core.scope import Scope
from teachgraph.passes import DEFAULT, apply_pass
from teachgraph.static.program import Program

__all__ = ["Part", "cut", "forward_part"]

PASSES = (*DEFAULT, "dead_code")


class Part(Plan):
    """Some steps of a program.

    Args:
        program: The program.
        steps: What it runs of it.
        feeds: What it is handed; persistable variables may be among it.
        fetches: What it returns.
        stateful: Whether other persistable variables live in a scope.
    """

    def __init__(
        self,
        program: Program,
        steps: Sequence[Step],
        feeds: Sequence[str],
        fetches: Sequence[str],
        *,
        stateful: bool,
    ) -> None:
        self.handed, self.stateful = {*feeds}, stateful
        known = program.global_block().vars
        super().__init__(program, steps, known, feeds, fetches)
        # What was handed in belongs to others: nothing may be written over it.
        self.known = {n: v for n, v in known.items() if n not in self.handed}

    def is_fed(self, name: str) -> bool:
        """Tell whether a variable is handed in."""
        return name in self.handed

    def is_kept(self, name: str) -> bool:
        """Tell whether the value of a variable lives in the scope."""
        return self.stateful and super().is_kept(name)

    def checked(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """The values handed in, as they are: whoever traces has looked at them."""
        return {name: feed[name] for name in self.feeds}

    def __call__(self, feed: dict[str, Any], scope: Scope) -> list[Any]:
        """Run it once, watched if somebody wants that."""
        if not observers:
            return self.run(feed, scope)
        return self.watched(feed, scope, interpret=followed(self.program))

    def run_once(self, feed: dict[str, Any]) -> list[Any]:
        """Run it on what it is fed alone."""
        return self(feed, Scope())


def steps_of(program: Program, fetches: Sequence[str]) -> tuple[Program, list[Step]]:
    """A program after the passes, and its steps."""
    running = apply_pass(program, PASSES, fetches=fetches, checked=False)
    return running, Lowering(running, {}).steps()


def forward_part(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> Part:
    """All of a program that has no way back."""
    running, steps = steps_of(program, fetches)
    read = {name for step in steps for name in step.arguments} | {*fetches}
    handed = [name for name in feeds if name in read]
    return Part(running, steps, handed, fetches, stateful=True)


def cut(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    seeds: Sequence[str],
    gradients: Sequence[str],
) -> tuple[Part, Part]:
    """The way forward and the way back of a program.

    Args:
        program: A program with gradient operators.
        feeds: What the way forward is fed.
        fetches: What it returns; what the way back reads comes after that.
        seeds: What the way back is fed besides: the gradients that arrive.
        gradients: What it returns.
    """
    running, steps = steps_of(program, [*fetches, *gradients])
    later = depending(steps, seeds)
    back = [step for step in steps if id(step) in later]
    now = [step for step in steps if id(step) not in later]
    made = {name for step in back for name in writes(step)}
    read = dict.fromkeys(
        [n for s in back for n in s.arguments if n is not None]
        + [name for name in gradients if name not in made]
    )
    made_before = [n for n in read if n not in seeds and n not in made_early(back, n)]
    given = [*fetches, *(n for n in made_before if n not in fetches)]
    wanted = {n for s in now for n in s.arguments} | {*given}
    handed = [name for name in feeds if name in wanted]
    forward = Part(running, now, handed, given, stateful=True)
    feeds_back = list(dict.fromkeys([*made_before, *seeds]))
    used = {n for s in back for n in s.arguments} | {*gradients}
    feeds_back = [n for n in feeds_back if n in used]
    return forward, Part(running, back, feeds_back, gradients, stateful=False)


def made_early(steps: Sequence[Step], name: str) -> Collection[str]:
    """The name itself, if the first of these steps to mention it writes it."""
    for step in steps:
        if name in step.arguments:
            return ()
        if name in writes(step):
            return (name,)
    return ()


def writes(step: Step) -> set[str]:
    """The variables that a step may write."""
    return {*step.inner, *(name for name in step.outputs if name is not None)}


def depending(steps: Sequence[Step], seeds: Sequence[str]) -> set[int]:
    """The steps that need what arrives, each by its identity."""
    late, found = set(seeds), set[int]()
    for step in steps:
        if late.intersection(step.arguments):
            found.add(id(step))
            late |= writes(step)
    return found
