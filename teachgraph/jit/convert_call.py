"""Calls at run time: a function of the user's is converted, any other is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial, reduce, singledispatch
from types import FunctionType, MethodType, ModuleType
from typing import Any

from teachgraph import nn
from teachgraph.autograd.creation import first_variable, to_tensor, variable_of
from teachgraph.autograd.py_layer import PyLayer
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.errors import NoSourceError
from teachgraph.jit.container_changes import convert_next
from teachgraph.jit.conversion import GENERATOR, converted, is_converted
from teachgraph.jit.convert_for import (
    convert_enumerate,
    convert_range,
    convert_reversed,
    convert_zip,
)
from teachgraph.jit.convert_functions import FUNCTIONS
from teachgraph.jit.convert_ifelse import convert_ternary
from teachgraph.jit.convert_logical import convert_logical_and, convert_logical_or
from teachgraph.jit.convert_pylayer import append_pylayer
from teachgraph.jit.convert_shape import cast_to, convert_len
from teachgraph.jit.convert_text import convert_print
from teachgraph.jit.settings import LEFT_ALONE, ignored
from teachgraph.jit.tracing import as_variable, tracer
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.ops import functions
from teachgraph.ops.array_lists import tensor_array_to_tensor
from teachgraph.static.array_variable import ArrayVariable
from teachgraph.static.variable import Variable

__all__ = ["convert_call", "convert_layer", "user_function"]

STANDARD = frozenset({*sys.stdlib_module_names, "numpy"})


def convert_isinstance(value: Any, kinds: Any) -> bool:
    """`isinstance`; a Variable passes for the Tensor that the user sees in it."""
    tensor = value.yes if isinstance(value, Either) else value
    if isinstance(tensor, Variable) and isinstance_of(Tensor, kinds):
        return True
    return isinstance(value, kinds)


def isinstance_of(kind: type, kinds: Any) -> bool:
    """True if a class is the second argument of `isinstance`, or one in its tuple."""
    return kind is kinds or (isinstance(kinds, tuple) and kind in kinds)


def convert_hasattr(owner: Any, name: str) -> Any:
    """`hasattr`; for an attribute that one branch assigns or deletes, its condition."""
    value = owner.__dict__.get(name) if hasattr(owner, "__dict__") else None
    if isinstance(value, Either) and isinstance(value.no, Undefined):
        return value.flag
    return hasattr(owner, name)


def convert_default(owner: Any, name: str, *default: Any) -> Any:
    """`getattr`, also for an attribute that only one branch assigns."""
    if default and isinstance(exists := convert_hasattr(owner, name), Variable):
        value = owner.__dict__[name].yes
        return convert_ternary(exists, lambda: value, lambda: default[0])
    return getattr(owner, name, *default)


def convert_to_tensor(
    data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True
) -> Any:
    """`to_tensor`, also for tensors of the program, and lists of them."""
    values = with_variables(data)
    if first_variable(values) is None:
        return to_tensor(data, dtype, place, stop_gradient)
    return variable_of(values, dtype, stop_gradient)


def with_variables(data: Any) -> Any:
    """Nested lists with the Variables that stand for their tensors."""
    if isinstance(data, (list, tuple)):
        return [with_variables(part) for part in data]
    return as_variable(data)


def convert_map(function: Any, *values: Any) -> Any:
    """`map`, its function converted."""
    return map(convert_call(function), *values)


def convert_filter(function: Any, values: Any) -> Any:
    """`filter`, its function converted."""
    return filter(function if function is None else convert_call(function), values)


def convert_any(values: Any) -> Any:
    """`any`, also for tensors."""
    return reduce(lambda a, b: convert_logical_or(a, lambda: b), values, False)


def convert_all(values: Any) -> Any:
    """`all`, also for tensors."""
    return reduce(lambda a, b: convert_logical_and(a, lambda: b), values, True)


def convert_list(*values: Any) -> Any:
    """`list`; a copy for a tensor array."""
    if values and isinstance(values[0], ArrayVariable):
        return values[0].copy()
    return list(*values)


def convert_sum(values: Any, start: Any = 0) -> Any:
    """`sum`, also for a tensor array."""
    if isinstance(values, ArrayVariable):
        return tensor_array_to_tensor(values, axis=0, use_stack=True).sum(0) + start
    return sum(values, start)


def convert_max_min(
    usual: Callable[..., Any], pair: Callable[..., Any]
) -> Callable[..., Any]:
    """Convert `max` or `min`, also for tensors."""

    def convert(*values: Any, **options: Any) -> Any:
        items = list(values[0]) if len(values) == 1 else list(values)
        items = [as_variable(item) for item in items]
        tensor = next((v for v in items if isinstance(v, Variable)), None)
        if tensor is None or options:
            return usual(*values, **options)
        dtype = tensor.dtype
        tensors = [
            v if isinstance(v, Variable) else functions.full([], v, dtype)
            for v in items
        ]
        return reduce(pair, tensors)

    return convert


BUILT_IN: dict[Any, Callable[..., Any]] = {
    all: convert_all,
    any: convert_any,
    bool: cast_to(bool, "bool"),
    enumerate: convert_enumerate,
    filter: convert_filter,
    float: cast_to(float, "float32"),
    getattr: convert_default,
    hasattr: convert_hasattr,
    int: cast_to(int, "int64"),
    isinstance: convert_isinstance,
    len: convert_len,
    list: convert_list,
    map: convert_map,
    max: convert_max_min(max, functions.maximum),
    min: convert_max_min(min, functions.minimum),
    next: convert_next,
    print: convert_print,
    range: convert_range,
    reversed: convert_reversed,
    sum: convert_sum,
    to_tensor: convert_to_tensor,
    zip: convert_zip,
    **FUNCTIONS,
}
"""Replacements of functions that cannot take Variables themselves."""


def convert_call(function: Any) -> Any:
    """Return the function to call instead of another one."""
    with suppress(TypeError):  # a callable object without a hash
        if (replacement := BUILT_IN.get(function)) is not None:
            return replacement
    return converted_callable(function)


@singledispatch
def converted_callable(function: Any) -> Any:
    """Return the function to call instead of one that is not built in, by its kind."""
    if hasattr(function, "converted_function"):
        return function.converted_function
    return callable_object(function)


@converted_callable.register
def _(function: FunctionType) -> Any:
    return user_function(function) or function


def convert_apply(layer: type[PyLayer], *args: Any, **named: Any) -> Any:
    """`PyLayer.apply`, its `forward` and `backward` converted."""
    if in_dynamic_mode():
        return layer.apply(*args, **named)
    forward, backward = convert_call(layer.forward), convert_call(layer.backward)
    return append_pylayer(forward, backward, args, named)


METHODS = {**FUNCTIONS, vars(PyLayer)["apply"].__func__: convert_apply}
"""Replacements of functions that are bound as methods."""


@converted_callable.register
def method(bound: MethodType) -> Any:
    """Convert a bound method's function."""
    function = bound.__func__
    own = METHODS.get(function)
    if own is None and isinstance(function, FunctionType):
        own = user_function(function)
    return bound if own is None else MethodType(own, bound.__self__)


@converted_callable.register
def _(function: partial) -> Any:  # type: ignore[type-arg]
    called = convert_call(function.func)
    return partial(called, *function.args, **function.keywords)


def callable_object(value: Any) -> Any:
    """Convert the `__call__` of an object of the user's."""
    if isinstance(value, (type, ModuleType)) or not callable(value):
        return value
    call = type(value).__call__
    if not isinstance(call, FunctionType):
        return value
    own = user_function(call)
    return value if own is None else MethodType(own, value)


def user_function(function: FunctionType) -> FunctionType | None:
    """Convert a function of the user's; None for one that is called as it is."""
    if is_converted(function):
        return function
    if not written_by_user(function):
        return None
    result, alone = None, getattr(function, LEFT_ALONE, False)
    with suppress(NoSourceError):
        if not alone and not function.__code__.co_flags & GENERATOR:
            result = converted(function, helpers())
    if here := tracer():
        here.meet_function(result or function, function)
    return result


def written_by_user(function: FunctionType) -> bool:
    """True for a function that is neither Python's, nor NumPy's, nor ours."""
    module = function.__globals__.get("__name__") or ""
    if module.partition(".")[0] in STANDARD or framework(module):
        return False
    return not any(module == name or module.startswith(f"{name}.") for name in ignored)


def framework(module: str) -> bool:
    """True for a module of the framework; its models count as the user's code."""
    ours = module == "teachgraph" or module.startswith("teachgraph.")
    return ours and not module.startswith("teachgraph.models")


@converted_callable.register
def convert_layer(layer: nn.Layer) -> nn.Layer:
    """Convert the `forward` and the hooks of a layer and its sublayers, in place.

    `Tracer.restore` undoes it.
    """
    here = tracer()
    if here is None:
        return layer
    here.meet(layer)
    for one in layer.sublayers(include_self=True):
        if "forward" in one.__dict__ and not hasattr(one.forward, "converted_function"):
            continue
        forward = convert_call(one.forward)
        # Past Layer.__setattr__, which would count a change of the user's.
        if forward is not one.forward:
            object.__setattr__(one, "forward", forward)
        for name in ("_pre_hooks", "_post_hooks"):
            if hooks := one.__dict__[name]:
                calls = {key: convert_call(hook) for key, hook in hooks.items()}
                object.__setattr__(one, name, calls)
    return layer


def helpers() -> Mapping[str, Any]:
    """Return the functions that converted code calls, by name."""
    from teachgraph.jit.helpers import HELPERS  # which imports this module

    return HELPERS
