"""Fetches of a run: values by name, updates, and programs cut down to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from teachgraph.core.errors import FetchError
from teachgraph.static.operator import Operator, OpRole
from teachgraph.static.program import Program
from teachgraph.static.pruning import pruned
from teachgraph.static.variable import Variable

__all__ = ["asked_for", "fetch_names", "pruned_for"]


def fetch_names(fetch_list: Any) -> list[str]:
    """The names of what is to be returned; optimizer operators return nothing."""
    return asked_for(fetch_list)[0]


def asked_for(fetch_list: Any) -> tuple[list[str], list[Operator]]:
    """The names of what is to be returned, and the updates that are to be made.

    Lists may stand in lists, and what `minimize` returned stands for its updates.

    Raises:
        FetchError: Something in it is no Variable, name or operator.
    """
    if fetch_list is None:
        return [], []
    names: list[str] = []
    operators: list[Operator] = []
    for item in fetch_list if isinstance(fetch_list, (list, tuple)) else [fetch_list]:
        if isinstance(item, Variable):
            names.append(item.name)
        elif isinstance(item, str):
            names.append(item)
        elif isinstance(item, Operator):
            operators.append(item)
        elif isinstance(item, (list, tuple)) and item:
            further = asked_for(item[0] if minimized(item) else item)
            names += further[0]
            operators += further[1]
        else:
            raise FetchError.here(f"a fetch is a Variable or a name, got {type(item)}")
    return names, operators


def minimized(item: Sequence[Any]) -> bool:
    """Recognise what `minimize` returns: updates, and parameters with gradients."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], list)


def pruned_for(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    updates: Sequence[Operator] = (),
) -> Program:
    """A copy with only what the fetches and the updates need, made when first asked.

    What makes a variable that is fed is left out, so that any variable can be.

    Args:
        program: The program.
        feeds: Names of what is fed.
        fetches: Names of what is returned.
        updates: The optimizer's operators that are to run; by default all.

    In Paddle this is `Executor.run(use_prune=True)`.
    """
    copies: dict[Any, Program] = program.caches.setdefault(pruned_for, {})
    key = (program.version, tuple(feeds), tuple(fetches), tuple(updates))
    if key not in copies:
        for stale in [k for k in list(copies) if k[0] != program.version]:
            copies.pop(stale, None)
        block = program.global_block()
        known = [name for name in fetches if block.has_var(name)]
        targets = [*known, *(updates or every_update(program))]
        copies[key] = feed_as_data(pruned(program, feeds, targets), feeds)
    return copies[key]


def every_update(program: Program) -> Iterator[Operator]:
    """The operators that an optimizer appended."""
    for operator in program.global_block().ops:
        if operator.role & OpRole.OPTIMIZE:
            yield operator


def feed_as_data(program: Program, feeds: Sequence[str]) -> Program:
    """The program, with what is fed and no longer made as its data."""
    block = program.global_block()
    written = {name for operator in block.ops for name in operator.output_arg_names}
    for name in feeds:
        variable = block.vars.get(name)
        if variable is not None and not variable.persistable and name not in written:
            variable.is_data = True
    return program
