"""Layers that leave out some of their input, at random, while training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.functional.common import check_probability
from teachgraph.nn.layer import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout2D", "Dropout3D"]


class Dropout(Layer):
    """While training, each element with probability 1 - p, else 0 (Srivastava, 2014).

    Args:
        p: The probability of 0.
        axis: Elements that differ only in other dimensions are dropped together.
        mode: "upscale_in_train" or "downscale_in_infer": when the mean is put right.
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
        """The function `dropout`."""
        return functional.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """The probability and the mode."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}"


class Dropout2D(Layer):
    """While training, whole channels of images left out.

    In Paddle this is `paddle.nn.Dropout2D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """The function `dropout2d`."""
        return functional.dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, data_format={self.data_format}"


class Dropout3D(Layer):
    """While training, whole channels of volumes left out.

    In Paddle this is `paddle.nn.Dropout3D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """The function `dropout3d`."""
        return functional.dropout3d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, data_format={self.data_format}"


class AlphaDropout(Layer):
    """While training, dropout that keeps mean 0 and variance 1, for use with SELU.

    In Paddle this is `paddle.nn.AlphaDropout`.
    """

    def __init__(self, p: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        check_probability(p)
        self.p = p

    def forward(self, input: Any) -> Any:
        """The function `alpha_dropout`."""
        return functional.alpha_dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"
