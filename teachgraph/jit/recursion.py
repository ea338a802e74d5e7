"""Error for a recursion that a tensor should end: while traced, it has no end."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from traceback import walk_tb
from types import CodeType

from teachgraph.core import callsite
from teachgraph.core.callsite import Callsite
from teachgraph.errors import ConversionError

__all__ = ["endless"]


def endless(error: RecursionError) -> ConversionError:
    """Build the error for an endless recursion, at the line of the recursive call."""
    where = calling(error)
    message = (
        f"{where.function!r} calls itself without end while it is traced: both "
        "branches of an `if` that a tensor decides are traced, and a program has no "
        "calls, so how deep a recursion goes must not depend on a tensor; write a "
        "while loop instead"
    )
    return ConversionError.here(message, where)


def calling(error: RecursionError) -> Callsite:
    """Return the line that most often calls a function in an error's traceback.

    A branch of the line itself is a function too, and begins on that line: it does not
    count as a call.
    """
    frames = [
        (frame.f_code, line)
        for frame, line in walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(callsite.own_files)
    ]
    counts = Counter(
        Callsite(code.co_filename, line, name_of(code))
        for (code, line), (called, _) in pairwise(frames)
        if called.co_firstlineno != line
    )
    last, line = frames[-1]
    counts[Callsite(last.co_filename, line, name_of(last))] += 1
    return counts.most_common(1)[0][0]


def name_of(code: CodeType) -> str:
    """Return the user's name of the function that code belongs to."""
    around = code.co_qualname.removesuffix(".<locals>.<lambda>")
    return around.rpartition(".")[2]
