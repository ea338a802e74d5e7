"""Fused optimizer update: several small parameters concatenated, updated at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, Op, find, op

__all__ = ["UPDATES", "fused_update"]

UPDATES = frozenset({"sgd", "momentum", "adagrad", "adam", "adamw", "adamax"})
"""Elementwise update ops, which can be fused."""

NUMBERS = ("learning_rate", "beta1_pow", "beta2_pow")
"""Scalar inputs of the updates."""


@op
def fused_update(
    *x: Any, update: str, count: int, options: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Apply `count` updates of one kind: all first results, then all second ones, ...

    The inputs are all parameters, then all gradients, ... in the order of the update's
    inputs. They are concatenated, so that the formula is computed once. If a scalar
    input differs between two parameters, each is updated separately.
    """
    of = checked(update, count, x)
    columns = [x[at : at + count] for at in range(0, len(x), count)]
    named = dict(zip(of.inputs, columns, strict=True))
    common = [named[name] for name in NUMBERS if name in named]
    if any(value.item() != column[0].item() for column in common for value in column):
        return one_by_one(of, columns, options)
    joined = [
        column[0] if name in NUMBERS else behind_one_another(column)
        for name, column in named.items()
    ]
    outputs = of.kernel(*joined, **options)
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(
        part
        for name, result in zip(of.outputs, results, strict=True)
        for part in (
            [result] * count
            if of.inplace[name] in NUMBERS
            else split_like(result, columns[0])
        )
    )


def one_by_one(
    of: Op, columns: Sequence[Sequence[Any]], options: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Apply the updates one by one."""
    each = [of.kernel(*row, **options) for row in zip(*columns, strict=True)]
    rows = [row if isinstance(row, tuple) else (row,) for row in each]
    return tuple(result for column in zip(*rows, strict=True) for result in column)


def behind_one_another(values: Sequence[Any]) -> Any:
    """Concatenate the elements of several arrays to a vector."""
    return np.concatenate([value.reshape(-1) for value in values])


def split_like(vector: Any, like: Sequence[Any]) -> Iterator[Any]:
    """Split a vector into the shapes of other arrays."""
    ends = list(accumulate(value.size for value in like))
    for value, end in zip(like, ends, strict=True):
        yield vector[end - value.size : end].reshape(value.shape)


def checked(update: str, count: int, x: Sequence[Any]) -> Op:
    """Look up the update op, and check the number of inputs.

    Raises:
        InvalidValueError: The update cannot be fused.
        ShapeError: The number of inputs is wrong.
    """
    if update not in UPDATES:
        raise InvalidValueError(f"{update!r} is none of {sorted(UPDATES)}")
    of = find(update)
    if len(x) != count * len(of.inputs):
        raise ShapeError(
            f"{count} updates by {update} take {count * len(of.inputs)} inputs, "
            f"not {len(x)}"
        )
    return of


@fused_update.infers
def infer_fused_update(
    *x: Like, update: str, count: int, options: Mapping[str, Any]
) -> Any:
    """Each result has the spec of the input it replaces."""
    of = checked(update, count, x)
    columns = [x[at : at + count] for at in range(0, len(x), count)]
    named = dict(zip(of.inputs, columns, strict=True))
    over = [value for name in of.outputs for value in named[of.inplace[name]]]
    return [(value.shape, value.dtype) for value in over]
