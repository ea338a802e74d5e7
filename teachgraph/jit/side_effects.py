"""Places outside a function that it assigns to: attributes, nonlocal and global names.

While a function is traced it leaves tensors of the program there. They are taken away
afterwards, and each run of the program puts what it has computed in their place.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from copy import copy
from types import CellType, FunctionType
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.jit.container_snapshot import different, items_of, refilled
from teachgraph.nn import Layer

__all__ = [
    "MISSING",
    "Contents",
    "Spot",
    "Values",
    "spots_of_function",
    "spots_of_layer",
]

MISSING = object()
"""Stands for a value where there is none."""


class Spot:
    """A place: a key of a dictionary."""

    def __init__(self, values: dict[str, Any], name: str) -> None:
        self.values, self.name = values, name
        self.before = self.get()

    def get(self) -> Any:
        """What is there."""
        return self.values.get(self.name, MISSING)

    def put(self, value: Any) -> None:
        """Put a value there, or take away what is."""
        if value is MISSING:
            self.values.pop(self.name, None)
        else:
            self.values[self.name] = value


class Cell(Spot):
    """A variable of a function around the one that is traced."""

    def __init__(self, cell: CellType, name: str) -> None:
        self.cell = cell
        super().__init__({}, name)

    def get(self) -> Any:
        """What it is."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return MISSING

    def put(self, value: Any) -> None:
        """Assign to it, or let it stand for nothing."""
        if value is not MISSING:
            self.cell.cell_contents = value
        elif self.get() is not MISSING:
            del self.cell.cell_contents


class Values(Spot):
    """The values of a Tensor that was changed in place."""

    def __init__(self, tensor: Tensor, now: Any) -> None:
        self.before, self.now = tensor, now

    def get(self) -> Any:
        """What has the values now."""
        return self.now

    def put(self, value: Any) -> None:
        """Nothing: the Tensor itself stays where it is."""


class Contents(Spot):
    """What is in a list or a dictionary that was there before the trace."""

    def __init__(self, container: Any, before: Any) -> None:
        self.container, self.before = container, before

    def get(self) -> Any:
        """A copy of what is in it, the one from before if that is the same."""
        changed = different(self.container, self.before)
        return copy(self.container) if changed else self.before

    def put(self, value: Any) -> None:
        """Let its Tensors have other values, or put others there."""
        pairs = [*zip(items_of(self.container), items_of(value), strict=False)]
        same = len(self.container) == len(value)
        if same and all(isinstance(part, Tensor) for pair in pairs for part in pair):
            for now, then in pairs:
                now.data = then.data
        else:
            refilled(self.container, value)


def spots_of_layer(layer: Layer, known: dict[str, Any]) -> Iterator[Spot]:
    """The attributes of a layer: those that were known, and those that came since."""
    for name in {**known, **layer.__dict__}:
        spot = Spot(layer.__dict__, name)
        spot.before = known.get(name, MISSING)
        yield spot


def spots_of_function(function: FunctionType) -> Iterator[Spot]:
    """The variables outside a function that its code assigns to, or may read."""
    code = function.__code__
    stored = {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname == "STORE_GLOBAL"
    }
    for name in dict.fromkeys((*sorted(stored), *code.co_names)):
        if name in stored or isinstance(function.__globals__.get(name), Tensor):
            yield Spot(function.__globals__, name)
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield Cell(cell, name)
