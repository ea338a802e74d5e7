"""An engine of 35 lines, as a learner writes one: it only announces what it does."""

from __future__ import annotations

import math
from typing import Any

from teachgraph.utils.observe import announce


class Value:
    def __init__(
        self, data: float, edges: Any = (), op: str = "", **saved: Any
    ) -> None:
        self.data, self.edges, self.op, self.saved = data, edges, op, saved
        self.grad = 0.0
        announce("tensor_created", self)

    def __add__(self, other: Value) -> Value:
        return Value(self.data + other.data, (self, other), "add")

    def __mul__(self, other: Value) -> Value:
        slopes = {"Y": other.data, "X": self.data}
        return Value(self.data * other.data, (self, other), "mul", **slopes)

    def tanh(self) -> Value:
        y = math.tanh(self.data)
        return Value(y, (self,), "tanh", Out=1 - y * y)

    def backward(self) -> None:
        order, stack = dict[Value, None](), [self]
        while stack:
            value = stack.pop()
            order.pop(value, None)
            order[value] = None
            stack += value.edges
        announce("backward_begin", [self])
        self.grad = 1.0
        for value in order:
            slopes = [*value.saved.values()] or [1.0, 1.0]
            for index, (edge, slope) in enumerate(
                zip(value.edges, slopes, strict=False)
            ):
                edge.grad += slope * value.grad
                announce("grad_flows", value, index, edge, slope * value.grad)
            value.saved = {}
            announce("node_freed", value)
        announce("backward_end", [self])
