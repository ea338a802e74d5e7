"""Layers of `nn` with an activation behind them, as those of 1.x have."""

from __future__ import annotations

from typing import Any

from teachgraph import nn
from teachgraph.ops.activation import activated

__all__ = ["Activated"]


class Activated(nn.Layer):
    """A layer of `nn` whose result goes through the op named when it was made."""

    _act: str | None

    def forward(self, input: Any) -> Any:
        """What the layer gives, then the activation."""
        return activated(super().forward(input), self._act)
