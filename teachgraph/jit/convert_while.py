"""`while` at run time: Python's loop while Python decides, then one of the program.

The first condition that is a Variable ends Python's loop: from there on the program
loops. `loop_state` says how the user's variables become loop variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from teachgraph.control_flow.loop import Loop
from teachgraph.control_flow.sub_block import Mark
from teachgraph.core import unique_name
from teachgraph.core.program import Variable, current_block
from teachgraph.errors import ConversionError
from teachgraph.jit.container_changes import refuse
from teachgraph.jit.container_snapshot import Snapshot, check_objects
from teachgraph.jit.convert_ifelse import as_condition
from teachgraph.jit.loop_state import (
    LoopState,
    changed_others,
    first_state,
    initial_state,
)
from teachgraph.jit.tracing import record_aliases, snapshot
from teachgraph.ops import functions

__all__ = ["convert_while", "tensor_while"]

Body = Callable[..., tuple[Any, ...]]

MAX_TRACES = 8
"""Traces of a body after which its loop states must no longer change."""


def convert_while(
    test: Callable[..., Any],
    body: Body,
    values: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """`while test: body`.

    Args:
        test: Takes the variables; returns the condition of another iteration.
        body: Takes the variables; returns them after an iteration.
        values: The variables before the loop.
        names: Their names.
    """
    while True:
        condition = as_condition(test(*values))
        if isinstance(condition, Variable):
            return tensor_while(test, condition, body, values, names)
        if not condition:
            return values
        values = body(*values)


def tensor_while(
    test: Callable[..., Any],
    condition: Variable,
    body: Body,
    values: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """Append a `while` operator; return the user's variables after the loop.

    A trace shows what the body makes of its variables. If that needs other loop
    variables than it was given, it is undone, and the body traced again with those.
    Without an iteration a variable is still the one from before the loop: an alias.

    Args:
        test: As of `convert_while`.
        condition: Its result before the loop.
        body: As of `convert_while`.
        values: The variables before the loop.
        names: Their names.
    """
    states = [first_state(*pair) for pair in zip(names, values, strict=True)]
    for _ in range(MAX_TRACES):
        mark = Mark(current_block())
        try:
            last = TracedLoop(test, body, values, states).traced(condition)
        except NewStates as new:
            mark.undo()
            states = [*new.states, *(initial_state("the list", v) for v in new.others)]
            continue
        results = unpacked(states, last)[: len(names)]
        for value, before in zip(results, values, strict=True):
            if isinstance(value, Variable) and value is not before:
                record_aliases(value, before)
        return tuple(results)
    raise ConversionError.here(
        "a variable of this loop changes its kind in every round: keep it a tensor"
    )


class NewStates(Exception):
    """The body needs other loop variables.

    Attributes:
        states: The states of the user's variables with which to trace it again.
        others: Containers that the body changes and no variable holds.
    """

    def __init__(self, states: Sequence[LoopState], others: Sequence[Any]) -> None:
        self.states, self.others = states, others


class TracedLoop:
    """One trace of a loop, with a state for each of the user's variables.

    States of containers that the body changes and no variable holds may follow.
    """

    def __init__(
        self,
        test: Callable[..., Any],
        body: Body,
        values: tuple[Any, ...],
        states: list[LoopState],
    ) -> None:
        self.test, self.body, self.values, self.states = test, body, values, states

    def traced(self, condition: Variable) -> list[Variable]:
        """Append the loop; return the loop variables.

        Raises:
            NewStates: Other states are needed.
        """
        first = [value for state in self.states for value in state.initial_values()]
        key = unique_name.generate("while")
        labels = [f"{key}.var_{i}" for i in range(len(first))]
        loop = Loop(current_block(), key, first, condition, labels)
        loop.trace(self.condition, self.iteration)
        return loop.append()

    def condition(self, loop_variables: Sequence[Variable]) -> Any:
        """Trace the test."""
        with snapshot(self.values):
            own = unpacked(self.states, loop_variables)[: len(self.values)]
            with snapshot(own) as changes:
                condition = as_condition(self.test(*own))
                if changes.objects or changes.changed():
                    refuse_changes(changes)
        known = isinstance(condition, Variable)
        return condition if known else functions.full([], bool(condition), "bool")

    def iteration(self, loop_variables: Sequence[Variable]) -> list[Variable]:
        """Trace the body; return the loop variables after it."""
        count = len(self.values)
        with snapshot(self.values) as changes:
            before = unpacked(self.states, loop_variables)
            after = [*self.body(*before[:count]), *before[count:]]
            triples = zip(self.states, before, after, strict=True)
            states = [state.refined(old, new) for state, old, new in triples]
            touched = changes.saved or changes.objects
            others = changed_others(changes, after) if touched else []
            if others or states != self.states:
                raise NewStates(states, others)
            pairs = zip(states, after, strict=True)
            return [value for state, new in pairs for value in state.pack(new)]


def refuse_changes(changes: Snapshot) -> None:
    """Refuse a test that calls a function which changes what others see.

    Raises:
        ConversionError: It does: each round would start from what was there before.
    """
    check_objects(changes, ())
    changes.forget({})
    for changed in changes.changed():
        refuse(changed.container, changed.where)


def grouped(states: Sequence[LoopState], values: Sequence[Any]) -> list[list[Any]]:
    """Group the loop variables by the user's variable that they represent."""
    left = iter(values)
    return [list(islice(left, state.width)) for state in states]


def unpacked(states: Sequence[LoopState], values: Sequence[Any]) -> list[Any]:
    """Build the user's variables from the loop variables."""
    pairs = zip(states, grouped(states, values), strict=True)
    return [state.unpack(own) for state, own in pairs]
