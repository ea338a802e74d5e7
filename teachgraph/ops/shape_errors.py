"""Why an op cannot take what a program declares, in the sizes that were declared.

Inference tries sizes for what is unknown. What an op raises then is asked for twice,
with two sizes that stand nowhere else: the numbers that change in it are unknown too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from teachgraph.core.errors import OpError

__all__ = ["Reason", "best", "sizes_that_tell"]

UNKNOWN, SOME = "-1", "?"
KINDS = (IndexError, TypeError, ValueError, Exception)
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79)


def sizes_that_tell(taken: Collection[int]) -> Iterator[int]:
    """Primes that cannot be mistaken for one of these sizes, nor for a part of one.

    >>> from itertools import islice
    >>> list(islice(sizes_that_tell([3, 22]), 3))
    [13, 17, 19]
    """
    return (p for p in PRIMES if not any(n and n % p == 0 for n in taken))


class Reason(NamedTuple):
    """Why a trial failed.

    Attributes:
        error: What was raised.
        words: Its message in words and numbers, which take turns.
        certain: Whether no number in it is unknown.
        chosen: The sizes that unknown dimensions were given, -1 for those left open.
    """

    error: Exception
    words: list[str]
    certain: bool
    chosen: Sequence[int]

    @staticmethod
    def of(
        error: Exception, other: Exception, size: int, chosen: Sequence[int]
    ) -> Reason:
        """Compare two errors: `error` of `size`, the `other` of another size.

        A number that differs is -1 if it is the size, and ? if it depends on it.

        >>> one, two = ValueError("[11, 3] of 33"), ValueError("[13, 3] of 39")
        >>> "".join(Reason.of(one, two, 11, [-1]).words)
        '[-1, 3] of ?'
        """
        words, others = parts(error), parts(other)
        if words[::2] != others[::2]:
            others = ["" if word == str(size) else word for word in words]
        written = [
            word if word == same else UNKNOWN if word == str(size) else SOME
            for word, same in zip(words, others, strict=True)
        ]
        return Reason(error, written, words == others, chosen)

    @property
    def assumed(self) -> bool:
        """True if the message names a size that an unknown dimension was given."""
        return any(n >= 0 and str(n) in self.words for n in self.chosen)

    @property
    def text(self) -> str:
        """The message, with the size that it takes for granted."""
        told = f" (where -1 is {max(self.chosen)})" if self.assumed else ""
        return "".join(self.words) + told

    def as_error(self) -> Exception:
        """The error, of the same kind, with this message."""
        if self.text == str(self.error):
            return self.error
        if isinstance(self.error, OpError):
            return type(self.error)(self.text)
        return next(kind for kind in KINDS if isinstance(self.error, kind))(self.text)


def best(reasons: Sequence[Reason]) -> Exception:
    """The first reason, or one that knows more.

    What is wrong with known sizes shows once the unknown ones are made to fit them, and
    is what no unknown size will mend.
    """
    first = reasons[0]
    if first.certain:
        return first.as_error()
    others = [
        reason
        for reason in reasons
        if reason.certain and reason.words[::2] != first.words[::2]
        if not reason.assumed or len(reason.chosen) == 1
    ]
    return min(others, key=lambda reason: reason.assumed, default=first).as_error()


def parts(error: Exception) -> list[str]:
    """A message in words and numbers."""
    return re.split(r"(\d+)", str(error))
