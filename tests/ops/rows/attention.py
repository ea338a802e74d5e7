"""Rows for `teachgraph/ops/attention.py`, `bilinear.py` and `sequence.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, positive, turned

CODES = {"bool": 0, "int32": 2, "int64": 3, "float32": 5}
NAMES = {code: name for name, code in CODES.items()}


def shares_so_far(x: Array) -> Array:
    out = np.zeros(x.shape)
    for place in np.ndindex(x.shape[:-1]):
        seen = x[place][: place[-1] + 1]
        powers = [math.exp(v - max(seen)) for v in seen]
        out[place][: len(powers)] = [p / math.fsum(powers) for p in powers]
    return out


def shares_so_far_in_torch(t: Any, x: Any) -> Any:
    hidden = t.ones(x.shape[-2:], dtype=t.bool).triu(1)
    return x.masked_fill(hidden, -math.inf).softmax(-1)


def bilinear(x: Array, y: Array, weight: Array, bias: Array | None = None) -> Array:
    out = np.zeros((len(x), len(weight)))
    for n, k in np.ndindex(out.shape):
        terms = weight[k] * np.outer(x[n], y[n])
        out[n, k] = math.fsum(terms.ravel()) + (0.0 if bias is None else bias[0, k])
    return out


def bilinear_in_torch(t: Any, x: Any, y: Any, weight: Any, bias: Any = None) -> Any:
    flat = None if bias is None else bias[0]
    return t.nn.functional.bilinear(x, y, weight, flat)


def smoothed(x: Array, prior_dist: Array | None = None, epsilon: float = 0.0) -> Array:
    out = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        prior = 1 / x.shape[-1] if prior_dist is None else prior_dist[0, place[-1]]
        out[place] = (1 - epsilon) * x[place] + epsilon * prior
    return out


def smoothed_in_torch(
    t: Any, x: Any, prior_dist: Any = None, epsilon: float = 0.0
) -> Any:
    prior = t.full_like(x, 1 / x.shape[-1]) if prior_dist is None else prior_dist
    return t.lerp(x, prior.expand_as(x), epsilon)


def marked(x: Array, maxlen: int = -1, out_dtype: int = 3) -> Array:
    longest = max([*x.ravel().tolist(), 0]) if maxlen == -1 else maxlen
    out = np.zeros((*x.shape, longest))
    for place in np.ndindex(out.shape):
        out[place] = place[-1] < x[place[:-1]]
    return out


def marked_in_torch(t: Any, x: Any, maxlen: int = -1, out_dtype: int = 3) -> Any:
    longest = (int(x.max()) if x.numel() else 0) if maxlen == -1 else maxlen
    found = t.arange(longest) < x.unsqueeze(-1)
    return found.to(getattr(t, NAMES[out_dtype]))


X, Y, W = numbers(4, 3), numbers(4, 2, start=30), numbers(5, 3, 2, start=60)
LENGTHS = np.array([2, 0, 3])

ROWS = (
    Row(
        "fused_softmax_mask_upper_triangle",
        (
            Case("rows", (numbers(4, 4),)),
            Case("heads", (numbers(2, 2, 3, 3),)),
            Case("more queries than keys", (numbers(4, 2),)),
            Case("more keys than queries", (numbers(2, 4),)),
            Case("far out", (np.array([[1000.0, 0.0], [0.0, -1000.0]]),), smooth=False),
            Case("empty", (numbers(0, 3, 3),)),
            Case("not contiguous", (turned(numbers(4, 4)),)),
        ),
        shares_so_far,
        shares_so_far_in_torch,
        wrong=(Wrong("a vector", (numbers(4),)),),
        lacks={
            "scalar": "it needs queries and keys",
            "1-D": "it needs queries and keys",
            "broadcast": "one input",
        },
    ),
    Row(
        "bilinear_tensor_product",
        (
            Case("rows", (X, Y, W, numbers(1, 5, start=90))),
            Case("no bias", (X, Y, W)),
            Case("empty", (numbers(0, 3), numbers(0, 2), W, numbers(1, 5, start=90))),
            Case("not contiguous", (turned(X), turned(Y), turned(W))),
        ),
        bilinear,
        bilinear_in_torch,
        wrong=(
            Wrong("rows differ", (X, numbers(3, 2), W)),
            Wrong("a weight of other sizes", (X, Y, numbers(5, 2, 3))),
            Wrong("a weight of two dimensions", (X, Y, numbers(3, 2))),
            Wrong("a bias too long", (X, Y, W, numbers(1, 4))),
            Wrong("vectors", (numbers(3), numbers(2), W)),
        ),
        lacks={
            "scalar": "it needs rows",
            "1-D": "it needs rows",
            "broadcast": "a row for each row",
        },
    ),
    Row(
        "label_smooth",
        (
            Case("1-D", (positive(4),), {"epsilon": 0.1}),
            Case("rows", (X,), {"epsilon": 0.25}),
            Case("as they are", (X,)),
            Case("a prior", (X, positive(1, 3)), {"epsilon": 0.1}, constant=(1,)),
            Case("empty", (numbers(0, 3),), {"epsilon": 0.1}),
            Case("not contiguous", (turned(X),), {"epsilon": 0.1}),
        ),
        smoothed,
        smoothed_in_torch,
        wrong=(
            Wrong("a prior too long", (X, positive(1, 4)), {"epsilon": 0.1}),
            Wrong(
                "epsilon above 1", (X,), {"epsilon": 1.5}, "InvalidValueError", "1.5"
            ),
            Wrong("a number", (numbers(),), {"epsilon": 0.5}),
        ),
        lacks={"scalar": "it needs classes", "broadcast": "the prior is one row"},
    ),
    Row(
        "sequence_mask",
        (
            Case("scalar", (np.array(3),)),
            Case("1-D", (LENGTHS,)),
            Case("given", (LENGTHS,), {"maxlen": 5}),
            Case("cut", (LENGTHS,), {"maxlen": 2, "out_dtype": CODES["float32"]}),
            Case("bool", (integers(2, 3, below=4),), {"out_dtype": CODES["bool"]}),
            Case("empty", (integers(0, below=4),)),
            Case("not contiguous", (turned(integers(2, 3, below=4)),)),
        ),
        marked,
        marked_in_torch,
        accepts=("float32",),
        refuses=(),
        gives=lambda dtype, attrs: (NAMES[attrs.get("out_dtype", 3)],),
        wrong=(
            Wrong("floating", (numbers(3),), {"maxlen": 4}, "DTypeError", "float64"),
            Wrong("a length of -2", (LENGTHS,), {"maxlen": -2}, "InvalidValueError"),
        ),
        lacks={"broadcast": "one input"},
        gradient=False,
        by_value=True,
    ),
)
