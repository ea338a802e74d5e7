"""Checkpoints of servers: one safetensors file each, whole or not at all.

The file holds the state's arrays; its header the step and what each trainer sent last.

    8 bytes: length of the header | header, JSON | bytes of the arrays, in their order
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.distributed.errors import CheckpointError, MissingRayError
from teachgraph.distributed.server import State
from teachgraph.distributed.transport import Array
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
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as opened:
            for part in parts_of(state):
                opened.write(part)
    except OSError as error:
        raise CheckpointError(
            f"step {state.step} cannot be saved in {file}: {error}"
        ) from error


def parts_of(state: State) -> Iterator[bytes | memoryview]:
    """Yield the parts of a file: the arrays as they lie in memory.

    The library copies them twice before it writes, which takes as long as the disk.
    """
    numbers = {"step": state.step, "applied": state.applied}
    arrays = {name: np.asarray(a, order="C") for name, a in state.values.items()}
    entries = {"__metadata__": {"teachgraph": json.dumps(numbers)}, **places(arrays)}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    yield len(header).to_bytes(8, "little") + header
    for array in arrays.values():
        yield array.reshape(-1).view(np.uint8).data


def places(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Describe each array as safetensors does: dtype, shape, first byte and last.

    >>> places({"w": np.zeros((2, 3), "float32")})
    {'w': {'dtype': 'F32', 'shape': [2, 3], 'data_offsets': [0, 24]}}
    """
    ends = list(accumulate((a.nbytes for a in arrays.values()), initial=0))
    return {
        name: {
            "dtype": dtype_of(array),
            "shape": [*array.shape],
            "data_offsets": [*span],
        }
        for (name, array), *span in zip(arrays.items(), ends, ends[1:], strict=False)
    }


def dtype_of(array: Array) -> str:
    """The name that safetensors has for a dtype.

    >>> [dtype_of(np.zeros(1, dtype)) for dtype in ("float32", "int64", "bool")]
    ['F32', 'I64', 'BOOL']
    """
    kind = array.dtype.kind.upper()
    return "BOOL" if kind == "B" else f"{kind}{8 * array.itemsize}"


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
