"""Recurrent layers: one of ours for each direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, as_variable, reads
from teachgraph.ops import functions as f
from teachgraph.ops.gru import rnn_gru
from teachgraph.ops.lstm import rnn_lstm
from teachgraph.ops.recurrent import rnn_simple

Run = Callable[..., Sequence[Any]]


def in_order(x: Any, order: Sequence[int]) -> Any:
    """Gates that lie one below the other, in our order."""
    parts = f.split(x, len(order), axis=0)
    return f.concat([parts[k] for k in order], axis=0) if len(order) > 1 else x


def directions(node: Node, order: Sequence[int], states: int, run: Run) -> Any:
    """All outputs, directions stacked where ONNX has them."""
    if "clip" in node.attrs or node.attr("input_forget", 0):
        node.refuse("clip, input_forget")
    x, count = as_variable(node.x()), 1
    rows = bool(node.attr("layout", 0))
    x = f.transpose(x, [1, 0, 2]) if rows else x
    way = node.attr("direction", "forward")
    count = 2 if way == "bidirectional" else 1
    found = [
        direction(node, x, d, order, states, run, way == "reverse" or d == 1, rows)
        for d in range(count)
    ]
    out = f.stack([one[0] for one in found], axis=1)
    last = [f.stack([one[i] for one in found], axis=0) for i in range(1, states + 1)]
    if rows:
        out, last = (
            f.transpose(out, [2, 0, 1, 3]),
            [f.transpose(v, [1, 0, 2]) for v in last],
        )
    return (out, *last)


def direction(
    node: Node,
    x: Any,
    d: int,
    order: Sequence[int],
    states: int,
    run: Run,
    back: bool,
    rows: bool,
) -> Sequence[Any]:
    """One direction."""
    w, r = (in_order(part(as_variable(node.x(i)), d), order) for i in (1, 2))
    hidden = r.shape[1]
    biases: list[Any] = [None, None]
    if node.has(3):
        both = part(as_variable(node.x(3)), d)
        size = len(order) * hidden
        biases = [
            in_order(f.slice(both, [0], [n], [n + size]), order) for n in (0, size)
        ]
    lengths = as_variable(node.x(4)) if node.has(4) else None
    first = [state(node, x, i, d, hidden, rows) for i in range(5, 5 + states)]
    return run(x, *first, w, r, *biases, lengths, is_reverse=back)


def state(node: Node, x: Any, i: int, d: int, hidden: int, rows: bool) -> Any:
    """A first state: given, or zeros for each sequence."""
    if node.has(i):
        given = as_variable(node.x(i))
        return part(f.transpose(given, [1, 0, 2]) if rows else given, d)
    column = f.slice(x, [0, 2], [0, 0], [1, 1])
    zeros = f.multiply(f.squeeze(column, [0]), np.zeros([1], x.dtype))
    return f.expand(zeros, [x.shape[1] if x.shape[1] != -1 else -1, hidden])


def part(x: Any, d: int) -> Any:
    """One direction's."""
    from teachgraph.ops.slicing import slice_

    return slice_(x, axes=[0], starts=[d], ends=[d + 1], decrease_axis=[0])


def usual(node: Node, names: list[str]) -> None:
    """Refuse activations that are not the usual ones."""
    given = node.attr("activations")
    if given is not None and [
        n.decode() if isinstance(n, bytes) else n for n in given
    ] not in (names, names * 2):
        node.refuse(f"activations={given}")


@reads("LSTM")
def lstm(node: Node) -> Any:
    """Theirs go i, o, f, g; ours i, f, g, o."""
    usual(node, ["Sigmoid", "Tanh", "Tanh"])
    if node.has(7):
        node.refuse("peepholes")
    return directions(node, (0, 2, 3, 1), 2, rnn_lstm)


@reads("GRU")
def gru(node: Node) -> Any:
    """Theirs go z, r, n; ours r, z, n, and the reset weighs the product."""
    usual(node, ["Sigmoid", "Tanh"])
    if not node.attr("linear_before_reset", 0):
        node.refuse("linear_before_reset=0")
    return directions(node, (1, 0, 2), 1, rnn_gru)


@reads("RNN")
def simple(node: Node) -> Any:
    """One gate."""
    given = node.attr("activations", [b"Tanh"])
    names = {n.decode() if isinstance(n, bytes) else n for n in given}
    kind = {"Tanh": "tanh", "Relu": "relu"}.get(names.pop())
    if kind is None or names:
        node.refuse(f"activations={given}")

    def run(*inputs: Any, is_reverse: bool) -> Any:
        return rnn_simple(*inputs, activation=kind, is_reverse=is_reverse)

    return directions(node, (0,), 1, run)
