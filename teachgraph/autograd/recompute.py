"""Recomputation: forget what a part of a network kept, and run it again when needed.

The part runs and is recorded as always. Then everything its nodes kept is let go. When
the reverse pass reaches one of them, the part runs a second time from its inputs, and
each node takes up again what it had kept. Memory is paid for with one more forward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import random
from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.modes import enable_grad, is_grad_enabled
from teachgraph.core.tape import Edge, Node, clock, topological

__all__ = ["recompute"]


class Segment:
    """A part of the network that can be run again.

    Attributes:
        function: What to run.
        args, kwargs: With what: the values as they were, detached from the tape.
        state: Of the random numbers, so that dropout drops the same.
    """

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, state: Any
    ) -> None:
        self.function, self.state = function, state
        self.args = tuple(map(as_it_was, args))
        self.kwargs = {name: as_it_was(x) for name, x in kwargs.items()}
        self.ops: list[str] = []
        self.recalled: dict[int, Sequence[Any]] = {}

    def forget(self, nodes: Sequence[Node]) -> None:
        """Let go of what the nodes kept."""
        self.ops = [node.op.type for node in nodes]
        for position, node in enumerate(nodes):
            node.saved = Forgotten(self, position)

    def recall(self, position: int) -> Sequence[Any]:
        """What the node at this position kept; it is handed out once.

        Raises:
            ProgramError: The function did something else this time.
        """
        if position not in self.recalled:
            nodes = self.run_again()
            found = [node.op.type for node in nodes]
            if found != self.ops:
                raise ProgramError(
                    at_user_line(
                        f"recompute: the function ran {self.ops} and then {found}; it "
                        "must do the same each time"
                    )
                )
            self.recalled = {i: node.saved or () for i, node in enumerate(nodes)}
        return self.recalled.pop(position)

    def run_again(self) -> list[Node]:
        """The nodes of a second run, with what they keep."""
        since = next(clock)
        with enable_grad(), drawing_from(self.state):
            return nodes_of(self.function(*self.args, **self.kwargs), since)


class Forgotten(Sequence[Any]):
    """What a node kept, to be computed anew when somebody asks for it."""

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
    """Inside, random numbers go on from a state, if there is one; then as before."""
    before = random.get_rng_state()
    random.set_rng_state(before if state is None else state)
    try:
        yield
    finally:
        random.set_rng_state(before)


def as_it_was(x: Any) -> Any:
    """A Tensor's values, as a leaf of its own; anything else as it is."""
    return Tensor(x.data, x.stop_gradient) if isinstance(x, Tensor) else x


def nodes_of(result: Any, since: int) -> list[Node]:
    """The nodes behind a result that were born after `since`, the oldest first."""
    roots: list[Edge] = [t.node for t in tensors_in(result) if t.node is not None]
    found = topological(roots)
    return [n for n in reversed(found) if isinstance(n, Node) and n.born > since]


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The Tensors in nested lists, tuples and dicts."""
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
    """`function(*args)`, which keeps nothing for backward but its inputs.

    Args:
        function: A part of the network: a Layer, or any function of Tensors.
        args: What it takes.
        preserve_rng_state: Draw the same random numbers the second time.
        use_reentrant: Accepted for Paddle's sake; there is one way here, and it works
            with `backward`, `grad` and `create_graph` alike.
        kwargs: What it takes by name.

    In Paddle this is `paddle.distributed.fleet.utils.recompute` (Chen et al., 2016).

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> recompute(lambda x: (x * x).exp(), x).sum().backward()
    >>> [round(dx, 3) for dx in x.grad.tolist()]
    [5.437, 218.393]
    """
    if not is_grad_enabled():
        return function(*args, **kwargs)
    since, state = next(clock), random.get_rng_state()
    result = function(*args, **kwargs)
    segment = Segment(function, args, kwargs, state if preserve_rng_state else None)
    segment.forget(nodes_of(result, since))
    return result
