"""`x.shape`, `len(x)` and casts, of tensors or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.arrays import ARRAY, array_length
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.jit.tracing import as_variable
from teachgraph.jit.undefined import Either
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = ["axis_of", "cast_to", "convert_len", "convert_shape", "size_of"]


def convert_shape(value: Any) -> Any:
    """`value.shape`; a size that is not known yet is a tensor."""
    found = as_variable(value) if isinstance(value, Either) else value
    if not isinstance(found, Variable):
        return found.shape
    return [
        size if size != -1 else size_of(found, axis)
        for axis, size in enumerate(found.shape)
    ]


def size_of(value: Variable, axis: int) -> Any:
    """A size that is known only when the program runs."""
    found = functions.cast(functions.shape(value)[axis], "int64")
    found.__dict__["size_of"] = value.name, axis
    return found


def axis_of(size: Variable) -> tuple[str, int] | None:
    """Of which variable, and along which axis, a tensor is the size."""
    found: tuple[str, int] | None = size.__dict__.get("size_of")
    return found


def convert_len(value: Any) -> Any:
    """`len(value)`."""
    found = as_variable(value)
    if not isinstance(found, Variable):
        return len(found)
    if found.type == ARRAY:
        return functions.reshape(array_length(found), [])
    if not found.shape:
        raise InvalidValueError(at_user_line("a 0-D tensor has no length"))
    return convert_shape(found)[0]


def cast_to(kind: type, dtype: str) -> Callable[..., Any]:
    """`int`, `float` or `bool`, also of a tensor; no gradient goes through a number."""

    def cast(*values: Any) -> Any:
        found = as_variable(values[0]) if values else None
        if not isinstance(found, (Variable, Tensor)) or len(values) > 1:
            return kind(*values)
        if any(size not in (1, -1) for size in found.shape):
            raise InvalidValueError(
                at_user_line(f"{kind.__name__}() takes a tensor of one element")
            )
        one = functions.reshape(found, []) if found.shape else found
        keeps = kind is float and one.dtype.kind == "f"
        number = functions.assign(one) if keeps else functions.cast(one, dtype)
        number.stop_gradient = True
        return number

    cast.__name__ = f"convert_{kind.__name__}"
    return cast
