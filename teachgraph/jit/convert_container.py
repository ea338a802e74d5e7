"""Changes of containers and tensors in place, and items at places of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.errors import ConversionError
from teachgraph.jit.as_array import array_of
from teachgraph.jit.container_changes import about_to_change
from teachgraph.jit.inplace import rewritten
from teachgraph.jit.tracing import as_variable, tracer
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.ops import functions
from teachgraph.ops.indexing import set_item
from teachgraph.static.array_variable import ArrayVariable
from teachgraph.static.dynamic_slices import as_places, bounded_later
from teachgraph.static.variable import Variable

__all__ = [
    "convert_after",
    "convert_change",
    "convert_del",
    "convert_delitem",
    "convert_getattr",
    "convert_getitem",
    "convert_inplace",
    "convert_known",
    "convert_setattr",
    "convert_setitem",
]

NEW: dict[str, Any] = {
    "fill_": functions.full_like,
    "zero_": functions.zeros_like,
}
"""Out-of-place functions for methods whose name without `_` is no method."""

MODULES = ("teachgraph", "teachgraph.nn.functional")
"""Modules with functions that change their first argument in place."""

AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "<<=": operator.ilshift,
    "@=": operator.imatmul,
    "%=": operator.imod,
    "*=": operator.imul,
    "**=": operator.ipow,
    ">>=": operator.irshift,
    "-=": operator.isub,
}


def convert_change(owner: Any, method: str, *values: Any, **named: Any) -> Any:
    """`owner.append(value)` and the like."""
    from teachgraph.jit.convert_call import convert_call

    about_to_change(owner)
    if method in ("insert", "pop") and indexed_by_tensor(owner, *values[:1]):
        longer = 1 if method == "insert" else -1
        return through_array(owner, longer, lambda a: getattr(a, method)(*values))
    return convert_call(getattr(owner, method))(*values, **named)


def indexed_by_tensor(owner: Any, *index: Any) -> bool:
    """True if a Variable is the index into a Python list or tuple."""
    by_tensor = any(isinstance(as_variable(place), Variable) for place in index)
    return by_tensor and type(owner) in (list, tuple)


def through_array(
    items: list[Any], longer: int, change: Callable[[ArrayVariable], Any]
) -> Any:
    """Change a list by way of a tensor array, whose index may be a tensor.

    The list keeps its identity and a known length, `longer` more than before.
    """
    array, length = array_of(items), len(items) + longer
    result = change(array)
    items[:] = [array[i] for i in range(length)]
    return result


def convert_inplace(owner: Any, method: str, *values: Any, **named: Any) -> Any:
    """`owner.add_(value)` and the like, or `relu_(owner)`; return the owner."""
    from teachgraph.jit.convert_call import convert_call

    function = NEW.get(method) or getattr(Variable, method[:-1], None)
    if tracer() and values and getattr(owner, "__name__", "") in MODULES:
        function = getattr(owner, method[:-1])
        owner, *values = values  # type: ignore[assignment]
    if isinstance(owner, Either) or (tracer() and isinstance(owner, Tensor)):
        owner = as_variable(owner)
    if not isinstance(owner, Variable) or hasattr(type(owner), method):
        return convert_call(getattr(owner, method))(*values, **named)
    if function is None:
        raise ConversionError.here(f"a tensor has no method {method!r}")
    inputs = [as_variable(value) for value in values]
    return rewritten(owner, function(owner, *inputs, **named))


def convert_getitem(owner: Any, index: Any) -> Any:
    """`owner[index]`; the index of a list may be a tensor."""
    if indexed_by_tensor(owner, index):
        return array_of(owner)[as_variable(index)]
    return owner[index]


def convert_setitem(owner: Any, index: Any, value: Any, sign: str = "") -> None:
    """`owner[index] = value`, or with a sign `owner[index] += value`."""
    about_to_change(owner)
    if sign:
        value = AUGMENTED[sign](convert_getitem(owner, index), value)
    if isinstance(owner, Either) or (tracer() and isinstance(owner, Tensor)):
        owner = as_variable(owner)
    if isinstance(owner, Variable) and not isinstance(owner, ArrayVariable):
        place = as_index(index)
        place = as_places(owner, place) if bounded_later(place) else place
        rewritten(owner, set_item(owner, place, as_variable(value)))
    elif indexed_by_tensor(owner, index):
        through_array(owner, 0, lambda array: array.__setitem__(index, value))
    else:
        owner[index] = value


def convert_delitem(owner: Any, index: Any) -> None:
    """`del owner[index]`."""
    about_to_change(owner)
    if indexed_by_tensor(owner, index):
        through_array(owner, -1, lambda array: array.__delitem__(index))
    else:
        del owner[index]


def as_index(index: Any) -> Any:
    """Adopt the Tensors of an index."""
    if isinstance(index, tuple):
        return tuple(map(as_index, index))
    return as_variable(index)


def convert_getattr(owner: Any, name: str) -> Any:
    """`owner.name`, or a placeholder for an attribute that does not exist yet."""
    return getattr(owner, name, None) if hasattr(owner, name) else Undefined(name)


def convert_setattr(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`; of the placeholder, `del owner.name`."""
    if isinstance(value, Undefined):
        if name in getattr(owner, "__dict__", {}):
            delattr(owner, name)
    elif getattr(owner, name, owner) is not value:
        setattr(owner, name, value)


def convert_known(name: str, read: Callable[[], Any]) -> Any:
    """Read a global or nonlocal name; return a placeholder for one without a value."""
    try:
        return read()
    except NameError:
        return Undefined(name)


def convert_after(first: Any, value: Any) -> Any:
    """Return the second argument: Python has evaluated the first one before it."""
    return value


def convert_del(name: str, value: Any) -> Undefined:
    """`del name`."""
    if isinstance(value, Undefined):
        value.refuse()
    return Undefined(name)
