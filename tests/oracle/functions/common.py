"""Attention, resizing by name, and what else is made of several ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function, functional


def attention_in_torch(
    t: Any, q: Any, k: Any, v: Any, attn_mask: Any = None, is_causal: bool = False
) -> Any:
    heads = (x.transpose(1, 2) for x in (q, k, v))
    backends = t.nn.attention
    with backends.sdpa_kernel(backends.SDPBackend.MATH):  # it alone goes back twice
        out = t.nn.functional.scaled_dot_product_attention(
            *heads, attn_mask=attn_mask, is_causal=is_causal
        )
    return out.transpose(1, 2)


def area(library: Any, x: Any) -> Any:
    return library.nn.functional.interpolate(x, size=[2, 2], mode="area")


Q, K, V = (numbers(1, n, 2, 2, start=s) for n, s in ((3, 1), (4, 50), (4, 90)))
SEEN = np.arange(12).reshape(1, 1, 3, 4) % 5 < 3

FAMILY = (
    Function(
        "scaled_dot_product_attention",
        functional("scaled_dot_product_attention"),
        attention_in_torch,
        (
            Case("plain", (Q, K, V)),
            Case("a mask to add", (Q, K, V, numbers(3, 4, start=7))),
            Case("a mask of bools", (Q, K, V, SEEN)),
            Case("causal", (K, numbers(1, 4, 2, 2, start=70), V), {"is_causal": True}),
        ),
    ),
    Function("area", area, area, (Case("images", (numbers(1, 2, 5, 3),)),)),
)
