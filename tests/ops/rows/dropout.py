"""Rows for `teachgraph/ops/dropout.py`, with seeds of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

UP = {"dropout_implementation": "upscale_in_train", "seed": 3}


def levels(seed: int, shape: list[int]) -> Array:
    """Numbers below 2^32: two of each 64 bits that the seed gives."""
    count = int(np.prod(shape))
    words = np.random.default_rng(seed).bit_generator.random_raw((count + 1) // 2)
    parts = [int(word) >> low & 0xFFFFFFFF for word in words for low in (0, 32)]
    return np.array(parts[:count]).reshape(shape)


def left_out(
    x: Array,
    dropout_prob: float = 0.5,
    is_test: bool = False,
    dropout_implementation: str = "downgrade_in_infer",
    seed: int = 0,
    fix_seed: bool = False,
    axis: Any = (),
) -> tuple[Array, Array]:
    """Element by element, from the numbers that the seed gives."""
    upscale = dropout_implementation == "upscale_in_train"
    shape = [n if not axis or i in axis else 1 for i, n in enumerate(x.shape)]
    drawn = np.broadcast_to(levels(seed, shape), x.shape)
    least = round(dropout_prob * 2**32)
    out, mask = np.zeros(x.shape), np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        mask[place] = kept = is_test or drawn[place] >= least
        factor = (1 if upscale else 1 - dropout_prob) if is_test else 1.0
        if upscale and kept and not is_test:
            factor = 1 / (1 - dropout_prob)
        out[place] = x[place] * factor if kept else 0.0
    return out, mask


def left_out_in_torch(
    t: Any,
    x: Any,
    dropout_prob: float = 0.5,
    is_test: bool = False,
    dropout_implementation: str = "downgrade_in_infer",
    **drawn: Any,
) -> Any:
    """PyTorch draws other numbers: the places are told it, the product is its own."""
    place = left_out(x.detach().numpy(), dropout_prob, is_test, **drawn)[1]
    mask = t.tensor(place)
    kept = 1 - dropout_prob
    up = dropout_implementation == "upscale_in_train"
    factor = (1.0 if up else kept) if is_test else (1 / kept if up and kept else 1.0)
    return x * mask * factor, mask.to(t.uint8)


X = numbers(4, 5)

ROWS = (
    Row(
        "dropout",
        (
            Case("scalar", (numbers(),), UP),
            Case("1-D", (numbers(7),), UP),
            Case("a third", (X,), {**UP, "dropout_prob": 1 / 3}),
            Case("nothing", (X,), {**UP, "dropout_prob": 0.0}),
            Case("everything", (X,), {**UP, "dropout_prob": 1.0}),
            Case("downgraded", (X,), {"dropout_prob": 0.3, "seed": 4}),
            Case("a seed of 0", (X,), {"fix_seed": True}),
            Case("a test", (X,), {**UP, "is_test": True}),
            Case("a test, downgraded", (X,), {"dropout_prob": 0.3, "is_test": True}),
            Case("whole columns", (X,), {**UP, "axis": [1]}),
            Case("channels", (numbers(3, 2, 2),), {**UP, "axis": [0, 1]}),
            Case("empty", (numbers(0, 3),), UP),
            Case("not contiguous", (turned(X),), UP),
        ),
        left_out,
        left_out_in_torch,
        gives=lambda dtype, attrs: (dtype, "uint8"),
        wrong=(
            Wrong("above 1", (X,), {"dropout_prob": 1.5}, "InvalidValueError", "1.5"),
            Wrong("below 0", (X,), {"dropout_prob": -0.5}, "InvalidValueError"),
            Wrong(
                "no such way",
                (X,),
                {"dropout_implementation": "none"},
                "InvalidValueError",
                "none",
            ),
            Wrong("no such axis", (X,), {"axis": [2]}),
        ),
        lacks=UNARY_LACKS,
    ),
)
