"""Normalisations that are made of several ops."""

from __future__ import annotations

from math import inf
from typing import Any

from tests.ops.contract import Case
from tests.ops.values import numbers, positive
from tests.oracle.functions.function import Function, functional

X, IMAGES = numbers(4, 3), numbers(2, 5, 3)
SHAPE = {"normalized_shape": [3]}


def rms_in_torch(t: Any, x: Any, weight: Any, normalized_shape: list[int]) -> Any:
    return t.nn.functional.rms_norm(x, normalized_shape, weight, 1e-5)


def rms(tg: Any, x: Any, weight: Any, normalized_shape: list[int]) -> Any:
    return tg.nn.functional.rms_norm(x, normalized_shape, weight)


def normalize_in_torch(t: Any, x: Any, p: float = 2, axis: int = 1) -> Any:
    return t.nn.functional.normalize(x, p, axis)


def layers(tg: Any, x: Any, weight: Any, bias: Any) -> Any:
    return tg.nn.functional.layer_norm(x, [5, 3], weight, bias)


def layers_in_torch(t: Any, x: Any, weight: Any, bias: Any) -> Any:
    vectors = weight.reshape(5, 3), bias.reshape(5, 3)
    return t.nn.functional.layer_norm(x, [5, 3], *vectors)


def fixed(tg: Any, x: Any, mean: Any, variance: Any) -> Any:
    found = tg.nn.functional.instance_norm(x, mean, variance, use_input_stats=False)
    return found * 1.0


FAMILY = (
    Function(
        "rms_norm",
        rms,
        rms_in_torch,
        (
            Case("rows", (X, positive(3)), SHAPE),
            Case("no weight", (X, None), SHAPE),
            Case("the last of three", (IMAGES, positive(3)), SHAPE),
        ),
    ),
    Function(
        "normalize",
        functional("normalize"),
        normalize_in_torch,
        (
            Case("rows", (X,)),
            Case("columns", (X,), {"axis": 0}),
            Case("cubes", (X,), {"p": 3}),
            Case("absolute", (X,), {"p": 1}),
            Case("largest", (X,), {"p": inf}),
        ),
    ),
    Function(
        "local_response_norm",
        functional("local_response_norm"),
        functional("local_response_norm"),
        (
            Case("three", (IMAGES,), {"size": 3, "alpha": 0.5}),
            Case("two", (IMAGES,), {"size": 2, "alpha": 0.5, "k": 2.0}),
            Case("more than there are", (IMAGES,), {"size": 12, "beta": 0.5}),
        ),
    ),
    Function(
        "layer_norm",
        layers,
        layers_in_torch,
        (Case("two dimensions", (IMAGES, positive(15), numbers(15))),),
    ),
    Function(
        "instance_norm",
        fixed,
        fixed,
        (Case("running", (IMAGES, numbers(5), positive(5)), constant=(1, 2)),),
    ),
)
