"""The matrix products of a classifier alone: what is left if all else took no time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.cli.bert_ways import Prediction, by_plan
from teachgraph.deploy.inference.predictor import Predictor
from teachgraph.static.operator import Operator

__all__ = ["floors"]

Array = np.ndarray[Any, Any]
Pair = tuple[Array, Array]


def floors(path: Path) -> dict[str, Prediction]:
    """The products of a whole saved network, and those that its first word needs."""
    whole, rest = by_plan(path, "early_slice"), by_plan(path)
    return {"dynamic": products(whole.predictor), "static": products(rest.predictor)}


def products(predictor: Predictor) -> Prediction:
    """A function that multiplies matrices of these sizes, and does nothing else."""
    values = predictor.ready.scope.values
    ops = predictor.program.global_block().ops
    pairs = [pair for op in ops for pair in pairs_of(op, values)]

    def run() -> Array:
        for x, y in pairs:
            product = x @ y
        return product

    return run


def pairs_of(operator: Operator, values: Any) -> Iterator[Pair]:
    """What an operator multiplies: with the weights there are, and rows of ones."""
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
    """Ones [N, H, L, D] in the memory of [N, L, H D]."""
    ones = np.ones(shape, "float32")
    return ones.reshape(*shape[:2], heads, -1).swapaxes(1, 2)
