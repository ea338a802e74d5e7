"""Rows for `teachgraph/ops/fused.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned


def activated(value: float, name: str) -> float:
    return {
        "": value,
        "relu": max(value, 0.0),
        "tanh": math.tanh(value),
        "sigmoid": 1 / (1 + math.exp(-value)),
        "gelu": value * (1 + math.erf(value / math.sqrt(2))) / 2,
    }[name]


def layer(
    x: Array,
    w: Array,
    bias: Array | None = None,
    in_num_col_dims: int = 1,
    activation_type: str = "",
) -> Array:
    leading = x.shape[:in_num_col_dims]
    out = np.zeros((*leading, w.shape[1]))
    for place in np.ndindex(out.shape):
        terms = x[place[:-1]].ravel() * w[:, place[-1]]
        total = math.fsum(terms) + (0.0 if bias is None else bias[place[-1]])
        out[place] = activated(total, activation_type)
    return out


def layer_in_torch(
    t: Any,
    x: Any,
    w: Any,
    bias: Any = None,
    in_num_col_dims: int = 1,
    activation_type: str = "",
) -> Any:
    out = t.nn.functional.linear(x.flatten(in_num_col_dims), w.T, bias)
    functions = t.nn.functional
    return getattr(functions, activation_type)(out) if activation_type else out


def attended(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None = None,
    scaling_factor: float = 1.0,
    num_heads: int = 0,
) -> Array:
    if num_heads:
        parts = (np.split(x, num_heads, axis=2) for x in (q, k, v))
        heads = zip(*parts, strict=True)
        found = [attended(*head, mask, scaling_factor) for head in heads]
        return np.concatenate(found, axis=2)
    scores = scaling_factor * np.einsum("...ld,...sd->...ls", q, k)
    powers = np.exp(scores if mask is None else scores + mask)
    return np.einsum(
        "...ls,...se->...le", powers / powers.sum(axis=-1, keepdims=True), v
    )


def attended_in_torch(
    t: Any,
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    scaling_factor: float = 1.0,
    num_heads: int = 0,
) -> Any:
    attend = t.nn.functional.scaled_dot_product_attention
    if num_heads:
        q, k, v = (x.unflatten(2, (num_heads, -1)).transpose(1, 2) for x in (q, k, v))
    out = attend(q, k, v, attn_mask=mask, scale=scaling_factor)
    return out.transpose(1, 2).flatten(2) if num_heads else out


def walked(*x: Array, steps: Sequence[str]) -> Array:
    """The steps one by one, each into an array of its own."""
    known = {
        "tanh": np.tanh,
        "relu": lambda a: a * (a > 0),
        "square": lambda a: a * a,
        "exp": np.exp,
        "scale": lambda a, scale=1.0, bias=0.0: a * scale + bias,
        "elementwise_add": np.add,
        "elementwise_mul": lambda a, b: a * b,
    }
    values = {f"x{i}": value for i, value in enumerate(x)}
    for place, step in enumerate(steps):
        values[f"t{place}"] = eval(step, known, values)  # noqa: S307  our own text
    return values[f"t{len(steps) - 1}"]


def walked_in_torch(t: Any, *x: Any, steps: Sequence[str]) -> Any:
    known = {
        "tanh": t.tanh,
        "relu": t.relu,
        "square": t.square,
        "exp": t.exp,
        "scale": lambda a, scale=1.0, bias=0.0: a * scale + bias,
        "elementwise_add": t.add,
        "elementwise_mul": t.mul,
    }
    values = {f"x{i}": value for i, value in enumerate(x)}
    for place, step in enumerate(steps):
        values[f"t{place}"] = eval(step, known, values)  # noqa: S307  our own text
    return values[f"t{len(steps) - 1}"]


CHAIN = ["scale(x0, scale=2.0)", "tanh(t0)", "elementwise_add(t1, x1)", "square(t2)"]
FAN = ["exp(x0)", "scale(t0, bias=-1.0)", "elementwise_mul(t0, t1)", "relu(t2)"]

ROWS = [
    Row(
        "fc",
        cases=(
            Case("1-D", (numbers(3, 4), numbers(4, 2), numbers(2))),
            Case("no bias", (numbers(3, 4), numbers(4, 2))),
            Case(
                "relu",
                (numbers(3, 4, low=-1), numbers(4, 2), numbers(2, low=-2)),
                {"activation_type": "relu"},
                smooth=False,
            ),
            Case(
                "tanh",
                (numbers(3, 4), numbers(4, 2), numbers(2)),
                {"activation_type": "tanh"},
            ),
            Case(
                "gelu",
                (numbers(3, 4), numbers(4, 2), numbers(2)),
                {"activation_type": "gelu"},
            ),
            Case(
                "sigmoid",
                (numbers(2, 3, 4), numbers(4, 2), numbers(2)),
                {"activation_type": "sigmoid", "in_num_col_dims": 2},
            ),
            Case("flattened", (numbers(2, 3, 4), numbers(12, 2), numbers(2))),
            Case("empty", (numbers(0, 4), numbers(4, 2), numbers(2))),
            Case(
                "not contiguous",
                (turned(numbers(3, 4)), turned(numbers(4, 2)), numbers(2)),
            ),
        ),
        value=layer,
        twin=layer_in_torch,
        known=(1, 2),
        lacks={
            "scalar": "a layer takes rows",
            "broadcast": "the bias is added to every row in each case",
        },
        wrong=(
            Wrong(
                "sizes",
                (numbers(3, 4), numbers(3, 2)),
                says="columns",
                known=(1,),
            ),
            Wrong(
                "bias",
                (numbers(3, 4), numbers(4, 2), numbers(3)),
                says="bias",
                known=(1, 2),
            ),
            Wrong(
                "activation",
                (numbers(3, 4), numbers(4, 2)),
                {"activation_type": "cosine"},
                "InvalidValueError",
                "none of",
                known=(1,),
            ),
        ),
    ),
    Row(
        "fused_dot_product_attention",
        cases=(
            Case("1-D", (numbers(3, 2), numbers(4, 2), numbers(4, 5))),
            Case(
                "broadcast",
                (numbers(2, 3, 2), numbers(2, 4, 2), numbers(2, 4, 5), numbers(3, 4)),
                {"scaling_factor": 0.5},
            ),
            Case(
                "heads",
                (numbers(2, 3, 4), numbers(2, 4, 4), numbers(2, 4, 6), numbers(3, 4)),
                {"scaling_factor": 0.5, "num_heads": 2},
            ),
            Case("empty", (numbers(0, 2), numbers(4, 2), numbers(4, 5))),
            Case(
                "not contiguous",
                (
                    turned(numbers(3, 2)),
                    turned(numbers(4, 2)),
                    turned(numbers(4, 5)),
                    None,
                ),
            ),
        ),
        value=attended,
        twin=attended_in_torch,
        lacks={"scalar": "queries are rows"},
        wrong=(
            Wrong(
                "sizes",
                (numbers(3, 2), numbers(4, 3), numbers(4, 5)),
                says="keys",
            ),
            Wrong(
                "lengths",
                (numbers(3, 2), numbers(4, 2), numbers(3, 5)),
                says="keys",
            ),
            Wrong(
                "heads",
                (numbers(1, 3, 4), numbers(1, 3, 4), numbers(1, 3, 4)),
                {"num_heads": 3},
                says="3 heads",
            ),
            Wrong(
                "no rows",
                (numbers(2), numbers(4, 2), numbers(4, 5)),
                says="length",
            ),
        ),
    ),
    Row(
        "fused_elementwise",
        cases=(
            Case("scalar", (numbers(), numbers()), {"steps": CHAIN}),
            Case("1-D", (numbers(3),), {"steps": FAN}),
            Case("broadcast", (numbers(3), numbers(2, 3)), {"steps": CHAIN}),
            Case("other broadcast", (numbers(2, 3), numbers(2, 1)), {"steps": CHAIN}),
            Case("empty", (numbers(0, 3), numbers(3)), {"steps": CHAIN}),
            Case(
                "not contiguous",
                (turned(numbers(3, 2)), turned(numbers(3, 2))),
                {"steps": CHAIN},
            ),
        ),
        value=walked,
        twin=walked_in_torch,
        gradient=False,
        wrong=(
            Wrong(
                "no such step",
                (numbers(3),),
                {"steps": ["print(x0)"]},
                "InvalidValueError",
                "no step",
            ),
            Wrong(
                "no such value",
                (numbers(3),),
                {"steps": ["tanh(x1)"]},
                "InvalidValueError",
                "no step",
            ),
            Wrong("shapes", (numbers(3), numbers(4)), {"steps": CHAIN}),
        ),
    ),
]
