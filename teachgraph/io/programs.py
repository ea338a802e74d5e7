"""Programs and persistable variables on disk: `static.save` and `static.load`.

`path.pdparams` holds the parameters and `path.pdopt` the other persistable variables,
both as `paddle.save` writes them; `path.pdmodel` holds the program's document. Each
file is written atomically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import (
    DataError,
    InvalidValueError,
    NotInitializedError,
    ShapeError,
    at_user_line,
)
from teachgraph.core.scope import Scope, global_scope
from teachgraph.io import saving
from teachgraph.io.files import written_whole
from teachgraph.static.program import Program
from teachgraph.static.variable import Parameter, Variable

__all__ = [
    "array_of",
    "is_persistable",
    "load",
    "load_program_state",
    "persistables",
    "put",
    "save",
    "set_program_state",
    "set_state",
    "state_tensors",
    "write",
]

Array = np.ndarray[Any, Any]
Wanted = Callable[[Variable], bool]


def is_parameter(variable: Variable) -> bool:
    """True if the variable is a Parameter, which an optimizer may update."""
    return isinstance(variable, Parameter)


def is_persistable(var: Variable) -> bool:
    """True if a variable's value outlives a run.

    In Paddle this is `paddle.static.is_persistable`.
    """
    return var.persistable


def is_other(variable: Variable) -> bool:
    """True for a persistable variable that is no parameter: optimizer state."""
    return variable.persistable and not is_parameter(variable)


MODES: dict[str, Wanted] = {
    "all": is_persistable,
    "param": is_parameter,
    "opt": is_other,
}


def persistables(program: Program, wanted: Wanted = is_persistable) -> list[Variable]:
    """List the persistable variables of a program that satisfy a predicate.

    Raises:
        TypeError: `program` is no Program.
    """
    if not isinstance(program, Program):
        raise TypeError(f"a Program was expected, got {type(program)}")
    return [v for v in program.list_vars() if v.persistable and wanted(v)]


def array_of(variable: Variable, scope: Scope | None = None) -> Array:
    """Look up a variable's value in a scope.

    Raises:
        NotInitializedError: The variable has no value.
    """
    value = (global_scope() if scope is None else scope).values.get(variable.name)
    if value is None:
        raise NotInitializedError(
            at_user_line(
                f"The variable {variable.name} has no value in this scope: run the "
                "startup program first"
            )
        )
    return value


def put(variable: Variable, value: Any, scope: Scope | None = None) -> None:
    """Set a variable's value in a scope.

    Raises:
        ShapeError: The value has another shape or dtype.
    """
    array = np.array(value.data if isinstance(value, Tensor) else value)
    fits = len(array.shape) == len(variable.shape) and all(
        want in (-1, got) for want, got in zip(variable.shape, array.shape, strict=True)
    )
    if not fits or array.dtype != variable.dtype:
        raise ShapeError(
            at_user_line(
                "Shape not matching: the Program requires a parameter with a shape of "
                f"({variable.shape}) and {variable.dtype}, while the loaded parameter "
                f"(namely [ {variable.name} ]) has a shape of  ({array.shape}) and "
                f"{array.dtype}."
            )
        )
    (global_scope() if scope is None else scope).values[variable.name] = array


def state_tensors(
    program: Program, mode: str = "all", scope: Scope | None = None
) -> dict[str, Tensor]:
    """Copy the persistable variables' values to Tensors: `Program.state_dict`."""
    if mode not in MODES:
        raise InvalidValueError(
            at_user_line(f"mode is one of {', '.join(MODES)}, got {mode!r}")
        )
    return {
        variable.name: Tensor(np.array(array_of(variable, scope)))
        for variable in persistables(program, MODES[mode])
    }


def set_state(
    program: Program, state: Mapping[str, Any], scope: Scope | None = None
) -> None:
    """Put values into a scope, all or none: `Program.set_state_dict`."""
    if not isinstance(state, Mapping):
        raise TypeError(f"a state is a dict of values by name, got {type(state)}")
    by_name = {v.name: v for v in persistables(program)}
    # A scope on trial: the first value that does not fit leaves the real one untouched.
    trial = Scope()
    for name, value in state.items():
        if name in by_name:
            put(by_name[name], value, trial)
    (global_scope() if scope is None else scope).values.update(trial.values)


def prefix_of(path: Any) -> Path:
    """Require a path whose last part can be the prefix of file names.

    Raises:
        InvalidValueError: The path has no last part.
    """
    text = str(path)
    if not text or text.endswith(("/", "\\")):
        raise InvalidValueError(
            at_user_line(
                "The input model_path MUST be format of dirname/filename, but "
                f"received {text!r}"
            )
        )
    return Path(text)


def beside(prefix: Path, suffix: str) -> Path:
    """Append a suffix to the prefix."""
    # Not with_suffix, which would cut "model.v2" at its dot.
    return prefix.with_name(prefix.name + suffix)


def write(path: Path, content: bytes) -> None:
    """Write a file atomically; create its folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(content)


def save(program: Program, model_path: Any, protocol: int = 4, **configs: Any) -> None:
    """Write a program, its parameters and its optimizer's state.

    Args:
        program: The program, whose startup program has been run.
        model_path: The common prefix of the three files' names.
        protocol: Accepted for Paddle's sake; nothing is pickled.
        configs: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The path names no file.
        NotInitializedError: A variable has no value.
        ProgramError: The program calls a Python function.

    In Paddle this is `paddle.static.save` and `fluid.save`.
    """
    prefix = prefix_of(model_path)
    parameters = {v.name: array_of(v) for v in persistables(program, is_parameter)}
    others = {v.name: array_of(v) for v in persistables(program, is_other)}
    document = program.serialize_to_string()
    saving.save(parameters, beside(prefix, ".pdparams"))
    saving.save(others, beside(prefix, ".pdopt"))
    write(beside(prefix, ".pdmodel"), document)


def load(
    program: Program, model_path: Any, executor: Any = None, var_list: Any = None
) -> None:
    """Load the values that `save` wrote into the scope, all or none.

    Args:
        program: The program they belong to.
        model_path: The prefix passed to `save`.
        executor: Accepted for Paddle's sake.
        var_list: The variables to load; by default all persistable ones.

    Raises:
        InvalidValueError: There is no such file.
        DataError: A file is damaged, or lacks a variable.
        ShapeError: A value has another shape than its variable.

    In Paddle this is `paddle.static.load` and `fluid.load`.
    """
    state = load_program_state(model_path)
    wanted = persistables(program) if var_list is None else list(var_list)
    missing = [v.name for v in wanted if v.name not in state]
    if missing:
        raise DataError(
            at_user_line(f"Can not find {missing} in model file [{model_path}]")
        )
    set_state(program, {v.name: state[v.name] for v in wanted})


def load_program_state(
    model_path: Any, var_list: Iterable[Variable] | None = None
) -> dict[str, Array]:
    """Read the values that `save` wrote, as arrays by name.

    Args:
        model_path: The prefix passed to `save`.
        var_list: The variables wanted; by default all.

    Raises:
        InvalidValueError: There is no such file.
        DataError: A file is damaged.

    In Paddle this is `paddle.static.load_program_state`.
    """
    prefix = prefix_of(model_path)
    state = arrays_in(beside(prefix, ".pdparams"))
    others = beside(prefix, ".pdopt")
    if others.exists():
        state |= arrays_in(others)
    if var_list is None:
        return state
    return {v.name: state[v.name] for v in var_list if v.name in state}


def arrays_in(path: Path) -> dict[str, Array]:
    """Read a file of arrays by name.

    Raises:
        DataError: The file holds something else.
    """
    content = saving.load(path, return_numpy=True)
    if not isinstance(content, dict) or not all(
        isinstance(value, np.ndarray) for value in content.values()
    ):
        raise DataError(at_user_line(f"{path} holds no arrays by name"))
    return content


def set_program_state(program: Program, state_dict: Mapping[str, Any]) -> None:
    """Put arrays into the scope, by name; names unknown to the program are ignored.

    Raises:
        TypeError: `state_dict` is no mapping.
        ShapeError: A value has another shape than its variable.

    In Paddle this is `paddle.static.set_program_state`.
    """
    set_state(program, state_dict)
