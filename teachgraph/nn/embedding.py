"""Embedding layer: looks up rows of a trained table."""

from __future__ import annotations

from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes
from teachgraph.nn import functional
from teachgraph.nn.functional.lookup import padding_row
from teachgraph.nn.layer import Layer
from teachgraph.ops.slicing import set_value
from teachgraph.static.program import default_startup_program

__all__ = ["Embedding"]


class Embedding(Layer):
    """Trained table of V rows, looked up by index.

    Args:
        num_embeddings: V, the number of rows.
        embedding_dim: D, the size of a row.
        padding_idx: An index whose result is zeros and whose row, initially zeros, gets
            no gradient; counted from the end if negative.
        sparse: Accepted for Paddle's sake.
        weight_attr: ParamAttr of the table [V, D], which starts Xavier-uniform.
        name: Accepted for Paddle's sake; parameters are named after `embedding_N`.

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
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.sparse, self.padding_idx = sparse, padding_idx
        row = padding_row(padding_idx, num_embeddings)
        size = [num_embeddings, embedding_dim]
        self.weight = self.create_parameter(size, weight_attr)
        if row != -1:
            clear_row(self.weight, row)

    def forward(self, x: Any) -> Any:
        """Apply the function `embedding`."""
        return functional.embedding(x, self.weight, self.padding_idx, self.sparse)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return f"{text}, sparse={self.sparse}"


def clear_row(table: Any, row: int) -> None:
    """Set a row of a table to zeros: now, or in the startup program."""
    where = {"axes": [0], "starts": [row], "ends": [row + 1], "steps": [1]}
    zero = {"values": [0.0], "shape": [1], "dtype": dtypes.PADDLE_CODES[table.dtype]}
    if isinstance(table, Tensor):
        table.set_value(set_value.kernel(table.numpy(), **where, **zero))
        return
    startup = default_startup_program().global_block()
    begun = {"Out": startup.var(table.name)}
    startup.append_op("set_value", {"Input": begun["Out"]}, begun, {**where, **zero})
