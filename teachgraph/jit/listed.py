"""A list of a program on the tape: its parts are Tensors, its gradient is one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.op import Op, Rule
from teachgraph.core.tape import Edge, Node, Output
from teachgraph.ops.tensor_array import TensorArray

__all__ = ["ProgramOp", "joined", "parts_of"]


class ProgramOp(Op):
    """A whole program, or a list of one, as the tape knows an op."""

    def __init__(self, name: str, outputs: Sequence[str], rule: Rule) -> None:
        self.type, self.rule = name, rule
        self.inputs: tuple[str, ...] = ()
        self.outputs = tuple(outputs)
        self.attrs: dict[str, Any] = {}
        self.variadic, self.replaces = False, ()


def parts_of(array: TensorArray, edge: Edge) -> list[Tensor]:
    """The parts of a list of the program, whose gradients meet in one of the list."""
    count = len(array.parts)
    op = ProgramOp("list", [f"part_{i}" for i in range(count)], PartsRule(array))
    node = Node(op, [edge], [], {})
    if count == 1:
        return [Tensor(np.asarray(array.parts[0]), False, node)]
    return [
        Tensor(np.asarray(part), False, Output(node, i))
        for i, part in enumerate(array.parts)
    ]


class Listed(Tensor):
    """A whole list as one value on the tape: the gradient of a list, while recorded."""

    __slots__ = ()

    def parted(self) -> list[Tensor]:
        """Its parts."""
        array: Any = self.data
        if self.stop_gradient:
            return list(map(Tensor, array.parts))
        return parts_of(array, self.edge)

    def __add__(self, other: Any) -> Any:
        pairs = zip(self.parted(), other.parted(), strict=True)
        return joined([one + another for one, another in pairs])


def joined(parts: Sequence[Tensor]) -> Listed:
    """The reverse of `parts_of`: a list whose gradient goes back to each of these."""
    array: Any = TensorArray(part.data for part in parts)
    edges = [None if part.stop_gradient else part.edge for part in parts]
    if not any(edges):
        return Listed(array)
    node = Node(ProgramOp("join", ["list"], JoinRule(1)), edges, [], {})
    return Listed(array, False, node)


class ListRule(Rule):
    """A rule that keeps nothing."""

    def __init__(self, count: int) -> None:
        self.upstream = tuple(range(count))
        self.saved, self.sources, self.shape_only = (), (), ()
        self.variadic = False


class PartsRule(ListRule):
    """The gradient of a list: the gradients of its parts, zeros where there is none."""

    def __init__(self, array: TensorArray) -> None:
        super().__init__(len(array.parts))
        self.array = array

    def __call__(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """A list of gradients."""
        douts = [
            np.zeros_like(part) if dout is None else dout
            for dout, part in zip(upstream, self.array.parts, strict=True)
        ]
        if any(isinstance(dout, Tensor) for dout in douts):
            return (joined([d if isinstance(d, Tensor) else Tensor(d) for d in douts]),)
        return (TensorArray(douts),)


class JoinRule(ListRule):
    """The gradients of parts that were joined: the parts of the list's gradient."""

    def __call__(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """A gradient for each part."""
        (dout,) = upstream
        return tuple(dout.parted() if isinstance(dout, Listed) else dout.parts)
