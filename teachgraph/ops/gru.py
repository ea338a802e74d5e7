"""The gated recurrent unit (Cho et al., 2014).

    r, z = sigmoid(W x + b + U h),   n = tanh(W_n x + b_n + r (U_n h + d_n))
    h' = (1 - z) n + z h

Paddle and PyTorch both let r weigh the product with h, not h itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import Like, op
from teachgraph.ops.join import concat, stack
from teachgraph.ops.lstm import split_gates
from teachgraph.ops.recurrent import (
    NEEDS,
    alive_at,
    arriving,
    bias_grad,
    by_gate,
    check,
    factors,
    input_grad,
    masked_outputs,
    masked_state,
    or_zeros,
    previous_states,
    projected,
    side_by_side,
    step_of,
    steps,
    total,
    weight_grad,
)

__all__ = ["rnn_gru"]


@op(type="rnn_gru", outputs=("out", "last", "states", "gates"), needs=NEEDS)
def rnn_gru(
    input: Any,
    h: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    sequence_length: Any = None,
    *,
    is_reverse: bool = False,
) -> Any:
    """GRU layer over all steps.

    Besides outputs and final state it returns what backward saves: all states, and
    r, z, n and U_n h + d_n, [steps, 4, batch, hidden].
    """
    check(input, [h], w_ih, w_hh, b_ih, b_hh, sequence_length, gates=3)
    from_x, weights = projected(input, factors(w_ih, 3), b_ih), factors(w_hh, 3)
    bias = None if b_hh is None else by_gate(b_hh, 3)[:, None]
    count, batch, _ = input.shape
    states = np.empty((count, batch, h.shape[1]), from_x.dtype)
    gates = np.empty((count, 4, batch, h.shape[1]), from_x.dtype)
    from_h = np.empty_like(from_x[0])
    for t in steps(len(input), is_reverse=is_reverse):
        np.matmul(h, weights, out=from_h)
        if bias is not None:
            from_h += bias
        r, z, n, product = gates[t]
        squash(np.add(from_x[t, :2], from_h[:2], out=gates[t, :2]))
        product[...] = from_h[2]
        np.multiply(r, product, out=n)
        n += from_x[t, 2]
        np.tanh(n, out=n)
        new = np.subtract(h, n, out=states[t])
        new *= z
        new += n
        if sequence_length is not None:
            new[...] = masked_state(new, h, alive_at(sequence_length, t, new.dtype))
        h = new
    return masked_outputs(states, sequence_length), h.copy(), states, gates


def squash(a: Any) -> None:
    """Compute sigmoid(a) = (1 + tanh(a / 2)) / 2 in place."""
    a *= 0.5
    np.tanh(a, out=a)
    a += 1
    a *= 0.5


@rnn_gru.grad(of=("input", "h", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_gru_grad(
    dout: Any,
    dlast: Any,
    dstates: Any,
    dgates: Any,
    input: Any,
    h: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    sequence_length: Any,
    states: Any,
    gates: Any,
    *,
    is_reverse: bool,
) -> Any:
    """Backpropagation through time: dh = z dh' + da U."""
    from_x, from_h, dh = {}, {}, dlast
    gates = side_by_side(gates)
    dgates = None if dgates is None else side_by_side(dgates)
    order = list(steps(input.shape[0], is_reverse=is_reverse))
    for t, before in reversed(list(zip(order, [None, *order[:-1]], strict=True))):
        mask = alive_at(sequence_length, t, input.dtype)
        dnew, past = arriving(step_of(dout, t), total(dh, step_of(dstates, t)), mask)
        state = h if before is None else states[before]
        from_x[t], from_h[t], direct = step_back(
            gates[t], state, dnew, step_of(dgates, t)
        )
        dh = total(past, direct, from_h[t] @ w_hh)
    da = stack(*(from_x[t] for t in sorted(from_x)), axis=0)
    db = stack(*(from_h[t] for t in sorted(from_h)), axis=0)
    return (
        lambda: input_grad(da, w_ih, input),
        dh,
        lambda: weight_grad(da, input),
        lambda: weight_grad(db, previous_states(states, h, is_reverse=is_reverse)),
        bias_grad(da, b_ih),
        bias_grad(db, b_hh),
    )


def step_back(gates: Any, before: Any, dh: Any, dgates: Any) -> tuple[Any, Any, Any]:
    """One step of backward: gradients of the sums from x, of those from h, and of h."""
    r, z, n, product = split_gates(gates, 4)
    upstream = [None] * 4 if dgates is None else split_gates(dgates, 4)
    dh = or_zeros(dh, before)
    dn = total(upstream[2], dh * (1 - z)) * (1 - n * n)
    dz = total(upstream[1], dh * (before - n)) * z * (1 - z)
    dr = total(upstream[0], dn * product) * r * (1 - r)
    dproduct = total(upstream[3], dn * r)
    return concat(dr, dz, dn, axis=-1), concat(dr, dz, dproduct, axis=-1), dh * z


@rnn_gru.infers
def infer_gru(input: Like, h: Like, *weights: Any, **attrs: Any) -> Any:
    """Sequences [steps, batch, hidden], gates one dimension more, the final state."""
    check(input, [h], *weights, gates=3)
    (count, batch, _), hidden, dtype = input.shape, h.shape[1], input.dtype
    sequence = ((count, batch, hidden), dtype)
    gates = ((count, 4, batch, hidden), dtype)
    return [sequence, (h.shape, dtype), sequence, gates]
