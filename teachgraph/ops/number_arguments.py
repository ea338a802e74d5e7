"""Arguments that are numbers, given as Tensors: sizes, axes, starts, repeats.

Paddle takes a Tensor of one element wherever it takes such a number, and a Tensor or a
list with Tensors among its items for several numbers. They are read before the function
runs. A Variable has no value yet: the function is called when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple

from teachgraph.core.extend import HookPoint
from teachgraph.core.program import Variable
from teachgraph.core.tensor import Tensor

__all__ = ["all_read_numbers", "call_later", "number", "number_functions"]

NUMBERS = frozenset(
    {
        *(
            "axes",
            "axis",
            "axis1",
            "axis2",
            "bins",
            "chunks",
            "destination",
            "diagonal",
        ),
        *("dim", "dim1", "dim2", "ends", "fill_value", "k", "minlength", "num_classes"),
        *("num_columns", "num_or_sections", "num_rows", "num_samples", "offset"),
        *(
            "offsets",
            "output_size",
            "pad",
            "perm",
            "repeat_times",
            "scale",
            "scale_factor",
        ),
        *("p", "shape", "shape_or_dtype", "shifts", "size", "source"),
        *("start_axis", "starts", "stop_axis", "strides", "maxlen", "n"),
    }
)
"""Names of parameters that are numbers, or several."""

SEVERAL = frozenset(
    {
        *("axes", "ends", "offsets", "perm", "repeat_times"),
        *("shape", "shape_or_dtype", "starts", "strides"),
    }
)
"""Those that are always several: a Tensor of one element is a list of one number."""


PLAIN = frozenset({int, float, bool, str, type(None)})
"""Classes of what is no Tensor and holds none, which most arguments are."""


class NoValueYetError(Exception):
    """A number is a Variable: it has a value when its program runs."""


def number(value: Any, name: str = "") -> Any:
    """The number or list of numbers that a Tensor holds; anything else as it is.

    Args:
        value: An argument.
        name: Of the parameter.

    Raises:
        NoValueYetError: It is a Variable.

    >>> import teachgraph as tg
    >>> number(tg.to_tensor([3])), number(tg.to_tensor([2, 3])), number(4)
    (3, [2, 3], 4)
    >>> number([tg.to_tensor([2]), -1]), number(tg.to_tensor([3]), "shape")
    ([2, -1], [3])
    """
    if value.__class__ in PLAIN:
        return value
    if isinstance(value, Tensor):
        array = value.data
        if array.size == 1 and not (array.ndim and name in SEVERAL):
            return array.item()
        return array.tolist()
    if isinstance(value, (list, tuple)):
        if PLAIN.issuperset(map(type, value)):
            return value
        if any(isinstance(part, (Tensor, Variable)) for part in value):
            return type(value)(number(part) for part in value)
    if isinstance(value, Variable):
        raise NoValueYetError
    return value


def call_now(name: str, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Call a function with Variables in the place of numbers, as it stands."""
    return number_functions[name].function(*inputs, **attrs)


call_later = HookPoint(call_now)
"""Calls a function whose numbers are Variables: `call_later(name, inputs, attrs)`."""

number_functions: dict[str, NumberFunction] = {}
"""The functions that read numbers, by their names."""


def read_numbers(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function: it is given numbers where Tensors hold them."""
    names = signature(function).parameters
    places = [(place, name) for place, name in enumerate(names) if name in NUMBERS]
    if not places:
        return function
    first, _ = places[0]

    @wraps(function)
    def call(*inputs: Any, **attrs: Any) -> Any:
        for value in inputs[first:]:  # a set's methods take longer for so few
            if value.__class__ not in PLAIN:
                break
        else:
            if not attrs or PLAIN.issuperset(map(type, attrs.values())):
                return function(*inputs, **attrs)
        read = [*inputs]
        try:
            for place, parameter in places:
                if place < len(read) and read[place].__class__ not in PLAIN:
                    read[place] = number(read[place], parameter)
            named = attrs
            if not PLAIN.issuperset(map(type, attrs.values())):
                named = {
                    k: number(v, k) if k in NUMBERS else v for k, v in attrs.items()
                }
        except NoValueYetError:
            return call_later.call(name, inputs, attrs)
        return function(*read, **named)

    number_functions[name] = NumberFunction(
        call, function, [*names], NUMBERS.intersection(names)
    )
    return call


class NumberFunction(NamedTuple):
    """A function that reads numbers.

    Attributes:
        call: Reads them, and calls it.
        function: The function itself.
        parameters: The names of its parameters.
        numbers: Those of them that are numbers.
    """

    call: Callable[..., Any]
    function: Callable[..., Any]
    parameters: list[str]
    numbers: frozenset[str]


def all_read_numbers(
    names: Sequence[str], functions: dict[str, Any], room: str = ""
) -> None:
    """Let the functions that these names stand for read such arguments."""
    for name in names:
        if isinstance(functions[name], type(read_numbers)):
            functions[name] = read_numbers(f"{room}{name}", functions[name])
