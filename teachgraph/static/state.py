"""Values of a program's variables in a scope, as Tensors and from arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    NotInitializedError,
    ShapeError,
)
from teachgraph.core.program import Parameter, Program, Variable
from teachgraph.static.scope import Scope, global_scope

__all__ = [
    "array_of",
    "is_other",
    "is_parameter",
    "is_persistable",
    "persistables",
    "set_state",
    "set_value",
    "state_tensors",
]

Array = np.ndarray[Any, Any]
Wanted = Callable[[Variable], bool]


def is_parameter(variable: Variable) -> bool:
    """Say if an optimizer may update it."""
    return isinstance(variable, Parameter)


def is_persistable(var: Variable) -> bool:
    """Say if a variable's value outlives a run.

    In Paddle this is `paddle.static.is_persistable`.
    """
    return var.persistable


def is_other(variable: Variable) -> bool:
    """Say if it outlives a run and is no parameter, as the state of an optimizer."""
    return variable.persistable and not is_parameter(variable)


MODES: dict[str, Wanted] = {
    "all": is_persistable,
    "param": is_parameter,
    "opt": is_other,
}


def persistables(program: Program, wanted: Any = is_persistable) -> list[Any]:
    """The variables of a program that outlive a run, or some of them.

    Raises:
        DTypeError: It is no Program.
    """
    if not isinstance(program, Program):
        raise DTypeError.here(f"a Program was expected, got {type(program)}")
    return [
        variable
        for block in program.blocks
        for variable in block.vars.values()
        if variable.persistable and wanted(variable)
    ]


def array_of(variable: Variable, scope: Scope | None = None) -> Array:
    """A variable's value in a scope.

    Raises:
        NotInitializedError: It has none.
    """
    value = (global_scope() if scope is None else scope).values.get(variable.name)
    if value is None:
        raise NotInitializedError.here(
            f"The variable {variable.name} has no value in this scope: run the "
            "startup program first"
        )
    return value


def set_value(variable: Variable, value: Any, scope: Scope | None = None) -> None:
    """Give a variable a value in a scope.

    Raises:
        ShapeError: It is of another shape or dtype.
    """
    array = np.array(value.data if isinstance(value, Tensor) else value)
    fits = len(array.shape) == len(variable.shape) and all(
        want in (-1, got) for want, got in zip(variable.shape, array.shape, strict=True)
    )
    if not fits or array.dtype != variable.dtype:
        raise ShapeError.here(
            "Shape not matching: the Program requires a parameter with a shape of "
            f"({variable.shape}) and {variable.dtype}, while the loaded parameter "
            f"(namely [ {variable.name} ]) has a shape of  ({array.shape}) and "
            f"{array.dtype}."
        )
    (global_scope() if scope is None else scope).values[variable.name] = array


def check_scope(scope: Any) -> None:
    """Require a Scope, or None for the one in use.

    Raises:
        DTypeError: It is something else.
    """
    if scope is not None and not isinstance(scope, Scope):
        raise DTypeError.here(
            "`scope` should be None or of type `paddle.static.Scope`, but received "
            f"{scope!r}"
        )


def state_tensors(
    program: Program, mode: str = "all", scope: Scope | None = None
) -> dict[str, Tensor]:
    """The values of what outlives a run, as Tensors: `Program.state_dict`."""
    check_scope(scope)
    if mode not in MODES:
        raise InvalidValueError.here(f"mode is one of {', '.join(MODES)}, got {mode!r}")
    return {
        variable.name: Tensor.results(np.array(array_of(variable, scope)))
        for variable in persistables(program, MODES[mode])
    }


def set_state(
    program: Program, state: Mapping[str, Any], scope: Scope | None = None
) -> None:
    """Put values into a scope, all or none: `Program.set_state_dict`."""
    if not isinstance(state, Mapping):
        raise DTypeError.here(f"a state is a dict of values by name, got {type(state)}")
    check_scope(scope)
    known = {v.name: v for v in persistables(program)}
    trial = Scope()
    for name, value in state.items():
        if name in known:
            set_value(known[name], value, trial)
    (global_scope() if scope is None else scope).values.update(trial.values)
