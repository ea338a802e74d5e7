"""What an optimizer remembers of each parameter: Tensors, or Variables of a program.

Each thing remembered starts as one value everywhere, when its parameter is first
updated.
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
    at_user_line,
)
from teachgraph.core.scope import global_scope
from teachgraph.static import Variable, create_global_var

__all__ = ["Accumulators", "Kept"]


class Kept(NamedTuple):
    """One thing an optimizer remembers.

    Attributes:
        name: Paddle's word for it, such as `moment1`.
        value: What it starts as, everywhere.
        shape: Its shape, by default the parameter's.
    """

    name: str
    value: float = 0.0
    shape: tuple[int, ...] | None = None


class Accumulators:
    """All that one optimizer remembers.

    Attributes:
        by_parameter: For each parameter, what is remembered of it, in order.
        by_name: The same by Paddle's names, such as `fc_0.w_0_moment1_0`.
    """

    def __init__(self) -> None:
        self.by_parameter: dict[Any, list[Any]] = {}
        self.by_name: dict[str, Any] = {}

    def of(self, parameter: Any, wanted: Sequence[Kept]) -> list[Any]:
        """What is remembered of a parameter; made when first asked for."""
        if not wanted:
            return []
        found = self.by_parameter.get(parameter)
        if found is None:
            found = [self.begun(parameter, kept) for kept in wanted]
            self.by_parameter[parameter] = found
        return found

    def begun(self, parameter: Any, kept: Kept) -> Any:
        """One thing remembered of a parameter, with its first value."""
        key = key_of(parameter, kept)
        shape = tuple(parameter.shape) if kept.shape is None else kept.shape
        if isinstance(parameter, Variable):
            name = unique_name.generate(key)
            made: Any = create_global_var(
                shape, kept.value, parameter.dtype, persistable=True, name=name
            )
        else:
            name = f"{key}_0"
            made = Tensor(np.full(shape, kept.value, parameter.dtype))
            made.name = name
        self.by_name[name] = made
        return made

    def state(self) -> dict[str, Tensor]:
        """Everything by name, as it is now; later steps do not change it."""
        return {name: Tensor(value_of(kept)) for name, kept in self.by_name.items()}

    def load(
        self, state: Mapping[str, Any], wanted: Mapping[Any, Sequence[Kept]]
    ) -> None:
        """Take over saved values, by name; the number at the end does not matter.

        Args:
            state: The saved values.
            wanted: What is remembered of each parameter that is known already.

        Raises:
            ShapeError: One is of another shape.
            InvalidValueError: A parameter's are not all there, or no parameter's are.
        """
        saved = {unnumbered(name): array_of(value) for name, value in state.items()}
        for parameter, several in wanted.items():
            if any(key_of(parameter, kept) in saved for kept in several):
                self.of(parameter, several)
        matched = [
            (kept, fitting(kept, saved))
            for several in self.by_parameter.values()
            if any(unnumbered(kept.name) in saved for kept in several)
            for kept in several
        ]
        if saved and not matched:
            raise InvalidValueError(
                at_user_line(
                    "nothing of this state is of a parameter of this optimizer; its "
                    f"names begin with {next(iter(state))!r}"
                )
            )
        for kept, value in matched:
            put(kept, value)


def key_of(parameter: Any, kept: Kept) -> str:
    """The name of a thing remembered, without a number."""
    return f"{parameter.name}_{kept.name}"


def fitting(kept: Any, saved: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The value that was saved for one thing remembered.

    Raises:
        InvalidValueError: There is none.
        ShapeError: It is of another shape.
    """
    key = unnumbered(kept.name)
    if key not in saved:
        raise InvalidValueError(at_user_line(f"the state has no {key}"))
    value: np.ndarray[Any, Any] = saved[key]
    if value.shape != tuple(kept.shape):
        raise ShapeError(
            at_user_line(
                f"the state of {key} is {list(value.shape)}, must be {list(kept.shape)}"
            )
        )
    return value.astype(kept.dtype)


def put(kept: Any, value: np.ndarray[Any, Any]) -> None:
    """Give a thing remembered a value: a Variable in the scope in use."""
    if isinstance(kept, Variable):
        global_scope().values[kept.name] = value
    else:
        kept.data = value


def unnumbered(name: str) -> str:
    """An accumulator's name without the number that makes it unique."""
    return name.rpartition("_")[0]


def array_of(value: Any) -> np.ndarray[Any, Any]:
    """A saved value as an array of its own.

    Raises:
        InvalidValueError: It holds no numbers.
    """
    array = np.array(value)
    if array.dtype.kind not in "biuf":
        raise InvalidValueError(at_user_line(f"a saved state is no {type(value)}"))
    return array


def value_of(kept: Any) -> np.ndarray[Any, Any]:
    """The array behind a Tensor, or behind a Variable in the scope in use.

    Raises:
        NotInitializedError: The startup program has not been run.
    """
    if isinstance(kept, Tensor):
        return kept.data
    value = global_scope().values.get(kept.name)
    if value is None:
        raise NotInitializedError(
            at_user_line(f"{kept.name} has no value yet: run the startup program")
        )
    return value
