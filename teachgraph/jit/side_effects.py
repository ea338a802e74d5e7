"""State outside a traced function that it may assign to: attributes, cells, globals.

The trace leaves Variables in these slots. They are restored after it, and each run of
the program writes the values it has computed into them.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from types import CellType
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.jit.container_snapshot import different, items_of, refilled
from teachgraph.nn import Layer

__all__ = [
    "MISSING",
    "ContainerSlot",
    "StateSlot",
    "TensorSlot",
    "layer_slots",
]

MISSING = object()
"""Placeholder for a slot that has no value."""


class StateSlot:
    """A place outside the traced function that holds a value: a dictionary's entry.

    Attributes:
        values: The dictionary: an object's attributes, or a module's globals.
        name: The key.
        before: The value before the trace, or `MISSING`.
    """

    def __init__(self, values: dict[str, Any], name: str) -> None:
        self.values, self.name = values, name
        self.before = self.get()

    def get(self) -> Any:
        """Return the present value, or `MISSING`."""
        return self.values.get(self.name, MISSING)

    def put(self, value: Any) -> None:
        """Store a value; `MISSING` deletes the entry."""
        if value is MISSING:
            self.values.pop(self.name, None)
        else:
            self.values[self.name] = value


class CellSlot(StateSlot):
    """A closure cell: a variable of the function around the traced one."""

    def __init__(self, cell: CellType, name: str) -> None:
        self.cell = cell
        super().__init__({}, name)

    def get(self) -> Any:
        """Return the cell's contents, or `MISSING` if it is empty."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return MISSING

    def put(self, value: Any) -> None:
        """Fill the cell; `MISSING` empties it."""
        if value is not MISSING:
            self.cell.cell_contents = value
        elif self.get() is not MISSING:
            del self.cell.cell_contents


class TensorSlot(StateSlot):
    """The values of a Tensor that was changed in place."""

    def __init__(self, tensor: Tensor, now: Any) -> None:
        self.before, self.now = tensor, now

    def get(self) -> Any:
        """Return the Variable that has the new values."""
        return self.now

    def put(self, value: Any) -> None:
        """Do nothing: the Tensor itself stays where it is."""


class ContainerSlot(StateSlot):
    """The contents of a list or dictionary that existed before the trace."""

    def __init__(self, container: Any, before: Any) -> None:
        self.container, self.before = container, before

    def get(self) -> Any:
        """Return a copy of the contents; `before` itself if nothing has changed."""
        changed = different(self.container, self.before)
        return copy(self.container) if changed else self.before

    def put(self, value: Any) -> None:
        """Write other contents, into the same Tensors where there are as many."""
        pairs = [*zip(items_of(self.container), items_of(value), strict=False)]
        same = len(self.container) == len(value)
        if same and all(isinstance(part, Tensor) for pair in pairs for part in pair):
            for now, then in pairs:
                now.data = then.data
        else:
            refilled(self.container, value)


def layer_slots(layer: Layer, known: dict[str, Any]) -> Iterator[StateSlot]:
    """Yield a slot for each attribute that a layer has, or had in `known`."""
    for name in {**known, **layer.__dict__}:
        slot = StateSlot(layer.__dict__, name)
        slot.before = known.get(name, MISSING)
        yield slot
