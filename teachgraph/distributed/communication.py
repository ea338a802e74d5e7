"""Paddle 2's functions between trainers, on Tensors: `all_reduce`, `broadcast`, ...

Each is made of the transport's six methods. A process that is part of no cluster is a
cluster of one: it sums, gathers and broadcasts its own values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from importlib.util import find_spec
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.distributed.errors import NoTransportError
from teachgraph.distributed.roles import current_role
from teachgraph.distributed.transport import Array, connected, transport

__all__ = [
    "ParallelEnv",
    "ReduceOp",
    "all_gather",
    "all_reduce",
    "alltoall",
    "alltoall_single",
    "barrier",
    "broadcast",
    "destroy_process_group",
    "gather",
    "get_backend",
    "get_rank",
    "get_start_step",
    "get_world_size",
    "init_parallel_env",
    "irecv",
    "is_available",
    "is_initialized",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
    "wait",
]


class ReduceOp:
    """Ways of reducing: `SUM`, `MAX`, `MIN`, `PROD`, `AVG`.

    In Paddle this is `paddle.distributed.ReduceOp`.
    """

    SUM, MAX, MIN, PROD, AVG = range(5)


FOLDS = {ReduceOp.MAX: np.maximum, ReduceOp.MIN: np.minimum, ReduceOp.PROD: np.multiply}


class ParallelEnv:
    """The number of this trainer, and of all.

    In Paddle this is `paddle.distributed.ParallelEnv`.

    >>> ParallelEnv().rank, ParallelEnv().world_size
    (0, 1)
    """

    @property
    def rank(self) -> int:
        """The number of this trainer."""
        return get_rank()

    @property
    def world_size(self) -> int:
        """The number of trainers."""
        return get_world_size()

    local_rank, nranks = rank, world_size
    dev_id = 0


def init_parallel_env() -> ParallelEnv:
    """Connect this process with the others that `launch` or `spawn` started.

    Raises:
        DistributedError: Ray is missing, or the others do not come within the limit.

    In Paddle this is `paddle.distributed.init_parallel_env`.
    """
    if not connected() and current_role().trainers > 1:
        from teachgraph.distributed.ray_transport import connect

        connect(current_role())
    return ParallelEnv()


def is_available() -> bool:
    """True if Ray is installed.

    In Paddle this is `paddle.distributed.is_available`.
    """
    return find_spec("ray") is not None


def get_backend(group: Any = None) -> str:
    """The transport between the trainers: "RAY", "LOCAL" for threads, "NONE".

    In Paddle this is `paddle.distributed.get_backend`.
    """
    if not connected():
        return "NONE"
    return "RAY" if transport().overlaps else "LOCAL"


def destroy_process_group(group: Any = None) -> None:
    """Do nothing: a process leaves its cluster when its script ends.

    In Paddle this is `paddle.distributed.destroy_process_group`.
    """


def is_initialized() -> bool:
    """True in a process that is part of a cluster."""
    return connected()


def get_rank(group: Any = None) -> int:
    """The number of this trainer, from 0.

    In Paddle this is `paddle.distributed.get_rank`.
    """
    return transport().rank if connected() else current_role().index


def get_world_size(group: Any = None) -> int:
    """The number of trainers.

    In Paddle this is `paddle.distributed.get_world_size`.
    """
    return transport().world if connected() else current_role().trainers


def get_start_step() -> int:
    """The number of steps that training has made already: not 0 after a restart.

    >>> get_start_step()
    0
    """
    return transport().step if connected() else 0


def alone() -> bool:
    """True if there is nobody to talk to.

    Raises:
        NoTransportError: There are others, and no connection to them yet.
    """
    if connected():
        return False
    if (count := current_role().trainers) > 1:
        raise NoTransportError(
            f"this is one of {count} trainers: call init_parallel_env() first"
        )
    return True


def gathered(value: Array) -> list[Array]:
    """The values of all trainers, in the order of their ranks."""
    if alone():
        return [np.array(value)]
    return [transport().broadcast(value, root) for root in range(transport().world)]


def reduced(value: Array, op: int) -> Array:
    """The values of all trainers, reduced.

    Raises:
        InvalidValueError: `op` is none of `ReduceOp`.
    """
    if op not in range(5):
        raise InvalidValueError(f"op is one of ReduceOp, got {op!r}")
    if op in FOLDS:
        return np.asarray(fold(FOLDS[op], gathered(value)))
    total = np.array(value) if alone() else transport().all_reduce(value)
    return total / total.dtype.type(get_world_size()) if op == ReduceOp.AVG else total


def all_reduce(
    tensor: Tensor, op: int = ReduceOp.SUM, group: Any = None, sync_op: bool = True
) -> None:
    """Replace a tensor by its sum (or `op`) over all trainers.

    In Paddle this is `paddle.distributed.all_reduce`.

    >>> import teachgraph as tg
    >>> from teachgraph.distributed import run_local
    >>> def work(role):
    ...     x = tg.to_tensor([float(role.index)])
    ...     all_reduce(x)
    ...     return x.tolist()
    >>> run_local(work, trainers=3)
    [[3.0], [3.0], [3.0]]
    """
    tensor.set_value(reduced(tensor.data, op))


def reduce(
    tensor: Tensor,
    dst: int = 0,
    op: int = ReduceOp.SUM,
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Replace the tensor of trainer `dst` by the sum over all; the others keep theirs.

    In Paddle this is `paddle.distributed.reduce`.
    """
    value = reduced(tensor.data, op)
    if get_rank() == dst:
        tensor.set_value(value)


def all_gather(
    tensor_list: list[Any], tensor: Tensor, group: Any = None, sync_op: bool = True
) -> None:
    """Append the tensors of all trainers to a list, in the order of their ranks.

    In Paddle this is `paddle.distributed.all_gather`.
    """
    tensor_list += [Tensor.results(value) for value in gathered(tensor.data)]


def gather(
    tensor: Tensor,
    gather_list: list[Any] | None = None,
    dst: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Append the tensors of all trainers to a list of trainer `dst`.

    In Paddle this is `paddle.distributed.gather`.
    """
    arrays = gathered(tensor.data)
    if get_rank() == dst and gather_list is not None:
        gather_list += map(Tensor.results, arrays)


def broadcast(
    tensor: Tensor, src: int = 0, group: Any = None, sync_op: bool = True
) -> None:
    """Replace a tensor by that of trainer `src`.

    In Paddle this is `paddle.distributed.broadcast`.
    """
    if not alone():
        tensor.set_value(transport().broadcast(tensor.data, src))


def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Replace a tensor by this trainer's part of the list that trainer `src` has.

    Raises:
        InvalidValueError: The list has not one tensor for each trainer.

    In Paddle this is `paddle.distributed.scatter`.
    """
    world = get_world_size()
    if get_rank() == src and len(tensor_list or ()) != world:
        raise InvalidValueError(
            f"scatter: {world} trainers need as many tensors, got "
            f"{len(tensor_list or ())}"
        )
    parts = np.stack([t.data for t in tensor_list or [tensor] * world])
    if not alone():
        parts = transport().broadcast(parts, src)
    tensor.set_value(parts[get_rank()])


def alltoall(
    in_tensor_list: Sequence[Tensor],
    out_tensor_list: list[Any],
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Send the i-th tensor to trainer i, and append what all send here.

    In Paddle this is `paddle.distributed.alltoall`.
    """
    everything = gathered(np.stack([tensor.data for tensor in in_tensor_list]))
    out_tensor_list += [Tensor.results(row[get_rank()]) for row in everything]


def alltoall_single(
    in_tensor: Tensor,
    out_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Send the i-th part of the rows to trainer i, and join what all send here.

    Args:
        in_tensor: What is sent, cut into equal parts.
        out_tensor: Gets what comes.
        in_split_sizes: How many rows go to each trainer, if not as many to all.
        out_split_sizes: Accepted for Paddle's sake: messages know their sizes.
        group: Accepted for Paddle's sake.
        sync_op: Accepted for Paddle's sake.

    In Paddle this is `paddle.distributed.alltoall_single`.
    """
    rank, world = get_rank(), get_world_size()
    rows = in_split_sizes or [len(in_tensor.data) // world] * world
    cuts = gathered(np.cumsum([0, *rows]))
    here = zip(gathered(in_tensor.data), cuts, strict=True)
    parts = [whole[ends[rank] : ends[rank + 1]] for whole, ends in here]
    out_tensor.set_value(np.concatenate(parts))


def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor],
    op: int = ReduceOp.SUM,
    group: Any = None,
    sync_op: bool = True,
) -> None:
    """Replace a tensor by the sum of all trainers' i-th tensors, i being its rank.

    In Paddle this is `paddle.distributed.reduce_scatter`.
    """
    whole = reduced(np.stack([part.data for part in tensor_list]), op)
    tensor.set_value(whole[get_rank()])


def barrier(group: Any = None) -> None:
    """Wait for all trainers.

    In Paddle this is `paddle.distributed.barrier`.
    """
    if not alone():
        transport().barrier("all", ())


def send(tensor: Tensor, dst: int = 0, group: Any = None, sync_op: bool = True) -> None:
    """Send a tensor to trainer `dst`.

    Raises:
        InvalidValueError: There is no such trainer, or it is this one.

    In Paddle this is `paddle.distributed.send`.
    """
    name = f"trainer:{get_rank()}/tensor"
    transport().send(f"trainer:{other('dst', dst)}", name, tensor.data)


def recv(tensor: Tensor, src: int = 0, group: Any = None, sync_op: bool = True) -> None:
    """Replace a tensor by the next one that trainer `src` sends here.

    Raises:
        InvalidValueError: There is no such trainer, or it is this one.

    In Paddle this is `paddle.distributed.recv`.
    """
    tensor.set_value(transport().recv(f"trainer:{other('src', src)}", "tensor"))


class Task:
    """A message that has been sent or received already.

    In Paddle this is the task that `isend` and `irecv` return.
    """

    def wait(self) -> bool:
        """Return at once."""
        return True

    def is_completed(self) -> bool:
        """True."""
        return True


def isend(tensor: Tensor, dst: int, group: Any = None) -> Task:
    """Send a tensor to trainer `dst`; see `send`.

    In Paddle this is `paddle.distributed.isend`.
    """
    send(tensor, dst)
    return Task()


def irecv(tensor: Tensor, src: int = 0, group: Any = None) -> Task:
    """Replace a tensor by the next one that trainer `src` sends here; see `recv`.

    In Paddle this is `paddle.distributed.irecv`, which does not wait.
    """
    recv(tensor, src)
    return Task()


def wait(tensor: Tensor, group: Any = None, use_calc_stream: bool = True) -> None:
    """Do nothing: these functions return when a tensor has its value.

    In Paddle this is `paddle.distributed.wait`.
    """


def other(what: str, rank: int) -> int:
    """The number of another trainer.

    Raises:
        InvalidValueError: There is no such trainer, or it is this one.
    """
    if rank == get_rank() or not 0 <= rank < get_world_size():
        raise InvalidValueError(
            f"{what} is another of {get_world_size()} trainers, got {rank} on "
            f"trainer {get_rank()}"
        )
    return rank
