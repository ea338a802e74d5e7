"""Paddle 1.x's `fluid.regularizer`: penalties on large parameters."""

from __future__ import annotations

from teachgraph import regularizer

__all__ = ["L1Decay", "L1DecayRegularizer", "L2Decay", "L2DecayRegularizer"]


class L1DecayRegularizer(regularizer.L1Decay):
    """The penalty regularization_coeff sum(|w|)."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self.coeff:f}"


class L2DecayRegularizer(regularizer.L2Decay):
    """The penalty regularization_coeff/2 sum(w^2)."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self.coeff:f}"


L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer
