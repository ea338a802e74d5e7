"""Spectral normalisation: a weight divided by its largest singular value.

Power iteration v <- W' u / |W' u|, u <- W v / |W v| converges to the first singular
vectors; the value is then u' W v. In backward both vectors are constants.
"""

from __future__ import annotations

from math import prod
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, Traced, op
from teachgraph.core.ops import reduce_sum
from teachgraph.ops.linalg import mv
from teachgraph.ops.math import sqrt
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.shape import reshape2, transpose2
from teachgraph.ops.vector_products import dot

__all__ = ["power_iteration", "rows_first", "spectral_norm"]


@op(needs="a weight, a vector U of as many elements as its rows, V as its columns")
def spectral_norm(
    weight: Any,
    u: Any,
    v: Any,
    *,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
) -> Any:
    """out = W / s, with s = u' W v after some power iterations from `u` and `v`.

    The rows of the matrix W are the flattened slices along `dim`.
    """
    check_vectors(weight, u, v, dim)
    matrix = rows_first(weight, dim)
    u, v = power_iteration(matrix, u, v, power_iters, eps)
    return weight / dot(u, mv(matrix, v))


def check_vectors(weight: Any, u: Any, v: Any, dim: int) -> None:
    """Check the vectors.

    Raises:
        ShapeError: `dim` is out of range, the weight is empty, or a vector has another
            size.
        DTypeError: The weight is not floating, or a vector has another dtype.
    """
    size = prod(weight.shape)
    if not 0 <= dim < len(weight.shape) or not size:
        raise ShapeError(f"no rows at dim = {dim} of a weight {list(weight.shape)}")
    rows = weight.shape[dim]
    if tuple(u.shape) != (rows,) or tuple(v.shape) != (size // rows,):
        raise ShapeError(
            f"u and v must have {rows} and {size // rows} elements, got "
            f"{list(u.shape)} and {list(v.shape)}"
        )
    if weight.dtype.kind != "f" or not weight.dtype == u.dtype == v.dtype:
        actual = f"{weight.dtype}, with vectors {u.dtype} and {v.dtype}"
        raise DTypeError(f"they must be floating and alike, got {actual}")


def order(ndim: int, dim: int) -> list[int]:
    """Permutation with `dim` in front."""
    return [dim, *(i for i in range(ndim) if i != dim)]


def rows_first(weight: Any, dim: int) -> Any:
    """Flatten the weight to a matrix with a row for each slice along `dim`."""
    turned = transpose2(weight, axis=order(weight.ndim, dim))
    return reshape2(turned, shape=[weight.shape[dim], -1])


def power_iteration(
    matrix: Any, u: Any, v: Any, steps: int, epsilon: float
) -> tuple[Any, Any]:
    """Refine the singular vectors by power iterations; the results are constants."""
    across = transpose2(matrix, axis=[1, 0])
    for _ in range(steps):
        v = unit(mv(across, u), epsilon)
        u = unit(mv(matrix, v), epsilon)
    return u, v


def unit(vector: Any, epsilon: float) -> Any:
    """Normalise a vector to norm 1, as a constant without gradient."""
    normalised = vector / (sqrt(reduce_sum(vector * vector)) + epsilon)
    if isinstance(normalised, Traced):
        normalised.stop_gradient = True
    return normalised


@spectral_norm.grad(of=("weight",))
def spectral_norm_grad(
    dout: Any, weight: Any, u: Any, v: Any, *, dim: int, power_iters: int, eps: float
) -> Any:
    """dW = dOut / s - <dOut, W> / s^2 u v', since ds = u' dW v."""
    matrix = rows_first(weight, dim)
    u, v = power_iteration(matrix, u, v, power_iters, eps)
    value = dot(u, mv(matrix, v))
    columns, row = reshape2(u, shape=[-1, 1]), reshape2(v, shape=[1, -1])
    sizes = [weight.shape[i] for i in order(weight.ndim, dim)]
    outer = reshape2(matmul_v2(columns, row), shape=sizes)
    back = sorted(range(weight.ndim), key=order(weight.ndim, dim).__getitem__)
    stretched = transpose2(outer, axis=back)
    return dout / value - stretched * (reduce_sum(dout * weight) / (value * value))


@spectral_norm.infers
def infer_spectral_norm(
    weight: Like, u: Like, v: Like, *, dim: int, power_iters: int, eps: float
) -> Any:
    """The weight's spec."""
    check_vectors(weight, u, v, dim)
    return [(tuple(weight.shape), weight.dtype)]
