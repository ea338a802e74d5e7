"""Sampling of training steps: the first ones are recorded, then ever fewer.

A step is one run of a program, or one iteration of eager code: forward ops, a backward
pass (or several) and updates. A recorded step is recorded as a whole; the skipped steps
are counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType
from typing import NamedTuple

__all__ = ["Pause", "Region", "StepSampler", "is_recorded"]

WHOLE = 10


def is_recorded(step: int) -> bool:
    """True if the `step`-th step (from 1) is recorded.

    >>> [step for step in range(1, 200) if is_recorded(step)]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128]
    """
    return step <= WHOLE or step & (step - 1) == 0


def recorded_after(step: int) -> int:
    """Return the first recorded step after the `step`-th.

    >>> [recorded_after(step) for step in (1, 9, 10, 15, 16)]
    [2, 10, 16, 16, 32]
    """
    return step + 1 if step < WHOLE else 1 << step.bit_length()


class StepSampler:
    """Counts the steps of eager code by the lines where their backward passes begin.

    A step ends with the first op that is no update after its last backward pass. The
    last pass is known from earlier steps: the sequence of lines is periodic.

    Attributes:
        after_pass: True if only updates have run since the last backward pass, or if
            the loop has been left.
        outside: True if the loop has been left.
        recording: True if the current step is recorded.
        skipped: The number of steps that have ended and were not.

    >>> sampler = StepSampler()
    >>> for step in range(40):
    ...     sampler.pass_ended(line=3)
    ...     sampler.forward_begins()
    >>> sampler.skipped, sampler.recording
    (28, False)
    """

    def __init__(self) -> None:
        self.after_pass, self.outside = False, False
        self.recording, self.skipped = True, 0
        self._steps: Counter[int] = Counter()
        self._next: dict[int, int] = {}
        self._lines: list[int] = []
        self._last = self._first = 0

    def pass_ended(self, line: int) -> None:
        """Note the end of a backward pass that began at `line`."""
        self.after_pass, self.outside = True, False
        self._next[self._last] = line
        self._last = line
        if line in self._lines:
            self._lines.clear()
        self._lines.append(line)

    def knows(self, line: int) -> bool:
        """True if a backward pass has begun at `line` before."""
        return line in self._next

    def forward_begins(self) -> None:
        """Note the first forward op after a pass; end the step if that was its last."""
        self.after_pass = False
        if self.outside:
            self.outside = False
        else:
            following = self._next.get(self._last)
            if following is not None and following not in self._lines:
                return
            self._end_step()
        self.recording = is_recorded(self._steps[self._first] + 1)

    def loop_left(self) -> None:
        """End the step, if it had a pass, as its loop is left; no other one begins."""
        self.after_pass = self.outside = True
        if self._lines:
            self._end_step()

    def _end_step(self) -> None:
        self._first = self._lines[0]
        self._lines.clear()
        self.steps_ended(1)

    def steps_ended(self, count: int) -> None:
        """Count so many steps of one loop that have ended."""
        self._steps[self._first] += count
        if not self.recording:
            self.skipped += count

    def steps_until_recorded(self) -> int:
        """Return how many steps end before one is recorded again."""
        current = self._steps[self._first] + 1
        return recorded_after(current) - current


class Region(NamedTuple):
    """A loop in the source, by its code object and its lines.

    Attributes:
        code: Its code object.
        first: The line of its header.
        last: Its last line.
        lines: Those of the statements under way at the last backward pass: the loop's
            own, and further in those of the functions that it called.
    """

    code: CodeType | None
    first: int
    last: int
    lines: Sequence[int] = ()

    def left(self, frame: FrameType | None) -> bool:
        """True if a frame is neither in the loop nor called from it."""
        while frame is not None:
            if frame.f_code is self.code:
                return not self.first <= frame.f_lineno <= self.last
            frame = frame.f_back
        return True


class Pause:
    """A pause of the recording, ended by the markers of the source.

    Args:
        region: The loop; the pause ends when the loop is left.
        line: The line of its first statement, where each turn begins.
        has_begun: True if the current step began after the turn did; False if it began
            in the loop's header.
        visits: The number of starts of each line so far.
        sampler: Decides which step is recorded again.
        end: Called at the end of the pause, with the line that starts.

    Attributes:
        due: For each line of the loop, the start of it at which the pause may end:
            never, but where a turn begins.
    """

    def __init__(
        self,
        region: Region,
        line: int,
        *,
        has_begun: bool,
        visits: Mapping[int, int],
        sampler: StepSampler,
        end: Callable[[int], None],
    ) -> None:
        self.region, self.line, self.visits = region, line, visits
        self.has_begun, self.sampler, self.end = has_begun, sampler, end
        starts = visits.get(line, 0)
        self._before = starts - has_begun
        self.due = dict.fromkeys(range(region.first, region.last + 1), math.inf)
        self.due[line] = starts + sampler.steps_until_recorded()

    def ends(self, frame: FrameType, line: int) -> bool:
        """True if the pause ends with the statement at `line`, which is due."""
        return line == self.line or self.region.left(frame)

    def count_steps(self, under_way: int) -> None:
        """Tell the sampler of the steps that have ended: but so many are under way."""
        begun = self.visits.get(self.line, 0) - self._before
        self.sampler.steps_ended(begun - under_way)
