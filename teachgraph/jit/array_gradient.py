"""Tensor arrays on the tape: the parts are Tensors, the gradient is one array.

A program's array is one output of its node. The user gets a list of Tensors, so a node
of its own joins their gradients into that of the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.op import Op, Rule
from teachgraph.core.tape import Edge, Node, Output
from teachgraph.ops.tensor_array import TensorArray

__all__ = ["ProgramOp", "parts_of", "stack_tensors"]


class ProgramOp(Op):
    """An op of the tape without a kernel: a whole program, or a step of its arrays."""

    def __init__(self, name: str, outputs: Sequence[str], rule: Rule) -> None:
        self.type, self.rule = name, rule
        self.inputs: tuple[str, ...] = ()
        self.outputs = tuple(outputs)
        self.attrs: dict[str, Any] = {}
        self.variadic, self.replaces = False, ()


def parts_of(array: TensorArray, edge: Edge) -> list[Tensor]:
    """Return the parts of an array as Tensors, with one node that joins gradients."""
    count = len(array.parts)
    op = ProgramOp("list", [f"part_{i}" for i in range(count)], PartsRule(array))
    node = Node(op, [edge], [], {})
    if count == 1:
        return [Tensor.results(np.asarray(array.parts[0]), False, node)]
    return [
        Tensor.results(np.asarray(part), False, Output(node, i))
        for i, part in enumerate(array.parts)
    ]


class ArrayTensor(Tensor):
    """A whole array as one value on the tape: its gradient, with `create_graph`."""

    __slots__ = ()

    def parted(self) -> list[Tensor]:
        """Return the parts as Tensors."""
        array: Any = self.data
        if self.stop_gradient:
            return list(map(Tensor.results, array.parts))
        return parts_of(array, self.edge)

    def __add__(self, other: Any) -> Any:
        pairs = zip(self.parted(), other.parted(), strict=True)
        return stack_tensors([one + another for one, another in pairs])


def stack_tensors(parts: Sequence[Tensor]) -> ArrayTensor:
    """Join Tensors into one array, the inverse of `parts_of`."""
    array: Any = TensorArray(part.data for part in parts)
    edges = [None if part.stop_gradient else part.edge for part in parts]
    if not any(edges):
        return ArrayTensor(array)
    node = Node(ProgramOp("join", ["list"], JoinRule(1)), edges, [], {})
    return ArrayTensor(array, False, node)


class SaveNothingRule(Rule):
    """A gradient rule without saved tensors."""

    def __init__(self, count: int) -> None:
        self.upstream = tuple(range(count))
        self.saved, self.sources, self.shape_only = (), (), ()
        self.variadic = False


class PartsRule(SaveNothingRule):
    """Gradient rule of `parts_of`: join the parts' gradients, zeros if missing."""

    def __init__(self, array: TensorArray) -> None:
        super().__init__(len(array.parts))
        self.array = array

    def gradients(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """Return the array of gradients."""
        douts = [
            np.zeros_like(part) if dout is None else dout
            for dout, part in zip(upstream, self.array.parts, strict=True)
        ]
        if any(isinstance(dout, Tensor) for dout in douts):
            return (
                stack_tensors(
                    [d if isinstance(d, Tensor) else Tensor.results(d) for d in douts]
                ),
            )
        return (TensorArray(douts),)


class JoinRule(SaveNothingRule):
    """Gradient rule of `stack_tensors`: take the array's gradient apart."""

    def gradients(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """Return a gradient for each part."""
        (dout,) = upstream
        return tuple(dout.parted() if isinstance(dout, ArrayTensor) else dout.parts)
