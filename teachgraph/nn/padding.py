"""Padding layers for sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.nn.layer import Layer
from teachgraph.ops.functions import manipulation

__all__ = ["Pad1D", "Pad2D", "Pad3D", "ZeroPad2D"]

Sizes = int | Sequence[int]


class Pad1D(Layer):
    """Padding of sequences [N, C, L].

    Args:
        padding: The widths before and after; one number for both.
        mode: "constant", "reflect", "replicate" or "circular".
        value: The constant.
        data_format: "NCL" or "NLC".
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.Pad1D`.

    >>> import teachgraph as tg
    >>> Pad1D(1)(tg.ones([1, 1, 2])).tolist()
    [[[0.0, 1.0, 1.0, 0.0]]]
    """

    spatial, usual = 1, "NCL"

    def __init__(
        self,
        padding: Sizes,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        wide = [padding] * (2 * self.spatial) if isinstance(padding, int) else padding
        self.padding, self.mode, self.value = list(wide), mode, value
        self.data_format = data_format or self.usual

    def forward(self, x: Any) -> Any:
        """Apply the function `pad`."""
        how = self.mode, self.value, self.data_format
        return manipulation.pad(x, self.padding, *how)

    def extra_repr(self) -> str:
        """Format widths, mode and value for `repr`."""
        return (
            f"padding={self.padding}, mode={self.mode}, value={self.value}, "
            f"data_format={self.data_format}"
        )


class Pad2D(Pad1D):
    """Padding of images [N, C, H, W]: left, right, top, bottom.

    Other arguments as for `Pad1D`. In Paddle this is `paddle.nn.Pad2D`.
    """

    spatial, usual = 2, "NCHW"


class Pad3D(Pad1D):
    """Padding of volumes: left, right, top, bottom, front, back.

    Other arguments as for `Pad1D`. In Paddle this is `paddle.nn.Pad3D`.
    """

    spatial, usual = 3, "NCDHW"


class ZeroPad2D(Pad2D):
    """Zero padding of images [N, C, H, W]: left, right, top, bottom.

    In Paddle this is `paddle.nn.ZeroPad2D`.
    """

    def __init__(
        self, padding: Sizes, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(padding, "constant", 0.0, data_format)

    def extra_repr(self) -> str:
        """Format the widths for `repr`."""
        return f"padding={self.padding}, data_format={self.data_format}"
