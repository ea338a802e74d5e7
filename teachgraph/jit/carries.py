"""How each of the user's variables is carried in a loop: found by tracing its body.

What a body changes besides, because others hold it, is carried after them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.carry import Carry, Fixed, Nest, Optional
from teachgraph.jit.container_snapshot import Journal, references
from teachgraph.jit.effects import check_objects, journal, refuse
from teachgraph.jit.pytree import copied
from teachgraph.jit.tracing import as_variable, rehearsal
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.static.variable import Variable

__all__ = ["after_round", "carries"]

MOST_ROUNDS = 8
"""After so many traces of a body its variables are still not settled."""


def carry_of(name: str, value: Any) -> Carry:
    """How to carry a variable, as far as is known before the first round."""
    if isinstance(value, Either):
        return Optional(name, value, value.yes.spec)
    value = value if isinstance(value, Undefined) else as_variable(value)
    if isinstance(value, (dict, list)) or (isinstance(value, tuple) and value):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [carry_of(f"{name}[{key!r}]", item) for key, item in items]
        if not isinstance(value, tuple):
            return Nest(name, copied(value), parts, value)
        if not all(map(constant, parts)):
            return Nest(name, copied(value), parts)
    return Fixed(name, copied(value))


def constant(part: Carry) -> bool:
    """Whether a part is no tensor, and nothing that may become one."""
    return type(part) is Fixed and not isinstance(part.value, Variable)


def carries(
    body: Callable[..., tuple[Any, ...]], given: Sequence[Any], names: Sequence[str]
) -> list[Carry]:
    """How to carry each variable: found by tracing the body, and taking it back.

    After them come containers of others that the body changes.
    """
    parts = [carry_of(n, v) for n, v in zip(names, given, strict=True)]
    for _ in range(MOST_ROUNDS):
        with rehearsal(), journal(given) as log:
            results = after_round(body, parts, [part.first() for part in parts], names)
            pairs = zip(parts, results, strict=True)
            found = [part.seen(result) for part, result in pairs]
            others = changed_besides(log, results)
            check_objects(log, results)
        if settled(parts, found) and not others:
            return parts
        parts = found + [carry_of("the list", other) for other in others]
    raise ConversionError(
        at_user_line("what this loop makes of its variables changes in every round")
    )


def after_round(
    body: Callable[..., tuple[Any, ...]],
    parts: Sequence[Carry],
    values: Sequence[Sequence[Any]],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """What a round makes of the variables, and the containers of others."""
    own = [part.unpack(v) for part, v in zip(parts, values, strict=True)]
    return (*body(*own[: len(names)]), *own[len(names) :])


def changed_besides(log: Journal, results: tuple[Any, ...]) -> list[Any]:
    """The containers that a body has changed and that no variable stands for.

    Raises:
        ConversionError: One cannot be left to the program.
    """
    returned = references(results)
    log.forget(returned)
    found = [k for k in log.changed() if id(k.container) not in log.given | {*returned}]
    for kept in found:
        if not isinstance(kept.container, (list, dict)):
            refuse(kept.container, kept.where)
    return [kept.container for kept in found]


def settled(before: Sequence[Carry], now: Sequence[Carry]) -> bool:
    """Whether nothing new has turned up."""
    for one, other in zip(before, now, strict=True):
        if isinstance(one, Nest) and isinstance(other, Nest):
            if one.owner is not other.owner or not settled(one.parts, other.parts):
                return False
        elif one is not other:
            return False
    return True
