"""Flattening of parameters to one vector, and its inverse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import ShapeError
from teachgraph.ops.functions.joining import concat
from teachgraph.ops.functions.manipulation import reshape

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor], name: Any = None) -> Any:
    """Concatenate all elements of all parameters to one vector.

    >>> import teachgraph as tg
    >>> w, b = tg.to_tensor([[1.0, 2.0]]), tg.to_tensor([3.0])
    >>> parameters_to_vector([w, b]).tolist()
    [1.0, 2.0, 3.0]

    In Paddle this is `paddle.nn.utils.parameters_to_vector`.
    """
    return concat([reshape(parameter, [-1]) for parameter in parameters])


def vector_to_parameters(
    vec: Tensor, parameters: Iterable[Tensor], name: Any = None
) -> None:
    """Set each parameter to its part of a vector; inverse of `parameters_to_vector`.

    Raises:
        ShapeError: The vector has more or fewer elements than the parameters.

    >>> import teachgraph as tg
    >>> w, b = tg.zeros([1, 2]), tg.zeros([1])
    >>> vector_to_parameters(tg.to_tensor([1.0, 2.0, 3.0]), [w, b])
    >>> w.tolist(), b.tolist()
    ([[1.0, 2.0]], [3.0])

    In Paddle this is `paddle.nn.utils.vector_to_parameters`.
    """
    targets, values = list(parameters), vec.numpy()
    ends = np.cumsum([parameter.size for parameter in targets])
    if values.shape != (sum(parameter.size for parameter in targets),):
        reason = f"a vector {list(values.shape)} for {ends[-1:].sum()} elements"
        raise ShapeError.here(f"vector_to_parameters: {reason}")
    for parameter, part in zip(targets, np.split(values, ends[:-1]), strict=True):
        parameter.set_value(part.reshape(parameter.shape))
