"""Creation of Tensors: from data, as parameters, by ops without inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from teachgraph.autograd.places import CPUPlace, place_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes, modes, unique_name
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.modes import chosen, using
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Op, Traced
from teachgraph.core.program import Variable, current_block, default_main_program
from teachgraph.core.tensor import run_op
from teachgraph.ops.default_dtype import get_default_dtype
from teachgraph.ops.functions.creation import array_constant, assign
from teachgraph.ops.functions.joining import stack
from teachgraph.ops.functions.math import cast
from teachgraph.ops.initializer import Initializer
from teachgraph.ops.param_attr import ParamAttr, Trained

__all__ = ["Dynamic", "Parameter", "tensor_of", "to_tensor"]

Array = np.ndarray[Any, Any]


class Parameter(Trained, Tensor):
    """A Tensor that an optimizer updates.

    Attributes:
        trainable: Whether it is updated; the inverse of `stop_gradient`.
        optimize_attr: Its own factor of the learning rate.
        regularizer: Its own decay, or None.

    In Paddle this is `paddle.base.framework.EagerParamBase`.
    """

    __slots__ = ("do_model_average", "need_clip", "optimize_attr", "regularizer")

    _is_kept = True

    def __init__(self, data: Array, name: str, attr: ParamAttr) -> None:
        super().__init__(data, stop_gradient=not attr.trainable)
        self.name = name
        self.follow(attr)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """A copy with a name of its own, by which an optimizer keeps its state."""
        described: Any = self.__reduce_ex__(4)
        _, arguments, (_, values), *_ = described
        copied: Parameter = Parameter.__new__(*arguments)
        memo[id(self)] = copied
        for name, value in values.items():
            setattr(copied, name, deepcopy(value, memo))
        copied.name = self.name + unique_name.generate("_deepcopy")
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def to_tensor(
    data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True
) -> Any:
    """A Tensor of the given values (a copy); in static mode a Variable of them.

    Python floats become float32, integers int64; arrays keep their dtype. In a program
    the values are an `assign_value` operator's, and a list may hold Variables.

    Args:
        data: A number, nested lists, an array or a Tensor.
        dtype: The element type; by default as above.
        place: The CPU, the only one here.
        stop_gradient: Whether no gradient goes to it.

    Raises:
        DTypeError: Elements that are no numbers.
        InvalidValueError: Another place.
        ShapeError: Rows of different lengths.

    >>> to_tensor([[1, 2], [3, 4]]).dtype
    dtype('int64')
    >>> to_tensor(0.5)
    Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
           0.50000000)
    """
    if not (place is None or isinstance(place, CPUPlace)):
        place_of(place)
    if chosen() and not getattr(current_block().program, "adopt", None):
        return variable_of(data, dtype, stop_gradient)
    tensor = Tensor.results(array_of(data, dtype), stop_gradient)
    if observers:
        announce("tensor_created", tensor)
    return tensor


def tensor_of(data: Any, dtype: Any = None) -> Any:
    """A Tensor of the given values, whatever the mode."""
    with using(False):
        return to_tensor(data, dtype)


def variable_of(data: Any, dtype: Any, stop_gradient: bool) -> Any:
    """A Variable of the given values, Variables among them included."""
    variable = stacked_variable(data, dtype)
    variable.stop_gradient = stop_gradient
    return variable


def stacked_variable(data: Any, dtype: Any) -> Any:
    """Append the operators that make one Variable of numbers and Variables."""
    if isinstance(data, Variable):
        return assign(data) if dtype is None else cast(data, dtype)
    if isinstance(data, (list, tuple)) and (known := first_variable(data)) is not None:
        return stack([stacked_variable(part, dtype or known.dtype) for part in data])
    return array_constant(array_of(data, dtype))


def first_variable(data: Any) -> Variable | None:
    """The first Variable in nested lists."""
    if isinstance(data, Variable):
        return data
    parts = data if isinstance(data, (list, tuple)) else ()
    return next((v for part in parts if (v := first_variable(part)) is not None), None)


def array_of(data: Any, dtype: Any) -> Array:
    """A fresh array of the values, of the dtype asked for or the usual one."""
    if isinstance(data, Traced) and not isinstance(data, Tensor):
        raise DTypeError.here("to_tensor takes values; a Variable has none")
    try:
        array = np.array(data.data if isinstance(data, Tensor) else data)
    except ValueError as error:
        raise ShapeError.here(f"to_tensor: rows differ: {error}") from None
    if array.dtype.kind not in "biuf":
        raise DTypeError.here(no_numbers(data, array.dtype))
    return array.astype(dtype_of(array, data, dtype), copy=False)


def no_numbers(data: Any, dtype: np.dtype[Any]) -> str:
    """The message for data that are no numbers."""
    return (
        f"Can't constructs a 'paddle.Tensor' with data type {type(data)} of {dtype}; "
        "give numbers"
    )


def dtype_of(array: Array, data: Any, asked: Any) -> np.dtype[np.generic]:
    """The dtype asked for, or the usual one of this data.

    Raises:
        DTypeError: There is no such dtype here.
    """
    if asked is None:
        own = isinstance(data, (np.ndarray, np.generic, Tensor))
        usual = array.dtype.kind == "f" and not own
        asked = get_default_dtype() if usual else array.dtype.newbyteorder("=")
    try:
        return dtypes.convert(asked)
    except DTypeError as error:
        raise DTypeError.here(f"to_tensor: {error}") from None


class Dynamic:
    """Dynamic mode, for ops that have no input to hand themselves to."""

    def create(self, op: Op, attrs: Mapping[str, Any]) -> Any:
        """Run an op that has no inputs."""
        return run_op.call(op, (), attrs, Tensor.results)

    def create_parameter(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any,
        attr: ParamAttr,
        initializer: Initializer,
    ) -> Parameter:
        """A parameter with its first values.

        The seed of the default program is that of an initializer that has none.

        Raises:
            InvalidValueError: The user's name for it is that of another parameter.
        """
        if attr.name is not None:
            taken = Named(name)
            refuse_taken(taken)
        op, attrs = initializer.operation(shape, dtypes.convert(dtype))
        if attrs.get("seed") == 0:
            attrs = {**attrs, "seed": default_main_program().random_seed}
        parameter = Parameter(np.asarray(op.kernel(**attrs)), name, attr)
        if attr.name is not None:
            NAMED[taken] = parameter
        announce("tensor_created", parameter)
        return parameter


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """A user's name for a parameter, under the `unique_name.guard` in force."""

    name: str
    counters: Counter[str] = field(
        default_factory=lambda: unique_name._counters.value.used
    )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Named):
            return NotImplemented
        return self.name == other.name and self.counters is other.counters

    def __hash__(self) -> int:
        return hash((self.name, id(self.counters)))


NAMED: WeakValueDictionary[Named, Parameter] = WeakValueDictionary()
"""Parameters that users have named, as long as they are in use."""


def refuse_taken(taken: Named) -> None:
    """Require a name that no other parameter has: Tensors are not shared by name.

    Raises:
        InvalidValueError: A parameter has it, made under the same `unique_name.guard`.
    """
    if (other := NAMED.get(taken)) is not None:
        raise InvalidValueError.here(
            f"parameter name [{taken.name}] is already that of a parameter of shape "
            f"{other.shape}: in dynamic mode a name belongs to one. To share a "
            "parameter, share its layer"
        )


modes.interpreters["dynamic"] = Dynamic()
