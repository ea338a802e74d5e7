"""Shape layers: `Identity`, `Flatten` and `Unflatten`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.nn.layer import Layer
from teachgraph.ops.functions import manipulation

__all__ = ["Flatten", "Identity", "Unflatten"]


class Identity(Layer):
    """Identity, out = x; it accepts and ignores any arguments.

    In Paddle this is `paddle.nn.Identity`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Flatten(Layer):
    """Merge several dimensions into one: by default all but the batch.

    In Paddle this is `paddle.nn.Flatten`.

    >>> import teachgraph as tg
    >>> Flatten()(tg.ones([5, 2, 3])).shape
    [5, 6]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        """Apply the function `flatten`."""
        return manipulation.flatten(input, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """Split one dimension into several, of which one may be -1.

    In Paddle this is `paddle.nn.Unflatten`.

    >>> import teachgraph as tg
    >>> Unflatten(1, [2, -1])(tg.ones([5, 6])).shape
    [5, 2, 3]
    """

    def __init__(
        self, axis: int, shape: Sequence[int], name: str | None = None
    ) -> None:
        super().__init__()
        self.axis, self.shape = axis, list(shape)

    def forward(self, input: Any) -> Any:
        """Apply the function `unflatten`."""
        return manipulation.unflatten(input, self.axis, self.shape)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"axis={self.axis}, shape={self.shape}"
