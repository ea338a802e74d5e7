"""`HSigmoidLoss`: the hierarchical sigmoid loss with its weights."""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = ["HSigmoidLoss"]


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid loss: O(log2 classes) instead of a softmax's O(classes).

    Args:
        feature_size: The number of input features.
        num_classes: The number of leaves, at least 2; for a custom tree the number of
            inner nodes.
        weight_attr: ParamAttr of the weights [nodes, feature_size].
        bias_attr: ParamAttr of the bias [nodes, 1], which starts at 0; False for none.
        is_custom: `forward` takes paths through a custom tree.
        is_sparse: Accepted for Paddle's sake; there are no sparse gradients.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: Fewer than two classes.

    >>> import teachgraph as tg
    >>> loss = HSigmoidLoss(3, 6)
    >>> loss(tg.ones([4, 3]), tg.to_tensor([[0], [1], [4], [5]])).shape
    [4, 1]

    In Paddle this is `paddle.nn.HSigmoidLoss`.
    """

    bias: Any

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise InvalidValueError.here(
                "num_classes must not be less than 2 with default tree, got "
                f"{num_classes}"
            )
        self.num_classes = num_classes
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(
        self, input: Any, label: Any, path_table: Any = None, path_code: Any = None
    ) -> Any:
        """Compute losses [N, 1] of features [N, feature_size] and labels [N, 1]."""
        own, paths = (self.weight, self.bias), (path_table, path_code)
        return functional.hsigmoid_loss(input, label, self.num_classes, *own, *paths)
