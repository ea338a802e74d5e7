"""Batches of `Model`: where they come from, and what of them is input or label."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from inspect import Parameter, signature
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError
from teachgraph.io import DataLoader, Dataset
from teachgraph.nn import Layer
from teachgraph.ops.as_list import as_list

__all__ = ["count_of", "loader_of", "named_inputs", "samples_in", "values_in"]


def values_in(value: Any) -> list[Any]:
    """Several values as a list; one value as a list of one, None as none."""
    return [] if value is None else as_list(value)


def loader_of(data: Any, **settings: Any) -> Any:
    """The batches of a data set; whatever else gives batches is returned as it is.

    Raises:
        DTypeError: Nobody can iterate over it.
    """
    if isinstance(data, Dataset) and not isinstance(data, DataLoader):
        return DataLoader(data, **settings)
    if not hasattr(data, "__iter__"):
        raise DTypeError.here(f"data is a Dataset or gives batches, got {data!r}")
    return data


def count_of(batches: Any) -> int | None:
    """The number of batches; None if nobody knows before the end."""
    if not isinstance(batches, Sized):
        return None
    try:
        return len(batches)
    except (TypeError, ValueError):  # a stream
        return None


def named_inputs(network: Layer) -> int:
    """The number of values that the network's `forward` names: a batch's first ones."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    parameters = signature(network.forward).parameters.values()
    return sum(parameter.kind in kinds for parameter in parameters)


def samples_in(values: Sequence[Any]) -> int:
    """The number of samples in a batch: the length of its first array."""
    shape = np.shape(values[0].data if isinstance(values[0], Tensor) else values[0])
    return shape[0] if shape else 1
