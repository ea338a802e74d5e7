"""`x.shape`, `len(x)` and casts such as `int(x)`, also of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.arrays import ARRAY, array_length
from teachgraph.core.errors import InvalidValueError
from teachgraph.jit.tracing import as_variable
from teachgraph.jit.undefined import Either
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = ["axis_of", "cast_to", "convert_len", "convert_shape", "size_of"]


def convert_shape(value: Any) -> Any:
    """`value.shape`; a size that is unknown while tracing is a tensor."""
    tensor = as_variable(value) if isinstance(value, Either) else value
    if not isinstance(tensor, Variable):
        return tensor.shape
    return [
        size if size != -1 else size_of(tensor, axis)
        for axis, size in enumerate(tensor.shape)
    ]


def size_of(value: Variable, axis: int) -> Any:
    """Append an op that reads a size; return its result."""
    size = functions.cast(functions.shape(value)[axis], "int64")
    size.__dict__["size_of"] = value.name, axis
    return size


def axis_of(size: Variable) -> tuple[str, int] | None:
    """Return (variable, axis) for a result of `size_of`, None for another tensor."""
    origin: tuple[str, int] | None = size.__dict__.get("size_of")
    return origin


def convert_len(value: Any) -> Any:
    """`len(value)`."""
    tensor = as_variable(value)
    if not isinstance(tensor, Variable):
        return len(tensor)
    if tensor.type == ARRAY:
        return functions.reshape(array_length(tensor), [])
    if not tensor.shape:
        raise InvalidValueError.here("a 0-D tensor has no length")
    return convert_shape(tensor)[0]


def cast_to(kind: type, dtype: str) -> Callable[..., Any]:
    """Convert `int`, `float` or `bool`; as in Python, the result has no gradient."""

    def cast(*values: Any) -> Any:
        tensor = as_variable(values[0]) if values else None
        if not isinstance(tensor, (Variable, Tensor)) or len(values) > 1:
            return kind(*values)
        if any(size not in (1, -1) for size in tensor.shape):
            raise InvalidValueError.here(
                f"{kind.__name__}() takes a tensor of one element"
            )
        one = functions.reshape(tensor, []) if tensor.shape else tensor
        same_kind = kind is float and one.dtype.kind == "f"
        number = functions.assign(one) if same_kind else functions.cast(one, dtype)
        number.stop_gradient = True
        return number

    cast.__name__ = f"convert_{kind.__name__}"
    return cast
