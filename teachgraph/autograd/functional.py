"""Whole matrices of derivatives: a reverse pass for each element of the output.

In Paddle this is `paddle.autograd`, whose matrices are computed when they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.autograd.gradient import grad
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError, ShapeError, at_user_line
from teachgraph.ops.functions import reshape, stack, zeros_like

__all__ = ["backward", "hessian", "jacobian"]

Tensors = Tensor | Sequence[Tensor]


def listed(tensors: Any) -> list[Any]:
    """One or several, as a list."""
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def backward(
    tensors: Tensors, grad_tensors: Any = None, retain_graph: bool = False
) -> None:
    """Add the gradients of several tensors to `.grad` of the leaves they came from.

    Args:
        tensors: What to differentiate; what they share is gone through with each.
        grad_tensors: The gradient to start with for each, None for ones.
        retain_graph: Keep what the graph has saved, for another pass.

    Raises:
        InvalidValueError: There are not as many gradients as tensors.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0, stop_gradient=False)
    >>> tg.autograd.backward([x * x, 2.0 * x])
    >>> x.grad.item()
    8.0
    """
    roots = listed(tensors)
    given = [None] * len(roots) if grad_tensors is None else listed(grad_tensors)
    if len(given) != len(roots):
        told = f"backward: {len(roots)} tensors and {len(given)} gradients"
        raise InvalidValueError(at_user_line(told))
    for i, (root, start) in enumerate(zip(roots, given, strict=True)):
        root.backward(start, retain_graph=retain_graph or i + 1 < len(roots))


def jacobian(ys: Tensors, xs: Tensors, batch_axis: int | None = None) -> Any:
    """The derivative of every element of `ys` with respect to every one of `xs`.

    Args:
        ys: What to differentiate.
        xs: With respect to what.
        batch_axis: 0, if the first dimension of both counts samples that have nothing
            to do with each other; None, if it does not.

    Returns:
        A Tensor of shape ys.shape + xs.shape, with a `batch_axis` of
        [batch, *ys.shape[1:], *xs.shape[1:]]. Several `xs` give a tuple; several `ys`
        a tuple of what each gives.

    Raises:
        InvalidValueError: The batch axis is another one.
        ShapeError: The batches differ.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> tg.autograd.jacobian(x * x, x).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if batch_axis not in (None, 0):
        told = f"jacobian: batch_axis is None or 0, got {batch_axis}"
        raise InvalidValueError(at_user_line(told))
    if isinstance(ys, (list, tuple)):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    assert isinstance(ys, Tensor)
    common = 0 if batch_axis is None else 1
    found = tuple(matrix(ys, x, common) for x in listed(xs))
    return found if isinstance(xs, (list, tuple)) else found[0]


def matrix(y: Tensor, x: Tensor, common: int) -> Tensor:
    """All derivatives of y by x; the first `common` dimensions are the same in both."""
    if y.shape[:common] != x.shape[:common]:
        told = f"jacobian: batches of {y.shape[:1]} and {x.shape[:1]}"
        raise ShapeError(at_user_line(told))
    sizes = y.shape[common:]
    rows = [gradient_of(y, x, place) for place in np.ndindex(*sizes)]
    if not rows:
        return Tensor(np.zeros([*y.shape, *x.shape[common:]], x.dtype))
    result: Tensor = stack(rows, axis=common)
    shape = [*y.shape, *x.shape[common:]]
    return reshape(result, shape) if prod(shape) else result


def gradient_of(y: Tensor, x: Tensor, place: tuple[int, ...]) -> Tensor:
    """The gradient of one element, of each sample if there are several; it is taped."""
    start = np.zeros(y.shape, y.dtype)
    index: Any = (..., *place)
    start[index] = 1.0
    given = Tensor(start)
    (found,) = grad(
        y, x, given, retain_graph=True, create_graph=True, allow_unused=True
    )
    return zeros_like(x) if found is None else found


def hessian(ys: Tensor, xs: Tensors, batch_axis: int | None = None) -> Any:
    """The second derivatives of one number, or of one for each sample of a batch.

    Args:
        ys: A tensor of one element, or with a `batch_axis` of one a sample.
        xs: With respect to what.
        batch_axis: 0 or None, as for `jacobian`.

    Returns:
        A Tensor of shape xs.shape + xs.shape; for several `xs` a tuple of tuples, the
        block [i][j] by xs[i] and xs[j].

    Raises:
        ShapeError: There is more than one element.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> tg.autograd.hessian((x * x * x).sum(), x).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    samples = ys.shape[0] if batch_axis == 0 and ys.ndim else 1
    if ys.size != samples:
        told = f"hessian: of one number, not of {ys.size} in {samples} samples"
        raise ShapeError(at_user_line(told))
    flat = reshape(ys, [samples] if batch_axis == 0 else [])
    first = jacobian(flat, listed(xs), batch_axis)
    blocks = tuple(jacobian(slope, listed(xs), batch_axis) for slope in first)
    return blocks if isinstance(xs, (list, tuple)) else blocks[0][0]
