"""Paddle 1.x's `fluid.clip`: gradients that are kept small."""

from __future__ import annotations

from teachgraph.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue

__all__ = [
    "GradientClipByGlobalNorm",
    "GradientClipByNorm",
    "GradientClipByValue",
]

GradientClipByValue = ClipGradByValue
GradientClipByNorm = ClipGradByNorm
GradientClipByGlobalNorm = ClipGradByGlobalNorm
