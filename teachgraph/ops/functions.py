"""Paddle 2's functions of tensors, each a call of one op or two.

They take arrays, Tensors and Variables alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph import dtypes
from teachgraph.ops import elementwise, linalg, metric
from teachgraph.ops import math as maths
from teachgraph.ops import reduce as reductions
from teachgraph.ops import shape as shapes
from teachgraph.ops.creation import (
    fill_any_like,
    fill_constant,
    gaussian_random,
    uniform_random,
)

__all__ = [
    "abs",
    "add",
    "argmax",
    "cast",
    "concat",
    "divide",
    "equal",
    "exp",
    "full",
    "full_like",
    "greater_than",
    "less_than",
    "log",
    "matmul",
    "max",
    "maximum",
    "mean",
    "minimum",
    "multiply",
    "ones",
    "ones_like",
    "pow",
    "rand",
    "randn",
    "reshape",
    "scale",
    "sign",
    "sqrt",
    "square",
    "subtract",
    "sum",
    "tanh",
    "topk",
    "transpose",
    "uniform",
    "unsqueeze",
    "zeros",
    "zeros_like",
]

add = elementwise.elementwise_add
subtract = elementwise.elementwise_sub
multiply = elementwise.elementwise_mul
divide = elementwise.elementwise_div
maximum = elementwise.elementwise_max
minimum = elementwise.elementwise_min
equal = elementwise.equal
less_than = elementwise.less_than
greater_than = elementwise.greater_than
abs = maths.abs_
exp = maths.exp
log = maths.log
sign = maths.sign
sqrt = maths.sqrt
square = maths.square
tanh = maths.tanh

Axis = int | Sequence[int] | None


def reduction(x: Any, axis: Axis, keepdim: bool) -> dict[str, Any]:
    """Paddle's attributes of a reduction."""
    dim = dimensions(axis)
    whole = not dim or len(dim) == len(x.shape)
    return {"dim": dim, "keep_dim": keepdim, "reduce_all": whole}


def dimensions(axis: Axis) -> list[int]:
    """An axis, several or None (all) as a list."""
    if axis is None:
        return []
    return [axis] if isinstance(axis, int) else list(axis)


def mean(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The mean over `axis` (a number, several, or None for all).

    >>> import numpy as np
    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([2., 3.])
    """
    return reductions.reduce_mean(x, **reduction(x, axis, keepdim))


def sum(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The sum over `axis` (a number, several, or None for all).

    >>> import numpy as np
    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=-1)
    array([3., 7.])
    """
    x = x if dtype is None else cast(x, dtype)
    return reductions.reduce_sum(x, dim=dimensions(axis), keep_dim=keepdim)


def max(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The largest element over `axis`."""
    return reductions.reduce_max(x, **reduction(x, axis, keepdim))


def argmax(x: Any, axis: int | None = None, keepdim: bool = False) -> Any:
    """Where the largest element stands along `axis`, or in the flattened `x`."""
    flat = axis is None
    return metric.arg_max(x, axis=axis or 0, keepdims=keepdim, flatten=flat)


def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: Any = None,
) -> Any:
    """The product of matrices; leading dimensions broadcast.

    >>> import numpy as np
    >>> matmul(np.eye(2), np.ones((3, 2)), transpose_y=True).shape
    (2, 3)
    """
    return linalg.matmul_v2(x, y, trans_x=transpose_x, trans_y=transpose_y)


def pow(x: Any, y: Any, name: Any = None) -> Any:
    """x to the power y.

    >>> import numpy as np
    >>> pow(np.array([2.0, 3.0]), 2)
    array([4., 9.])
    """
    return x**y


def scale(
    x: Any, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True
) -> Any:
    """scale x + bias, or scale (x + bias)."""
    return maths.scale(x, scale=scale, bias=bias, bias_after_scale=bias_after_scale)


def cast(x: Any, dtype: Any) -> Any:
    """The same values in another dtype."""
    code = dtypes.PADDLE_CODES
    target = dtypes.convert(dtype)
    return maths.cast(x, in_dtype=code[x.dtype], out_dtype=code[target])


def reshape(x: Any, shape: Sequence[int], name: Any = None) -> Any:
    """The same elements in another shape; one size may be -1, 0 keeps a size."""
    return shapes.reshape2(x, shape=list(shape))


def transpose(x: Any, perm: Sequence[int], name: Any = None) -> Any:
    """Dimension k of the result is dimension perm[k] of x."""
    return shapes.transpose2(x, axis=list(perm))


def unsqueeze(x: Any, axis: int | Sequence[int], name: Any = None) -> Any:
    """`x` with a dimension of size 1 put in at `axis`."""
    return shapes.unsqueeze2(x, axes=[axis] if isinstance(axis, int) else list(axis))


def concat(x: Sequence[Any], axis: int = 0, name: Any = None) -> Any:
    """The parts one after the other along `axis`."""
    return shapes.concat(*x, axis=axis)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    """The k largest elements along `axis`, and where they stand."""
    return metric.top_k_v2(x, k=k, axis=axis, largest=largest)


def full(
    shape: Sequence[int], fill_value: float, dtype: Any = None, name: Any = None
) -> Any:
    """A tensor of one value (float32 unless said otherwise)."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return fill_constant(shape=list(shape), value=fill_value, dtype=code)


def zeros(shape: Sequence[int], dtype: Any = None, name: Any = None) -> Any:
    """A tensor of zeros."""
    return full(shape, 0.0, dtype)


def ones(shape: Sequence[int], dtype: Any = None, name: Any = None) -> Any:
    """A tensor of ones."""
    return full(shape, 1.0, dtype)


def full_like(x: Any, fill_value: float, dtype: Any = None) -> Any:
    """A tensor of one value, shaped like `x`."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or x.dtype)]
    return fill_any_like(x, value=fill_value, dtype=code)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros, shaped like `x`."""
    return full_like(x, 0.0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones, shaped like `x`."""
    return full_like(x, 1.0, dtype)


def uniform(
    shape: Sequence[int],
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Any:
    """Numbers spread evenly over [min, max)."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return uniform_random(shape=list(shape), min=min, max=max, seed=seed, dtype=code)


def rand(shape: Sequence[int], dtype: Any = None) -> Any:
    """Numbers spread evenly over [0, 1)."""
    return uniform(shape, dtype, min=0.0)


def randn(shape: Sequence[int], dtype: Any = None) -> Any:
    """Normally distributed numbers."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return gaussian_random(shape=list(shape), dtype=code)
