"""What a traced function returns: tensors to fetch, and the nest around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.arrays import ARRAY
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.container_snapshot import references
from teachgraph.jit.convert_text import Text
from teachgraph.jit.pytree import entries, fields_of, with_fields
from teachgraph.jit.side_effects import Spot
from teachgraph.jit.tracing import Tracer
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.nn.layer import changes
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = ["Outputs", "Slot", "outputs_of"]


class Slot(NamedTuple):
    """Stands for the tensor of that number."""

    number: int


class Choice(NamedTuple):
    """Stands for one of two nests, as the tensor of a number decides."""

    flag: int
    yes: Any
    no: Any


class Outputs:
    """The results of a traced function.

    Attributes:
        variables: The Variables to fetch.
        nest: What is returned, with a Slot for each of them.
        state: What places outside the function become: the place, and a nest.
    """

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.nest: Any = None
        self.state: list[tuple[Spot, Any]] = []

    def slot(self, variable: Variable) -> Slot:
        """The slot of a variable, the same each time."""
        for number, known in enumerate(self.variables):
            if known is variable:
                return Slot(number)
        self.variables.append(variable)
        return Slot(len(self.variables) - 1)

    def packed(self, tensors: Sequence[Any]) -> Any:
        """The results, made of the tensors that were fetched."""
        changes.count += len(self.state)
        for spot, nest in self.state:
            value = filled(nest, tensors)
            if isinstance(spot.before, Tensor) and isinstance(value, Tensor):
                spot.before.data = value.data
            else:
                spot.put(value)
        if self.nest.__class__ is Slot:
            return tensors[self.nest.number]
        return filled(self.nest, tensors)


def filled(nest: Any, tensors: Sequence[Any]) -> Any:
    """A nest with the tensors in their slots."""
    if isinstance(nest, Slot):
        return tensors[nest.number]
    if isinstance(nest, Choice):
        flag = tensors[nest.flag]
        if isinstance(flag, Variable):
            yes, no = filled(nest.yes, tensors), filled(nest.no, tensors)
            return Either(flag, yes, no, "the result")
        return filled(nest.yes if bool(flag) else nest.no, tensors)
    if isinstance(nest, dict):
        return entries(nest, {k: filled(item, tensors) for k, item in nest.items()})
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(filled(item, tensors) for item in nest))
    if type(nest) in (list, tuple):
        return type(nest)(filled(item, tensors) for item in nest)
    if (named := fields_of(nest)) is not None:
        return with_fields(nest, {k: filled(v, tensors) for k, v in named.items()})
    return nest


def outputs_of(value: Any, tracer: Tracer) -> Outputs:
    """The results of a function that was traced.

    Raises:
        UnboundLocalError: One is a name without a value.
    """
    found = Outputs()
    found.nest = emptied(value, found, tracer)
    tracer.bodies[0].forget(references((value, value)))
    for spot in tracer.changed():
        found.state.append((spot, emptied(spot.get(), found, tracer)))
    return found


def emptied(value: Any, into: Outputs, tracer: Tracer) -> Any:
    """A nest with slots for its tensors."""
    if isinstance(value, Undefined):
        value.refuse()
    if isinstance(value, Either):
        return chosen(value, into, tracer)
    if isinstance(value, Text):
        raise ConversionError(at_user_line(WITH_TENSORS))
    if isinstance(value, Tensor):
        value = tracer.adopt(value)
    if isinstance(value, Variable):
        passed_on = value.is_data or value.persistable
        own = passed_on and value.type != ARRAY
        return into.slot(functions.assign(value) if own else value)
    if isinstance(value, dict):
        found = {key: emptied(item, into, tracer) for key, item in value.items()}
        return entries(value, found)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(emptied(item, into, tracer) for item in value))
    if type(value) in (list, tuple):
        return type(value)(emptied(item, into, tracer) for item in value)
    if (named := fields_of(value)) is not None:
        items = {k: emptied(v, into, tracer) for k, v in named.items()}
        return with_fields(value, items)
    return value


WITH_TENSORS = (
    "a text with tensors in it can be printed or raised by a program, but not "
    "returned: return the tensors, and make the text of them outside"
)


def chosen(value: Either, into: Outputs, tracer: Tracer) -> Any:
    """One of two nests; a name without a value stops the program instead."""
    if isinstance(value.no, Undefined):
        return emptied(value.the_tensor(), into, tracer)
    flag = into.slot(value.flag)
    yes, no = (emptied(part, into, tracer) for part in (value.yes, value.no))
    return Choice(flag.number, yes, no)
