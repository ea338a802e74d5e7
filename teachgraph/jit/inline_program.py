"""A loaded program inside another one that is being traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.sub_block import traced_into
from teachgraph.core import unique_name
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.jit.model import Traced
from teachgraph.jit.outputs import filled
from teachgraph.jit.tracing import Tracer, as_variable
from teachgraph.static.program import current_block

__all__ = ["spliced"]

Places = Mapping[str, Variable]
"""What a name of the loaded program stands for in the other one."""


def spliced(
    traced: Traced,
    feeds: Sequence[str],
    given: Sequence[Any],
    held: Mapping[str, Tensor],
    tracer: Tracer,
) -> Any:
    """Append a program's operators to the one that is traced; the results.

    Args:
        traced: The program and its results.
        feeds: The names of what is fed.
        given: What is in their place.
        held: The Tensors that it holds, which the other one adopts.
        tracer: Who traces the other one.
    """
    places = {name: as_variable(x) for name, x in zip(feeds, given, strict=True)}
    places |= {name: tracer.adopt(tensor) for name, tensor in held.items()}
    found = moved(traced.program.global_block(), current_block(), places)
    return filled(
        traced.results.nest, [found[v.name] for v in traced.results.variables]
    )


def moved(source: Block, target: Block, places: Places) -> Places:
    """Append a block's operators to another one, with variables of fresh names.

    Args:
        source: The block.
        target: Where its operators go.
        places: What names from around it stand for.

    Returns:
        What all its names stand for.
    """
    found = dict(places)
    for name, old in source.vars.items():
        if name not in places or source.idx:
            found[name] = target.create_var(
                unique_name.generate(name),
                old.shape,
                old.dtype,
                stop_gradient=old.stop_gradient,
                type=old.type,
            )
    for operator in source.ops:
        append(operator, target, found)
    return found


def append(operator: Operator, target: Block, places: Places) -> None:
    """Append a copy of an operator, and of the block that it runs."""
    attrs = deepcopy(operator.attrs)
    if (inner := operator.sub_block) is not None:
        with traced_into(target) as block:
            moved(inner, block, places)
        attrs = {name: renamed(value, places) for name, value in attrs.items()}
        attrs["sub_block"] = block.idx
    read, written = (
        {slot: renamed(names, places) for slot, names in slots.items()}
        for slots in (operator.inputs, operator.outputs)
    )
    made = target.insert(len(target.ops), operator.type, read, written, attrs)
    made.callsite = operator.callsite


def renamed(value: Any, places: Places) -> Any:
    """A list of names as the other program has them; anything else as it is."""
    if not isinstance(value, list):
        return value
    return [
        places[name].name if isinstance(name, str) and name in places else name
        for name in value
    ]
