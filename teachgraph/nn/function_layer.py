"""Layers that apply a function of `nn.functional` with options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.nn.layer import Layer

__all__ = ["FunctionLayer"]


class FunctionLayer(Layer):
    """Base of such layers; the options are attributes, which may be changed.

    Attributes:
        function: The function to apply.

    >>> import teachgraph as tg
    >>> loss = tg.nn.L1Loss()
    >>> loss.reduction = "sum"
    >>> loss(tg.ones([4]), tg.zeros([4])).item()
    4.0
    """

    function: Callable[..., Any]

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = [*options]
        for name, value in options.items():
            setattr(self, name, value)

    @property
    def options(self) -> dict[str, Any]:
        """The options as they are now, by name."""
        return {name: getattr(self, name) for name in self._options}

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Apply the function to inputs by position or by its parameters' names."""
        return type(self).function(*inputs, **named, **self.options)
