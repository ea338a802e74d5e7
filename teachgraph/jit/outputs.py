"""Outputs of a traced function: the Variables to fetch, and the pytree around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.arrays import ARRAY
from teachgraph.control_flow.pytree import dict_like, fields_of, with_fields
from teachgraph.errors import ConversionError
from teachgraph.jit.container_snapshot import references
from teachgraph.jit.convert_text import Text
from teachgraph.jit.side_effects import StateSlot
from teachgraph.jit.tracing import Tracer
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.nn.layer import changes
from teachgraph.ops import functions
from teachgraph.ops.tensor_array import TensorArray
from teachgraph.static.variable import Variable

__all__ = ["Outputs", "Slot", "outputs_of", "result_of"]


class Slot(NamedTuple):
    """Placeholder for a fetched tensor, by its number."""

    number: int


class Choice(NamedTuple):
    """Placeholder for one of two pytrees; the fetched tensor `flag` decides."""

    flag: int
    yes: Any
    no: Any


class Outputs:
    """The results of a traced function.

    Attributes:
        variables: The Variables to fetch.
        tree: The returned pytree, with a Slot for each of them.
        state: The side effects: pairs of a place outside the function and the pytree
            that it becomes.
    """

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.tree: Any = None
        self.state: list[tuple[StateSlot, Any]] = []

    def slot(self, variable: Variable) -> Slot:
        """Return the slot of a variable, the same each time."""
        for number, known in enumerate(self.variables):
            if known is variable:
                return Slot(number)
        self.variables.append(variable)
        return Slot(len(self.variables) - 1)

    def packed(self, tensors: Sequence[Any]) -> Any:
        """Build the results from the fetched tensors, and write the side effects."""
        if self.state:
            self.write(tensors)
        # The common case first: one tensor is returned.
        if self.tree.__class__ is Slot:
            return tensors[self.tree.number]
        return filled(self.tree, tensors)

    def write(self, tensors: Sequence[Any]) -> None:
        """Write the side effects."""
        changes.count += len(self.state)
        for slot, tree in self.state:
            value = filled(tree, tensors)
            # The next run reads the old Tensor: it stays, and gets the new values.
            if isinstance(slot.before, Tensor) and isinstance(value, Tensor):
                slot.before.data = value.data
            else:
                slot.put(value)


def result_of(value: Any) -> Any:
    """Return a fetched value as a Tensor, or a list of them."""
    if isinstance(value, TensorArray):
        return [Tensor.results(part) for part in value.parts]
    return Tensor.results(np.asarray(value))


def filled(tree: Any, tensors: Sequence[Any]) -> Any:
    """Replace the slots of a pytree by tensors."""
    if isinstance(tree, Slot):
        return tensors[tree.number]
    if isinstance(tree, Choice):
        flag = tensors[tree.flag]
        # While the program is inlined into another one, the flag has no value yet.
        if isinstance(flag, Variable):
            yes, no = filled(tree.yes, tensors), filled(tree.no, tensors)
            return Either(flag, yes, no, "the result")
        return filled(tree.yes if bool(flag) else tree.no, tensors)
    if isinstance(tree, dict):
        return dict_like(tree, {k: filled(item, tensors) for k, item in tree.items()})
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(filled(item, tensors) for item in tree))
    if type(tree) in (list, tuple):
        return type(tree)(filled(item, tensors) for item in tree)
    if (named := fields_of(tree)) is not None:
        return with_fields(tree, {k: filled(v, tensors) for k, v in named.items()})
    return tree


def outputs_of(value: Any, tracer: Tracer) -> Outputs:
    """Collect the results of a traced function, and its side effects.

    Raises:
        UnboundLocalError: One is a name without a value.
    """
    outputs, containers = Outputs(), tracer.bodies[0]
    outputs.tree = emptied(value, outputs, tracer)
    if containers.saved:
        containers.forget(references((value, value)))
    for slot in tracer.changed():
        outputs.state.append((slot, emptied(slot.get(), outputs, tracer)))
    return outputs


def emptied(value: Any, into: Outputs, tracer: Tracer) -> Any:
    """Replace the tensors of a pytree by slots."""
    if isinstance(value, Tensor):
        value = tracer.adopt(value)
    if not isinstance(value, Variable):
        return emptied_tree(value, into, tracer)
    # A fed or persistent variable has no operator that makes it an output.
    passed_on = value.is_data or value.persistable
    copy = passed_on and value.type != ARRAY
    return into.slot(functions.assign(value) if copy else value)


def emptied_tree(value: Any, into: Outputs, tracer: Tracer) -> Any:
    """Replace the tensors within anything but a tensor."""
    if isinstance(value, Undefined):
        value.refuse()
    if isinstance(value, Either):
        return choice_of(value, into, tracer)
    if isinstance(value, Text):
        raise ConversionError.here(WITH_TENSORS)
    if isinstance(value, dict):
        slots = {key: emptied(item, into, tracer) for key, item in value.items()}
        return dict_like(value, slots)
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


def choice_of(value: Either, into: Outputs, tracer: Tracer) -> Any:
    """Replace an `Either` by a `Choice`; a missing value stops the program instead."""
    if isinstance(value.no, Undefined):
        return emptied(value.the_tensor(), into, tracer)
    flag = into.slot(value.flag)
    yes, no = (emptied(part, into, tracer) for part in (value.yes, value.no))
    return Choice(flag.number, yes, no)
