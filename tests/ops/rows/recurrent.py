"""Rows for `teachgraph/ops/recurrent.py`, `lstm.py` and `gru.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

STEPS, BATCH, SIZE, HIDDEN = 3, 2, 3, 2

LACKS = {
    "scalar": "sequences have three dimensions",
    "1-D": "sequences have three dimensions",
    "broadcast": "sizes must agree",
}

Step = Callable[..., tuple[list[Any], list[Any]]]


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def lib_of(torch: Any) -> Any:
    """The functions of NumPy's or PyTorch's that a step is made of."""
    if torch is None:
        return np.tanh, sigmoid, lambda x: np.maximum(x, 0)
    return torch.tanh, torch.sigmoid, torch.relu


def chunks(a: Any, count: int) -> list[Any]:
    size = a.shape[-1] // count
    return [a[:, k * size : (k + 1) * size] for k in range(count)]


def simple_step(lib: Any, from_x: Any, from_h: Any, states: Any, attrs: Any) -> Any:
    tanh, _, relu = lib
    bend = relu if attrs.get("activation") == "relu" else tanh
    return [bend(from_x + from_h)], []


def lstm_step(lib: Any, from_x: Any, from_h: Any, states: Any, attrs: Any) -> Any:
    tanh, sigma, _ = lib
    i, f, g, o = chunks(from_x + from_h, 4)
    i, f, g, o = sigma(i), sigma(f), tanh(g), sigma(o)
    c = f * states[1] + i * g
    return [o * tanh(c), c], [i, f, g, o]


def gru_step(lib: Any, from_x: Any, from_h: Any, states: Any, attrs: Any) -> Any:
    tanh, sigma, _ = lib
    (x_r, x_z, x_n), (h_r, h_z, h_n) = chunks(from_x, 3), chunks(from_h, 3)
    r, z = sigma(x_r + h_r), sigma(x_z + h_z)
    n = tanh(x_n + r * h_n)
    return [(1 - z) * n + z * states[0]], [r, z, n, h_n]


def unrolled(step: Step, count: int) -> Callable[..., Any]:
    """The op in plain steps, with masks, by NumPy (None) or by PyTorch."""

    def run(torch: Any, x: Any, *rest: Any, **attrs: Any) -> Any:
        lib = lib_of(torch)
        stack = np.stack if torch is None else torch.stack
        states = list(rest[:count])
        w_ih, w_hh, b_ih, b_hh, lengths = (*rest[count:], *[None] * 5)[:5]
        order = list(range(x.shape[0]))
        outs, kept, gates = {}, {}, {}
        for t in order[::-1] if attrs.get("is_reverse") else order:
            from_x = x[t] @ w_ih.T if b_ih is None else x[t] @ w_ih.T + b_ih
            from_h = states[0] @ w_hh.T
            from_h = from_h if b_hh is None else from_h + b_hh
            new, inner = step(lib, from_x, from_h, states, attrs)
            if lengths is not None:
                on = (lengths > t)[:, None] * 1.0
                outs[t] = new[0] * on
                new = [n * on + s * (1 - on) for n, s in zip(new, states, strict=True)]
            else:
                outs[t] = new[0]
            states, kept[t] = new, new
            gates[t] = stack(inner) if inner else None
        sequences = [stack([kept[t][k] for t in order]) for k in range(count)]
        if gates[0] is not None:
            sequences.append(stack([gates[t] for t in order]))
        return (stack([outs[t] for t in order]), *states, *sequences)

    return run


def inputs(gates: int, states: int, *, biases: bool = True) -> tuple[Array | None, ...]:
    rows = gates * HIDDEN
    return (
        numbers(STEPS, BATCH, SIZE),
        *(numbers(BATCH, HIDDEN, start=30 + k) for k in range(states)),
        numbers(rows, SIZE, low=-1, high=1, start=50),
        numbers(rows, HIDDEN, low=-1, high=1, start=80),
        numbers(rows, start=110) if biases else None,
        numbers(rows, start=130) if biases else None,
        None,
    )


def cases(gates: int, states: int, **more: Mapping[str, Any]) -> tuple[Case, ...]:
    whole = inputs(gates, states)
    lengths = np.array([1, 3])
    ends = (*whole[:-1], lengths)
    layout = (turned(whole[0]), *whole[1:])
    empty = list(whole)
    empty[: 1 + states] = [
        numbers(STEPS, 0, SIZE),
        *(numbers(0, HIDDEN) for _ in range(states)),
    ]
    return (
        Case("sequences that end", ends),
        Case("all steps", whole),
        Case("backwards", whole, {"is_reverse": True}),
        Case("sequences that end, backwards", ends, {"is_reverse": True}),
        Case("without biases", inputs(gates, states, biases=False)),
        Case("empty", tuple(empty)),
        Case("not contiguous", layout),
        *(Case(label, whole, attrs) for label, attrs in more.items()),
    )


def wrong(gates: int, states: int) -> tuple[Wrong, ...]:
    right = [x for x in inputs(gates, states) if x is not None]
    flat = [right[0][0], *right[1:]]
    wide = [numbers(STEPS, BATCH, SIZE + 1), *right[1:]]
    batch = [numbers(STEPS, BATCH + 1, SIZE), *right[1:]]
    none = [numbers(0, BATCH, SIZE), *right[1:]]
    return (
        Wrong("a matrix", tuple(flat), says="dimensions of input"),
        Wrong("inputs too wide", tuple(wide), says="W_ih"),
        Wrong("another batch", tuple(batch), says="the state"),
        Wrong("no steps", tuple(none), says="at least one step"),
    )


def row(op: str, step: Step, gates: int, states: int, **more: Any) -> Row:
    run = unrolled(step, states)
    return Row(
        op,
        cases(gates, states, **more),
        lambda *given, **attrs: run(None, *given, **attrs),
        run,
        lacks=LACKS,
        gives=lambda dtype, attrs: (dtype,) * (1 + 2 * states + (gates > 1)),
        wrong=wrong(gates, states),
        known=(0, *range(1 + states, 5 + states)),
    )


ROWS = (
    row("rnn_simple", simple_step, 1, 1, relu={"activation": "relu"}),
    row("rnn_lstm", lstm_step, 4, 2),
    row("rnn_gru", gru_step, 3, 1),
)
