"""Recurrence: the same weights, step after step.

    h[t] = f(W_ih x[t] + b_ih + W_hh h[t-1] + b_hh)

What all recurrent ops share, and the simplest of them. The products with x do not wait
for each other and are one product; those with h go step by step. Going back through
time, each step adds to the gradient of the state before it, and the gradients of the
weights are again one product over all steps.

Sequences are time-major, [steps, batch, size]. With `sequence_length` a sequence ends
early: its state stays as it is from there on and its outputs are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.errors import DTypeError, ShapeError
from teachgraph.ops.join import concat, stack
from teachgraph.ops.op import Like, op
from teachgraph.ops.reduce import reduce_sum
from teachgraph.ops.shape import reshape2, transpose2

__all__ = ["rnn_simple"]

NEEDS = (
    "input [steps, batch, size], a state [batch, hidden], weights as wide as what "
    "they multiply, and one length for each sequence"
)


def steps(count: int, *, is_reverse: bool) -> Sequence[int]:
    """The steps in the order they are gone through."""
    return range(count)[::-1] if is_reverse else range(count)


def projected(input: Any, w_ih: Any, *biases: Any) -> Any:
    """W_ih x + biases for all steps at once: [steps, batch, gates * hidden]."""
    count, batch, size = input.shape
    out = input.reshape(count * batch, size) @ w_ih.T
    for bias in biases:
        if bias is not None:
            out += bias
    return out.reshape(count, batch, len(w_ih))


def alive(sequence_length: Any, t: int, dtype: Any) -> Any:
    """1 for each sequence that has a step t, 0 for one that has ended: [batch, 1]."""
    return reshape2((sequence_length > t).astype(dtype), shape=[-1, 1])


def kept(new: Any, old: Any, mask: Any) -> Any:
    """The new state where a sequence goes on, else the old one."""
    return new if mask is None else mask * new + (1 - mask) * old


def total(*terms: Any) -> Any:
    """The sum of those terms that are there, or None."""
    there = [term for term in terms if term is not None]
    out = there[0] if there else None
    for term in there[1:]:
        out = out + term
    return out


def some(term: Any, like: Any) -> Any:
    """A gradient, zeros where there is none."""
    return like * 0 if term is None else term


def at(sequence: Any, t: int) -> Any:
    """Step t of a sequence that may not be there."""
    return None if sequence is None else sequence[t]


def befores(states: Any, first: Any, *, is_reverse: bool) -> Any:
    """For each step the state before it: `states` moved on by one."""
    first = reshape2(first, shape=[1, *first.shape])
    count = states.shape[0]
    if is_reverse:
        return concat(states[1:count], first, axis=0)
    return concat(first, states[: count - 1], axis=0)


def flat(x: Any) -> Any:
    """All steps of all sequences as rows."""
    return reshape2(x, shape=[-1, x.shape[-1]])


def weight_grad(da: Any, x: Any) -> Any:
    """dW of a = W x, summed over steps and sequences."""
    return transpose2(flat(da), axis=[1, 0]) @ flat(x)


def bias_grad(da: Any, bias: Any) -> Any:
    """db of a = ... + b, or None where there is no bias."""
    return None if bias is None else (lambda: reduce_sum(da, dim=[0, 1]))


def input_grad(da: Any, w_ih: Any, input: Any) -> Any:
    """dx of a = W x."""
    return reshape2(flat(da) @ w_ih, shape=list(input.shape))


def check(input: Any, states: Sequence[Any], *weights: Any, gates: int) -> None:
    """Sizes and dtypes must fit together.

    Args:
        input: [steps, batch, size].
        states: Each [batch, hidden].
        weights: W_ih, W_hh, b_ih, b_hh and the sequences' lengths; None where left out.
        gates: How many rows of the weights there are for each hidden number.

    Raises:
        ShapeError: Sizes do not.
        DTypeError: They are not all of one floating dtype, with whole lengths.
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
    a, weights = projected(input, w_ih, b_ih, b_hh), np.ascontiguousarray(w_hh.T)
    states = np.empty_like(a)
    for t in steps(len(a), is_reverse=is_reverse):
        mask = alive_at(sequence_length, t, a.dtype)
        h = states[t] = kept(bend(a[t] + h @ weights), h, mask)
    return shown(states, sequence_length), h, states


def alive_at(sequence_length: Any, t: int, dtype: Any) -> Any:
    """Who is alive at step t; None if everybody always is."""
    return None if sequence_length is None else alive(sequence_length, t, dtype)


def shown(states: Any, sequence_length: Any) -> Any:
    """The states as outputs: 0 where a sequence has ended."""
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
        dnew, dh = arriving(at(dout, t), total(dh, at(dstates, t)), mask)
        state = states[t]
        slope = 1 - state * state if activation == "tanh" else (state > 0)
        das[t] = some(dnew, state) * slope
        dh = total(dh, das[t] @ w_hh)
    da = stack(*(das[t] for t in sorted(das)), axis=0)
    before = befores(states, h, is_reverse=is_reverse)
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
    """Outputs and states [steps, batch, hidden], the last state [batch, hidden]."""
    check(input, [h], *weights, gates=1)
    sequence = (*input.shape[:2], h.shape[1])
    return [(sequence, input.dtype), (h.shape, input.dtype), (sequence, input.dtype)]


def arriving(dout: Any, dh: Any, mask: Any) -> tuple[Any, Any]:
    """What arrives at a new state, and what goes past it to the state before."""
    dnew = total(dout, dh)
    if mask is None or dnew is None:
        return dnew, None
    return mask * dnew, None if dh is None else (1 - mask) * dh
