"""Saving and loading nested state: `paddle.save` and `paddle.load`.

The arrays are in safetensors, a format of plain bytes with a header; the containers and
numbers around them are JSON in that header. Nothing in a file can run code, and a file
is written atomically.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.pytree import mapped
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.errors import DataError
from teachgraph.io.files import written_whole
from teachgraph.io.prefix import with_suffix
from teachgraph.io.together import finish_saves, newest
from teachgraph.nn import Layer
from teachgraph.static.document import DEEPEST, sound
from teachgraph.static.program import Program
from teachgraph.static.serialize import FORMAT

__all__ = ["load", "save"]

Json = Any

KEY = "teachgraph"
"""Key of the structure in the header's metadata."""
META = "__metadata__"  # where safetensors has room for it
LONGEST_HEADER = 100_000_000
"""Bytes: what safetensors reads."""

PROGRAM = f'{{\n "format": "{FORMAT}"'.encode()
"""The first bytes of the file of a program."""

PICKLE = b"\x80"
ZIP = b"PK"


def safetensors() -> ModuleType:
    """Import the library that reads and writes the arrays.

    Raises:
        ImportError: The library is not installed.
    """
    try:
        from safetensors import numpy as library
    except ImportError:
        raise ImportError(
            "save and load need the package safetensors: pip install safetensors"
        ) from None
    return library


JSON_LEVELS = 3
"""Levels of JSON that a level of a saved value takes at most."""


class Packer:
    """Flattens nested state into arrays by name, and JSON that refers to them."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.known: dict[int, str] = {}

    def pack(self, value: Any, path: tuple[str, ...] = ()) -> Json:
        """Convert a value to JSON; its arrays are collected under their paths.

        Raises:
            DTypeError: A value of this type cannot be saved.
            DataError: It is nested too deeply, or in itself.
        """
        if len(path) > DEEPEST:
            message = f"save: the object is nested too deeply: {DEEPEST} is the most"
            raise DataError.here(message)
        if isinstance(value, (Tensor, np.ndarray, np.generic)):
            return self.pack_array(value, path)
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            # JSON has no infinity and no NaN.
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, (list, tuple)):
            items = [self.pack(v, (*path, str(i))) for i, v in enumerate(value)]
            return {"tuple": items} if isinstance(value, tuple) else items
        if isinstance(value, Mapping):
            # Pairs, as the keys of JSON's objects are strings only.
            pairs = [
                [self.pack(k, path), self.pack(v, (*path, str(k)))]
                for k, v in value.items()
            ]
            return {"dict": pairs}
        raise DTypeError.here(
            f"save: {'.'.join(path) or 'the object'} is a {type(value).__name__}; "
            "tensors, arrays, numbers, strings, None and dicts, lists and tuples "
            "of these can be saved"
        )

    def pack_array(self, value: Any, path: tuple[str, ...]) -> Json:
        """Convert an array to a reference; a shared array is stored once."""
        data = np.asarray(value.data if isinstance(value, Tensor) else value)
        if id(data) not in self.known:
            if data.dtype.kind not in "biuf":
                raise DTypeError.here(f"save: {'.'.join(path)} has dtype {data.dtype}")
            # `self.arrays` keeps the array alive, so that its id is not reused.
            self.known[id(data)] = name = self.fresh(".".join(path) or "value")
            self.arrays[name] = data
        reference: dict[str, Any] = {"array": self.known[id(data)]}
        if isinstance(value, Tensor):
            reference["tensor"] = value.label
        return reference

    def fresh(self, name: str) -> str:
        """Return a name that no array has yet."""
        unique, count = name, 1
        while unique in self.arrays:
            unique, count = f"{name}#{count}", count + 1
        return unique


def unpack(packed: Json, arrays: Mapping[str, Any], *, return_numpy: bool) -> Any:
    """Rebuild the nested state that a Packer flattened."""

    def rebuild(value: Json) -> Any:
        return unpack(value, arrays, return_numpy=return_numpy)

    if isinstance(packed, list):
        return [rebuild(item) for item in packed]
    if not isinstance(packed, dict):
        return packed
    if "tuple" in packed:
        return tuple(rebuild(item) for item in packed["tuple"])
    if "dict" in packed:
        return {rebuild(key): rebuild(value) for key, value in packed["dict"]}
    if "float" in packed:
        return float(packed["float"])
    data = arrays[packed["array"]]
    if "tensor" not in packed or return_numpy:
        return data
    tensor = Tensor.results(data)
    if packed["tensor"]:
        tensor.name = packed["tensor"]
    return tensor


def holds_tensor(packed: Json) -> bool:
    """Tell whether one of the arrays in flattened state was a Tensor's."""
    if isinstance(packed, dict):
        return "tensor" in packed or any(map(holds_tensor, packed.values()))
    return isinstance(packed, list) and any(map(holds_tensor, packed))


def as_tensor(value: Any) -> Any:
    """A Tensor of an array; anything else as it is."""
    return Tensor.results(value) if isinstance(value, np.ndarray) else value


def save(obj: Any, path: Any, protocol: int = 4, **configs: Any) -> None:
    """Write nested state to a file: state dicts, tensors, numbers, lists of these.

    Args:
        obj: The nested state; not a Layer, but its `state_dict()`. Or a Program.
        path: The file, replaced atomically; a missing folder is created. Or an open
            file, such as `io.BytesIO()`, to write to.
        protocol: From 2 to 4, for Paddle's sake; nothing is pickled.
        configs: `use_binary_format` and `pickle_protocol`, for Paddle's sake.

    Raises:
        InvalidValueError: `obj` is a Layer, the path names no file, or a setting is
            unknown or out of its range.
        DTypeError: A value in it cannot be saved.

    In Paddle this is `paddle.save`; any reader of safetensors opens the file too.

    >>> import tempfile, teachgraph as tg
    >>> file = Path(tempfile.mkdtemp()) / "state.pdparams"
    >>> save({"w": tg.to_tensor([1.0, 2.0]), "epoch": 3}, file)
    >>> load(file)["w"].tolist(), load(file)["epoch"]
    ([1.0, 2.0], 3)
    """
    if isinstance(obj, Layer):
        raise InvalidValueError.here(
            "paddle do not support saving `paddle.nn.Layer` object: save its "
            "state_dict()"
        )
    protocol = configs.get("pickle_protocol", protocol)
    if type(protocol) is not int or not 1 < protocol < 5:
        raise InvalidValueError.here(
            f"save: 'protocol' is an integer from 2 to 4, got {protocol!r}"
        )
    require_settings("save", configs, SAVE_SETTINGS)
    if hasattr(path, "write"):
        path.write(serialize(obj))
        return
    target = path_of("save", path)
    if not target.name or target.is_dir():
        raise InvalidValueError.here(
            f"The input path MUST be a file, but received {str(path)!r}"
        )
    content = serialize(obj)
    target.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(target) as file:
        file.write(content)


def serialize(obj: Any) -> bytes:
    """Serialize nested state to the bytes of a file.

    Raises:
        DTypeError: A value in it cannot be saved.
    """
    if isinstance(obj, Program):
        return obj.desc.serialize_to_string()
    packer = Packer()
    structure = json.dumps(packer.pack(obj), allow_nan=False)
    # `ascontiguousarray` gives a scalar the shape [1]; `reshape` takes that back.
    arrays = {
        name: np.ascontiguousarray(x).reshape(x.shape)
        for name, x in packer.arrays.items()
    }
    content: bytes = safetensors().save(arrays, {KEY: structure})
    return content


def load(path: Any, return_numpy: bool = False, **configs: Any) -> Any:
    """Read what `save` wrote, or any file of safetensors as a flat dict.

    Args:
        path: The file, an open one, or the prefix of a saved model's files: gives its
            parameters and buffers by the names they had in the layer.
        return_numpy: Give arrays instead of Tensors. Without it arrays stay arrays
            beside Tensors, but in a state of arrays alone are Tensors, as in Paddle.
        configs: `model_filename`, `params_filename` and `keep_name_table`, for Paddle's
            sake.

    Raises:
        InvalidValueError: There is no such file, or a setting is unknown.
        DataError: The file is damaged, or a pickle, which is never opened.

    In Paddle this is `paddle.load`.
    """
    require_settings("load", configs, LOAD_SETTINGS)
    if hasattr(path, "read"):
        return unpacked(first_in(path), "the file", return_numpy=return_numpy)
    source = path_of("load", path)
    finish_saves(source.parent)
    values = with_suffix(source, ".pdiparams")
    if not source.is_file() and values.is_file():
        return state_of_model(values, return_numpy=return_numpy)
    if not source.is_file():
        raise InvalidValueError.here(
            f"The ``path`` ({source}) to load model not exists."
        )
    content = newest(source).read_bytes()
    if content.startswith(PROGRAM):
        return Program.parse_from_string(content)
    return unpacked(content, source, return_numpy=return_numpy)


SAVE_SETTINGS = {"use_binary_format": bool, "pickle_protocol": int}
LOAD_SETTINGS = {
    "model_filename": (str, NoneType),
    "params_filename": (str, NoneType),
    "keep_name_table": bool,
}
"""Paddle's settings, which are accepted without effect, and their types."""


def require_settings(
    function: str, configs: Mapping[str, Any], known: Mapping[str, Any]
) -> None:
    """Require settings that Paddle has, of its types.

    Raises:
        InvalidValueError: One is unknown.
        DTypeError: One is of another type.
    """
    for name, value in configs.items():
        if name not in known:
            raise InvalidValueError.here(
                f"The additional config ({name}) of {function} is not supported: it "
                f"takes {', '.join(known)}"
            )
        if not isinstance(value, known[name]):
            raise DTypeError.here(f"{function}: {name} cannot be {value!r}")


def path_of(function: str, path: Any) -> Path:
    """Convert a path.

    Raises:
        DTypeError: It is none.
    """
    if not isinstance(path, (str, PathLike)):
        raise DTypeError.here(
            f"{function} takes a path or an open file, but got {type(path)}"
        )
    return Path(path)


def first_in(file: Any) -> bytes:
    """Read what one `save` wrote to an open file, and leave it at the next."""
    content: bytes = file.read(8)
    size = int.from_bytes(content, "little")
    if size > LONGEST_HEADER:
        return content + bytes(file.read())
    content += file.read(size)
    try:
        spans = [v["data_offsets"][1] for k, v in header(content).items() if k != META]
        return content + bytes(file.read(max(spans, default=0)))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return content + bytes(file.read())


def state_of_model(values: Path, *, return_numpy: bool) -> dict[str, Any]:
    """Read the values of a saved model, by their names in the layer if known.

    Raises:
        DataError: One of its files is damaged.
    """
    state = unpacked(newest(values).read_bytes(), values, return_numpy=return_numpy)
    names_file = with_suffix(values, ".info")
    if not names_file.is_file():
        return dict(state)
    try:
        info = json.loads(newest(names_file).read_bytes())
        names = {name: str(info[name]["structured_name"]) for name in state}
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise DataError.here(
            f"{names_file} does not tell the names of {values.name}: {error!r}"
        ) from None
    return {names[name]: value for name, value in state.items()}


def unpacked(content: bytes, source: Path | str, *, return_numpy: bool) -> Any:
    """Deserialize the nested state in the bytes of a file.

    Args:
        content: The bytes.
        source: Their origin, for messages.
        return_numpy: Give arrays instead of Tensors.

    Raises:
        DataError: They are damaged, or a pickle, which is never opened.
    """
    arrays = arrays_in(content, source)
    try:
        text = header(content).get(META, {}).get(KEY)
        structure = flat_structure(arrays) if text is None else json.loads(text)
        sound(structure, deepest=JSON_LEVELS * DEEPEST)
        state = unpack(structure, arrays, return_numpy=return_numpy)
        bare = return_numpy or holds_tensor(structure)
        return state if bare else mapped(state, as_tensor)
    except (
        ArithmeticError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise DataError.here(
            f"{source}: its structure does not fit its arrays: {error}"
        ) from None


def arrays_in(content: bytes, source: Path | str) -> dict[str, Any]:
    """Read the arrays of a file.

    Raises:
        DataError: The file is no safetensors, or damaged.
    """
    try:
        arrays: dict[str, Any] = safetensors().load(content)
    except ImportError:
        raise
    except Exception as error:
        reason = f"is no safetensors file, or damaged: {error}"
        if content.startswith((PICKLE, ZIP)):
            reason = (
                "looks like a pickle, which could run code when opened, and is not: "
                "convert it to safetensors where it was made"
            )
        raise DataError.here(f"{source} {reason}") from None
    return arrays


def header(content: bytes) -> dict[str, Any]:
    """Read the JSON at the start of a safetensors file."""
    size = int.from_bytes(content[:8], "little")
    parsed: dict[str, Any] = json.loads(content[8 : 8 + size])
    return parsed


def flat_structure(arrays: Mapping[str, Any]) -> Json:
    """Build the structure for a file without one: a dict of its arrays."""
    return {"dict": [[name, {"array": name, "tensor": ""}] for name in sorted(arrays)]}
