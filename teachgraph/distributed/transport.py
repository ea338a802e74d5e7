"""The transport: six ways in which an operator reaches another process.

The ops know nothing of machines. They speak to the transport in force: `LocalTransport`
moves arrays between threads of one process, `RayTransport` between processes and
machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from teachgraph.core.threads import Guard, InForce
from teachgraph.distributed.errors import NoTransportError

if TYPE_CHECKING:
    from teachgraph.distributed.server import Server

__all__ = ["Array", "Rows", "Transport", "transport", "transport_guard"]

Array = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """A gradient of a table of which most rows are 0: the rows that are not.

    Attributes:
        ids: Their numbers.
        values: The rows.
        height: The number of all rows.

    In Paddle this is `SelectedRows`.

    >>> Rows.of(np.array([[0.0], [2.0], [0.0]])).ids.tolist()
    [1]
    """

    ids: Array
    values: Array
    height: int

    @classmethod
    def of(cls, dense: Array) -> Rows:
        """The rows that are not all 0."""
        ids = np.flatnonzero(dense.reshape(len(dense), -1).any(1))
        return cls(ids, dense[ids], len(dense))

    @classmethod
    def summed(cls, ids: Array, rows: Array, height: int) -> Rows:
        """One row for each id, the sum of those that it has, in their order.

        >>> Rows.summed(np.array([2, 0, 2]), np.array([[1.0], [2.0], [3.0]]), 9).values
        array([[2.],
               [4.]])
        """
        order = np.argsort(ids, kind="stable")
        keys, rows = ids[order], rows[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        sums = np.add.reduceat(rows, first) if len(first) else rows
        return cls(keys[first], sums, height)

    def without(self, row: int) -> Rows:
        """These rows but for one."""
        kept = self.ids != row
        return Rows(self.ids[kept], self.values[kept], self.height)

    def split(self, sections: Sequence[int]) -> list[Rows]:
        """Cut into slices of these numbers of rows, each counted from its own first.

        >>> one, other = Rows(np.array([1, 4]), np.ones((2, 1)), 6).split([3, 3])
        >>> one.ids.tolist(), other.ids.tolist()
        ([1], [1])
        """
        ends = np.cumsum(sections)
        at = np.searchsorted(self.ids, [0, *ends])
        spans = zip(at, at[1:], [0, *ends], sections, strict=False)
        return [
            Rows(self.ids[a:b] - start, self.values[a:b], count)
            for a, b, start, count in spans
        ]

    def dense(self) -> Array:
        """The gradient with all its rows."""
        whole = np.zeros((self.height, *self.values.shape[1:]), self.values.dtype)
        whole[self.ids] = self.values
        return whole

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.dense().astype(dtype or self.values.dtype, copy=False)


class Transport(Protocol):
    """Connection of one process to the others of its cluster.

    Attributes:
        rank: The number of this trainer.
        world: The number of trainers.
        step: The number of steps this trainer has made.
        overlaps: Whether messages may be on their way while the trainer computes.
    """

    rank: int
    world: int
    step: int
    overlaps: bool

    def send(self, endpoint: str, name: str, value: Array | Rows) -> None:
        """Send a gradient to a server, or an array to a trainer's mailbox."""

    def recv(self, endpoint: str, name: str, rows: Array | None = None) -> Array:
        """Receive a parameter, some of its rows, or an array from the mailbox."""

    def barrier(self, kind: str, endpoints: Sequence[str]) -> None:
        """End a step's sends ("send") or its receives ("fetch"); or meet ("all")."""

    def all_reduce(self, value: Array, ring: int = 0) -> Array:
        """Return the sum over all trainers, added in the order of their ranks."""

    def broadcast(self, value: Array, root: int = 0, ring: int = 0) -> Array:
        """Return the value of trainer `root`."""

    def serve(self, server: Server) -> None:
        """Answer trainers until all have finished."""


class Nobody:
    """The transport of a process that is part of no cluster: refuses every use."""

    def __getattr__(self, name: str) -> Any:
        raise NoTransportError(
            f"{name}: this process is part of no cluster. Start the script with "
            "`teachgraph launch`, or run it in threads with "
            "`teachgraph.distributed.run_local`"
        )


_in_force: InForce[Any] = InForce(Nobody())


def transport() -> Transport:
    """The transport in force.

    >>> transport().rank
    Traceback (most recent call last):
    teachgraph.distributed.errors.NoTransportError: rank: this process is part of no...
    """
    return _in_force.value  # type: ignore[no-any-return]


def transport_guard(instead: Transport) -> Guard[Any]:
    """Put a transport in force, inside a `with` block."""
    return _in_force.holding(instead)


def connected() -> bool:
    """True in a process that is part of a cluster."""
    return not isinstance(_in_force.value, Nobody)


def bytes_of(value: Any) -> int:
    """The bytes that a message takes."""
    if isinstance(value, Rows):
        return int(value.ids.nbytes + value.values.nbytes)
    return int(value.nbytes)
