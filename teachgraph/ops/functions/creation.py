"""Creation of tensors: constants, ranges, identity matrices, copies."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import Traced
from teachgraph.core.ops import fill_constant
from teachgraph.ops import ranges
from teachgraph.ops.bare_numbers import is_number
from teachgraph.ops.creation import assign_value, fill_any_like
from teachgraph.ops.default_dtype import get_default_dtype
from teachgraph.ops.math import assign as copy_of
from teachgraph.ops.math import cast

__all__ = [
    "arange",
    "assign",
    "clone",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
]


def sizes(shape: Any) -> list[int]:
    """Convert a shape to integers: a list of numbers or Tensors, a Tensor, a number.

    >>> import numpy as np
    >>> sizes([2, np.array(3)]), sizes(np.array([2, 3])), sizes(2)
    ([2, 3], [2, 3], [2])
    """
    is_sequence = hasattr(shape, "__len__") and np.shape(shape) != ()
    return [index(size) for size in (shape if is_sequence else [shape])]


def code_of(dtype: Any, usual: Any = None) -> int:
    """Paddle's code of a dtype; None is `usual`, or else the default dtype.

    Raises:
        DTypeError: It is no dtype, but a size behind the first, for instance.
    """
    if isinstance(dtype, int):
        raise size_as_dtype(dtype)
    wanted = next((d for d in (dtype, usual) if d is not None), None)
    return dtypes.PADDLE_CODES[dtypes.convert(wanted or get_default_dtype())]


def size_as_dtype(size: int) -> DTypeError:
    """The error for a number where a dtype stands."""
    return DTypeError.here(
        f"data type {size!r} not understood: if it is a size, all sizes go into one "
        f"list, as in [2, {size!r}]"
    )


def fill_number(value: Any) -> Any:
    """Convert a fill value to a Python number: a number, or a tensor of one.

    Raises:
        DTypeError: It is none, of which NumPy would make NaN, or what fits by its real
            part.
    """
    value = value.item() if hasattr(value, "item") else value
    if value is None or isinstance(value, (complex, list, tuple)):
        raise DTypeError.here(f"a fill value is a real number, got {value!r}")
    return value


def full(shape: Any, fill_value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor of one value (float32 unless said otherwise).

    Args:
        shape: Sizes: numbers, or 0-D Tensors; or one Tensor of them all.
        fill_value: A number, or a Tensor of one.
        dtype: The element type.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: The value is no real number.
    """
    code = code_of(dtype)
    return fill_constant(shape=sizes(shape), value=fill_number(fill_value), dtype=code)


def zeros(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor of zeros."""
    return full(shape, 0.0, dtype)


def ones(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor of ones."""
    return full(shape, 1.0, dtype)


def empty(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Create an uninitialised tensor; here zeros, so that runs repeat."""
    return zeros(shape, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor of one value, shaped like `x`."""
    value = fill_number(fill_value)
    return fill_any_like(x, value=value, dtype=code_of(dtype, x.dtype))


def zeros_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Zeros, shaped like `x`."""
    return full_like(x, 0.0, dtype)


def ones_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Ones, shaped like `x`."""
    return full_like(x, 1.0, dtype)


def empty_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Create an uninitialised tensor shaped like `x`; here zeros."""
    return zeros_like(x, dtype)


def number(value: Any, dtype: np.dtype[Any]) -> Any:
    """Convert a number to a tensor of one element; cast a tensor to the dtype."""
    tensor = value if isinstance(value, Traced) else full([1], value, dtype)
    codes = {"in_dtype": code_of(tensor.dtype, None), "out_dtype": code_of(dtype, None)}
    return tensor if tensor.dtype == dtype else cast(tensor, **codes)


def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: Any = None
) -> Any:
    """The numbers start, start + step, ... up to before `end`.

    Args:
        start: The first, or where it is given alone, the end: then 0 is the first.
        end: Where to stop; it is not reached.
        step: The distance.
        dtype: By default int64 for whole numbers, else float32.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The step is 0, or leads away from the end.

    >>> import teachgraph as tg
    >>> tg.arange(4).tolist(), tg.arange(1, 2, 0.5).tolist()
    ([0, 1, 2, 3], [1.0, 1.5])

    In Paddle this is `paddle.arange`.
    """
    start, end = (0, start) if end is None else (start, end)
    limits = start, end, step
    kind = dtypes.convert(usual_dtype(limits) if dtype is None else dtype)
    ends, known = [number(value, kind) for value in limits], -1
    if not any(isinstance(value, Traced) for value in limits):
        try:
            known = ranges.steps(start, end, step, kind)
        except InvalidValueError as error:
            raise InvalidValueError.here(f"arange: {error}") from None
    return ranges.range_(*ends, size=known)


def usual_dtype(given: Sequence[Any]) -> Any:
    """int64 if all are integers, else float32."""
    whole = [
        isinstance(value, int)
        or (isinstance(value, Traced) and value.dtype.kind in "iu")
        for value in given
    ]
    return "int64" if all(whole) else get_default_dtype()


def in_dtype(value: Any, dtype: Any) -> Any:
    """Convert a number to a tensor of that dtype; a tensor is left as it is."""
    kind = get_default_dtype() if dtype is None else dtype
    return value if isinstance(value, Traced) else full([1], value, kind)


def linspace(
    start: Any, stop: Any, num: Any, dtype: Any = None, name: Any = None
) -> Any:
    """`num` numbers from start to stop, both included, at equal distances.

    >>> import teachgraph as tg
    >>> tg.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    ends = [in_dtype(value, dtype) for value in (start, stop)]
    how = {
        "dtype": code_of(dtype),
        "size": known_count(num),
    }
    return ranges.linspace(*ends, number(num, dtypes.int32), **how)


def logspace(
    start: Any,
    stop: Any,
    num: Any,
    base: Any = 10.0,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """`num` powers of the base from base^start to base^stop.

    >>> import teachgraph as tg
    >>> tg.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    ends = [in_dtype(value, dtype) for value in (start, stop)]
    count, root = number(num, dtypes.int32), in_dtype(base, dtype)
    how = {
        "dtype": code_of(dtype),
        "size": known_count(num),
    }
    return ranges.logspace(*ends, count, root, **how)


def known_count(num: Any) -> int:
    """Resolve a length; -1 if it is known only when a program runs."""
    return -1 if isinstance(num, Traced) else int(num)


def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = None, name: Any = None
) -> Any:
    """Ones on the diagonal, zeros elsewhere; square where no columns are given.

    Raises:
        InvalidValueError: A number of rows or columns is negative.

    >>> import teachgraph as tg
    >>> tg.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    if columns < 0:
        raise InvalidValueError.here(f"eye: {columns} columns")
    code = code_of(dtype)
    return ranges.eye(num_rows=num_rows, num_columns=columns, dtype=code)


def tril_indices(row: int, col: int, offset: int = 0, dtype: Any = "int64") -> Any:
    """Rows and columns of the elements on or below a diagonal of a matrix.

    >>> import teachgraph as tg
    >>> tg.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    code = code_of(dtype, "int64")
    return ranges.tril_indices(rows=row, cols=col, offset=offset, dtype=code)


def triu_indices(
    row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64"
) -> Any:
    """Rows and columns of the elements on or above a diagonal of a matrix."""
    columns = row if col is None else col
    code = code_of(dtype, "int64")
    return ranges.triu_indices(row=row, col=columns, offset=offset, dtype=code)


def assign(x: Any, output: Any = None) -> Any:
    """A copy of a tensor, or a tensor of the values of a list, an array or a number.

    Floating values become float32, as in Paddle.

    Args:
        x: The values to copy.
        output: A Tensor to store the values in, or the Variable that the operator
            writes. Gradients flow through it to `x`.

    >>> import teachgraph as tg
    >>> tg.assign([1, 2]).tolist()
    [1, 2]
    """
    written = getattr(output, "written_by", None)
    if isinstance(x, Traced) and written is None:
        return copy_of(x)
    values = x if isinstance(x, Traced) else assigned_value(x)
    if written is None:
        return values
    return written(copy_of, values)


def assigned_value(x: Any) -> Any:
    """Apply `assign_value`, the op that holds constants; a number has shape [1]."""
    values = np.asarray([x] if is_number(x) else x)
    kind = dtypes.float32 if values.dtype.kind == "f" else values.dtype
    return array_constant(values.astype(kind, copy=False))


def array_constant(values: np.ndarray[Any, Any]) -> Any:
    """Apply `assign_value` to an array, whose dtype and shape are kept."""
    attrs = {"shape": list(values.shape), "dtype": code_of(values.dtype, values.dtype)}
    return assign_value(values=values.flatten(), **attrs)


def clone(x: Any, name: Any = None) -> Any:
    """A copy that passes gradients on to `x`."""
    return copy_of(x)
