"""How many values are looked at: all at first, then ever fewer, never too many."""

from __future__ import annotations

from teachgraph_widgets.stats import Looks

__all__ = ["Budget"]

ALL_UNTIL = 10
SMALL = 256
MOST_VALUES = 3000
MOST_AT_ONCE = 200


class Budget:
    """Decides which values get a full summary.

    The first 10 runs of a line (or a program) get one for each value, then the 16th,
    the 32nd and so on: what is shown of a run is shown whole. Large values, which take
    longer, get one in the 1st, the 2nd, the 16th, the 256th. One run gets at most 200,
    so that a long way back does not take all there are.

    Attributes:
        left: How many may still be looked at.
        granted: How many were.
        refused: How many could not be.
        looks: What looks at them.

    >>> budget = Budget()
    >>> [n for n in range(1, 50) if budget.grants(owner=7, visit=n, size=100)]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32]
    >>> [n for n in range(1, 50) if budget.grants(owner=7, visit=n, size=1000)]
    [1, 2, 16]
    """

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.left = most
        self.granted = self.refused = 0
        self.looks = Looks()
        self._run: tuple[int, int] = (0, 0)
        self._granted = 0

    def grants(self, owner: int, visit: int, size: int) -> bool:
        """Whether a value of `owner`'s `visit`-th run may be summarised."""
        if visit > ALL_UNTIL and visit & (visit - 1):  # most of a long loop's
            self.refused += 1
            return False
        few, bits = (ALL_UNTIL, 1) if size <= SMALL else (2, 4)
        if (visit <= few or is_power(visit, bits)) and self.left > 0:
            run = owner, visit
            if run != self._run:
                self._run, self._granted = run, 0
            if self._granted < MOST_AT_ONCE:
                self._granted += 1
                self.left -= 1
                self.granted += 1
                return True
        self.refused += 1
        return False

    @property
    def told(self) -> str:
        """Why there are values that were not looked at, and how many were.

        >>> Budget().told[:50]
        'looked at 0 of 0: those of the first 10 runs of a '
        """
        return (
            f"looked at {self.granted:,} of {self.granted + self.refused:,}: those of "
            f"the first {ALL_UNTIL} runs of a line (2 if large), then of ever fewer, "
            f"at most {MOST_AT_ONCE} a run"
        )


def is_power(number: int, bits: int) -> bool:
    """Whether a number is 1, or `2**bits`, or its square, and so on.

    >>> [n for n in range(1, 300) if is_power(n, 4)]
    [1, 16, 256]
    """
    if number & (number - 1):
        return False
    return (number.bit_length() - 1) % bits == 0
