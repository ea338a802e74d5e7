"""Rows of the tables of differences: a reason, the cases, and our answers to them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

__all__ = ["AS_EAGER", "LIVES", "REFUSED", "Row", "alike", "array", "each", "numbers"]

REFUSED = "refused"
AS_EAGER = "as eager"


class Row(NamedTuple):
    """Cases that differ for one reason.

    Attributes:
        why: The reason.
        ours: By case, what we answer; `REFUSED` where we raise a typed error, and
            `AS_EAGER` in a program what Paddle answers out of one.
        lives: Those it speaks of.
    """

    why: str
    ours: dict[str, Any]
    lives: tuple[str, ...] = ("eager", "static", "gradient", "story")


def array(dtype: str, shape: list[int], values: Any) -> list[Any]:
    """The only result of a line."""
    return [[dtype, shape, values]]


LIVES = ("eager", "static", "gradient", "story")


def alike(why: str, ours: Any, lines: str, lives: tuple[str, ...] = LIVES) -> Row:
    """Lines to which we have the same answer, for one reason."""
    return Row(why, dict.fromkeys(lines.strip().split("\n"), ours), lives)


def each(why: str, lines: str, lives: tuple[str, ...] = LIVES) -> Row:
    """Lines that differ for one reason, each with our answer to it behind an arrow."""
    pairs = (line.rsplit(" -> ", 1) for line in lines.strip().split("\n"))
    return Row(why, {case: json.loads(ours) for case, ours in pairs}, lives)


def numbers(*values: float) -> list[Any]:
    """A row in float32."""
    return ["float32", [len(values)], list(values)]
