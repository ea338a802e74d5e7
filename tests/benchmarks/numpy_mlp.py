"""One training step of a two-layer network, written by hand in NumPy.

What the framework is measured against: softmax cross entropy, its gradient by the usual
formula, and parameters updated in place, as one who knows NumPy well would write it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Array = np.ndarray


def training_step(
    x: Array, y: Array, parameters: Sequence[Array], lr: float
) -> Callable[[], float]:
    """A function that takes one step on the batch (x, y) and returns the loss."""
    w1, b1, w2, b2 = parameters
    rows = np.arange(len(x))
    labels = y[:, 0]

    def step() -> float:
        hidden = np.maximum(x @ w1 + b1, 0)
        logits = hidden @ w2 + b2
        logits -= logits.max(axis=1, keepdims=True)
        power = np.exp(logits)
        total = power.sum(axis=1, keepdims=True)
        loss = (np.log(total[:, 0]) - logits[rows, labels]).mean()

        dlogits = power / total
        dlogits[rows, labels] -= 1
        dlogits /= len(x)
        dw2 = hidden.T @ dlogits
        db2 = dlogits.sum(axis=0)
        dhidden = dlogits @ w2.T
        dhidden *= hidden > 0
        dw1 = x.T @ dhidden
        db1 = dhidden.sum(axis=0)

        w1[...] -= lr * dw1
        b1[...] -= lr * db1
        w2[...] -= lr * dw2
        b2[...] -= lr * db2
        return float(loss)

    return step
