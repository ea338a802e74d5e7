"""Buckets: gradients that are summed over the trainers while backward goes on.

Parameters are put into buckets in reverse, the order in which backward reaches them. As
soon as all gradients of a bucket are whole, one message sums them over the trainers in
the background; backward ends when all sums are here.

Wraps `tape.backward_pass`: there the uses of each parameter are counted, so that its
gradient is known to be whole before the pass ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import FunctionType
from typing import Any
from weakref import WeakSet

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.tape import backward_pass
from teachgraph.distributed.transport import Array, Transport

__all__ = ["Reducer"]

reducers: WeakSet[Reducer] = WeakSet()
"""Those whose parameters are trained in this process."""


class Bucket:
    """Parameters whose gradients are sent together.

    Attributes:
        parameters: They, in the order of their places.
        flat: Their gradients, one behind the other.
        missing: How many gradients are not whole yet.
    """

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        ends = np.cumsum([p.data.size for p in parameters])
        self.places = {
            id(p): slice(end - p.data.size, end)
            for p, end in zip(parameters, ends, strict=True)
        }
        self.size, self.dtype = int(ends[-1]), parameters[0].data.dtype
        self.clear()

    def clear(self) -> None:
        """Begin a backward pass."""
        self.flat = np.zeros(self.size, self.dtype)
        self.missing = {id(p) for p in self.parameters}
        self.sum: Future[Array] | None = None

    def put(self, parameter: Tensor, gradient: Array) -> bool:
        """Take a whole gradient; True if it was the last."""
        self.flat[self.places[id(parameter)]] = gradient.ravel()
        self.missing.discard(id(parameter))
        return not self.missing

    def mean(self, parameter: Tensor, world: int) -> Array:
        """The mean over the trainers of one gradient."""
        assert self.sum is not None
        total = self.sum.result()[self.places[id(parameter)]]
        mean: Array = total / self.dtype.type(world)
        return mean.reshape(parameter.data.shape)


class Reducer:
    """Sums the gradients of some parameters over the trainers.

    Args:
        parameters: The parameters, in the order of their use.
        transport: The way to the other trainers.
        megabytes: The size of a bucket.
        last_megabytes: The size of the one that is ready last.

    Attributes:
        enabled: False while gradients are only accumulated.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        transport: Transport,
        megabytes: float = 25,
        last_megabytes: float = 1,
    ) -> None:
        self.transport, self.enabled = transport, True
        trained = [p for p in parameters if not p.stop_gradient]
        groups = grouped(trained, megabytes * 2**20, last_megabytes * 2**20)
        self.buckets = [Bucket(group) for group in groups]
        self.bucket_of = {id(p): b for b in self.buckets for p in b.parameters}
        self.background = (
            ThreadPoolExecutor(1, "reduce") if transport.overlaps else None
        )
        reducers.add(self)
        backward_pass.wrap(reduced)

    def begin(self, order: Sequence[Any]) -> None:
        """Count the uses of each parameter in a backward pass."""
        uses = Counter(id(edge) for node in order for edge in node.edges)
        self.uses = {p: uses[p] for p in self.bucket_of if uses[p]}
        self.partial: dict[int, Array] = {}
        self.sent = 0
        for bucket in self.buckets:
            bucket.clear()

    def add(self, edge: Any, gradient: Any) -> None:
        """Take one of the gradients of a parameter, None for none."""
        key = id(edge)
        if key not in self.uses:
            return
        if gradient is not None:
            value = gradient.data if isinstance(gradient, Tensor) else gradient
            before = self.partial.get(key)
            self.partial[key] = value if before is None else before + value
        self.uses[key] -= 1
        whole = not self.uses[key] and key in self.partial
        if whole and self.bucket_of[key].put(edge, self.partial[key]):
            self.send_ready()

    def send_ready(self) -> None:
        """Send the next buckets, as far as they are whole: in one order everywhere."""
        while self.sent < len(self.buckets) and not self.buckets[self.sent].missing:
            self.send_next()

    def send_next(self) -> None:
        """Send one bucket."""
        bucket = self.buckets[self.sent]
        self.sent += 1
        if self.background is not None:
            bucket.sum = self.background.submit(self.transport.all_reduce, bucket.flat)
        else:
            bucket.sum = Future()
            bucket.sum.set_result(self.transport.all_reduce(bucket.flat))

    def finish(self, leaves: dict[Any, Any]) -> dict[Any, Any]:
        """Send the rest; return the gradients of the leaves, with means in their place.

        A parameter that this trainer has not used counts as 0.
        """
        while self.sent < len(self.buckets):
            self.send_next()
        self.transport.step += 1
        world, means = self.transport.world, dict(leaves)
        for bucket in self.buckets:
            for parameter in bucket.parameters:
                mean = bucket.mean(parameter, world)
                if parameter in leaves or mean.any():
                    means[parameter] = mean
        return means


def grouped(
    parameters: Sequence[Tensor], limit: float, last: float
) -> Iterator[list[Tensor]]:
    """Yield parameters in reverse, in groups of one dtype.

    A group is complete once it has `limit` bytes, or `last` if no more is left for
    the next one: what is small joins its neighbour, as each message costs a round trip.
    """
    group: list[Tensor] = []
    size, left = 0, sum(p.data.nbytes for p in parameters)
    for parameter in reversed(parameters):
        full = size >= (limit if left > last else last)
        if group and (full or parameter.data.dtype != group[0].data.dtype):
            yield group
            group, size = [], 0
        group.append(parameter)
        size += parameter.data.nbytes
        left -= parameter.data.nbytes
    if group:
        yield group


def reduced(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """A backward pass whose gradients are summed over the trainers."""

    def reverse_reduced(seeds: Any, order: Any, visit: Any) -> Any:
        edges = {id(edge) for node in order for edge in node.edges}
        active = [
            r for r in reducers if r.enabled and not edges.isdisjoint(r.bucket_of)
        ]
        if not active:
            return reverse(seeds, order, visit)
        for reducer in active:
            reducer.begin(order)

        def visit_reduced(node: Any, dout: Any) -> Iterator[Any]:
            for edge, dx in visit(node, dout):
                wanted = edge is not None and dx.__class__ is FunctionType
                gradient = dx() if wanted else dx
                for reducer in active:
                    reducer.add(edge, gradient)
                yield edge, gradient

        leaves = reverse(seeds, order, visit_reduced)
        for reducer in active:
            leaves = reducer.finish(leaves)
        return leaves

    return reverse_reduced
