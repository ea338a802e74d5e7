"""Lists and tensors changed in place: Python's own, or what takes their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.eager import Tensor
from teachgraph.eager.inplace import IN_PLACE
from teachgraph.errors import ConversionError, at_user_line
from teachgraph.jit.tracing import as_variable, tracer
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.ops import functions
from teachgraph.ops.indexing import set_item
from teachgraph.static.arrays import ARRAY, array_length, array_write
from teachgraph.static.variable import Variable

NEW: dict[str, Any] = {
    "fill_": functions.full_like,
    "zero_": functions.zeros_like,
}
"""What gives new tensors where the name without `_` is no method."""

__all__ = [
    "convert_after",
    "convert_change",
    "convert_del",
    "convert_getattr",
    "convert_inplace",
    "convert_known",
    "convert_pop",
    "convert_setattr",
    "convert_setitem",
]


def convert_change(owner: Any, method: str, *values: Any) -> Any:
    """`owner.append(value)` and the like; what the owner is afterwards."""
    if not is_array(owner):
        getattr(owner, method)(*values)
        return owner
    if method == "append":
        return array_write(as_variable(values[0]), array_length(owner), owner)
    if method == "extend":
        for value in values[0]:
            owner = convert_change(owner, "append", value)
        return owner
    raise ConversionError(at_user_line(cannot(method)))


def convert_inplace(owner: Any, method: str, *values: Any, **named: Any) -> Any:
    """`owner.add_(value)` and the like; what the owner is afterwards."""
    if isinstance(owner, Either):
        owner = as_variable(owner)
    if not isinstance(owner, Variable) or hasattr(owner, method):
        getattr(owner, method)(*values, **named)
        return owner
    if method not in IN_PLACE:
        raise ConversionError(at_user_line(f"a tensor has no method {method!r}"))
    given = [as_variable(value) for value in values]
    function = NEW.get(method) or getattr(Variable, method[:-1])
    return function(owner, *given, **named)


def convert_pop(owner: Any, *place: Any) -> tuple[Any, Any]:
    """`owner.pop(place)`: what it gives, and what the owner is afterwards."""
    if is_array(owner):
        raise ConversionError(at_user_line(cannot("pop")))
    return owner.pop(*place), owner


def cannot(method: str) -> str:
    """The message for what a list in a program cannot do."""
    return (
        f"{method}() of a list that a loop of tensors makes longer: such a list can "
        "only be appended to, read and assigned to; keep a tensor instead"
    )


def is_array(value: Any) -> bool:
    """Whether a value is a list of the program."""
    return isinstance(value, Variable) and value.type == ARRAY


def convert_setitem(owner: Any, index: Any, value: Any) -> Any:
    """`owner[index] = value`; what the owner is afterwards."""
    if isinstance(owner, Either) or (tracer() and isinstance(owner, Tensor)):
        owner = as_variable(owner)
    if not isinstance(owner, Variable):
        owner[index] = value
        return owner
    if is_array(owner):
        return array_write(as_variable(value), index, owner)
    return set_item(owner, as_index(index), as_variable(value))


def as_index(index: Any) -> Any:
    """An index, its Tensors as variables."""
    if isinstance(index, tuple):
        return tuple(map(as_index, index))
    return as_variable(index)


def convert_getattr(owner: Any, name: str) -> Any:
    """`owner.name`, or what stands for an attribute that is not there yet."""
    return getattr(owner, name, None) if hasattr(owner, name) else Undefined(name)


def convert_setattr(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`; of what is not there, `del owner.name`."""
    if isinstance(value, Undefined):
        if name in getattr(owner, "__dict__", {}):
            delattr(owner, name)
    elif getattr(owner, name, owner) is not value:
        setattr(owner, name, value)


def convert_known(name: str, read: Callable[[], Any]) -> Any:
    """A global or nonlocal name, or what stands for one without a value."""
    try:
        return read()
    except NameError:
        return Undefined(name)


def convert_after(first: Any, value: Any) -> Any:
    """The value, once something else has been done."""
    return value


def convert_del(name: str, value: Any) -> Undefined:
    """`del name`."""
    if isinstance(value, Undefined):
        value.refuse()
    return Undefined(name)
