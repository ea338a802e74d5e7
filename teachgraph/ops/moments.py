"""Shared parts of normalisations: moments, standardisation, affine, and gradients.

Normalisations differ only in the elements over which they take mean and variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.ops import aligned, elementwise_mul, reduce_mean, reduce_to, spread
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_sub

__all__ = [
    "affine",
    "check_some",
    "check_vectors",
    "moments",
    "of_affine",
    "of_inverse",
    "standardised",
    "through_moments",
    "through_scale",
]


def moments(x: Any, dim: tuple[int, ...]) -> tuple[Any, Any]:
    """Compute mean and variance along `dim`."""
    mean = x.mean(dim, keepdims=True)
    return mean.squeeze(dim), np.square(x - mean).mean(dim)


def standardised(x: Any, mean: Any, inverse: Any, axis: int) -> Any:
    """Compute (x - mean) inverse, in the dtype of x; moments start at `axis` of x."""
    normal = (x - aligned(mean, x.ndim, axis)) * aligned(inverse, x.ndim, axis)
    return normal.astype(x.dtype, copy=False)


def affine(normal: Any, scale: Any, bias: Any, axis: int) -> Any:
    """Compute scale normal + bias; either may be None."""
    out = normal if scale is None else normal * aligned(scale, normal.ndim, axis)
    out = out if bias is None else out + aligned(bias, normal.ndim, axis)
    return out.astype(normal.dtype, copy=False)


def through_moments(
    dnormal: Any,
    dmean: Any,
    dvariance: Any,
    x: Any,
    mean: Any,
    inverse: Any,
    dim: Sequence[int],
    axis: int,
) -> Any:
    """Compute dx of normal = (x - mean) inverse, with the moments of x along `dim`.

    dx = inverse (dnormal - E[dnormal] - normal E[dnormal normal])
       + (dmean + 2 (x - mean) dvariance) / n
    """
    centred = elementwise_sub(x, mean, axis=axis)
    dx = 0.0
    if dnormal is not None:
        normal = elementwise_mul(centred, inverse, axis=axis)
        shift, slope = (
            reduce_mean(part, dim=list(dim)) for part in (dnormal, dnormal * normal)
        )
        along = elementwise_mul(normal, slope, axis=axis)
        rest = elementwise_sub(dnormal - along, shift, axis=axis)
        dx = elementwise_mul(rest, inverse, axis=axis)
    if dmean is not None:
        dx = spread(dmean, x, dim=list(dim), mean=True) + dx
    if dvariance is not None:
        share = spread(dvariance, x, dim=list(dim), mean=True)
        dx = share * centred * 2.0 + dx
    return reduce_to(dx, x)


def of_inverse(dinverse: Any, inverse: Any) -> Any:
    """dvariance = -dinverse inverse^3 / 2, where inverse = 1 / sqrt(variance + ...)."""
    return None if dinverse is None else dinverse * inverse * inverse * inverse * -0.5


def through_scale(dy: Any, scale: Any, axis: int) -> Any:
    """dnormal = dy scale; None if there is no upstream gradient."""
    if dy is None or scale is None:
        return dy
    return elementwise_mul(dy, scale, axis=axis)


def of_affine(dy: Any, normal: Any, scale: Any, bias: Any, axis: int) -> Any:
    """dscale = sum dy normal and dbias = sum dy; None for missing inputs."""

    def total(dy_of_each: Any, vector: Any) -> Any:
        if dy is None:
            return fill_any_like(vector)
        return reduce_to(dy_of_each(), vector, axis)

    return (
        None if scale is None else lambda: total(lambda: dy * normal, scale),
        None if bias is None else lambda: total(lambda: dy, bias),
    )


def check_vectors(x: Any, size: int, *vectors: Any) -> None:
    """Require floating inputs, and vectors of `size` elements or None.

    Raises:
        DTypeError: An input is not floating.
        ShapeError: A vector has another size, or x is empty where a mean is taken.
    """
    for value in (x, *vectors):
        if value is not None and value.dtype.kind != "f":
            raise DTypeError(f"floating numbers are normalised, not {value.dtype}")
    for vector in vectors:
        if vector is not None and tuple(vector.shape) != (size,):
            raise ShapeError(f"{size} channels, but a vector of {list(vector.shape)}")


def check_some(shape: Sequence[int]) -> None:
    """Require at least one element to take a mean of.

    Raises:
        ShapeError: There is none.
    """
    if not prod(shape):
        raise ShapeError("there is nothing to take a mean of")
