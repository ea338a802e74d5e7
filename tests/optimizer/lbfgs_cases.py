"""What L-BFGS is tried on, for PyTorch and for us: losses made of operators alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["CASES", "Case"]


def valley(x: Any, y: Any) -> Any:
    """Rosenbrock's, of two vectors: narrow, bent, least where all are 1."""
    return ((1.0 - x) ** 2 + (y - x * x) ** 2 * 100.0).sum()


def bowl(x: Any, y: Any) -> Any:
    """Steeper and steeper away from its least value, which is not at 0."""
    return ((x - 1.0) ** 4 + x * x * 3.0).sum() + ((y + 2.0) ** 2 * 0.5 + y).sum()


class Case(NamedTuple):
    """A loss of two vectors, where they start, and settings by PyTorch's names."""

    loss: Callable[[Any, Any], Any]
    start: Sequence[Sequence[float]]
    settings: dict[str, Any]
    calls: int = 4


FAR = [[-1.2, 0.5], [1.0, 2.0]]
NEAR = [[0.5, 2.0], [1.0, -3.0, 0.25]]
SEARCH = {"line_search_fn": "strong_wolfe", "max_eval": 500}
"""With losses enough: PyTorch stops in the middle of a search when they run out."""

CASES = {
    "searched": Case(valley, FAR, {**SEARCH, "max_iter": 5}),
    "to the end": Case(valley, FAR, {**SEARCH, "max_iter": 60}, calls=1),
    "one at a time": Case(valley, FAR, {**SEARCH, "max_iter": 1}, calls=8),
    "a short memory": Case(valley, FAR, {**SEARCH, "max_iter": 6, "history_size": 2}),
    "few losses": Case(valley, FAR, {**SEARCH, "max_iter": 20, "max_eval": 7}),
    "a long first step": Case(bowl, NEAR, {**SEARCH, "lr": 4.0, "max_iter": 3}),
    "not searched": Case(bowl, NEAR, {"lr": 0.5, "max_iter": 4}),
    "until it is flat": Case(
        bowl, NEAR, {"lr": 0.9, "max_iter": 50, "tolerance_grad": 1e-3}, calls=2
    ),
}
