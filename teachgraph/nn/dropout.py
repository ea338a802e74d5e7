"""Dropout layers, active while training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.functional.common import check_probability
from teachgraph.nn.layer import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout2D", "Dropout3D"]


class Dropout(Layer):
    """Dropout: while training, zero each element with probability p (Srivastava, 2014).

    Args:
        p: The probability of 0.
        axis: The mask varies along these dimensions and broadcasts along the others.
        mode: "upscale_in_train" or "downscale_in_infer": when outputs are rescaled.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: p is not in [0, 1].

    In Paddle this is `paddle.nn.Dropout`.

    >>> import teachgraph as tg
    >>> layer = Dropout(0.5)
    >>> layer.eval()(tg.ones([3])).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: int | Sequence[int] | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.axis, self.mode = p, axis, mode

    def forward(self, input: Any) -> Any:
        """Apply the function `dropout`."""
        return functional.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """Format the probability and the mode for `repr`."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}"


class Dropout2D(Layer):
    """Dropout of whole channels of images, while training.

    In Paddle this is `paddle.nn.Dropout2D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """Apply the function `dropout2d`."""
        return functional.dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Format the probability for `repr`."""
        return f"p={self.p}, data_format={self.data_format}"


class Dropout3D(Layer):
    """Dropout of whole channels of volumes, while training.

    In Paddle this is `paddle.nn.Dropout3D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """Apply the function `dropout3d`."""
        return functional.dropout3d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Format the probability for `repr`."""
        return f"p={self.p}, data_format={self.data_format}"


class AlphaDropout(Layer):
    """Dropout that preserves mean 0 and variance 1, for use with SELU.

    In Paddle this is `paddle.nn.AlphaDropout`.
    """

    def __init__(self, p: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        check_probability(p)
        self.p = p

    def forward(self, input: Any) -> Any:
        """Apply the function `alpha_dropout`."""
        return functional.alpha_dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """Format the probability for `repr`."""
        return f"p={self.p}"
