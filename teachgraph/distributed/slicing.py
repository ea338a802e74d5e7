"""Slices of parameters: which rows of which parameter make one block of a server.

A parameter of n elements is cut into at most as many blocks as there are servers, each
of at least `min_block_size` elements and of whole rows:

    blocks = min(servers, max(1, n // min_block_size))
    size   = ceil(n / blocks), rounded up to whole rows
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, prod
from typing import NamedTuple

__all__ = ["Slice", "base_name", "row_sections", "slice_name", "slices_of"]


class Slice(NamedTuple):
    """Rows of a parameter, or of its gradient.

    Attributes:
        name: Its variable: `w`, or `w.block1` if `w` is cut.
        shape: Its shape.
        start: The first of its rows in the whole.
    """

    name: str
    shape: tuple[int, ...]
    start: int

    @property
    def rows(self) -> slice:
        """Its rows in the whole."""
        return slice(self.start, self.start + self.shape[0])


def row_sections(
    shape: Sequence[int], servers: int, min_block_size: int
) -> tuple[int, ...]:
    """Count the rows of each block of a parameter.

    >>> row_sections([120, 150], servers=2, min_block_size=8192)
    (60, 60)
    >>> row_sections([120, 150], servers=2, min_block_size=20000)
    (120,)
    >>> row_sections([10], servers=4, min_block_size=3)
    (4, 4, 2)
    """
    elements, row = prod(shape), prod(shape[1:])
    blocks = min(servers, max(1, elements // min_block_size))
    rows = ceil(ceil(elements / blocks) / row)
    return tuple(min(rows, shape[0] - at) for at in range(0, shape[0], rows))


def slice_name(name: str, block: int, trainer: int | None = None) -> str:
    """Paddle's name of a block, and of one trainer's share of it.

    >>> slice_name("w@GRAD", 1, trainer=0)
    'w@GRAD.block1.trainer_0'
    """
    of_trainer = "" if trainer is None else f".trainer_{trainer}"
    return f"{name}.block{block}{of_trainer}"


def base_name(name: str) -> str:
    """The name of a slice without the trainer that sends it.

    >>> base_name("w@GRAD.block1.trainer_0"), base_name("w@GRAD")
    ('w@GRAD.block1', 'w@GRAD')
    """
    return name.partition(".trainer_")[0]


def slices_of(name: str, shape: Sequence[int], sections: Sequence[int]) -> list[Slice]:
    """Cut a parameter into blocks with these numbers of rows.

    >>> [part.name for part in slices_of("w", [4, 2], [3, 1])]
    ['w.block0', 'w.block1']
    """
    if len(sections) == 1:
        return [Slice(name, tuple(shape), 0)]
    return list(blocks(name, shape, sections))


def blocks(name: str, shape: Sequence[int], sections: Sequence[int]) -> Iterator[Slice]:
    """Yield the blocks, from the first row to the last."""
    start = 0
    for number, rows in enumerate(sections):
        yield Slice(slice_name(name, number), (rows, *shape[1:]), start)
        start += rows
