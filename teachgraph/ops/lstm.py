"""Long short-term memory (Hochreiter and Schmidhuber, 1997).

    i, f, o = sigmoid(W x + b + U h),   g = tanh(W x + b + U h)
    c' = f c + i g,   h' = o tanh c'

The cell c is updated by addition, so gradients pass many steps without vanishing: in
backward dc is multiplied by f alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import Like, Traced, op
from teachgraph.ops.cache_lines import in_lines
from teachgraph.ops.join import concat, stack
from teachgraph.ops.math import tanh
from teachgraph.ops.recurrent import (
    NEEDS,
    alive_at,
    arriving,
    bias_grads,
    by_gate,
    check,
    input_grad,
    masked_outputs,
    masked_state,
    or_zeros,
    previous_states,
    side_by_side,
    step_of,
    steps,
    sums_into,
    total,
    weight_grad,
)

__all__ = ["rnn_lstm"]


def split_gates(gates: Any, count: int) -> list[Any]:
    """Split the gates, which are concatenated in the last dimension."""
    size = gates.shape[-1] // count
    return [gates[..., k * size : (k + 1) * size] for k in range(count)]


SHARE = np.array((0.5, 0.5, 1.0, 0.5)).reshape(4, 1, 1)
SHIFT = np.array((0.5, 0.5, 0.0, 0.5)).reshape(4, 1, 1)
"""One tanh computes all gates, since sigmoid(a) = tanh(a / 2) / 2 + 1 / 2.

A gate is tanh(SHARE a) SHARE + SHIFT. The inner factor is multiplied into the weights
beforehand.
"""


IN_CACHE = 1 << 19
"""Bytes of gates whose slopes fit into a core's cache with them."""


@op(
    type="rnn_lstm",
    outputs=("out", "last_h", "last_c", "states", "cells", "gates"),
    needs=NEEDS,
)
def rnn_lstm(
    input: Any,
    h: Any,
    c: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    sequence_length: Any = None,
    *,
    is_reverse: bool = False,
) -> Any:
    """LSTM layer over all steps; gates are in the order i, f, g, o.

    Besides outputs and final state it returns what backward saves: all states, all
    cells and all gates, [steps, 4, batch, hidden].
    """
    check(input, [h, c], w_ih, w_hh, b_ih, b_hh, sequence_length, gates=4)
    share, shift = SHARE.astype(h.dtype), SHIFT.astype(h.dtype)
    gates = np.empty((len(input), 4, *h.shape), h.dtype)
    add_up = sums_into(gates, input, w_ih, w_hh, total(b_ih, b_hh), share)
    # As large as a step's gates: broadcasting costs small steps more than the product.
    share, shift = (np.broadcast_to(x, gates[0].shape).copy() for x in (share, shift))
    states = np.empty((*input.shape[:2], h.shape[1]), h.dtype)
    cells, part = np.empty_like(states), np.empty_like(h)
    for t in steps(len(input), is_reverse=is_reverse):
        gate, cell, state = gates[t], cells[t], states[t]
        add_up(t, h)
        np.tanh(gate, out=gate)
        gate *= share
        gate += shift
        i, f, g, o = gate
        np.multiply(f, c, out=cell)
        cell += np.multiply(i, g, out=part)
        np.multiply(o, np.tanh(cell, out=part), out=state)
        if sequence_length is not None:
            mask = alive_at(sequence_length, t, gates.dtype)
            cell[...] = masked_state(cell, c, mask)
            state[...] = masked_state(state, h, mask)
        h, c = state, cell
    out = masked_outputs(states, sequence_length)
    # Copies: the last state and the last cell are views of outputs.
    return out, h.copy(), c.copy(), states, cells, gates


@rnn_lstm.grad(of=("input", "h", "c", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_lstm_grad(
    dout: Any,
    dlast_h: Any,
    dlast_c: Any,
    dstates: Any,
    dcells: Any,
    dgates: Any,
    input: Any,
    h: Any,
    c: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    sequence_length: Any,
    states: Any,
    cells: Any,
    gates: Any,
    *,
    is_reverse: bool,
) -> Any:
    """Backpropagation through time: dc = f dc' + o (1 - tanh^2 c') dh, dh = da U.

    The local derivatives do not depend on other steps and are computed for all steps at
    once.
    """
    order = steps(input.shape[0], is_reverse=not is_reverse)
    upstream, saved = (dout, dlast_h, dlast_c), (cells, gates, w_hh)
    seldom = (dstates, dcells, dgates, sequence_length)
    # The fast path overwrites its arrays, so it is not for values that are recorded.
    plain = all(x is None for x in seldom)
    if plain and not any(isinstance(x, Traced) for x in (*upstream, states, *saved)):
        da, dh, dc = cell_gradients(*upstream, states, *saved, order)
    else:
        before = previous_states(cells, c, is_reverse=is_reverse)
        da, dh, dc = gradient_by_ops(*upstream, before, *saved, order, *seldom)
    return (
        lambda: input_grad(da, w_ih, input),
        dh,
        dc,
        lambda: weight_grad(da, input),
        lambda: weight_grad(da, previous_states(states, h, is_reverse=is_reverse)),
        *bias_grads(da, b_ih, b_hh),
    )


def gradient_by_ops(
    dout: Any,
    dh: Any,
    dc: Any,
    before: Any,
    cells: Any,
    gates: Any,
    w_hh: Any,
    order: Sequence[int],
    dstates: Any,
    dcells: Any,
    dgates: Any,
    sequence_length: Any,
) -> tuple[Any, Any, Any]:
    """Compute gradients of the sums a and of the initial state and cell, by ops."""
    gates = side_by_side(gates)
    dgates = None if dgates is None else side_by_side(dgates)
    by_state, by_sums = slopes(cells, gates, before)
    dsums = None if dgates is None else dgates * bends(gates)
    das = {}
    for t in order:
        mask = alive_at(sequence_length, t, gates.dtype)
        dnew, past_h = arriving(step_of(dout, t), total(dh, step_of(dstates, t)), mask)
        dcell, past_c = arriving(None, total(dc, step_of(dcells, t)), mask)
        dnew = or_zeros(dnew, before[t])
        dcell = total(dcell, dnew * by_state[t])
        arrived = concat(dcell, dcell, dcell, dnew, axis=-1)
        das[t] = total(arrived * by_sums[t], step_of(dsums, t))
        forget = split_gates(gates[t], 4)[1]
        dh, dc = total(past_h, das[t] @ w_hh), total(past_c, dcell * forget)
    return stack(*(das[t] for t in sorted(das)), axis=0), dh, dc


def cell_gradients(
    dout: Any,
    dh: Any,
    dc: Any,
    states: Any,
    cells: Any,
    gates: Any,
    w_hh: Any,
    order: Sequence[int],
) -> tuple[Any, Any, Any]:
    """Compute them on arrays with few temporaries, for sequences of equal length.

    Slopes are computed for some steps at once, so that they are still in the cache when
    their steps come.
    """
    count, _, batch, hidden = gates.shape
    da = np.empty((count, batch, 4, hidden), gates.dtype)
    weights = in_lines(by_gate(w_hh, 4))
    dnew, dcell, through = (np.zeros_like(cells[0]) for _ in range(3))
    dnew += 0 if dh is None else dh
    dcell += 0 if dc is None else dc
    to_state = np.empty_like(gates[0])
    at_once = max(IN_CACHE // max(gates[0].nbytes, 1), 1)
    for block in (order[k : k + at_once] for k in range(0, count, at_once)):
        these = slice(min(block), max(block) + 1)
        by_state, slopes = slopes_of(states[these], cells[these], gates[these])
        for t in block:
            if dout is not None:
                dnew += dout[t]
            dcell += np.multiply(dnew, by_state[t - these.start], out=through)
            slope = slopes[t - these.start]
            # i, f and g act through the cell, o through the state.
            slope[:3] *= dcell
            slope[3] *= dnew
            np.add.reduce(np.matmul(slope, weights, out=to_state), out=dnew)
            dcell *= gates[t, 1]
        da[these] = slopes.swapaxes(1, 2)
    return da.reshape(count, batch, 4 * hidden), dnew, dcell


def slopes_of(states: Any, cells: Any, gates: Any) -> tuple[Any, Any]:
    """Compute `slopes` on arrays, with fewer passes and no large temporary.

    With the new state h = o tanh c' and the input p = i g, of which c' = f c + p:

        o (1 - tanh^2 c') = o - h tanh c'     i (1 - i) g = (1 - i) p
        f (1 - f) c = (1 - f) (c' - p)        (1 - g^2) i = i - g p
        o (1 - o) tanh c' = (1 - o) h

    The second result has the layout of the gates.
    """
    i, _, g, o = gates.swapaxes(0, 1)
    by_sums = np.empty_like(gates)
    on_i, on_f, on_g, on_o = by_sums.swapaxes(0, 1)
    np.subtract(1, gates[:, :2], out=by_sums[:, :2])
    part = i * g
    on_i *= part
    np.subtract(i, np.multiply(g, part, out=on_g), out=on_g)
    on_f *= np.subtract(cells, part, out=part)
    np.subtract(1, o, out=on_o)
    on_o *= states
    bent = np.tanh(cells, out=part)
    bent *= states
    return np.subtract(o, bent, out=bent), by_sums


def slopes(cells: Any, gates: Any, before: Any) -> tuple[Any, Any]:
    """Local derivatives: dh/dc' = o (1 - tanh^2 c'), and those of the gates' sums.

    i, f and g act through the cell: factors g, c and i times their own derivative; o
    acts through the state: factor tanh c'.
    """
    i, _, g, o = split_gates(gates, 4)
    bent = tanh(cells)
    through = concat(g, before, i, bent, axis=-1)
    return o * (1 - bent * bent), through * bends(gates)


def bends(gates: Any) -> Any:
    """Derivatives of sigmoid and tanh from their values: s (1 - s) and 1 - t^2."""
    i, f, g, o = split_gates(gates, 4)
    return concat(i * (1 - i), f * (1 - f), 1 - g * g, o * (1 - o), axis=-1)


@rnn_lstm.infers
def infer_lstm(input: Like, h: Like, c: Like, *weights: Any, **attrs: Any) -> Any:
    """Sequences [steps, batch, hidden], gates one dimension more, states one fewer."""
    check(input, [h, c], *weights, gates=4)
    (count, batch, _), hidden, dtype = input.shape, h.shape[1], input.dtype
    sequence = ((count, batch, hidden), dtype)
    state, gates = (h.shape, dtype), ((count, 4, batch, hidden), dtype)
    return [sequence, state, state, sequence, sequence, gates]
