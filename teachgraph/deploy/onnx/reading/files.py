"""Model files from untrusted sources: parsed, checked, and refused if damaged."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.types import dtype_of, import_deploy
from teachgraph.errors import DataError

__all__ = ["array_of", "checked", "model_from_bytes"]

EXTERNAL = 1

Array = np.ndarray[Any, Any]


def model_from_bytes(content: bytes, name: str, path: Path | None = None) -> Any:
    """Parse a model (`onnx.ModelProto`).

    Raises:
        DataError: The bytes are no model, or one that breaks ONNX's rules.
    """
    onnx = import_deploy("onnx")
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:
        raise DataError.here(f"{name} is no ONNX model: {error}") from None
    return checked(model, name, path)


def checked(model: Any, name: str, path: Path | None = None) -> Any:
    """Check a model by ONNX's rules, with its external data beside `path`.

    Raises:
        DataError: It breaks them.
    """
    if not model.graph.node and not model.graph.output:
        raise DataError.here(f"{name} is no ONNX model: it has no graph")
    try:
        import_deploy("onnx.checker").check_model(model if path is None else str(path))
    except Exception as error:
        reason = str(error).split("\n==>", maxsplit=1)[0].strip()
        raise DataError.here(f"{name} is a broken model: {reason}") from None
    return model


def array_of(tensor: Any, folder: Path | None) -> Array:
    """Return the values of a constant, from the file itself or its external data.

    Raises:
        DataError: There are more or fewer than its shape says, or the external data is
            outside of the model's folder.
        DTypeError: Their dtype does not exist here.
    """
    shape = tuple(tensor.dims)
    if min(shape, default=0) < 0:
        raise DataError.here(f"{tensor.name!r} has the shape {list(shape)}")
    if tensor.data_location == EXTERNAL:
        return external(tensor, shape, folder)
    try:
        array: Array = import_deploy("onnx.numpy_helper").to_array(tensor)
    except (ValueError, TypeError, MemoryError, OverflowError) as error:
        raise DataError.here(
            f"{tensor.name!r} of shape {list(shape)}: {error}"
        ) from None
    if array.shape != shape:
        raise DataError.here(f"{tensor.name!r} of shape {list(shape)} has other values")
    return array


def external(tensor: Any, shape: tuple[int, ...], folder: Path | None) -> Array:
    """Read values from another file of the model's folder."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = path_in_folder(entries.get("location", ""), folder, tensor.name)
    dtype = dtype_of(tensor.data_type)
    start, size = number(entries, "offset"), prod(shape) * dtype.itemsize
    length = number(entries, "length") or size
    if length != size or start + size > path.stat().st_size:
        raise DataError.here(
            f"{tensor.name!r} of shape {list(shape)} takes {size} bytes from "
            f"{start} on, which {path.name} does not have"
        )
    with path.open("rb") as file:
        file.seek(start)
        values = np.frombuffer(file.read(size), dtype.newbyteorder("<"))
    return values.astype(dtype).reshape(shape)


def number(entries: dict[str, str], key: str) -> int:
    """Parse a number of bytes.

    Raises:
        DataError: It is no number.
    """
    text = entries.get(key, "0")
    if not (text.isascii() and text.isdigit()):
        raise DataError.here(f"external data: {key} = {text!r}")
    return int(text)


def path_in_folder(location: str, folder: Path | None, name: str) -> Path:
    """Return the path of a file in the model's folder.

    Raises:
        DataError: It is outside of the folder, or missing.
    """
    if folder is None or not location:
        raise DataError.here(f"{name!r} lies in a file that did not come along")
    # Resolved: neither `..` nor a symbolic link may lead to a file of the reader's.
    home = folder.resolve()
    path = (home / location).resolve()
    if not path.is_relative_to(home):
        raise DataError.here(f"{name!r} lies outside the model's folder: {location!r}")
    if not path.is_file():
        raise DataError.here(f"{name!r} lies in {location!r}, which is missing")
    return path
