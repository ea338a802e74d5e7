"""Layers, optimizers and tensors say what they were given wrongly, and what fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import teachgraph as tg
from teachgraph import nn
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError

X = tg.ones([2, 3])

MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "sequences without steps": (
        lambda: nn.GRU(3, 4)(X),
        ShapeError,
        "GRU: inputs are [batch, steps, size], got Tensor float32 [2, 3]",
    ),
    "an image for a list": (
        lambda: nn.BatchNorm1D(3)(tg.ones([2, 3, 4, 4])),
        ShapeError,
        "BatchNorm1D: expected 2D or 3D input (got 4D input)\n  x: Tensor float32",
    ),
    "a layer of no size": (
        lambda: nn.Linear(-3, 4),
        InvalidValueError,
        "Linear: each dimension of a parameter is greater than 0, got [-3, 4]",
    ),
    "a list for a state": (
        lambda: nn.Linear(3, 4).set_state_dict([1]),
        DTypeError,
        "a state is a dictionary from names to values",
    ),
    "a layer for its parameters": (
        lambda: tg.optimizer.SGD(0.1, parameters=[nn.Linear(3, 4).weight, 3]),
        DTypeError,
        "such as layer.parameters(), got a list of Parameter float32 [3, 4]",
    ),
    "an item of several": (
        X.item,
        InvalidValueError,
        "item() is of a tensor of one element; this one has shape [2, 3]",
    ),
    "too few axes": (
        lambda: X.transpose([0]),
        ShapeError,
        "1 axes, [0], for 2 dimensions",
    ),
    "an axis it has not": (
        lambda: X.squeeze(5),
        ShapeError,
        "squeeze cannot take these inputs: there is no axis 5 among 2 dimensions",
    ),
    "parts that do not come out even": (
        lambda: tg.split(X, 2, axis=1),
        ShapeError,
        "a size of 3 cannot be split into 2 equal parts",
    ),
    "parts that do not add up": (
        lambda: tg.split(X, [1, 1], axis=1),
        ShapeError,
        "a size of 3 cannot be split into parts of [1, 1]",
    ),
    "an index past the end": (
        lambda: X[5],
        IndexError,
        "slice needs for each dimension an index from -size to size - 1, or a slice",
    ),
    "a slice of an axis it has not": (
        lambda: tg.slice(X, [4], [0], [1]),
        InvalidValueError,
        "axes [4] of 2 dimensions",
    ),
    "labels of another shape": (
        lambda: nn.functional.binary_cross_entropy(X, tg.ones([2, 4])),
        ShapeError,
        "shapes differ: [2, 3] and [2, 4]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_what_would_be_right(mistake: str) -> None:
    call, kind, told = MISTAKES[mistake]
    with pytest.raises(kind) as caught:
        call()
    assert told in str(caught.value)
    assert __file__ in str(caught.value)
