"""Long short-term memory (Hochreiter and Schmidhuber, 1997).

    i, f, o = sigmoid(W x + b + U h),   g = tanh(W x + b + U h)
    c' = f c + i g,   h' = o tanh c'

The cell c is changed by adding, so gradients pass many steps without vanishing: on the
way back dc goes through f alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.ops.join import concat, stack
from teachgraph.ops.math import tanh
from teachgraph.ops.op import Like, op
from teachgraph.ops.recurrent import (
    NEEDS,
    alive_at,
    arriving,
    at,
    befores,
    bias_grad,
    check,
    input_grad,
    kept,
    projected,
    shown,
    some,
    steps,
    total,
    weight_grad,
)

__all__ = ["rnn_lstm"]


def parts(gates: Any, count: int) -> list[Any]:
    """The gates one by one: they lie side by side in the last dimension."""
    size = gates.shape[-1] // count
    return [gates[..., k * size : (k + 1) * size] for k in range(count)]


def squash(a: Any) -> Any:
    """sigmoid(a) = (1 + tanh(a / 2)) / 2, in place."""
    a *= 0.5
    np.tanh(a, out=a)
    a += 1
    a *= 0.5
    return a


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
    """A layer of LSTM over all steps; the gates lie as i, f, g, o.

    Besides the outputs and the last state it gives what backward keeps: all states, all
    cells and all gates.
    """
    check(input, [h, c], w_ih, w_hh, b_ih, b_hh, sequence_length, gates=4)
    gates, hidden = projected(input, w_ih, b_ih, b_hh), h.shape[1]
    states = np.empty((*input.shape[:2], hidden), gates.dtype)
    cells = np.empty_like(states)
    for t in steps(len(gates), is_reverse=is_reverse):
        mask = alive_at(sequence_length, t, gates.dtype)
        gates[t] += h @ w_hh.T
        i, f, g, o = parts(gates[t], 4)
        squash(gates[t, :, : 2 * hidden]), np.tanh(g, out=g), squash(o)
        cells[t] = kept(f * c + i * g, c, mask)
        states[t] = kept(o * np.tanh(cells[t]), h, mask)
        h, c = states[t], cells[t]
    return shown(states, sequence_length), h.copy(), c.copy(), states, cells, gates


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
    """Back through time: dc = f dc' + o (1 - tanh^2 c') dh, dh = da U.

    The slopes, of the cell by the state and of both by the sums a, do not wait for each
    other and are computed for all steps at once.
    """
    before = befores(cells, c, is_reverse=is_reverse)
    by_state, by_sums = slopes(cells, gates, before)
    given = None if dgates is None else dgates * bends(gates)
    das, dh, dc = {}, dlast_h, dlast_c
    for t in steps(input.shape[0], is_reverse=not is_reverse):
        mask = alive_at(sequence_length, t, input.dtype)
        dnew, past_h = arriving(at(dout, t), total(dh, at(dstates, t)), mask)
        dcell, past_c = arriving(None, total(dc, at(dcells, t)), mask)
        dnew = some(dnew, before[t])
        dcell = total(dcell, dnew * by_state[t])
        arrived = concat(dcell, dcell, dcell, dnew, axis=-1)
        das[t] = total(arrived * by_sums[t], at(given, t))
        forget = parts(gates[t], 4)[1]
        dh, dc = total(past_h, das[t] @ w_hh), total(past_c, dcell * forget)
    da = stack(*(das[t] for t in sorted(das)), axis=0)
    return (
        lambda: input_grad(da, w_ih, input),
        dh,
        dc,
        lambda: weight_grad(da, input),
        lambda: weight_grad(da, befores(states, h, is_reverse=is_reverse)),
        bias_grad(da, b_ih),
        bias_grad(da, b_hh),
    )


def slopes(cells: Any, gates: Any, before: Any) -> tuple[Any, Any]:
    """Of the cell by the state, o (1 - tanh^2 c'), and of i, f, g and o by their sums.

    What reaches i, f and g comes through the cell: g, c and i times their own slope;
    what reaches o comes through the state: tanh c'.
    """
    i, _, g, o = parts(gates, 4)
    bent = tanh(cells)
    through = concat(g, before, i, bent, axis=-1)
    return o * (1 - bent * bent), through * bends(gates)


def bends(gates: Any) -> Any:
    """The slopes of sigmoid and tanh, from their values: s (1 - s) and 1 - t^2."""
    i, f, g, o = parts(gates, 4)
    return concat(i * (1 - i), f * (1 - f), 1 - g * g, o * (1 - o), axis=-1)


@rnn_lstm.infers
def infer_lstm(input: Like, h: Like, c: Like, *weights: Any, **attrs: Any) -> Any:
    """Sequences [steps, batch, hidden], states [batch, hidden], gates four times so."""
    check(input, [h, c], *weights, gates=4)
    hidden, dtype = h.shape[1], input.dtype
    sequence = ((*input.shape[:2], hidden), dtype)
    state, gates = (h.shape, dtype), ((*input.shape[:2], 4 * hidden), dtype)
    return [sequence, state, state, sequence, sequence, gates]
