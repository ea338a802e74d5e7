"""Which steps of a training are recorded: the first ones, then ever fewer.

A step is one run of a program, or one turn of the code that goes through forward ops, a
reverse pass (or several) and updates. What a log shows of a step it shows whole; of the
steps that are passed over it has the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

__all__ = ["Nap", "Pace", "Region", "is_told"]

WHOLE = 10


def is_told(step: int) -> bool:
    """Whether the `step`-th step (from 1) is recorded.

    >>> [step for step in range(1, 200) if is_told(step)]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128]
    """
    return step <= WHOLE or step & (step - 1) == 0


class Pace:
    """Counts the steps of eager code by the lines where their reverse passes begin.

    A step ends with the first op that is no update after its last reverse pass. Which
    pass that is, the steps before tell: the lines come round in a circle.

    Attributes:
        over: Whether a reverse pass has ended since the last op that is no update.
        awake: Whether the step that runs is recorded.
        skipped: How many were not.

    >>> pace = Pace()
    >>> for step in range(40):
    ...     pace.passed(line=3)
    ...     pace.turn()
    >>> pace.skipped, pace.awake
    (29, False)
    """

    def __init__(self) -> None:
        self.over, self.awake, self.skipped = False, True, 0
        self._turns: Counter[int] = Counter()
        self._next: dict[int, int] = {}
        self._lines: list[int] = []
        self._last = self._first = 0

    def passed(self, line: int) -> None:
        """A reverse pass that began at `line` has ended."""
        self.over = True
        self._next[self._last] = line
        self._last = line
        if line in self._lines:
            self._lines.clear()
        self._lines.append(line)

    def knows(self, line: int) -> bool:
        """Whether a reverse pass has begun at `line` before."""
        return line in self._next

    def turn(self) -> None:
        """Forward ops begin after a reverse pass; it may have been its step's last."""
        self.over = False
        following = self._next.get(self._last)
        if following is not None and following not in self._lines:
            return
        self._first = self._lines[0]
        self._lines.clear()
        self.again()

    def again(self) -> bool:
        """One more step like the last; whether it is recorded."""
        self._turns[self._first] += 1
        self.awake = is_told(self._turns[self._first] + 1)
        self.skipped += not self.awake
        return self.awake


class Region(NamedTuple):
    """A loop, by its code and lines."""

    code: CodeType | None
    first: int
    last: int

    def left(self, frame: FrameType | None) -> bool:
        """Whether a frame is neither in it nor called from it."""
        while frame is not None:
            if frame.f_code is self.code:
                return not self.first <= frame.f_lineno <= self.last
            frame = frame.f_back
        return True


class Nap:
    """Steps that a source with markers goes through unheard.

    Args:
        region: The loop; it ends where that is left.
        line: Where each step begins.
        pace: Says which step is recorded again.
        wake: To be called then.
    """

    def __init__(
        self, region: Region, line: int, pace: Pace, wake: Callable[[], None]
    ) -> None:
        self.region, self.line, self.pace, self.wake = region, line, pace, wake
        self._code, self._first, self._last = region

    def ends(self, frame: FrameType, line: int) -> bool:
        """Whether the statement that starts is to be heard again."""
        if line == self.line:
            return self.pace.again()
        if frame.f_code is self._code:
            return not self._first <= line <= self._last
        return self.region.left(frame)
