"""A budget of value summaries: all runs of a line at first, then ever fewer."""

from __future__ import annotations

from teachgraph_widgets.stats import Summarizer

__all__ = ["Budget"]

ALL_UNTIL = 10
SMALL = 256
MOST_VALUES = 3000
MOST_AT_ONCE = 200


class Budget:
    """Decides which values get a full summary.

    The first 10 runs of a line (or a program) get one for each value, then the 16th,
    the 32nd and so on: a run is summarised as a whole. Large values, which take
    longer, get one in the 1st, the 2nd, the 16th, the 256th run. One run gets at most
    200, so that a long backward pass does not use up the budget.

    Attributes:
        left: The number of summaries that are left.
        granted: The number of values that were summarised.
        refused: The number of values that were not.
        summarizer: Computes the summaries.

    >>> budget = Budget()
    >>> [n for n in range(1, 50) if budget.grants(owner=7, visit=n, size=100)]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32]
    >>> [n for n in range(1, 50) if budget.grants(owner=7, visit=n, size=1000)]
    [1, 2, 16]
    """

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.left = most
        self.granted = self.refused = 0
        self.summarizer = Summarizer()
        self._run: tuple[int, int] = (0, 0)
        self._granted = 0

    def grants(self, owner: int, visit: int, size: int) -> bool:
        """True if a value of `owner`'s `visit`-th run may be summarised."""
        if visit > ALL_UNTIL and visit & (
            visit - 1
        ):  # no power of 2: most runs of a loop
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
    def reason(self) -> str:
        """The reason for values without a summary, and how many values have one.

        >>> Budget().reason[:50]
        'looked at 0 of 0: those of the first 10 runs of a '
        """
        return (
            f"looked at {self.granted:,} of {self.granted + self.refused:,}: those of "
            f"the first {ALL_UNTIL} runs of a line (2 if large), then of ever fewer, "
            f"at most {MOST_AT_ONCE} a run"
        )


def is_power(number: int, bits: int) -> bool:
    """True if a number is 1, or `2**bits`, or its square, and so on.

    >>> [n for n in range(1, 300) if is_power(n, 4)]
    [1, 16, 256]
    """
    if number & (number - 1):
        return False
    return (number.bit_length() - 1) % bits == 0
