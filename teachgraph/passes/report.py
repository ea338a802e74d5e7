"""Report of passes: their rewrites, printed as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Applied", "Change", "Report"]


class Change(NamedTuple):
    """One rewrite.

    Attributes:
        old: The types of the replaced operators.
        new: The types of the new ones.
        what: A description, if the types do not tell enough.
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
    """The rewrites of one pass.

    Attributes:
        name: The pass.
        before: The number of operators before it.
        after: The number after it.
        changes: The rewrites.
    """

    name: str
    before: int
    after: int
    changes: Sequence[Change]


class Report(list[Applied]):
    """The passes that changed something, in order; it prints as a table.

    Attributes:
        unchanged: The names of those that were tried and changed nothing.
    """

    def __init__(self, applied: Iterable[Applied] = ()) -> None:
        super().__init__(applied)
        self.unchanged: list[str] = []

    @property
    def changes(self) -> list[Change]:
        """All rewrites, in order."""
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
