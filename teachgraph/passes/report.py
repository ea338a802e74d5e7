"""What passes did, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Applied", "Change", "Report"]


class Change(NamedTuple):
    """One rewrite.

    Attributes:
        old: The types of the operators that were there.
        new: The types of those that are there now.
        what: In words, where the types do not say it.
        where: The user's line.
    """

    old: Sequence[str]
    new: Sequence[str]
    what: str
    where: str

    def __str__(self) -> str:
        arrow = f"{', '.join(self.old)} -> {', '.join(self.new) or 'nothing'}"
        words = f": {self.what}" if self.what else ""
        return arrow + words + (f"  # {self.where}" if self.where else "")


class Applied(NamedTuple):
    """One pass over a program.

    Attributes:
        name: The pass.
        before: How many operators there were.
        after: How many there are now.
        changes: What it did.
    """

    name: str
    before: int
    after: int
    changes: Sequence[Change]


class Report(list[Applied]):
    """The passes that changed something, in order; it prints as a table."""

    @property
    def changes(self) -> list[Change]:
        """Everything that was done."""
        return [change for applied in self for change in applied.changes]

    def __str__(self) -> str:
        width = max([len(applied.name) for applied in self] + [4])
        lines = [f"{'pass':{width}}  before  after"]
        for applied in self:
            counts = f"{applied.before:6}  {applied.after:5}"
            lines.append(f"{applied.name:{width}}  {counts}")
            lines += [f"    {change}" for change in applied.changes]
        return "\n".join(lines)

    __repr__ = __str__
