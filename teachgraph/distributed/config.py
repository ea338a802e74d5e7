"""Settings of the transpiler."""

from __future__ import annotations

from teachgraph.distributed.dispatch import PSDispatcher, RoundRobin
from teachgraph.distributed.errors import TranspilerError

__all__ = ["DistributeTranspilerConfig"]


class DistributeTranspilerConfig:
    """Settings of `DistributeTranspiler`.

    Attributes:
        slice_var_up: Cut large parameters into blocks, one for each server.
        split_method: Chooses the server of a block: `RoundRobin` or `HashName`.
        min_block_size: The least number of elements of a block. Paddle refuses less
            than 8192; here a small model may be cut too, to be looked at.
        mode: "pserver" or "collective".
        collective_mode: "grad_allreduce" or "local_sgd".
        geo_sgd_mode: Let trainers update their own parameters, and exchange the
            changes.
        geo_sgd_need_push_nums: After how many steps they do.
        half_async: Wait, without order among trainers, until all gradients are sent.
        wait_port: Accepted for Paddle's sake: who receives first waits for servers.
        print_log: Accepted for Paddle's sake.

    In Paddle this is `fluid.DistributeTranspilerConfig`.

    >>> DistributeTranspilerConfig().min_block_size
    8192
    """

    def __init__(self) -> None:
        self.slice_var_up = True
        self.split_method: type[PSDispatcher] = RoundRobin
        self.min_block_size = 8192
        self.mode = "pserver"
        self.collective_mode: str | None = None
        self.geo_sgd_mode = False
        self.geo_sgd_need_push_nums = 100
        self.half_async = False
        self.wait_port = True
        self.print_log = False
        self._sync_mode = True
        self._runtime_split_send_recv = False

    @property
    def sync_mode(self) -> bool:
        """Let servers wait for the gradients of all trainers."""
        return self._sync_mode

    @sync_mode.setter
    def sync_mode(self, value: bool) -> None:
        if value and self._runtime_split_send_recv:
            raise TranspilerError(
                "sync_mode and runtime_split_send_recv exclude each other: set "
                "runtime_split_send_recv = False first"
            )
        self._sync_mode = value

    @property
    def runtime_split_send_recv(self) -> bool:
        """Let `send` cut gradients and `recv` join parameters, without ops for it."""
        return self._runtime_split_send_recv

    @runtime_split_send_recv.setter
    def runtime_split_send_recv(self, value: bool) -> None:
        if value and self._sync_mode:
            raise TranspilerError(
                "runtime_split_send_recv and sync_mode exclude each other: set "
                "sync_mode = False first"
            )
        self._runtime_split_send_recv = value

    def check(self) -> None:
        """Refuse settings that mean nothing.

        Raises:
            TranspilerError: A block of no elements, or a dispatcher that is none.
        """
        if self.min_block_size < 1:
            raise TranspilerError(
                f"min_block_size counts elements, got {self.min_block_size}"
            )
        method = self.split_method
        if not (isinstance(method, type) and issubclass(method, PSDispatcher)):
            raise TranspilerError(
                f"split_method is RoundRobin, HashName or another PSDispatcher, "
                f"got {method!r}"
            )
