"""A tensor of a program changed in place: its variable has another value from then on.

Whoever holds the variable sees the new value, as whoever holds a Tensor does; operators
that came before keep the old one under another name. What is fed or held outlives the
program, so its variable is first given a value of its own.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from teachgraph.control_flow.sub_block import kept_apart
from teachgraph.core import unique_name
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.jit.aliasing import not_chosen
from teachgraph.jit.tracing import tracer
from teachgraph.ops.shape import assign
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["rewritten"]


def rewritten(owner: Variable, result: Any) -> Variable:
    """Let a variable have the value of another one; the variable.

    Raises:
        ConversionError: A tensor has chosen it among values of other names.
        InvalidValueError: The new value has another dtype, or another shape and comes
            from inside a branch or a loop.
    """
    not_chosen(owner)
    block = current_block()
    inside = owner.name not in block.vars
    if result.dtype != owner.dtype or (inside and len(result.shape) != owner.ndim):
        raise InvalidValueError(at_user_line(cannot_become(owner, result)))
    if owner.persistable or owner.is_data:
        apart(owner)
    before, shape = kept_apart(block, owner), owner.shape
    stop = before.stop_gradient and result.stop_gradient
    block.append_op(assign.type, {"X": result}, {"Out": owner})
    if inside:
        owner.shape = shape
    owner.stop_gradient = stop
    return owner


def apart(owner: Variable) -> None:
    """Let another variable be fed or held in the place of one, which begins like it."""
    block, name = owner.block, owner.name
    block.vars[name] = copy(owner)
    while block.has_var(owner.name):
        owner._name = unique_name.generate(f"{name}.now")
    owner.persistable = owner.is_data = False
    block.vars[owner.name] = owner
    slots = {"X": [name]}, {"Out": [owner.name]}
    block.insert(len(block.ops), assign.type, *slots, {})
    here = tracer()
    if here is not None:
        here.change(name, owner)


def cannot_become(owner: Variable, result: Any) -> str:
    """The message for a value that does not fit."""
    return (
        f"in place, {owner.dtype} {list(owner.shape)} cannot become {result.dtype} "
        f"{list(result.shape)}: assign the result to a name instead"
    )
