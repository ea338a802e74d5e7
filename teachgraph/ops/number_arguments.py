"""Arguments that are numbers, given as Tensors: sizes, axes, starts, repeats.

Paddle takes a Tensor of one element wherever it takes such a number, and a Tensor or a
list with Tensors among its items for several numbers. They are read before the function
runs; a Variable has no value yet, and stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

from teachgraph.core.tensor import Tensor

__all__ = ["all_read_numbers", "number", "read_numbers"]

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
        *("dim", "dim1", "dim2", "ends", "k", "minlength", "num_columns", "num_rows"),
        *("num_or_sections", "num_samples", "offset", "pad", "perm", "repeat_times"),
        *("shape", "shifts", "size", "source", "start_axis", "starts", "stop_axis"),
        *("strides",),
    }
)
"""Names of parameters that are numbers, or several."""


def number(value: Any) -> Any:
    """The number or list of numbers that a Tensor holds; anything else as it is.

    >>> import teachgraph as tg
    >>> number(tg.to_tensor([3])), number(tg.to_tensor([2, 3])), number(4)
    (3, [2, 3], 4)
    >>> number([tg.to_tensor([2]), -1])
    [2, -1]
    """
    if isinstance(value, Tensor):
        array = value.data
        return array.item() if array.size == 1 else array.tolist()
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return type(value)(number(part) for part in value)
    return value


def read_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function: it is given numbers where Tensors hold them."""
    names = signature(function).parameters
    places = {place for place, name in enumerate(names) if name in NUMBERS}
    if not places:
        return function

    @wraps(function)
    def call(*inputs: Any, **attrs: Any) -> Any:
        read = [number(v) if i in places else v for i, v in enumerate(inputs)]
        named = {k: number(v) if k in NUMBERS else v for k, v in attrs.items()}
        return function(*read, **named)

    return call


def all_read_numbers(names: Sequence[str], found: dict[str, Any]) -> None:
    """Let the functions that these names stand for read such arguments."""
    for name in names:
        if isinstance(found[name], type(read_numbers)):
            found[name] = read_numbers(found[name])
