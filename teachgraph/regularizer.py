"""Weight decay: L1 and L2 penalties on parameters, given by their gradients.

The gradient of the penalty is added to that of the loss, after clipping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops.left_out import absent
from teachgraph.ops.math import scale, sign

__all__ = ["L1Decay", "L2Decay", "WeightDecayRegularizer"]


class WeightDecayRegularizer:
    """A penalty on parameters.

    Args:
        coeff: The factor of the penalty.

    Raises:
        InvalidValueError: The coefficient is no number.

    In Paddle this is `paddle.regularizer.WeightDecayRegularizer`.
    """

    def __init__(self, coeff: float = 0.0) -> None:
        try:
            self.coeff = float(coeff)
        except (TypeError, ValueError):
            raise InvalidValueError.here(
                f"a decay's coefficient is a number, got {coeff!r}"
            ) from None

    def gradient(self, parameter: Any) -> Any:
        """Compute the gradient of the penalty, for a Tensor or a Variable."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{type(self).__name__}, coeff={self.coeff:f}"


class L2Decay(WeightDecayRegularizer):
    """The penalty coeff/2 sum(w^2), whose gradient is coeff w.

    >>> import teachgraph as tg
    >>> L2Decay(0.5).gradient(tg.to_tensor([2.0, -4.0])).tolist()
    [1.0, -2.0]

    In Paddle this is `paddle.regularizer.L2Decay`.
    """

    def gradient(self, parameter: Any) -> Any:
        """Coeff w."""
        return scale(parameter, scale=self.coeff)


class L1Decay(WeightDecayRegularizer):
    """The penalty coeff sum(|w|), whose gradient is coeff sign(w).

    >>> import teachgraph as tg
    >>> L1Decay(0.5).gradient(tg.to_tensor([2.0, -4.0])).tolist()
    [0.5, -0.5]

    In Paddle this is `paddle.regularizer.L1Decay`.
    """

    def gradient(self, parameter: Any) -> Any:
        """Coeff sign(w)."""
        return scale(sign(parameter), scale=self.coeff)


__path__: list[str] = []
"""Of no modules: Python asks for one where a name is missing."""

if not TYPE_CHECKING:
    __getattr__ = absent("regularizer")
