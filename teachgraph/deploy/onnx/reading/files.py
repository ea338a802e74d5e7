"""Model files from anywhere: read, looked through, refused if something is wrong."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.core.errors import DataError, at_user_line
from teachgraph.deploy.onnx.types import dtype_of, needed

__all__ = ["array_of", "checked", "model_from_bytes"]

EXTERNAL = 1

Array = np.ndarray[Any, Any]


def model_from_bytes(content: bytes, name: str, path: Path | None = None) -> Any:
    """The model (`onnx.ModelProto`) that some bytes are.

    Raises:
        DataError: They are none, or one that breaks ONNX's rules.
    """
    onnx = needed("onnx")
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:
        raise DataError(at_user_line(f"{name} is no ONNX model: {error}")) from None
    return checked(model, name, path)


def checked(model: Any, name: str, path: Path | None = None) -> Any:
    """A model that keeps ONNX's rules, and whose other files lie beside its `path`.

    Raises:
        DataError: It does not.
    """
    if not model.graph.node and not model.graph.output:
        raise DataError(at_user_line(f"{name} is no ONNX model: it has no graph"))
    try:
        needed("onnx.checker").check_model(model if path is None else str(path))
    except Exception as error:
        reason = str(error).split("\n==>", maxsplit=1)[0].strip()
        raise DataError(at_user_line(f"{name} is a broken model: {reason}")) from None
    return model


def array_of(tensor: Any, folder: Path | None) -> Array:
    """The values of a constant, from the file itself or one beside it.

    Raises:
        DataError: There are not as many as its shape says, or the other file is not
            in the model's folder.
        DTypeError: There are no such numbers here.
    """
    shape = tuple(tensor.dims)
    if min(shape, default=0) < 0:
        raise DataError(at_user_line(f"{tensor.name!r} has the shape {list(shape)}"))
    if tensor.data_location == EXTERNAL:
        return external(tensor, shape, folder)
    try:
        found: Array = needed("onnx.numpy_helper").to_array(tensor)
    except (ValueError, TypeError, MemoryError, OverflowError) as error:
        raise DataError(
            at_user_line(f"{tensor.name!r} of shape {list(shape)}: {error}")
        ) from None
    if found.shape != shape:
        raise DataError(
            at_user_line(f"{tensor.name!r} of shape {list(shape)} has other values")
        )
    return found


def external(tensor: Any, shape: tuple[int, ...], folder: Path | None) -> Array:
    """Values that lie in another file of the model's folder."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = beside(entries.get("location", ""), folder, tensor.name)
    dtype = dtype_of(tensor.data_type)
    start, size = number(entries, "offset"), prod(shape) * dtype.itemsize
    length = number(entries, "length") or size
    if length != size or start + size > path.stat().st_size:
        raise DataError(
            at_user_line(
                f"{tensor.name!r} of shape {list(shape)} takes {size} bytes from "
                f"{start} on, which {path.name} does not have"
            )
        )
    with path.open("rb") as file:
        file.seek(start)
        values = np.frombuffer(file.read(size), dtype.newbyteorder("<"))
    return values.astype(dtype).reshape(shape)


def number(entries: dict[str, str], key: str) -> int:
    """A number of bytes.

    Raises:
        DataError: It is none.
    """
    text = entries.get(key, "0")
    if not (text.isascii() and text.isdigit()):
        raise DataError(at_user_line(f"external data: {key} = {text!r}"))
    return int(text)


def beside(location: str, folder: Path | None, name: str) -> Path:
    """A file in the model's folder.

    Raises:
        DataError: It is somewhere else, or not there.
    """
    if folder is None or not location:
        raise DataError(
            at_user_line(f"{name!r} lies in a file that did not come along")
        )
    home = folder.resolve()
    path = (home / location).resolve()
    if not path.is_relative_to(home):
        raise DataError(
            at_user_line(f"{name!r} lies outside the model's folder: {location!r}")
        )
    if not path.is_file():
        raise DataError(
            at_user_line(f"{name!r} lies in {location!r}, which is missing")
        )
    return path
