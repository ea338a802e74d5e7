"""Jacobians and Hessians: one backward pass for each element of the output.

In Paddle this is `paddle.autograd`, whose matrices are computed when they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.autograd.gradient import grad
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops.as_list import as_list
from teachgraph.ops.functions import reshape, stack, zeros_like

__all__ = ["backward", "hessian", "jacobian"]

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors, grad_tensors: Any = None, retain_graph: bool = False
) -> None:
    """Accumulate the gradients of several tensors into `.grad` of their leaves.

    Args:
        tensors: The roots; the backward pass runs once for each of them.
        grad_tensors: The upstream gradient of each root, None for ones.
        retain_graph: Keep the saved tensors, so that a further pass is possible.

    Raises:
        InvalidValueError: There is no tensor, one is none or is given twice, a gradient
            is no Tensor, there are not as many gradients as tensors, or `retain_graph`
            is neither True nor False.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0, stop_gradient=False)
    >>> tg.autograd.backward([x * x, 2.0 * x])
    >>> x.grad.item()
    8.0
    """
    roots = as_list(tensors)
    seeds = as_list(() if grad_tensors is None else grad_tensors) or [None] * len(roots)
    if problem := problem_of(roots, seeds, retain_graph):
        raise InvalidValueError.here(f"backward: {problem}")
    # The roots may share nodes: saved tensors stay until the last root has run.
    for i, (root, seed) in enumerate(zip(roots, seeds, strict=True)):
        root.backward(seed, retain_graph=retain_graph or i + 1 < len(roots))


def problem_of(roots: list[Any], seeds: list[Any], retain_graph: Any) -> str | None:
    """Say what `backward` has no meaning for, if it is among its arguments."""
    if not roots or not all(isinstance(root, Tensor) for root in roots):
        return f"tensors must be Tensor or list of Tensor, got {roots!r}"
    if len({id(root) for root in roots}) != len(roots):
        return "a tensor is given twice"
    if not all(isinstance(seed, Tensor | None) for seed in seeds):
        return f"grad_tensors must be None, Tensor or a list of these, got {seeds!r}"
    if len(seeds) != len(roots):
        return f"{len(roots)} tensors and {len(seeds)} gradients"
    if not isinstance(retain_graph, bool):
        return f"retain_graph must be True or False, got {retain_graph!r}"
    return None


def jacobian(ys: Tensors, xs: Tensors, batch_axis: int | None = None) -> Any:
    """Compute the derivative of each element of `ys` by each element of `xs`.

    Args:
        ys: The outputs to differentiate.
        xs: The inputs to differentiate with respect to.
        batch_axis: 0, if the first dimension of both counts independent samples;
            None, if it does not.

    Returns:
        A Tensor of shape ys.shape + xs.shape, with a `batch_axis` of
        [batch, *ys.shape[1:], *xs.shape[1:]]. Several `xs` give a tuple; several `ys`
        a tuple with an entry of that form for each.

    Raises:
        InvalidValueError: The batch axis is another one.
        ShapeError: The batches differ.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> tg.autograd.jacobian(x * x, x).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if batch_axis not in (None, 0):
        message = f"jacobian: batch_axis is None or 0, got {batch_axis}"
        raise InvalidValueError.here(message)
    if isinstance(ys, (list, tuple)):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    assert isinstance(ys, Tensor)
    common = 0 if batch_axis is None else 1
    matrices = tuple(matrix(ys, x, common) for x in as_list(xs))
    return matrices if isinstance(xs, (list, tuple)) else matrices[0]


def matrix(y: Tensor, x: Tensor, common: int) -> Tensor:
    """Stack the gradients of all elements of y; both share `common` leading axes."""
    if y.shape[:common] != x.shape[:common]:
        message = f"jacobian: batches of {y.shape[:1]} and {x.shape[:1]}"
        raise ShapeError.here(message)
    sizes = y.shape[common:]
    rows = [gradient_of(y, x, place) for place in np.ndindex(*sizes)]
    if not rows:
        return Tensor.results(np.zeros([*y.shape, *x.shape[common:]], x.dtype))
    result: Tensor = stack(rows, axis=common)
    shape = [*y.shape, *x.shape[common:]]
    return reshape(result, shape) if prod(shape) else result


def gradient_of(y: Tensor, x: Tensor, place: tuple[int, ...]) -> Tensor:
    """Compute the gradient of the element at `place` (of each sample), on the tape."""
    start = np.zeros(y.shape, y.dtype)
    index: Any = (..., *place)
    start[index] = 1.0
    seed = Tensor.results(start)
    (dx,) = grad(y, x, seed, retain_graph=True, create_graph=True, allow_unused=True)
    return zeros_like(x) if dx is None else dx


def hessian(ys: Tensor, xs: Tensors, batch_axis: int | None = None) -> Any:
    """Compute the second derivatives of one number, or of one for each sample.

    Args:
        ys: A tensor of one element; with a `batch_axis`, of one element per sample.
        xs: The inputs to differentiate with respect to.
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
        message = f"hessian: of one number, not of {ys.size} in {samples} samples"
        raise ShapeError.here(message)
    flat = reshape(ys, [samples] if batch_axis == 0 else [])
    first = jacobian(flat, as_list(xs), batch_axis)
    blocks = tuple(jacobian(slope, as_list(xs), batch_axis) for slope in first)
    return blocks if isinstance(xs, (list, tuple)) else blocks[0][0]
