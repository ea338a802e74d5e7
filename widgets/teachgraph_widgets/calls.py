"""Starts of statements, read from stack frames: of source code that has no markers."""

from __future__ import annotations

from collections.abc import Container, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teachgraph_widgets.lines import Source

__all__ = ["Call", "first_started", "frames_of"]

WITHIN = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Names of code that is within an expression and has no statements of its own."""

Call = tuple[CodeType, int, int]
"""A running call: its code, and the line and the instruction of its statement."""


def frames_of(
    frame: FrameType, source: Source, engine: Container[CodeType]
) -> list[FrameType]:
    """Return the frames of a source's running calls, outermost first, up to `frame`.

    The traced block's own callers, which began before it did, are left out, and so is
    the code of an `engine`.
    """
    filename, root = source.filename, source.root
    frames: list[FrameType] = []
    outer: FrameType | None = frame
    while outer is not None:
        code = outer.f_code
        if code is root:
            frames.append(outer)
            break
        is_own = code.co_filename == filename and code.co_name not in WITHIN
        if is_own and (outer is frame or code not in engine):
            frames.append(outer)
        outer = outer.f_back
    frames.reverse()
    return frames


def first_started(before: Sequence[Call], now: Sequence[Call], source: Source) -> int:
    """Return the outermost of the calls `now` that has started a statement.

    The calls are compared with those that were running `before`, outermost first. All
    calls inside of that one are new ones. What a return resumes is no start; where the
    frames don't tell a start from a return, it counts as none.

    Returns:
        A call's index; the number of calls if no statement has started.
    """
    for level, (was, call) in enumerate(zip(before, now, strict=False)):
        if call == was:
            continue
        (code, line, at), (old_code, old_line, old_at) = call, was
        if code is not old_code:
            return level
        went_back = at < old_at
        if went_back and line <= old_line and not source.share_loop(line, old_line):
            # Nothing in a function leads back but a loop: it was called once more.
            outer = (at for at in range(level)[::-1] if source.may_repeat(now[at][1]))
            return next(outer, level)
        if line == old_line:
            return level if went_back and source.may_repeat(line) else level + 1
        is_header = source.is_header(line, old_line)
        is_left = line < old_line and not went_back  # as `with` is, at its end
        return level + 1 if is_header or is_left else level
    return min(len(before), len(now))
