"""A layer that looks up rows of a table."""

from __future__ import annotations

from typing import Any

from teachgraph.eager import Tensor
from teachgraph.nn import functional
from teachgraph.nn.functional.lookup import padding_row
from teachgraph.nn.layer import Layer

__all__ = ["Embedding"]


class Embedding(Layer):
    """A table with a row for each number below `num_embeddings`, to be learned.

    Args:
        num_embeddings: V, how many rows.
        embedding_dim: D, how long they are.
        padding_idx: A number whose result is zeros and whose row gets no gradient;
            counted from the end if negative.
        sparse: Accepted for Paddle's sake.
        weight_attr: About the table [V, D], which starts Xavier-uniform.
        name: Instead of `embedding_N`.

    Raises:
        InvalidValueError: There is no row `padding_idx`.

    In Paddle this is `paddle.nn.Embedding`.

    >>> import teachgraph as tg
    >>> Embedding(10, 3)(tg.to_tensor([[1, 2], [3, 4]])).shape
    [2, 2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.sparse, self.padding_idx = sparse, padding_idx
        row = padding_row(padding_idx, num_embeddings)
        size = [num_embeddings, embedding_dim]
        self.weight = self.create_parameter(size, weight_attr)
        if row != -1 and isinstance(self.weight, Tensor):
            values = self.weight.numpy()
            values[row] = 0
            self.weight.set_value(values)

    def forward(self, x: Any) -> Any:
        """The function `embedding`."""
        return functional.embedding(x, self.weight, self.padding_idx, self.sparse)

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return f"{text}, sparse={self.sparse}"
