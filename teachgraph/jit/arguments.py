"""Arguments of a call: the tensors in them, and the cache key made of the rest."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.pytree import fields_of, with_fields
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.modes import is_recording
from teachgraph.jit.conversion import definition_of
from teachgraph.ops.default_dtype import default_dtype
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["FunctionSpec"]


class FunctionSpec:
    """The signature of a function, with the specs of its tensors.

    Attributes:
        parameters: The names of its parameters, without the receiver of a method.
        in_order: How many arguments are bound as they stand, -1 if none ever are: to
            bind them costs more than a small program.
        input_spec: The specs of its tensors, if the user gave some.
        reads_flags: A trace has read `stop_gradient` or `is_grad_enabled`, so that
            those of a call count.
    """

    reads_flags = False

    def __init__(
        self, function: Callable[..., Any], input_spec: Sequence[Any] | None
    ) -> None:
        self.signature = inspect.signature(function)
        self.function, self.definition = function, definition_of(function)
        self.name = getattr(function, "__name__", type(function).__name__)
        self.parameters = list(self.signature.parameters)
        kinds = {p.kind for p in self.signature.parameters.values()}
        self.simple = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self.in_order = len(self.parameters) if self.simple else -1
        self.input_spec: list[Any] | None = None
        if input_spec is not None:
            open_ended = inspect.Parameter.VAR_POSITIONAL in kinds
            most = None if open_ended else len(self.parameters)
            self.input_spec = checked(input_spec, most)

    def holds(self) -> bool:
        """True if the function still has the code and the defaults it had."""
        now, definition = definition_of(self.function), self.definition
        return len(now) == len(definition) and all(map(is_, now, definition))

    def bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments in order, with the default values.

        Raises:
            TypeError: The function does not take these.
        """
        try:
            call = self.signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"{self.name}() is called amiss: {error}") from None
        call.apply_defaults()
        if self.simple:
            return tuple(call.arguments.values())
        return call.args, tuple(sorted(call.kwargs.items()))

    def specified(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Replace tensors in the arguments by the user's specs."""
        specs = self.input_spec
        if specs is None:
            return values
        positional = values if self.simple else values[0]
        names = self.parameters if self.simple else self.names(positional)
        described = [
            agreed(spec, value, name)
            for spec, value, name in zip(specs, positional, names, strict=False)
        ]
        whole = (*described, *positional[len(described) :])
        return whole if self.simple else (whole, values[1])

    def variables(
        self, values: tuple[Any, ...], inputs: list[Variable]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Replace tensors in the arguments by fed Variables, listed in `inputs`."""
        positional, named = (values, ()) if self.simple else values
        names = self.parameters if self.simple else self.names(positional)
        pairs = zip(positional, names, strict=False)
        args = [as_variables(value, name, inputs) for value, name in pairs]
        return args, {name: as_variables(v, name, inputs) for name, v in named}

    def names(self, values: Sequence[Any]) -> list[str]:
        """Return the names of the positional arguments."""
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
        """Return the specs in place of the arguments, and the default values.

        Raises:
            InvalidValueError: There is no input spec.
        """
        if self.input_spec is None:
            raise InvalidValueError.here(
                "Please specific `input_spec` in `@paddle.jit.to_static` or feed "
                "input tensor to call the decorated function at once."
            )
        return self.bound(tuple(self.input_spec), {})


def require_list(spec: Any) -> None:
    """Require an input spec that is a list or tuple.

    Raises:
        DTypeError: It is neither.
    """
    if not isinstance(spec, (list, tuple)):
        raise DTypeError.here(
            "The type(input_spec) should be one of (tuple, list), but received "
            f"{type(spec).__name__}."
        )


def checked(spec: Any, most: int | None) -> list[Any]:
    """Return an input spec as a list.

    Raises:
        DTypeError: It is no list or tuple.
        InvalidValueError: It is longer than the arguments.
    """
    require_list(spec)
    if most is not None and len(spec) > most:
        raise InvalidValueError.here(
            "Requires len(arguments) >= len(input_spec), but received len(args):"
            f"{most} < len(InputSpec): {len(spec)}"
        )
    return list(spec)


def agreed(spec: Any, value: Any, name: str) -> Any:
    """Return the spec that replaces a tensor, or those of a pytree's tensors.

    A tensor of another shape or dtype is left as it is: it gets a program of its own.

    Raises:
        InvalidValueError: There is no tensor where the spec has one, or a list has
            other items.
    """
    if isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)):
        if len(spec) != len(value):
            text = f"{name!r} has {len(value)} items, but the input spec {len(spec)}"
            raise InvalidValueError.here(text)
        pairs = enumerate(zip(spec, value, strict=True))
        return sequence_like(
            value, (agreed(s, v, f"{name}_{i}") for i, (s, v) in pairs)
        )
    if isinstance(spec, dict) and isinstance(value, dict):
        if lacking := [key for key in spec if key not in value]:
            text = f"{name!r} lacks {lacking}, which the input spec has"
            raise InvalidValueError.here(text)
        return {
            k: agreed(spec[k], v, f"{name}_{k}") if k in spec else v
            for k, v in value.items()
        }
    if not isinstance(spec, InputSpec):
        return value
    if isinstance(value, InputSpec):
        return spec
    if not isinstance(value, (Tensor, np.ndarray)):
        raise InvalidValueError.here(
            f"{name!r} is {value!r}, but the input spec is {spec}"
        )
    shape, dtype = tuple(value.shape), value.dtype
    fits = len(shape) == len(spec.shape) and all(
        want in (-1, got) for want, got in zip(spec.shape, shape, strict=True)
    )
    return spec if fits and dtype == spec.dtype else value


def flattened(values: tuple[Any, ...]) -> tuple[list[Tensor], tuple[Any, ...]]:
    """Return the tensors in some arguments, and a cache key: their specs, and the rest.

    The default dtype is part of it, as functions without arguments read it too.

    >>> from teachgraph import zeros
    >>> tensors, key = flattened((zeros([2, 3]), 0.5))
    >>> len(tensors), key[1]
    (1, (<class 'float'>, '0x1.0000000000000p-1'))
    """
    tensors: list[Tensor] = []
    key: list[Any] = []
    flatten(values, tensors, key)
    return tensors, (*key, default_dtype().num)


def flags(tensors: Iterable[Tensor]) -> tuple[bool, ...]:
    """Return the part of a cache key for `no_grad` and the tensors' flags."""
    return (is_recording(), *(tensor.stop_gradient for tensor in tensors))


def flatten(values: Iterable[Any], tensors: list[Tensor], key: list[Any]) -> None:
    """Append the tensors in some values to a list, and the rest to a cache key."""
    for value in values:
        if isinstance(value, np.ndarray):  # a tensor then, even if it is a matrix
            value = Tensor.results(np.asarray(value))  # noqa: PLW2901
        if isinstance(value, Tensor):
            tensors.append(value)
            key.append((value.data.shape, value.data.dtype.num))
        else:
            own, parts = taken_apart(value)
            key.append(own)
            flatten(parts, tensors, key)


def taken_apart(value: Any) -> tuple[Any, Iterable[Any]]:
    """Return the cache key of a container without its parts, and the parts."""
    kind = value.__class__
    if kind is list or kind is tuple or is_named(value):
        return (kind, len(value)), value
    if kind is dict:
        return (kind, tuple((name.__class__, name) for name in value)), value.values()
    if (named := fields_of(value)) is not None:
        return (kind, tuple(named)), named.values()
    return (kind, constant_key(value)), ()


def is_named(value: Any) -> bool:
    """True for a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def sequence_like(value: Any, items: Iterable[Any]) -> Any:
    """Build a list or tuple of these items, of the type of another one."""
    return type(value)(*items) if is_named(value) else type(value)(items)


def constant_key(value: Any) -> Any:
    """Return the part of a cache key for a value that is no tensor.

    It is the value itself, or its identity if it has no hash. Values that are equal
    but not alike, as 0.0 and -0.0, have different ones.
    """
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, (set, frozenset)):
        return frozenset((type(item), constant_key(item)) for item in value)
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def as_specs(value: Any) -> Any:
    """Replace each tensor in an argument by an `InputSpec` of its shape and dtype."""
    if isinstance(value, (Tensor, np.ndarray)):
        return InputSpec(list(value.shape), value.dtype)
    if type(value) in (list, tuple) or is_named(value):
        return sequence_like(value, map(as_specs, value))
    if type(value) is dict:
        return {key: as_specs(item) for key, item in value.items()}
    if (named := fields_of(value)) is not None:
        return with_fields(value, {k: as_specs(item) for k, item in named.items()})
    return value


def as_variables(value: Any, name: str, inputs: list[Variable]) -> Any:
    """Replace tensors and specs in an argument by fed Variables, listed in `inputs`."""
    if not isinstance(value, (Tensor, np.ndarray, InputSpec)):
        return variables_within(value, name, inputs)
    stop = value.dtype.kind != "f"
    if isinstance(value, InputSpec):
        name, stop = value.name or name, stop or value.stop_gradient
    create, facts = current_block().create_var, (name, value.shape, value.dtype)
    inputs.append(create(*facts, is_data=True, stop_gradient=stop))
    return inputs[-1]


def variables_within(value: Any, name: str, inputs: list[Variable]) -> Any:
    """Replace tensors and specs in anything but a tensor, such as a list of them."""
    if type(value) in (list, tuple) or is_named(value):
        items = (as_variables(v, f"{name}_{i}", inputs) for i, v in enumerate(value))
        return sequence_like(value, items)
    if type(value) is dict:
        return {k: as_variables(v, f"{name}_{k}", inputs) for k, v in value.items()}
    if (named := fields_of(value)) is not None:
        changed = {k: as_variables(v, f"{name}_{k}", inputs) for k, v in named.items()}
        return with_fields(value, changed)
    return value
