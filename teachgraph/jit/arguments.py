"""Arguments of a call: the tensors in them, and what else tells calls apart."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ShapeError,
    at_user_line,
)
from teachgraph.jit.pytree import fields_of, with_fields
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.layers import data
from teachgraph.static.variable import Variable

__all__ = ["FunctionSpec"]


class FunctionSpec:
    """How a function is called.

    Attributes:
        parameters: The names of its parameters, without the receiver of a method.
        input_spec: What its tensors will be, where the user said so.
    """

    def __init__(
        self, function: Callable[..., Any], input_spec: Sequence[Any] | None
    ) -> None:
        self.signature = inspect.signature(function)
        self.name = getattr(function, "__name__", type(function).__name__)
        self.parameters = list(self.signature.parameters)
        self.input_spec = checked(input_spec)
        kinds = {p.kind for p in self.signature.parameters.values()}
        self.simple = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        open_ended = inspect.Parameter.VAR_POSITIONAL in kinds
        if not open_ended and len(self.input_spec or ()) > len(self.parameters):
            raise InvalidValueError(at_user_line(too_many(self)))

    def bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, with the default values.

        Raises:
            TypeError: The function does not take these.
        """
        if not named and self.simple and len(args) == len(self.parameters):
            return args
        try:
            call = self.signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"{self.name}() is called amiss: {error}") from None
        call.apply_defaults()
        if self.simple:
            return tuple(call.arguments.values())
        return call.args, tuple(sorted(call.kwargs.items()))

    def specified(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with what the user said of the tensors in their place."""
        spec = self.input_spec
        if spec is None:
            return values
        given = values if self.simple else values[0]
        described = [
            agreed(one, value, name)
            for one, value, name in zip(spec, given, self.names(given), strict=False)
        ]
        whole = (*described, *given[len(described) :])
        return whole if self.simple else (whole, values[1])

    def names(self, values: Sequence[Any]) -> list[str]:
        """What the positional arguments are called."""
        if self.simple:
            return self.parameters
        positional = [
            p.name
            for p in self.signature.parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        star = next(
            (
                p.name
                for p in self.signature.parameters.values()
                if p.kind is p.VAR_POSITIONAL
            ),
            "args",
        )
        more = len(values) - len(positional)
        return positional + [f"{star}_{i}" for i in range(more)]

    def example(self) -> tuple[Any, ...]:
        """The arguments as far as the input spec tells them, and default values.

        Raises:
            InvalidValueError: There is none.
        """
        if self.input_spec is None:
            raise InvalidValueError(
                at_user_line(
                    "Please specific `input_spec` in `@paddle.jit.to_static` or feed "
                    "input tensor to call the decorated function at once."
                )
            )
        return self.bound(tuple(self.input_spec), {})


def checked(spec: Any) -> list[Any] | None:
    """An input spec as a list.

    Raises:
        TypeError: It is no list or tuple.
    """
    if spec is None:
        return None
    if not isinstance(spec, (list, tuple)):
        raise TypeError(
            "The type(input_spec) should be one of (tuple, list), but received "
            f"{type(spec).__name__}."
        )
    return list(spec)


def too_many(spec: FunctionSpec) -> str:
    """The message for an input spec longer than the arguments."""
    assert spec.input_spec is not None
    return (
        "Requires len(arguments) >= len(input_spec), but received len(args):"
        f"{len(spec.parameters)} < len(InputSpec): {len(spec.input_spec)}"
    )


def agreed(spec: Any, value: Any, name: str) -> Any:
    """A spec in the place of a tensor.

    Raises:
        ShapeError: The tensor is of another shape.
        DTypeError: It is of another dtype.
        InvalidValueError: There is no tensor where the spec has one, or a list has
            other items.
    """
    if isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)):
        if len(spec) != len(value):
            text = f"{name!r} has {len(value)} items, but the input spec {len(spec)}"
            raise InvalidValueError(at_user_line(text))
        pairs = enumerate(zip(spec, value, strict=True))
        return like(value, (agreed(s, v, f"{name}_{i}") for i, (s, v) in pairs))
    if isinstance(spec, dict) and isinstance(value, dict):
        if lacking := [key for key in spec if key not in value]:
            text = f"{name!r} lacks {lacking}, which the input spec has"
            raise InvalidValueError(at_user_line(text))
        return {
            k: agreed(spec[k], v, f"{name}_{k}") if k in spec else v
            for k, v in value.items()
        }
    if not isinstance(spec, InputSpec):
        return value
    if isinstance(value, InputSpec):
        return spec
    if not isinstance(value, (Tensor, np.ndarray)):
        raise InvalidValueError(
            at_user_line(f"{name!r} is {value!r}, but the input spec is {spec}")
        )
    shape, dtype = tuple(value.shape), value.dtype
    fits = len(shape) == len(spec.shape) and all(
        want in (-1, got) for want, got in zip(spec.shape, shape, strict=True)
    )
    if not fits or dtype != spec.dtype:
        raise (DTypeError if fits else ShapeError)(
            at_user_line(
                f"{name!r} is {dtype} {list(shape)}, but the input spec says "
                f"{spec.dtype} {list(spec.shape)}"
            )
        )
    return spec


def flattened(values: Any, tensors: list[Tensor], key: list[Any]) -> None:
    """Note the tensors in some arguments, and what tells these from others."""
    for value in values:
        kind = value.__class__
        if kind is Tensor or isinstance(value, Tensor):
            tensors.append(value)
            array = value.data
            key.append((array.shape, array.dtype.num))
        elif kind is np.ndarray:
            tensors.append(Tensor(value))
            key.append((value.shape, value.dtype.num))
        elif kind is list or kind is tuple or is_named(value):
            key.append((kind, len(value)))
            flattened(value, tensors, key)
        elif kind is dict:
            key.append((kind, tuple((name.__class__, name) for name in value)))
            flattened(value.values(), tensors, key)
        elif (named := fields_of(value)) is not None:
            key.append((kind, tuple(named)))
            flattened(named.values(), tensors, key)
        else:
            key.append((kind, constant(value)))


def is_named(value: Any) -> bool:
    """Whether it is a tuple whose parts have names."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def like(value: Any, items: Iterable[Any]) -> Any:
    """A list or tuple of these, of the kind of another one."""
    return type(value)(*items) if is_named(value) else type(value)(items)


def constant(value: Any) -> Any:
    """What stands for a value that is no tensor: itself, or its identity.

    Values that are equal but not alike, as 0.0 and -0.0, have different ones.
    """
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, (set, frozenset)):
        return frozenset((type(item), constant(item)) for item in value)
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def as_specs(value: Any) -> Any:
    """An argument with the shape and dtype of each tensor in its place."""
    if isinstance(value, (Tensor, np.ndarray)):
        return InputSpec(list(value.shape), value.dtype)
    if type(value) in (list, tuple) or is_named(value):
        return like(value, map(as_specs, value))
    if type(value) is dict:
        return {key: as_specs(item) for key, item in value.items()}
    if (named := fields_of(value)) is not None:
        return with_fields(value, {k: as_specs(item) for k, item in named.items()})
    return value


def as_variables(value: Any, name: str, found: list[Variable]) -> Any:
    """An argument as the traced function gets it: tensors and specs as Variables."""
    if isinstance(value, (Tensor, np.ndarray)):
        value = as_specs(value)
    if isinstance(value, InputSpec):
        variable = data(value.name or name, list(value.shape), value.dtype)
        variable.stop_gradient = value.stop_gradient or value.dtype.kind != "f"
        found.append(variable)
        return variable
    if type(value) in (list, tuple) or is_named(value):
        items = (as_variables(v, f"{name}_{i}", found) for i, v in enumerate(value))
        return like(value, items)
    if type(value) is dict:
        return {k: as_variables(v, f"{name}_{k}", found) for k, v in value.items()}
    if (named := fields_of(value)) is not None:
        within = {k: as_variables(v, f"{name}_{k}", found) for k, v in named.items()}
        return with_fields(value, within)
    return value
