"""Schedules: functions from a step's number to the profiler's state."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from teachgraph.core.errors import InvalidValueError

__all__ = ["RECORDING", "ProfilerState", "Schedule", "between", "make_scheduler"]


class ProfilerState(Enum):
    """A profiler's state in a step; RECORD_AND_RETURN ends with `on_trace_ready`."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


RECORDING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)

Schedule = Callable[[int], ProfilerState]


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Schedule:
    """Return a schedule: skip `closed` steps, warm up for `ready`, record `record`.

    Args:
        closed: The number of steps to skip.
        ready: The number of steps to warm up.
        record: The number of steps to record.
        repeat: The number of cycles; 0 is without end.
        skip_first: The number of steps before the first cycle.

    >>> schedule = make_scheduler(closed=1, ready=1, record=2, repeat=1)
    >>> [schedule(step).name for step in range(5)]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    length = closed + ready + record
    if min(closed, ready, repeat, skip_first) < 0 or record < 1:
        wanted = "record at least one step"
        message = f"{wanted}, got record={record}; no count is negative"
        raise InvalidValueError.here(message)

    def schedule(step: int) -> ProfilerState:
        turn, place = divmod(step - skip_first, length)
        if step < skip_first or (repeat and turn >= repeat) or place < closed:
            return ProfilerState.CLOSED
        if place < closed + ready:
            return ProfilerState.READY
        last = place == length - 1
        return ProfilerState.RECORD_AND_RETURN if last else ProfilerState.RECORD

    return schedule


def between(first: int, end: int) -> Schedule:
    """Return a schedule that records the steps from `first` to before `end`."""
    if not 0 <= first < end:
        message = f"a scheduler is (first, end) with first < end, got {(first, end)}"
        raise InvalidValueError.here(message)
    skip = max(first - 1, 0)
    ready, record = min(first, 1), end - first
    return make_scheduler(
        closed=0, ready=ready, record=record, repeat=1, skip_first=skip
    )
