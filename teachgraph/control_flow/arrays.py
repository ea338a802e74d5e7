"""Arrays of tensors, which loops write one by one and read again.

In dynamic mode an array is a list. In a program it is a variable; each `array_write`
leaves the array as it was under another name, for the backward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.control_flow.sub_block import kept_apart
from teachgraph.core import dtypes
from teachgraph.core.build import append
from teachgraph.core.errors import DTypeError
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.core.program import Variable, current_block
from teachgraph.errors import OutOfRangeError
from teachgraph.ops import array_lists
from teachgraph.ops import tensor_array as ops
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions import concat, full, stack
from teachgraph.ops.functions.creation import array_constant

__all__ = [
    "ARRAY",
    "array_length",
    "array_read",
    "array_write",
    "create_array",
    "tensor_array_to_tensor",
]

ARRAY = "LOD_TENSOR_ARRAY"


def create_array(dtype: Any = "float32", initialized_list: Any = None) -> Any:
    """An array of nothing, or of the tensors of a list.

    In Paddle this is `paddle.tensor.create_array`.

    >>> import teachgraph as tg
    >>> array = create_array()
    >>> array_write(tg.to_tensor([1.0]), 0, array)[0].tolist()
    [1.0]
    """
    values = list(initialized_list or ())
    if in_dynamic_mode() and not any(isinstance(v, Variable) for v in values):
        return values
    block = current_block()
    array = block.create_var(dtype=dtype, shape=[], type=ARRAY)
    code = {"dtype": dtypes.PADDLE_CODES[dtypes.convert(dtype)]}
    append(block, ops.create_array, (), code, out=[array])
    array.stop_gradient = False
    for i, value in enumerate(values):
        array_write(value, i, array)
    return array


def array_write(x: Any, i: Any, array: Any = None) -> Any:
    """Put `x` at place `i` of an array, by default a new one.

    Args:
        x: A tensor.
        i: One whole number: the place of a part, or the array's length.
        array: What to write to.

    Returns:
        The array.

    Raises:
        OutOfRangeError: `i` is past the array's end.

    In Paddle this is `paddle.tensor.array_write`.
    """
    if isinstance(array, list) or (array is None and not isinstance(x, Variable)):
        return written_now(x, int(i), [] if array is None else array)
    if array is None:
        array = create_array(x.dtype)
    block = current_block()
    before = kept_apart(block, array)
    append(block, ops.write_to_array, (x, index(i), before), {}, out=[array])
    array.stop_gradient = before.stop_gradient = False  # a part to come may have one
    return array


def written_now(x: Any, i: int, array: list[Any]) -> list[Any]:
    """A list with one part more, or another part."""
    if not 0 <= i <= len(array):
        raise OutOfRangeError.here(
            f"the index is {i}, but the array holds {len(array)}"
        )
    array[i : i + 1] = [x]
    return array


def index(i: Any) -> Any:
    """A place as a Variable."""
    return i if isinstance(i, Variable) else full([1], int(i), "int64")


def array_read(array: Any, i: Any) -> Any:
    """The part at place `i` of an array.

    In Paddle this is `paddle.tensor.array_read`.
    """
    if isinstance(array, list):
        return array[int(i)]
    return ops.read_from_array(array, index(i))


def array_length(array: Any) -> Any:
    """The number of tensors in an array, as one whole number.

    In Paddle this is `paddle.tensor.array_length`.
    """
    if isinstance(array, Sequence):
        return full([1], len(array), "int64")
    return ops.lod_array_length(array)


def tensor_array_to_tensor(
    input: Any, axis: int = 1, use_stack: bool = False, name: Any = None
) -> tuple[Any, Any]:
    """Join the parts of an array.

    Args:
        input: The array.
        axis: The axis to join them along.
        use_stack: Whether that is a new one, instead of one they have.
        name: Not used.

    Returns:
        The tensor, and the sizes that the parts have along the axis.

    Raises:
        DTypeError: `input` is no array.

    In Paddle this is `paddle.tensor.manipulation.tensor_array_to_tensor`.

    >>> import teachgraph as tg
    >>> parts = [tg.ones([2, 1]), tg.zeros([2, 2])]
    >>> joined, sizes = tensor_array_to_tensor(parts)
    >>> joined.tolist(), sizes.tolist()
    ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [1, 2])
    """
    if isinstance(input, list):
        joined = (stack if use_stack else concat)(input, axis)
        sizes = [int(part.shape[axis]) for part in input]
        return joined, array_constant(np.array(sizes, np.int64))
    if getattr(input, "type", None) != ARRAY:
        raise DTypeError.here(
            f"tensor_array_to_tensor: input must be an array, got {describe(input)}"
        )
    joined = array_lists.tensor_array_to_tensor(input, axis=axis, use_stack=use_stack)
    return joined, array_lists.sizes_of_array(input, axis=axis)
