"""The seeds of random operators in a seeded program: each follows from its place."""

from __future__ import annotations

from teachgraph.core.program import Operator

__all__ = ["PlaceSeed", "place_seed"]

APART = 1_000_003
"""More operators than a block has: so that no two of a program draw alike."""


class PlaceSeed(int):
    """A seed that was not chosen: iterations of a loop may each draw from a new one."""


def place_seed(operator: Operator, place: int) -> PlaceSeed | None:
    """The seed of the operator at this place of its block.

    None if it draws nothing, has a seed of its own, or its program has none.
    """
    block = operator.block
    first = block.program.random_seed
    if not first or operator.attrs.get("seed") or not operator.op.random:
        return None
    return PlaceSeed(first + place + APART * block.idx)
