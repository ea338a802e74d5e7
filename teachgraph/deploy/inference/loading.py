"""Load a model's program and parameters, in any of the file formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.io import saving
from teachgraph.io.inference import (
    VALUES,
    Model,
    checksums_in,
    file_of,
    model_in,
    model_parts,
)
from teachgraph.io.programs import arrays_in
from teachgraph.io.together import finish_saves, newest, refuse_mixture
from teachgraph.static.scope import Scope
from teachgraph.static.state import persistables, set_state

__all__ = ["loaded"]


def loaded(program_file: Path, values: Path) -> tuple[Model, Scope]:
    """Load a model, and its parameters into a scope of its own.

    Args:
        program_file: The program's document.
        values: The file of all parameters; if there is none, each has one of its own
            beside the program, as `fluid.io.save_inference_model` writes them.

    Raises:
        InvalidValueError: There is no such model.
        DataError: A file is damaged, or lacks a parameter.
    """
    finish_saves(program_file.parent)
    if not program_file.is_file():
        message = f"The ``path`` ({program_file}) to load model not exists."
        raise InvalidValueError.here(message)
    top = model_parts(newest(program_file).read_bytes())
    model = model_in(top)
    wanted, scope = [v.name for v in persistables(model[0])], Scope()
    state = values_of(wanted, program_file, values) if wanted else {}
    if lacking := [name for name in wanted if name not in state]:
        raise DataError.here(f"{values} lacks {lacking}")
    refuse_mixture(checksums_in(top), {VALUES: values}, program_file)
    set_state(model[0], state, scope)
    return model, scope


def values_of(
    names: Sequence[str], program_file: Path, values: Path
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Load the parameters, from one file or from one each."""
    if values.is_file():
        return arrays_in(values)
    each = {name: file_of(program_file.parent, name) for name in names}
    if not all(path.is_file() for path in each.values()):
        raise DataError.here(f"there is no {values}, which holds parameters")
    return {n: saving.load(path, return_numpy=True) for n, path in each.items()}
