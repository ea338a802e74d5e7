"""Simple RNN layer over all steps, and helpers shared by LSTM and GRU.

    h[t] = f(W_ih x[t] + b_ih + W_hh h[t-1] + b_hh)

The products with x are independent of each other and computed as one product; those
with h go step by step. In backpropagation through time each step adds to the gradient
of the previous state, and the gradients of the weights are again one product over all
steps.

Sequences are time-major, [steps, batch, size]. With `sequence_length` a sequence ends
early: its state is constant from there on and its outputs are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_to
from teachgraph.ops.cache_lines import in_lines
from teachgraph.ops.join import concat, stack
from teachgraph.ops.shape import reshape2, transpose2
from teachgraph.ops.wide_columns import SMALL

__all__ = ["rnn_simple"]

NEEDS = (
    "input [steps, batch, size], a state [batch, hidden], weights as wide as what "
    "they multiply, and one length for each sequence"
)


def steps(count: int, *, is_reverse: bool) -> Sequence[int]:
    """Step indices in the order of processing."""
    return range(count)[::-1] if is_reverse else range(count)


def by_gate(weight: Any, gates: int) -> Any:
    """Split the rows of a weight among the gates: [gates, hidden, ...]."""
    return weight.reshape(gates, len(weight) // gates, *weight.shape[1:])


def factors(weight: Any, gates: int) -> Any:
    """Transpose the part of each gate: [gates, size, hidden], to multiply rows by it.

    One product for each gate is faster than one for all: BLAS copies a large factor
    into an order of its own, at every step again, and takes small ones as they are, if
    they are in C order.
    """
    return in_lines(by_gate(weight, gates).transpose(0, 2, 1))


def projected(input: Any, w_ih: Any, bias: Any) -> Any:
    """Compute W_ih x + bias for all steps at once: [steps, gates, batch, hidden].

    The bias is the weight of one more input, which is 1: no pass over the sums adds it.

    Args:
        input: [steps, batch, size].
        w_ih: As `factors` gives it.
        bias: Its gates * hidden numbers, or None.
    """
    count, batch, size = input.shape
    gates, _, hidden = w_ih.shape
    if bias is not None:
        x = np.ones((count, batch, size + 1), input.dtype)
        x[..., :size] = input
        w_ih = np.concatenate([w_ih, bias.reshape(gates, 1, hidden)], axis=1)
        input, size = x, size + 1
    rows = input.reshape(count * batch, size) @ w_ih
    return rows.reshape(gates, count, batch, hidden).swapaxes(0, 1)


def sums_into(
    out: Any, input: Any, w_ih: Any, w_hh: Any, bias: Any, share: Any
) -> Callable[[int, Any], None]:
    """Prepare out[t] = share (W_ih x[t] + bias + W_hh h), given t and h of each step.

    A step is one product of rows (x, 1, h), in pieces of columns that are small to
    BLAS. With too few rows or too many for that, W_ih x of all steps is computed
    beforehand.

    Args:
        out: [steps, gates, batch, hidden].
        input: [steps, batch, size].
        w_ih: [gates * hidden, size].
        w_hh: [gates * hidden, hidden].
        bias: [gates * hidden], or None.
        share: The factor of each gate, [gates, 1, 1].
    """
    _, gates, batch, hidden = out.shape
    size = input.shape[-1]
    width = size + 1 + hidden
    bias = np.zeros(gates * hidden, out.dtype) if bias is None else bias
    fitting = [
        columns
        for columns in (hidden, 64)
        if hidden % columns == 0 and batch * width * columns <= SMALL
    ]
    if batch < 16 or not fitting:
        return sums_of_two(out, input, w_ih, w_hh, bias, share)
    joined = np.concatenate([w_ih, bias[:, None], w_hh], axis=1)
    weights = factors(joined, gates)
    weights *= share
    weights, sums = (
        x.reshape(*x.shape[:-1], -1, fitting[0]).swapaxes(-2, -3)
        for x in (weights, out)
    )
    rows = np.ones((batch, width), out.dtype)

    def add_up(t: int, h: Any) -> None:
        rows[:, :size] = input[t]
        rows[:, size + 1 :] = h
        np.matmul(rows, weights, out=sums[t])

    return add_up


def sums_of_two(
    out: Any, input: Any, w_ih: Any, w_hh: Any, bias: Any, share: Any
) -> Callable[[int, Any], None]:
    """Prepare `sums_into` as the sum of a product with x and one with h."""
    from_x, from_h = (factors(w, len(share)) for w in (w_ih, w_hh))
    from_x *= share
    from_h *= share
    from_inputs = projected(input, from_x, by_gate(bias, len(share)) * share[:, 0])

    def add_up(t: int, h: Any) -> None:
        np.matmul(h, from_h, out=out[t])
        np.add(out[t], from_inputs[t], out=out[t])

    return add_up


def side_by_side(gates: Any) -> Any:
    """Join the gates in the last dimension: [steps, batch, gates * hidden]."""
    _, count, _, hidden = gates.shape
    rows = transpose2(gates, axis=[0, 2, 1, 3])
    return reshape2(rows, shape=[*rows.shape[:2], count * hidden])


def alive(sequence_length: Any, t: int, dtype: Any) -> Any:
    """Mask of the sequences that have a step t, 1 or 0: [batch, 1]."""
    return reshape2((sequence_length > t).astype(dtype), shape=[-1, 1])


def masked_state(new: Any, old: Any, mask: Any) -> Any:
    """Select the new state where the mask is 1, else the old one."""
    return new if mask is None else mask * new + (1 - mask) * old


def total(*terms: Any) -> Any:
    """Sum the terms that are not None; None if all are."""
    there = [term for term in terms if term is not None]
    out = there[0] if there else None
    for term in there[1:]:
        out = out + term
    return out


def or_zeros(term: Any, like: Any) -> Any:
    """Replace a missing gradient by zeros."""
    return like * 0 if term is None else term


def step_of(sequence: Any, t: int) -> Any:
    """Step t of a sequence; None of None."""
    return None if sequence is None else sequence[t]


def previous_states(states: Any, first: Any, *, is_reverse: bool) -> Any:
    """The previous state of each step: `states` shifted by one."""
    first = reshape2(first, shape=[1, *first.shape])
    count = states.shape[0]
    if is_reverse:
        return concat(states[1:count], first, axis=0)
    return concat(first, states[: count - 1], axis=0)


def step_rows(x: Any) -> Any:
    """Flatten all steps of all sequences to rows."""
    return reshape2(x, shape=[-1, x.shape[-1]])


def weight_grad(da: Any, x: Any) -> Any:
    """dW of a = W x, summed over steps and sequences."""
    return transpose2(step_rows(da), axis=[1, 0]) @ step_rows(x)


def bias_grad(da: Any, bias: Any) -> Any:
    """db of a = ... + b, or None without a bias."""
    return None if bias is None else (lambda: reduce_to(da, bias))


def bias_grads(da: Any, *biases: Any) -> list[Any]:
    """Compute the gradient of all biases of one sum once."""
    given = [bias for bias in biases if bias is not None]
    db = reduce_to(da, given[0]) if given else None
    return [None if bias is None else db for bias in biases]


def input_grad(da: Any, w_ih: Any, input: Any) -> Any:
    """dx of a = W x."""
    return reshape2(step_rows(da) @ w_ih, shape=list(input.shape))


def check(input: Any, states: Sequence[Any], *weights: Any, gates: int) -> None:
    """Check sizes and dtypes.

    Args:
        input: [steps, batch, size].
        states: Each [batch, hidden].
        weights: W_ih, W_hh, b_ih, b_hh and the sequences' lengths; None if missing.
        gates: The number of rows of the weights per hidden unit.

    Raises:
        ShapeError: Sizes do not fit.
        DTypeError: The dtypes are not one floating dtype, or lengths no integers.
    """
    *parameters, lengths = (*weights, *[None] * 5)[:5]
    floating = [x for x in (input, *states, *parameters) if x is not None]
    if len({x.dtype for x in floating}) > 1 or input.dtype.kind != "f":
        raise DTypeError("inputs, states and weights have one floating dtype")
    if lengths is not None and lengths.dtype.kind not in "iu":
        raise DTypeError(f"lengths are whole numbers, not {lengths.dtype}")
    if input.ndim != 3 or states[0].ndim != 2:
        raise ShapeError(
            f"{input.ndim} dimensions of input, {states[0].ndim} of the state"
        )
    if not input.shape[0]:
        raise ShapeError("a sequence has at least one step")
    _, batch, size = input.shape
    hidden = states[0].shape[1]
    rows = gates * hidden
    expected: list[tuple[int, ...]] = [(batch, hidden)] * len(states)
    expected += [(rows, size), (rows, hidden), (rows,), (rows,), (batch,)]
    names = ["the state", "the cell"][: len(states)]
    names += ["W_ih", "W_hh", "b_ih", "b_hh", "sequence_length"]
    for name, x, right in zip(
        names, (*states, *parameters, lengths), expected, strict=True
    ):
        if x is not None and tuple(x.shape) != right:
            raise ShapeError(f"{name} has shape {list(x.shape)}, not {list(right)}")


@op(type="rnn_simple", outputs=("out", "last", "states"), needs=NEEDS)
def rnn_simple(
    input: Any,
    h: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    sequence_length: Any = None,
    *,
    activation: str = "tanh",
    is_reverse: bool = False,
) -> Any:
    """h[t] = tanh(W_ih x[t] + b_ih + W_hh h[t-1] + b_hh), or relu of that."""
    check(input, [h], w_ih, w_hh, b_ih, b_hh, sequence_length, gates=1)
    bend = np.tanh if activation == "tanh" else lambda a: np.maximum(a, 0)
    a = projected(input, factors(w_ih, 1), total(b_ih, b_hh))[:, 0]
    # In C order, since every step multiplies by it.
    weights = np.ascontiguousarray(w_hh.T)
    states = np.empty_like(a)
    for t in steps(len(a), is_reverse=is_reverse):
        mask = alive_at(sequence_length, t, a.dtype)
        h = states[t] = masked_state(bend(a[t] + h @ weights), h, mask)
    return masked_outputs(states, sequence_length), h, states


def alive_at(sequence_length: Any, t: int, dtype: Any) -> Any:
    """Mask of the sequences that have a step t; None if all have."""
    return None if sequence_length is None else alive(sequence_length, t, dtype)


def masked_outputs(states: Any, sequence_length: Any) -> Any:
    """Mask the states to outputs: 0 where a sequence has ended."""
    if sequence_length is None:
        return states
    running = np.arange(len(states))[:, None] < sequence_length
    return states * running[..., None]


@rnn_simple.grad(of=("input", "h", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_simple_grad(
    dout: Any,
    dlast: Any,
    dstates: Any,
    input: Any,
    h: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    sequence_length: Any,
    states: Any,
    *,
    activation: str,
    is_reverse: bool,
) -> Any:
    """da[t] = dh[t] (1 - h[t]^2), dh[t-1] = da[t] W_hh: back through time."""
    das, dh = {}, dlast
    for t in steps(input.shape[0], is_reverse=not is_reverse):
        mask = alive_at(sequence_length, t, input.dtype)
        dnew, dh = arriving(step_of(dout, t), total(dh, step_of(dstates, t)), mask)
        state = states[t]
        slope = 1 - state * state if activation == "tanh" else (state > 0)
        das[t] = or_zeros(dnew, state) * slope
        dh = total(dh, das[t] @ w_hh)
    da = stack(*(das[t] for t in sorted(das)), axis=0)
    before = previous_states(states, h, is_reverse=is_reverse)
    return (
        lambda: input_grad(da, w_ih, input),
        dh,
        lambda: weight_grad(da, input),
        lambda: weight_grad(da, before),
        bias_grad(da, b_ih),
        bias_grad(da, b_hh),
    )


@rnn_simple.infers
def infer_simple(input: Like, h: Like, *weights: Any, **attrs: Any) -> Any:
    """Outputs and states [steps, batch, hidden], the final state [batch, hidden]."""
    check(input, [h], *weights, gates=1)
    sequence = (*input.shape[:2], h.shape[1])
    return [(sequence, input.dtype), (h.shape, input.dtype), (sequence, input.dtype)]


def arriving(dout: Any, dh: Any, mask: Any) -> tuple[Any, Any]:
    """Split the upstream gradient: to the new state, and past it to the old one."""
    dnew = total(dout, dh)
    if mask is None or dnew is None:
        return dnew, None
    return mask * dnew, None if dh is None else (1 - mask) * dh
