"""Paddle 1.8's mathematical functions, as aliases of 2.x's; padding and filling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.control_flow.sub_block import as_variable
from teachgraph.core.op import find
from teachgraph.fluid.aliases import alias
from teachgraph.nn import functional
from teachgraph.ops import functions
from teachgraph.ops.functions import decomposition

__all__ = [
    "addcmul",
    "addmm",
    "allclose",
    "arange",
    "bmm",
    "clamp",
    "crop_tensor",
    "cross",
    "diag_embed",
    "dist",
    "dot",
    "elementwise_equal",
    "fill_constant_batch_size_like",
    "flip",
    "full",
    "full_like",
    "gaussian_random_batch_size_like",
    "index_sample",
    "index_select",
    "is_empty",
    "kron",
    "log1p",
    "log_softmax",
    "logsumexp",
    "meshgrid",
    "nonzero",
    "pad2d",
    "pad_constant_like",
    "randint",
    "randn",
    "randperm",
    "roll",
    "sequence_mask",
    "shard_index",
    "t",
    "trace",
    "tril",
    "triu",
    "uniform_random_batch_size_like",
    "unique",
    "unique_with_counts",
]

addmm = alias(functions.addmm, "input, x, y, alpha=1.0, beta=1.0, name=None")
allclose = alias(
    functions.allclose,
    "input, other, rtol=1e-05, atol=1e-08, equal_nan=False, name=None",
    other="y",
)
bmm = alias(functions.bmm, "x, y, name=None")
cross = alias(functions.cross, "input, other, dim=None", other="y", dim="axis")
crop_tensor = alias(functions.crop, "x, shape=None, offsets=None, name=None")
diag_embed = alias(functions.diag_embed, "input, offset=0, dim1=-2, dim2=-1")
dist = alias(functions.dist, "x, y, p=2")
dot = alias(functions.dot, "x, y, name=None")
elementwise_equal = alias(functions.equal, "x, y, name=None")
flip = alias(functions.flip, "input, dims, name=None", dims="axis")
index_sample = alias(functions.index_sample, "x, index")
index_select = alias(functions.index_select, "input, index, dim=0", dim="axis")
kron = alias(functions.kron, "x, y, out=None, name=None")
log1p = alias(functions.log1p, "x, out=None, name=None")
log_softmax = alias(functional.log_softmax, "input, axis=None, dtype=None, name=None")
logsumexp = alias(
    functions.logsumexp, "x, dim=None, keepdim=False, out=None, name=None", dim="axis"
)
meshgrid = alias(functions.meshgrid, "input, name=None")
nonzero = alias(functions.nonzero, "input, as_tuple=False")
roll = alias(functions.roll, "input, shifts, dims=None", dims="axis")
sequence_mask = alias(
    functional.sequence_mask, 'x, maxlen=None, dtype="int64", name=None'
)
shard_index = alias(
    functions.shard_index, "input, index_num, nshards, shard_id, ignore_value=-1"
)
t = alias(functions.t, "input, name=None")
trace = alias(
    decomposition.trace,
    "input, offset=0, dim1=0, dim2=1, out=None, name=None",
    dim1="axis1",
    dim2="axis2",
)
tril = alias(functions.tril, "input, diagonal=0, name=None")
triu = alias(functions.triu, "input, diagonal=0, name=None")

arange = alias(functions.arange, "start, end, step=1, dtype=None, name=None")
full = alias(
    functions.full,
    "shape, fill_value, out=None, dtype=None, device=None, stop_gradient=True, "
    "name=None",
    device="",
    stop_gradient="",
)
full_like = alias(
    functions.full_like,
    "input, fill_value, out=None, dtype=None, device=None, stop_gradient=True, "
    "name=None",
    device="",
    stop_gradient="",
)
randn = alias(
    functions.randn,
    "shape, out=None, dtype=None, device=None, stop_gradient=True, name=None",
    device="",
    stop_gradient="",
)


def randint(
    low: int,
    high: int | None = None,
    shape: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Draw integers from [low, high), or from [0, low)."""
    sizes = [1] if shape is None else shape
    result = functions.randint(low, high, sizes, dtype)
    return result if out is None else functions.assign(result, out)


def randperm(
    n: int,
    out: Any = None,
    dtype: Any = "int64",
    device: str | None = None,
    stop_gradient: bool = True,
    seed: int = 0,
) -> Any:
    """Draw a random permutation of 0 to n - 1."""
    result = functions.randperm(n, dtype)
    return result if out is None else functions.assign(result, out)


def addcmul(
    input: Any,
    tensor1: Any,
    tensor2: Any,
    value: float = 1.0,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """Compute input + value tensor1 tensor2.

    >>> import numpy as np
    >>> addcmul(np.ones(1), np.full(1, 2.0), np.full(1, 3.0), value=0.5).tolist()
    [4.0]
    """
    product = functions.multiply(tensor1, tensor2)
    result = functions.add(input, functions.scale(product, value))
    return result if out is None else functions.assign(result, out)


def clamp(
    input: Any, min: Any = None, max: Any = None, output: Any = None, name: Any = None
) -> Any:
    """Clip each element to [min, max], of which one may be omitted."""
    result = functions.clip(input, min, max)
    return result if output is None else functions.assign(result, output)


def is_empty(x: Any, cond: Any = None) -> Any:
    """Test for a tensor without elements; write the result to `cond` if present."""
    if cond is None:
        return functions.is_empty(x)
    return cond.written_by(find("is_empty"), as_variable(x))


def unique(x: Any, dtype: Any = "int32") -> tuple[Any, Any]:
    """Return the unique numbers by first occurrence, and the index of each element.

    >>> import numpy as np
    >>> out, index = unique(np.array([2, 3, 3, 1, 5, 3]))
    >>> out.tolist(), index.tolist()
    ([2, 3, 1, 5], [0, 1, 1, 2, 3, 1])
    """
    return unique_with_counts(x, dtype)[:2]


def unique_with_counts(x: Any, dtype: Any = "int32") -> tuple[Any, Any, Any]:
    """Return the unique numbers, the index of each element, and their counts."""
    out, first, index, count = functions.unique(
        x, return_index=True, return_inverse=True, return_counts=True
    )
    order = functions.argsort(first)
    place = functions.argsort(order)
    parts = (functions.gather(place, index), functions.gather(count, order))
    return (functions.gather(out, order), *(functions.cast(p, dtype) for p in parts))


def pad2d(
    input: Any,
    paddings: Sequence[int] = (0, 0, 0, 0),
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Pad images.

    Args:
        input: [N, C, H, W], or [N, H, W, C].
        paddings: The widths above, below, left and right.
        mode: "constant"; "reflect": mirrored; "edge": the nearest pixel.
        pad_value: The constant.
        data_format: The layout, "NCHW" or "NHWC".
        name: The name of the layer.

    >>> import numpy as np
    >>> pad2d(np.array([[[[1.0, 2.0]]]]), [0, 0, 1, 0], "edge").tolist()
    [[[[1.0, 1.0, 2.0]]]]
    """
    above, below, left, right = paddings
    how = {"edge": "replicate"}.get(mode, mode)
    around = [left, right, above, below]
    return functional.pad(input, around, how, pad_value, data_format)


def pad_constant_like(
    x: Any, y: Any, pad_value: float = 0.0, name: str | None = None
) -> Any:
    """Pad `y` at the end of each dimension to the shape of `x`."""
    pairs = zip(x.shape, y.shape, strict=True)
    around = [amount for large, small in pairs for amount in (0, large - small)]
    return functional.pad(y, around, value=pad_value)


def like_batch(
    shape: Sequence[int], input: Any, input_dim_idx: int, output_dim_idx: int
) -> Any:
    """Return a shape with one size of the input, if that is known."""
    sizes = list(shape)
    count = input.shape[input_dim_idx]
    if count < 0:
        count = functions.shape(input)[input_dim_idx]
    sizes[output_dim_idx] = count
    return sizes


def fill_constant_batch_size_like(
    input: Any,
    shape: Sequence[int],
    dtype: Any,
    value: float,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
) -> Any:
    """Create a tensor of one value, with the batch size of the input.

    Args:
        input: The tensor with the batch size.
        shape: The shape of the result.
        dtype: The dtype of the result.
        value: The value.
        input_dim_idx: The dimension of the input that has the batch size.
        output_dim_idx: The dimension of the result that gets it.
        force_cpu: Accepted for Paddle's sake.
    """
    sizes = like_batch(shape, input, input_dim_idx, output_dim_idx)
    return functions.full(sizes, value, dtype)


def uniform_random_batch_size_like(
    input: Any,
    shape: Sequence[int],
    dtype: Any = "float32",
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Any:
    """Draw from a uniform distribution, with the batch size of the input."""
    sizes = like_batch(shape, input, input_dim_idx, output_dim_idx)
    return functions.uniform(sizes, dtype, min, max, seed)


def gaussian_random_batch_size_like(
    input: Any,
    shape: Sequence[int],
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Any = "float32",
) -> Any:
    """Draw from a normal distribution, with the batch size of the input."""
    sizes = like_batch(shape, input, input_dim_idx, output_dim_idx)
    return functions.gaussian(sizes, mean, std, seed, dtype)
