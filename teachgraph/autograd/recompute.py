"""Recomputation: free the saved tensors of a segment, compute them again in backward.

The segment runs and is recorded as usual. Then the saved tensors of its nodes are
freed. When the backward pass reaches one of these nodes, the segment runs a second
time from its inputs, and each node gets its saved tensors back. This trades one more
forward pass for memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.autograd.grad_mode import enable_grad
from teachgraph.autograd.random_state import get_rng_state, set_rng_state
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import ProgramError
from teachgraph.core.modes import is_recording
from teachgraph.core.observe import announce, observers
from teachgraph.core.tape import Edge, Node, clock, topological

__all__ = ["recompute"]


class Segment:
    """A part of the network that can run a second time.

    Attributes:
        function: The forward function.
        args, kwargs: Its arguments, detached from the tape.
        state: The generator's state, so that dropout draws the same mask; or None.
    """

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, state: Any
    ) -> None:
        self.function, self.state = function, state
        self.args = tuple(map(detached, args))
        self.kwargs = {name: detached(x) for name, x in kwargs.items()}
        self.ops: list[str] = []
        self.recalled: dict[int, Sequence[Any]] = {}

    def forget(self, nodes: Sequence[Node]) -> None:
        """Free the saved tensors of the nodes."""
        self.ops = [node.op.type for node in nodes]
        for position, node in enumerate(nodes):
            node.saved = Forgotten(self, position)

    def recall(self, position: int) -> Sequence[Any]:
        """Return the saved tensors of the node at this position, once.

        Raises:
            ProgramError: The function ran other ops than the first time.
        """
        if position not in self.recalled:
            nodes = self.run_again()
            ops = [node.op.type for node in nodes]
            if ops != self.ops:
                raise ProgramError.here(
                    f"recompute: the function ran {self.ops} and then {ops}; it "
                    "must do the same each time"
                )
            self.recalled = {i: node.saved or () for i, node in enumerate(nodes)}
        return self.recalled.pop(position)

    def run_again(self) -> list[Node]:
        """Run the function a second time; return its nodes with their saved tensors."""
        since = next(clock)
        if observers:
            announce("recompute_begin", self)
        try:
            # The backward pass does not record, but the second run must make nodes.
            with enable_grad(), drawing_from(self.state):
                return nodes_of(self.function(*self.args, **self.kwargs), since)
        finally:
            if observers:
                announce("recompute_end", self)


class Forgotten(Sequence[Any]):
    """Saved tensors of a node that are recomputed on first access."""

    def __init__(self, segment: Segment, position: int) -> None:
        self.segment, self.position = segment, position

    def __iter__(self) -> Iterator[Any]:
        return iter(self.segment.recall(self.position))

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        return self.segment.recall(self.position)[index]


@contextmanager
def drawing_from(state: Any) -> Iterator[None]:
    """Set the generator's state inside the block (unless None); restore it after."""
    before = get_rng_state()
    set_rng_state(before if state is None else state)
    try:
        yield
    finally:
        set_rng_state(before)


def detached(x: Any) -> Any:
    """Detach a Tensor into a leaf of its own; return anything else unchanged."""
    # A leaf ends the tape of the second run at the segment's inputs.
    return Tensor.results(x.data, x.stop_gradient) if isinstance(x, Tensor) else x


def nodes_of(result: Any, since: int) -> list[Node]:
    """Collect the nodes behind a result recorded after `since`, the oldest first."""
    roots: list[Edge] = [t.node for t in tensors_in(result) if t.node is not None]
    edges = topological(roots)
    return [n for n in reversed(edges) if isinstance(n, Node) and n.born > since]


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the Tensors in nested lists, tuples and dicts."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def recompute(
    function: Callable[..., Any],
    *args: Any,
    preserve_rng_state: bool = True,
    use_reentrant: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function(*args)`; save only its inputs, and recompute the rest in backward.

    Args:
        function: A part of the network: a Layer, or any function of Tensors.
        args: Its positional arguments.
        preserve_rng_state: Draw the same random numbers the second time.
        use_reentrant: Accepted for Paddle's sake; the one implementation here works
            with `backward`, `grad` and `create_graph` alike.
        kwargs: Its keyword arguments.

    In Paddle this is `paddle.distributed.fleet.utils.recompute` (Chen et al., 2016).

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> recompute(lambda x: (x * x).exp(), x).sum().backward()
    >>> [round(dx, 3) for dx in x.grad.tolist()]
    [5.437, 218.393]
    """
    if not is_recording():
        return function(*args, **kwargs)
    since, state = next(clock), get_rng_state()
    result = function(*args, **kwargs)
    segment = Segment(function, args, kwargs, state if preserve_rng_state else None)
    segment.forget(nodes_of(result, since))
    return result
