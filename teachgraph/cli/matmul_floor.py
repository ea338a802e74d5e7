"""Lower bound of a classifier's time: its matrix products alone, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.cli.bert_backends import Prediction, by_plan
from teachgraph.deploy.inference.predictor import Predictor
from teachgraph.static.operator import Operator

__all__ = ["floors"]

Array = np.ndarray[Any, Any]
Pair = tuple[Array, Array]


def floors(path: Path) -> dict[str, Prediction]:
    """Return the products of a saved network, and those that its first word needs."""
    whole, rest = by_plan(path, "early_slice"), by_plan(path)
    return {"dynamic": products(whole.predictor), "static": products(rest.predictor)}


def products(predictor: Predictor) -> Prediction:
    """Return a function that only multiplies matrices of a program's sizes."""
    values = predictor.ready.scope.values
    ops = predictor.program.global_block().ops
    pairs = [pair for op in ops for pair in pairs_of(op, values)]

    def run() -> Array:
        for x, y in pairs:
            product = x @ y
        return product

    return run


def pairs_of(operator: Operator, values: Any) -> Iterator[Pair]:
    """Yield the factors of an operator's products: its weights, and ones."""
    shape = operator.block._var_recursive
    if operator.type == "fc":
        weight = values[operator.input("W")[0]]
        rows = np.prod(shape(operator.output("Out")[0]).shape[:-1])
        yield np.ones([rows, len(weight)], weight.dtype), weight
    if operator.type == "fused_dot_product_attention":
        heads = operator.attrs["num_heads"]
        q, k, v = (
            ones_by_head(shape(operator.input(s)[0]).shape, heads) for s in "QKV"
        )
        keys = k.swapaxes(-1, -2)
        yield q, keys
        yield q @ keys, v


def ones_by_head(shape: tuple[int, ...], heads: int) -> Array:
    """Return ones [N, H, L, D] in the memory layout of [N, L, H D]."""
    ones = np.ones(shape, "float32")
    return ones.reshape(*shape[:2], heads, -1).swapaxes(1, 2)
