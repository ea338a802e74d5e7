"""Layers of `nn` followed by an activation, as those of 1.x."""

from __future__ import annotations

from typing import Any

from teachgraph import nn
from teachgraph.nn.functional.conv import Numbers, Padding
from teachgraph.ops.activation import activated

__all__ = ["Activated", "Convolution"]


class Activated(nn.Layer):
    """A layer of `nn` whose output goes through the activation `act`."""

    _act: str | None

    def forward(self, input: Any) -> Any:
        """Run the layer, then the activation."""
        return activated(super().forward(input), self._act)


class Convolution(Activated):
    """A convolution of `nn` with 1.x's arguments."""

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Numbers,
        stride: Numbers = 1,
        padding: Padding = 0,
        dilation: Numbers = 1,
        groups: int | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(  # type: ignore[call-arg]
            num_channels,  # type: ignore[arg-type]
            num_filters,
            filter_size,
            stride,
            padding,
            dilation,
            groups or 1,
            weight_attr=param_attr,
            bias_attr=bias_attr,
        )
        self._act = act
