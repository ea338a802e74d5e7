"""Collate functions: stack the fields of samples along a new batch axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.errors import DataError

__all__ = ["default_collate_fn", "default_convert_fn"]


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Stack samples field by field: N samples of shape [...] become one [N, ...].

    Arrays, Tensors and numbers are stacked to arrays (Python's int gives int64, its
    float float64); text stays a list; a tuple or list gives a list of fields, a
    mapping a dict of them.

    Raises:
        DataError: The samples differ in shape, in number or names of fields, or hold
            something that can't be stacked.

    In Paddle this is `paddle.io.dataloader.collate.default_collate_fn`.

    >>> image, label = default_collate_fn([([1.0, 2.0], "a"), ([3.0, 4.0], "b")])
    >>> [column.tolist() for column in image], label
    ([[1.0, 3.0], [2.0, 4.0]], ['a', 'b'])
    >>> default_collate_fn([{"label": 3}, {"label": 5}])
    {'label': array([3, 5])}
    """
    return _collate(batch, "sample")


def default_convert_fn(sample: Any) -> Any:
    """Return a sample unchanged, tuples and mappings as plain lists and dicts.

    The default of a DataLoader with `batch_size=None`, whose data set makes batches.

    >>> default_convert_fn((1, {"name": "x"}))
    [1, {'name': 'x'}]
    """
    if isinstance(sample, str | bytes):
        return sample
    if isinstance(sample, Mapping):
        return {key: default_convert_fn(value) for key, value in sample.items()}
    if isinstance(sample, Sequence):
        return [default_convert_fn(value) for value in sample]
    return sample


def _collate(values: Sequence[Any], where: str) -> Any:
    first = values[0]
    _same([_kind(value) for value in values], "kind", where)
    if isinstance(first, np.ndarray | np.generic | Tensor | Number):
        return _stack(values, where)
    if isinstance(first, str | bytes):
        return list(values)
    if isinstance(first, Mapping):
        _same([sorted(map(repr, value)) for value in values], "names of fields", where)
        return {
            key: _collate([value[key] for value in values], f"{where}[{key!r}]")
            for key in first
        }
    if isinstance(first, Sequence):
        _same([len(value) for value in values], "fields number", where)
        fields = zip(*values, strict=True)
        return [_collate(f, f"{where}[{i}]") for i, f in enumerate(fields)]
    raise DataError(
        "batch data can only contain: tensor, numpy.ndarray, dict, list, number, text, "
        f"but {where} is a {type(first).__name__}"
    )


def _kind(value: Any) -> str:
    """Name what a value is collated as."""
    if isinstance(value, np.ndarray | np.generic | Tensor | Number):
        return "numbers"
    if isinstance(value, str | bytes):
        return "text"
    if isinstance(value, Mapping):
        return "fields by name"
    return "fields" if isinstance(value, Sequence) else type(value).__name__


def _stack(values: Sequence[Any], where: str) -> np.ndarray[Any, Any]:
    arrays = [v.numpy() if isinstance(v, Tensor) else np.asarray(v) for v in values]
    _same([array.shape for array in arrays], "shape", where)
    return np.stack(arrays)


def _same(facts: Sequence[Any], what: str, where: str) -> None:
    """Raise unless all samples of the batch agree with the first."""
    for i, fact in enumerate(facts):
        if fact != facts[0]:
            raise DataError(
                f"{what} not same among samples in a batch: {where} of the batch's "
                f"sample 0 has {facts[0]}, that of sample {i} has {fact}; make them "
                "equal in the data set or give a collate_fn"
            )
