"""Where elements stand: the largest, the first, in order."""

from __future__ import annotations

from typing import Any

from teachgraph.ops import metric

__all__ = [
    "argmax",
    "topk",
]


def argmax(x: Any, axis: int | None = None, keepdim: bool = False) -> Any:
    """Where the largest element stands along `axis`, or in the flattened `x`."""
    flat = axis is None
    return metric.arg_max(x, axis=axis or 0, keepdims=keepdim, flatten=flat)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    """The k largest elements along `axis`, and where they stand."""
    return metric.top_k_v2(x, k=k, axis=axis, largest=largest)
