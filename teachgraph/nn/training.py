"""The mode that `train()` or `eval()` of any layer chose last: that of 1.x's functions.

Layers follow their own `training`; a function such as `fluid.layers.dropout` has no
layer to ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["chosen", "training_mode"]


class Choice:
    """The mode chosen last; training at first."""

    training = True


chosen = Choice()


@contextmanager
def training_mode(training: bool) -> Iterator[None]:
    """Choose inside, whatever was chosen before; afterwards that holds again."""
    before, chosen.training = chosen.training, training
    try:
        yield
    finally:
        chosen.training = before
