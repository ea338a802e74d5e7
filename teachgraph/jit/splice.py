"""A loaded program inside another one that is being traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph import unique_name
from teachgraph.eager import Tensor
from teachgraph.errors import ConversionError, at_user_line
from teachgraph.jit.model import Traced
from teachgraph.jit.outputs import filled
from teachgraph.jit.tracing import Tracer, as_variable
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["spliced"]


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

    Raises:
        ConversionError: The program has branches or loops, which cannot be moved.
    """
    source, block = traced.program, current_block()
    if source.num_blocks > 1:
        message = (
            "a loaded program with branches or loops cannot become a part of another "
            "one: call it outside of to_static, or save them together"
        )
        raise ConversionError(at_user_line(message))
    places = {name: as_variable(x) for name, x in zip(feeds, given, strict=True)}
    places |= {name: tracer.adopt(tensor) for name, tensor in held.items()}
    for name, old in source.global_block().vars.items():
        if name not in places:
            places[name] = block.create_var(
                unique_name.generate(name),
                old.shape,
                old.dtype,
                stop_gradient=old.stop_gradient,
            )
    for op in source.global_block().ops:
        read, written = renamed(op.inputs, places), renamed(op.outputs, places)
        made = block.insert(len(block.ops), op.type, read, written, op.all_attrs())
        made.callsite = op.callsite
    return filled(
        traced.results.nest, [places[v.name] for v in traced.results.variables]
    )


def renamed(
    slots: Mapping[str, Sequence[str]], places: Mapping[str, Variable]
) -> dict[str, list[str]]:
    """Slots with the names that variables have in the other program."""
    return {
        slot: [places[name].name if name in places else name for name in names]
        for slot, names in slots.items()
    }
