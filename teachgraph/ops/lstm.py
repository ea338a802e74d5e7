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
    gates = projected(input, w_ih, b_ih, b_hh)
    states = np.empty((*input.shape[:2], h.shape[1]), gates.dtype)
    cells = np.empty_like(states)
    for t in steps(len(gates), is_reverse=is_reverse):
        mask = alive_at(sequence_length, t, gates.dtype)
        gates[t] += h @ w_hh.T
        i, f, g, o = parts(gates[t], 4)
        squash(i), squash(f), np.tanh(g, out=g), squash(o)
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
    """Back through time: dc = f dc' + o (1 - tanh^2 c') dh', dh = da U."""
    das, dh, dc = {}, dlast_h, dlast_c
    order = list(steps(input.shape[0], is_reverse=is_reverse))
    for t, before in reversed(list(zip(order, [None, *order[:-1]], strict=True))):
        mask = alive_at(sequence_length, t, input.dtype)
        dnew, past_h = arriving(at(dout, t), total(dh, at(dstates, t)), mask)
        dcell, past_c = arriving(None, total(dc, at(dcells, t)), mask)
        cell = c if before is None else cells[before]
        das[t], dc = step_back(gates[t], cells[t], cell, dnew, dcell, at(dgates, t))
        dh, dc = total(past_h, das[t] @ w_hh), total(past_c, dc)
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


def step_back(
    gates: Any, cell: Any, before: Any, dh: Any, dcell: Any, dgates: Any
) -> tuple[Any, Any]:
    """One step: the gradients of its four sums a, and of the cell before it."""
    i, f, g, o = parts(gates, 4)
    given = [None] * 4 if dgates is None else parts(dgates, 4)
    bent, dh = tanh(cell), some(dh, cell)
    dc = total(dcell, dh * o * (1 - bent * bent))
    di = total(given[0], dc * g) * i * (1 - i)
    df = total(given[1], dc * before) * f * (1 - f)
    dg = total(given[2], dc * i) * (1 - g * g)
    do = total(given[3], dh * bent) * o * (1 - o)
    return concat(di, df, dg, do, axis=-1), dc * f


@rnn_lstm.infers
def infer_lstm(input: Like, h: Like, c: Like, *weights: Any, **attrs: Any) -> Any:
    """Sequences [steps, batch, hidden], states [batch, hidden], gates four times so."""
    check(input, [h, c], *weights, gates=4)
    hidden, dtype = h.shape[1], input.dtype
    sequence = ((*input.shape[:2], hidden), dtype)
    state, gates = (h.shape, dtype), ((*input.shape[:2], 4 * hidden), dtype)
    return [sequence, state, state, sequence, sequence, gates]
