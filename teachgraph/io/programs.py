"""Programs and persistable variables on disk: `static.save` and `static.load`.

`path.pdparams` holds the parameters and `path.pdopt` the other persistable variables,
both as `paddle.save` writes them; `path.pdmodel` holds the program's document. Each
file is written atomically.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from teachgraph.errors import DataError
from teachgraph.io import saving
from teachgraph.io.files import written_whole
from teachgraph.io.prefix import file_prefix, with_suffix
from teachgraph.io.together import write_together
from teachgraph.static.program import Program
from teachgraph.static.state import (
    Array,
    array_of,
    is_other,
    is_parameter,
    is_persistable,
    persistables,
    set_state,
    set_value,
    state_tensors,
)
from teachgraph.static.variable import Variable

__all__ = [
    "array_of",
    "is_persistable",
    "load",
    "load_program_state",
    "persistables",
    "save",
    "set_program_state",
    "set_state",
    "set_value",
    "state_tensors",
    "write",
]


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
    prefix = file_prefix(model_path, "model_path", part="filename")
    parameters = {v.name: array_of(v) for v in persistables(program, is_parameter)}
    others = {v.name: array_of(v) for v in persistables(program, is_other)}
    document = program.serialize_to_string()
    write_together(
        {
            with_suffix(prefix, ".pdmodel"): document,
            with_suffix(prefix, ".pdparams"): saving.serialize(parameters),
            with_suffix(prefix, ".pdopt"): saving.serialize(others),
        }
    )


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
        raise DataError.here(f"Can not find {missing} in model file [{model_path}]")
    set_state(program, {v.name: state[v.name] for v in wanted})


def load_program_state(
    model_path: Any, var_list: Iterable[Variable] | None = None
) -> dict[str, Array]:
    """Read the values that `save` wrote, or 1.x's `save_params`, as arrays by name.

    Args:
        model_path: The prefix passed to `save`; or the folder, or the one file, of
            `fluid.io.save_params` and the like.
        var_list: The variables wanted; by default all.

    Raises:
        InvalidValueError: There is no such file.
        DataError: A file is damaged.

    In Paddle this is `paddle.static.load_program_state`.
    """
    state = state_in(file_prefix(model_path, "model_path", part="filename"))
    if var_list is None:
        return state
    return {v.name: state[v.name] for v in var_list if v.name in state}


def state_in(prefix: Path) -> dict[str, Array]:
    """The values in the files of a prefix, in a folder of a file each, or in a file."""
    parameters, others = (with_suffix(prefix, end) for end in (".pdparams", ".pdopt"))
    if not parameters.exists() and prefix.is_dir():
        return {
            unquote(path.name): saving.load(path, return_numpy=True)
            for path in sorted(prefix.iterdir())
            if path.is_file() and path.name != "__model__"
        }
    if not parameters.exists() and prefix.is_file():
        return arrays_in(prefix)
    state = arrays_in(parameters)
    return state | arrays_in(others) if others.exists() else state


def arrays_in(path: Path) -> dict[str, Array]:
    """Read a file of arrays by name.

    Raises:
        DataError: The file holds something else.
    """
    content = saving.load(path, return_numpy=True)
    if not isinstance(content, dict) or not all(
        isinstance(value, np.ndarray) for value in content.values()
    ):
        raise DataError.here(f"{path} holds no arrays by name")
    return content


def set_program_state(program: Program, state_dict: Mapping[str, Any]) -> None:
    """Put arrays into the scope, by name; names unknown to the program are ignored.

    Raises:
        TypeError: `state_dict` is no mapping.
        ShapeError: A value has another shape than its variable.

    In Paddle this is `paddle.static.set_program_state`.
    """
    set_state(program, state_dict)
