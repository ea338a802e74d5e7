"""Accumulators: an optimizer's state per parameter, Tensors or Variables of a program.

An accumulator is created with a constant value when its parameter is first updated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import unique_name
from teachgraph.core.errors import (
    InvalidValueError,
    NotInitializedError,
    ShapeError,
)
from teachgraph.static.layers import initialised
from teachgraph.static.scope import global_scope
from teachgraph.static.variable import Variable

__all__ = ["Accumulators", "Kept"]


class Kept(NamedTuple):
    """Declaration of one accumulator.

    Attributes:
        name: Paddle's name for it, such as `moment1`.
        value: The initial value of all elements.
        shape: Its shape, by default the parameter's.
    """

    name: str
    value: float = 0.0
    shape: tuple[int, ...] | None = None


class Accumulators:
    """All accumulators of one optimizer.

    Attributes:
        by_parameter: For each parameter, its accumulators in order.
        by_name: The accumulators by Paddle's names, such as `fc_0.w_0_moment1_0`.
    """

    def __init__(self) -> None:
        self.by_parameter: dict[Any, list[Any]] = {}
        self.by_name: dict[str, Any] = {}

    def of(self, parameter: Any, wanted: Sequence[Kept]) -> list[Any]:
        """Return the accumulators of a parameter; create them on first use."""
        if not wanted:
            return []
        accumulators = self.by_parameter.get(parameter)
        if accumulators is None:
            accumulators = [self.create(parameter, kept) for kept in wanted]
            self.by_parameter[parameter] = accumulators
        return accumulators

    def create(self, parameter: Any, kept: Kept) -> Any:
        """Create one accumulator of a parameter with its initial value."""
        key = key_of(parameter, kept)
        shape = tuple(parameter.shape) if kept.shape is None else kept.shape
        if isinstance(parameter, Variable):
            name = unique_name.generate(key)
            accumulator: Any = initialised(name, shape, kept.value, parameter.dtype)
        else:
            name = f"{key}_0"
            accumulator = Tensor.results(np.full(shape, kept.value, parameter.dtype))
            accumulator.name = name
        self.by_name[name] = accumulator
        return accumulator

    def state(self) -> dict[str, Tensor]:
        """Copy all accumulators by name; later steps do not change the copies."""
        return {
            name: Tensor.results(value_of(kept)) for name, kept in self.by_name.items()
        }

    def load(
        self, state: Mapping[str, Any], wanted: Mapping[Any, Sequence[Kept]]
    ) -> None:
        """Load saved values by name; the number at the end of a name is ignored.

        Args:
            state: The saved values.
            wanted: The declared accumulators of each known parameter.

        Raises:
            ShapeError: A value has another shape.
            InvalidValueError: A parameter's accumulators are incomplete, or none match.
        """
        # The number only makes a name unique: another run may have counted differently.
        saved = {unnumbered(name): array_of(value) for name, value in state.items()}
        for parameter, several in wanted.items():
            if any(key_of(parameter, kept) in saved for kept in several):
                # Created now: an optimizer that is being restored has made no step yet.
                self.of(parameter, several)
        matched = [
            (kept, fitting(kept, saved))
            for several in self.by_parameter.values()
            if any(unnumbered(kept.name) in saved for kept in several)
            for kept in several
        ]
        if saved and not matched:
            raise InvalidValueError.here(
                "nothing of this state is of a parameter of this optimizer; its "
                f"names begin with {next(iter(state))!r}"
            )
        for kept, value in matched:
            set_accumulator(kept, value)


def key_of(parameter: Any, kept: Kept) -> str:
    """Name of an accumulator without its number."""
    return f"{parameter.name}_{kept.name}"


def fitting(kept: Any, saved: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Look up the saved value of an accumulator.

    Raises:
        InvalidValueError: There is none.
        ShapeError: It has another shape.
    """
    key = unnumbered(kept.name)
    if key not in saved:
        raise InvalidValueError.here(f"the state has no {key}")
    value: np.ndarray[Any, Any] = saved[key]
    if value.shape != tuple(kept.shape):
        raise ShapeError.here(
            f"the state of {key} is {list(value.shape)}, must be {list(kept.shape)}"
        )
    return value.astype(kept.dtype)


def set_accumulator(kept: Any, value: np.ndarray[Any, Any]) -> None:
    """Set the value of an accumulator; that of a Variable in the current scope."""
    if isinstance(kept, Variable):
        global_scope().values[kept.name] = value
    else:
        kept.data = value


def unnumbered(name: str) -> str:
    """Strip the number that makes an accumulator's name unique."""
    return name.rpartition("_")[0]


def array_of(value: Any) -> np.ndarray[Any, Any]:
    """Copy a saved value to an array.

    Raises:
        InvalidValueError: The value holds no numbers.
    """
    array = np.array(value)
    if array.dtype.kind not in "biuf":
        raise InvalidValueError.here(f"a saved value holds numbers, got {type(value)}")
    return array


def value_of(kept: Any) -> np.ndarray[Any, Any]:
    """Return the array of a Tensor, or of a Variable in the current scope.

    Raises:
        NotInitializedError: The startup program has not been run.
    """
    if isinstance(kept, Tensor):
        return kept.data
    value = global_scope().values.get(kept.name)
    if value is None:
        raise NotInitializedError.here(
            f"{kept.name} has no value yet: run the startup program"
        )
    return value
