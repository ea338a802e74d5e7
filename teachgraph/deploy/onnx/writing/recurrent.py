"""Converters of recurrent layers, with ONNX's axis of directions and order of gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.writing.writer import Step, writes


def gates(step: Step, name: str, order: Sequence[int]) -> str:
    """Return a weight or bias with its gates in ONNX's order, of one direction."""
    known = step.writer.known(name)
    if known is not None:
        return step.constant(in_order(known, order)[None], like=f"{name}.gates")
    parts = [part(step, name, k, len(order)) for k in order]
    joined = parts[0] if len(parts) == 1 else step.put("Concat", *parts, axis=0)
    return step.put("Unsqueeze", joined, step.ints(0))


def in_order(weights: Any, order: Sequence[int]) -> Any:
    """Reorder the stacked gates of an array."""
    parts = np.split(weights, len(order))
    return np.concatenate([parts[k] for k in order])


def part(step: Step, name: str, k: int, count: int) -> str:
    """Slice the k-th gate of a computed weight."""
    size = step.variable("w_hh").shape[0] // count
    where = [step.ints(n) for n in (k * size, (k + 1) * size, 0)]
    return step.put("Slice", name, *where)


def biases(step: Step, order: Sequence[int]) -> str:
    """Concatenate both biases; an empty name if there are none."""
    if not step.variables("b_ih") and not step.variables("b_hh"):
        return ""
    zeros = step.constant(
        np.zeros(step.variable("w_hh").shape[0]), step.variable("w_hh").dtype
    )
    both = [gates(step, step.get(n) or zeros, order) for n in ("b_ih", "b_hh")]
    return step.put("Concat", *both, axis=1)


def recurrence(
    step: Step, type: str, order: Sequence[int], last: Sequence[str], **attrs: Any
) -> None:
    """Export a layer of one direction, whose axis is added to states and removed."""
    lengths = (
        step.get_as("sequence_length", np.int32)
        if step.variables("sequence_length")
        else ""
    )
    states = [step.get(name) for name in ("h", "c") if step.variables(name)]
    first = [step.put("Unsqueeze", state, step.ints(0)) for state in states]
    weights = [gates(step, step.get(n), order) for n in ("w_ih", "w_hh")]
    inputs = [step.get("input"), *weights, biases(step, order), lengths, *first]
    outputs = [
        step.writer.fresh(f"{step.result().name}.{name}") for name in ("out", *last)
    ]
    direction = "reverse" if step.attrs["is_reverse"] else "forward"
    hidden = step.variable("w_hh").shape[1]
    attrs |= {"direction": direction, "hidden_size": hidden}
    step.writer.node(type, inputs, outputs, **attrs)
    step.give("Squeeze", outputs[0], step.ints(1))
    for name, slot in zip(outputs[1:], last, strict=True):
        step.give("Squeeze", name, step.ints(0), slot=slot)


@writes("rnn_lstm")
def lstm(step: Step) -> None:
    """Export an LSTM; the order of gates is i, f, g, o here, i, o, f, g in ONNX."""
    recurrence(step, "LSTM", (0, 3, 1, 2), ("last_h", "last_c"))


@writes("rnn_gru")
def gru(step: Step) -> None:
    """Export a GRU; the order of gates is r, z, n here, z, r, n in ONNX.

    The reset gate multiplies the matrix product, as in cuDNN.
    """
    recurrence(step, "GRU", (1, 0, 2), ("last",), linear_before_reset=1)


@writes("rnn_simple")
def export_simple_rnn(step: Step) -> None:
    """Export an RNN of one gate."""
    kind = {"tanh": "Tanh", "relu": "Relu"}[step.attrs["activation"]]
    recurrence(step, "RNN", (0,), ("last",), activations=[kind])
