"""In-place changes of Variables: the variable has another value from then on.

All aliases of the variable see the new value, as those of a Tensor do; earlier
operators read the old one under another name. A fed or held variable outlives the run,
so a variable with a copy of its value first takes its place.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from teachgraph.control_flow.sub_block import kept_apart
from teachgraph.core import unique_name
from teachgraph.core.errors import InvalidValueError
from teachgraph.jit.aliasing import refuse_aliased
from teachgraph.jit.tracing import tracer
from teachgraph.ops.math import assign
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["rewritten"]


def rewritten(owner: Variable, result: Any) -> Variable:
    """Assign a value to a variable in place; return the variable.

    Raises:
        ConversionError: A tensor decides which value it is an alias of.
        InvalidValueError: The new value has another dtype, or another shape and comes
            from inside a branch or a loop.
    """
    refuse_aliased(owner)
    block = current_block()
    inside = owner.name not in block.vars
    if result.dtype != owner.dtype or (inside and len(result.shape) != owner.ndim):
        raise InvalidValueError.here(cannot_become(owner, result))
    if owner.persistable or owner.is_data:
        detach_from_run(owner)
    before, shape = kept_apart(block, owner), owner.shape
    stop = before.stop_gradient and result.stop_gradient
    block.append_op(assign.type, {"X": result}, {"Out": owner})
    if inside:
        owner.shape = shape
    owner.stop_gradient = stop
    return owner


def detach_from_run(owner: Variable) -> None:
    """Let a new variable be fed or held instead; the old one starts as its copy."""
    block, name = owner.block, owner.name
    # The user holds `owner`, so that one is renamed and the copy gets its name.
    block.vars[name] = copy(owner)
    while owner.name in block.vars:
        owner._name = unique_name.generate(f"{name}.now")
    owner.persistable = owner.is_data = False
    block.vars[owner.name] = owner
    slots = {"X": [name]}, {"Out": [owner.name]}
    block.insert(len(block.ops), assign.type, *slots, {})
    here = tracer()
    if here is not None:
        here.change(name, owner)


def cannot_become(owner: Variable, result: Any) -> str:
    """Error message for a value of another dtype or rank."""
    return (
        f"in place, {owner.dtype} {list(owner.shape)} cannot become {result.dtype} "
        f"{list(result.shape)}: assign the result to a name instead"
    )
