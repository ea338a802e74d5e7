"""Fully connected layers and the activations between them."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = ["CrossEntropyLoss", "Linear", "ReLU", "Sequential", "Sigmoid", "Tanh"]


class Linear(Layer):
    """out = x W + b.

    Args:
        in_features: How many numbers go in.
        out_features: How many come out.
        weight_attr: About W [in, out], which starts Xavier-uniform.
        bias_attr: About b [out], which starts at 0; False for none.
        name: Instead of `linear_N`.

    In Paddle this is `paddle.nn.Linear`.

    >>> import teachgraph as tg
    >>> layer = Linear(3, 2)
    >>> layer(tg.to_tensor([[1.0, 2.0, 3.0]])).shape
    [1, 2]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """x W + b."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        ins, outs = self.weight.shape
        return f"in_features={ins}, out_features={outs}, dtype={self._dtype}"


class ReLU(Layer):
    """out = max(x, 0)."""

    def forward(self, x: Any) -> Any:
        """The op `relu`."""
        return functional.relu(x)


class Sigmoid(Layer):
    """out = 1 / (1 + exp(-x))."""

    def forward(self, x: Any) -> Any:
        """The op `sigmoid`."""
        return functional.sigmoid(x)


class Tanh(Layer):
    """out = tanh x."""

    def forward(self, x: Any) -> Any:
        """The op `tanh`."""
        return functional.tanh(x)


class Sequential(Layer):
    """Layers one after the other.

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


class CrossEntropyLoss(Layer):
    """Softmax and cross entropy, averaged over the batch."""

    def __init__(self, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__()
        self.ignore_index, self.reduction = ignore_index, reduction

    def forward(self, input: Any, label: Any) -> Any:
        """The function `cross_entropy`."""
        return functional.cross_entropy(
            input, label, ignore_index=self.ignore_index, reduction=self.reduction
        )
