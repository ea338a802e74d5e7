"""`while` at run time: Python's loop while Python decides, then one of the program.

The first condition that is a Variable ends Python's loop: from there on the program
loops. `loop_state` says how the user's variables become loop variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from teachgraph.control_flow.loop import while_loop
from teachgraph.jit.convert_ifelse import as_condition
from teachgraph.jit.loop_state import LoopState, loop_states, run_body
from teachgraph.jit.tracing import Mark, record_aliases, snapshot
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = ["convert_while", "tensor_while"]

Body = Callable[..., tuple[Any, ...]]


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
        mark = Mark()
        condition = as_condition(test(*values))
        if isinstance(condition, Variable):
            # The loop traces its test itself: the operators of this trial go.
            mark.undo()
            return tensor_while(test, body, values, names)
        if not condition:
            return values
        values = body(*values)


def tensor_while(
    test: Callable[..., Any],
    body: Body,
    values: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """Append a `while` operator; return the user's variables after the loop."""
    states = loop_states(body, values, names)

    def condition_of(*loop_variables: Any) -> Any:
        with snapshot(values):
            own = unpacked(states, loop_variables)
            condition = as_condition(test(*own[: len(names)]))
        if not isinstance(condition, Variable):
            condition = functions.full([], bool(condition), "bool")
        return condition

    def iteration(*loop_variables: Any) -> list[Any]:
        with snapshot(values):
            groups = grouped(states, loop_variables)
            results = run_body(body, states, groups, names)
            pairs = zip(states, results, strict=True)
            return [v for state, result in pairs for v in state.pack(result)]

    first = [v for state in states for v in state.first()]
    last = while_loop(condition_of, iteration, first)
    results = unpacked(states, last)[: len(names)]
    for value, before in zip(results, values, strict=True):
        # Without an iteration the variable is still the one from before the loop.
        if isinstance(value, Variable) and value is not before:
            record_aliases(value, before)
    return tuple(results)


def grouped(states: Sequence[LoopState], values: Sequence[Any]) -> list[list[Any]]:
    """Group the loop variables by the user's variable that they represent."""
    left = iter(values)
    return [list(islice(left, state.width)) for state in states]


def unpacked(states: Sequence[LoopState], values: Sequence[Any]) -> list[Any]:
    """Build the user's variables from the loop variables."""
    pairs = zip(states, grouped(states, values), strict=True)
    return [state.unpack(own) for state, own in pairs]
