"""A program cut in two: what runs now, and the way back, which runs later.

Both are plans of an executor, made of the steps of one program. The way forward also
returns what the way back reads.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from teachgraph.control_flow.flow import Flow, Step
from teachgraph.control_flow.lowering import Lowering
from teachgraph.core.codegen import read_first, written
from teachgraph.core.observe import announce, followed, observers
from teachgraph.core.op import SILENT
from teachgraph.core.plan import Plan
from teachgraph.core.scope import Scope
from teachgraph.passes import DEFAULT, apply_pass
from teachgraph.static.program import Program

__all__ = ["Part", "cut", "forward_part"]

PASSES = (*DEFAULT, "dead_code")


class Part(Plan):
    """Some steps of a program."""

    def __init__(
        self,
        program: Program,
        steps: list[Step],
        feeds: Sequence[str],
        fetches: Sequence[str],
        persistent: Sequence[str],
    ) -> None:
        block = program.global_block()
        self.program, self.fetches, self.calls = program, list(fetches), steps
        self.variables = block.vars
        # What was handed in belongs to others: nothing may be written over it.
        self.known = {n: v for n, v in block.vars.items() if n not in feeds}
        self.persistent, self.feeds = list(persistent), list(feeds)
        self.reads = read_first(steps, self.persistent, self.fetches)
        self.stores = written(steps, self.persistent)

    def __call__(self, feed: dict[str, Any], scope: Scope) -> list[Any]:
        """Run it once, watched if somebody wants that."""
        if not observers:
            found: list[Any] = SILENT.copy().run(self.run, feed, scope)
            return found
        announce("run_begin", self.program, feed)
        try:
            run = self.interpret if followed(self.program) else self.run
            found = SILENT.copy().run(run, feed, scope)
        finally:
            announce("run_end", self.program)
        return found

    def run_once(self, feed: dict[str, Any]) -> list[Any]:
        """Run it on what it is fed alone."""
        return self(feed, Scope())


def steps_of(program: Program, fetches: Sequence[str]) -> tuple[Program, list[Step]]:
    """A program after the passes, and its steps."""
    running = apply_pass(program, PASSES, fetches=fetches, checked=False)
    return running, Lowering(running).steps()


def forward_part(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> Part:
    """All of a program that has no way back."""
    running, steps = steps_of(program, fetches)
    block = program.global_block()
    persistent = [n for n, v in block.vars.items() if v.persistable]
    read = {name for step in steps for name in step.arguments} | {*fetches}
    return Part(running, steps, [n for n in feeds if n in read], fetches, persistent)


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
    block = running.global_block()
    persistent = [n for n, v in block.vars.items() if v.persistable]
    given = [*fetches, *(n for n in made_before if n not in fetches)]
    wanted = {n for s in now for n in s.arguments} | {*given}
    forward = Part(running, now, [n for n in feeds if n in wanted], given, persistent)
    feeds_back = list(dict.fromkeys([*made_before, *seeds]))
    used = {n for s in back for n in s.arguments} | {*gradients}
    feeds_back = [n for n in feeds_back if n in used]
    return forward, Part(running, back, feeds_back, gradients, [])


def made_early(steps: Sequence[Step], name: str) -> Collection[str]:
    """The name itself, if the first of these steps to mention it writes it."""
    for step in steps:
        if name in step.arguments:
            return ()
        if name in writes(step):
            return (name,)
    return ()


def writes(step: Step) -> set[str]:
    """What a step may write."""
    found = {name for name in step.outputs if name is not None}
    return found | step.inner if isinstance(step, Flow) else found


def depending(steps: Sequence[Step], seeds: Sequence[str]) -> set[int]:
    """The steps that need what arrives, each by its identity."""
    late, found = set(seeds), set[int]()
    for step in steps:
        if late.intersection(step.arguments):
            found.add(id(step))
            late |= writes(step)
    return found
