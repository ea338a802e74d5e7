"""Importers of recurrent layers, as one of our ops for each direction."""

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
    """Reorder the stacked gates of a weight."""
    parts = f.split(x, len(order), axis=0)
    return f.concat([parts[k] for k in order], axis=0) if len(order) > 1 else x


def directions(node: Node, order: Sequence[int], states: int, run: Run) -> Any:
    """Build all directions, and stack their outputs along ONNX's axis of directions."""
    if "clip" in node.attrs or node.attr("input_forget", 0):
        node.refuse("clip, input_forget")
    x, count = as_variable(node.x()), 1
    rows = bool(node.attr("layout", 0))
    x = f.transpose(x, [1, 0, 2]) if rows else x
    kind = node.attr("direction", "forward")
    count = 2 if kind == "bidirectional" else 1
    results = [
        direction(node, x, d, order, states, run, kind == "reverse" or d == 1, rows)
        for d in range(count)
    ]
    out = f.stack([one[0] for one in results], axis=1)
    last = [f.stack([one[i] for one in results], axis=0) for i in range(1, states + 1)]
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
    """Build one direction."""
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
    first = [initial_state(node, x, i, d, hidden, rows) for i in range(5, 5 + states)]
    return run(x, *first, w, r, *biases, lengths, is_reverse=back)


def initial_state(node: Node, x: Any, i: int, d: int, hidden: int, rows: bool) -> Any:
    """Return the initial state: an input, or zeros for each sequence."""
    if node.has(i):
        initial = as_variable(node.x(i))
        return part(f.transpose(initial, [1, 0, 2]) if rows else initial, d)
    # Zeros times a slice of x: the batch size may be unknown.
    column = f.slice(x, [0, 2], [0, 0], [1, 1])
    zeros = f.multiply(f.squeeze(column, [0]), np.zeros([1], x.dtype))
    return f.expand(zeros, [x.shape[1] if x.shape[1] != -1 else -1, hidden])


def part(x: Any, d: int) -> Any:
    """Return the slice of one direction."""
    from teachgraph.ops.slicing import slice_

    return slice_(x, axes=[0], starts=[d], ends=[d + 1], decrease_axis=[0])


def check_activations(node: Node, names: list[str]) -> None:
    """Refuse activations other than the default ones."""
    activations = node.attr("activations")
    if activations is not None and [
        n.decode() if isinstance(n, bytes) else n for n in activations
    ] not in (names, names * 2):
        node.refuse(f"activations={activations}")


@reads("LSTM")
def lstm(node: Node) -> Any:
    """Build an LSTM; the order of gates is i, o, f, g in ONNX, i, f, g, o here."""
    check_activations(node, ["Sigmoid", "Tanh", "Tanh"])
    if node.has(7):
        node.refuse("peepholes")
    return directions(node, (0, 2, 3, 1), 2, rnn_lstm)


@reads("GRU")
def gru(node: Node) -> Any:
    """Build a GRU; the order of gates is z, r, n in ONNX, r, z, n here.

    The reset gate multiplies the matrix product: linear_before_reset=1.
    """
    check_activations(node, ["Sigmoid", "Tanh"])
    if not node.attr("linear_before_reset", 0):
        node.refuse("linear_before_reset=0")
    return directions(node, (1, 0, 2), 1, rnn_gru)


@reads("RNN")
def build_simple_rnn(node: Node) -> Any:
    """Build an RNN of one gate."""
    activations = node.attr("activations", [b"Tanh"])
    names = {n.decode() if isinstance(n, bytes) else n for n in activations}
    kind = {"Tanh": "tanh", "Relu": "relu"}.get(names.pop())
    if kind is None or names:
        node.refuse(f"activations={activations}")

    def run(*inputs: Any, is_reverse: bool) -> Any:
        return rnn_simple(*inputs, activation=kind, is_reverse=is_reverse)

    return directions(node, (0,), 1, run)
