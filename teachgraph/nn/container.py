"""Layers that hold layers."""

from __future__ import annotations

from typing import Any

from teachgraph.nn.layer import Layer

__all__ = [
    "Sequential",
]


class Sequential(Layer):
    """Layers one after the other.

    >>> from teachgraph.nn import Linear, ReLU
    >>> len(list(Sequential(Linear(4, 3), ReLU(), Linear(3, 2)).children()))
    3
    """

    def __init__(self, *layers: Layer | tuple[str, Layer]) -> None:
        super().__init__()
        for position, item in enumerate(layers):
            if isinstance(item, tuple):
                self.add_sublayer(*item)
            else:
                self.add_sublayer(str(position), item)

    def forward(self, x: Any) -> Any:
        """Each layer's output is the next one's input."""
        for layer in self.children():
            x = layer(x)
        return x

    def __getitem__(self, index: int | slice) -> Layer:
        if isinstance(index, slice):
            return Sequential(*list(self.named_children())[index])
        return list(self.children())[index]

    def __len__(self) -> int:
        return len(list(self.children()))
