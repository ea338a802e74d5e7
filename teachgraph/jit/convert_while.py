"""`while` at run time: Python's own as long as Python decides, then a loop.

A loop variable of a program is a tensor of one dtype. What Python starts it as may be a
number, a name without a value, None or a list; what a round makes of it tells which
tensor it has to be, so the body is traced once to see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from teachgraph.jit.aliasing import chosen
from teachgraph.jit.carries import after_round, carries
from teachgraph.jit.carry import Carry
from teachgraph.jit.convert_ifelse import as_condition
from teachgraph.jit.effects import journal
from teachgraph.jit.tracing import Mark
from teachgraph.ops import functions
from teachgraph.static.nn import while_loop
from teachgraph.static.variable import Variable

__all__ = ["convert_while", "tensor_while"]

Body = Callable[..., tuple[Any, ...]]


def convert_while(
    test: Callable[..., Any],
    body: Body,
    given: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """`while test: body`.

    Args:
        test: Takes the variables; whether there is another round.
        body: Takes the variables; returns what they are after a round.
        given: The variables as they are before.
        names: What they are called.
    """
    while True:
        mark = Mark()
        condition = as_condition(test(*given))
        if isinstance(condition, Variable):
            mark.undo()
            return tensor_while(test, body, given, names)
        if not condition:
            return given
        given = body(*given)


def tensor_while(
    test: Callable[..., Any],
    body: Body,
    given: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """A loop of the program."""
    parts = carries(body, given, names)

    def asked(*values: Any) -> Any:
        with journal(given):
            own = unpacked(parts, values)
            found = as_condition(test(*own[: len(names)]))
        if not isinstance(found, Variable):
            found = functions.full([], bool(found), "bool")
        return found

    def round_(*values: Any) -> list[Any]:
        with journal(given):
            results = after_round(body, parts, parted(parts, values), names)
            pairs = zip(parts, results, strict=True)
            return [v for part, result in pairs for v in part.pack(result)]

    first = [v for part in parts for v in part.first()]
    last = while_loop(asked, round_, first)
    found = unpacked(parts, last)[: len(names)]
    for value, before in zip(found, given, strict=True):
        if isinstance(value, Variable) and value is not before:
            chosen(value, before)
    return tuple(found)


def parted(parts: Sequence[Carry], values: Sequence[Any]) -> list[list[Any]]:
    """The loop's variables, those of each of the user's by themselves."""
    left = iter(values)
    return [list(islice(left, part.width)) for part in parts]


def unpacked(parts: Sequence[Carry], values: Sequence[Any]) -> list[Any]:
    """The user's variables, made of the loop's."""
    pairs = zip(parts, parted(parts, values), strict=True)
    return [part.unpack(own) for part, own in pairs]
