"""How many values are looked at: all at first, then ever fewer, never too many."""

from __future__ import annotations

__all__ = ["Budget"]

ALL_UNTIL = 16
MOST_VALUES = 3000


class Budget:
    """Decides which values get a full summary.

    A line's (or a program's) first 16 runs get one for each value, later ones 8 in each
    doubling of their number: what is shown of a step is then shown whole.

    Attributes:
        left: How many may still be looked at.
        refused: How many could not be.

    >>> budget = Budget()
    >>> [n for n in range(1, 50) if budget.grants(n)][14:]
    [15, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 48]
    """

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.left = most
        self.refused = 0

    def grants(self, visit: int) -> bool:
        """Whether a value of the `visit`-th run may be summarised; if so, it counts."""
        if self.left <= 0:
            return False
        if visit >= ALL_UNTIL and visit % (1 << (visit.bit_length() - 4)):
            return False
        self.left -= 1
        return True
