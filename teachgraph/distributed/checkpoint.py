"""Checkpoints of servers: one safetensors file each, whole or not at all.

The file holds the state's arrays; its header the step and what each trainer sent last.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.distributed.errors import CheckpointError, MissingRayError
from teachgraph.distributed.server import State
from teachgraph.io.files import written_whole

__all__ = ["checkpoint_file", "load_state", "save_state"]


def checkpoint_file(folder: Path, endpoint: str) -> Path:
    """The file of one server.

    >>> checkpoint_file(Path("run"), "10.0.0.1:6174").name
    '10.0.0.1_6174.safetensors'
    """
    return folder / f"{endpoint.replace(':', '_').replace('/', '_')}.safetensors"


def save_state(file: Path, state: State) -> None:
    """Write a state, in place of the one from before.

    Raises:
        CheckpointError: It cannot be written.
    """
    numbers = {"step": state.step, "applied": state.applied}
    header = {"teachgraph": json.dumps(numbers)}
    # Of a transposed array the library writes the bytes in the order of its memory.
    arrays = {name: np.asarray(a, order="C") for name, a in state.values.items()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as opened:
            # `save_file` would write another file beside this one, and nobody flush it.
            opened.write(safetensors().save(arrays, header))
    except OSError as error:
        raise CheckpointError(
            f"step {state.step} cannot be saved in {file}: {error}"
        ) from error


def load_state(file: Path) -> State | None:
    """Read a state; None if there is no file.

    Raises:
        CheckpointError: The file holds no state.
    """
    if not file.exists():
        return None
    try:
        content = file.read_bytes()
        values = safetensors().load(content)
        size = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + size])["__metadata__"]
        numbers = json.loads(header["teachgraph"])
        return State(int(numbers["step"]), list(numbers["applied"]), values)
    except Exception as error:
        raise CheckpointError(f"{file} holds no state of a server: {error}") from error


def safetensors() -> Any:
    """The library that writes them.

    Raises:
        MissingRayError: It is not installed.
    """
    try:
        from safetensors import numpy
    except ImportError as error:
        raise MissingRayError(
            'training on many machines needs: pip install "teachgraph[distributed]"'
        ) from error
    return numpy
