"""Time the bare NumPy calls that a step cannot do without, beside the step itself.

python -m tests.benchmarks.floors_small --cpu --seconds 20 "lstm b32" cartpole

The first column is a step's matrix products alone, the second its elementwise calls and
reductions, each on arrays of the right shapes and in the layout that is fastest here.
Their sum is a floor for whoever calls NumPy; what a step takes beyond it is the
framework's own. All with one thread, or as many as OPENBLAS_NUM_THREADS says.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

# Read when NumPy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ.get("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from teachgraph.ops.freed_memory import keep_freed_memory
from teachgraph.ops.recurrent import in_lines
from tests.benchmarks.families import drawn
from tests.benchmarks.floors import fastest
from tests.benchmarks.models import MODELS, commands, measured
from tests.benchmarks.peers import EAGER

THREADS = os.environ["OPENBLAS_NUM_THREADS"]

ROUNDS = 200
"""Runs of the bare calls, of which the fastest counts."""

Call = Callable[[], object]


class Floor(NamedTuple):
    """The calls of a step: each with how often it is made."""

    products: Sequence[tuple[int, Call]]
    elementwise: Sequence[tuple[int, Call]]


def product(*shapes: Sequence[int], turned: str = "") -> Call:
    """A product of matrices or stacks; `turned` names the transposed ones."""
    x, y = (in_lines(drawn(*shape)) for shape in shapes)
    x = x.swapaxes(-1, -2) if "x" in turned else x
    y = y.swapaxes(-1, -2) if "y" in turned else y
    out = np.matmul(x, y)
    return lambda: np.matmul(x, y, out=out)


def unary(ufunc: Any, *shape: int) -> Call:
    x, out = abs(drawn(*shape)), np.empty(shape, np.float32)
    return lambda: ufunc(x, out=out)


def binary(*shape: int) -> Call:
    """An addition, which takes as long as a multiplication or a comparison."""
    x, y, out = drawn(*shape), drawn(*shape), np.empty(shape, np.float32)
    return lambda: np.add(x, y, out=out)


def sums(axis: int, *shape: int) -> Call:
    x = drawn(*shape)
    return lambda: np.add.reduce(x, axis=axis)


def numbers(*shape: int) -> Call:
    """The random numbers of a dropout, of 32 bits each."""
    bits, words = np.random.default_rng(0).bit_generator, math.prod(shape) // 2
    return lambda: bits.random_raw(words)


def dense(rows: int, ins: int, outs: int) -> list[tuple[int, Call]]:
    """The three products of a linear layer: out, dx and dW."""
    return [
        (1, product((rows, ins), (ins, outs))),
        (1, product((rows, outs), (ins, outs), turned="y")),
        (1, product((rows, ins), (rows, outs), turned="x")),
    ]


def lstm(steps: int = 32, batch: int = 32, size: int = 128) -> Floor:
    rows, width, gates = steps * batch, 2 * size + 1, 4 * size
    # One thread is fastest with small factors, two share large ones with a batch last.
    if THREADS == "1":
        forward = product((batch, width), (gates // 64, width, 64))
        backward = product((4, batch, size), (4, size, size))
    else:
        forward = product((gates, width), (width, batch))
        backward = product((size, gates), (gates, batch))
    return Floor(
        [
            (steps, forward),
            (steps, backward),
            (1, product((rows, gates), (rows, width), turned="x")),
        ],
        [
            (steps, unary(np.tanh, 4, batch, size)),
            (3 * steps, binary(4, batch, size)),
            (steps, unary(np.tanh, batch, size)),
            (8 * steps, binary(batch, size)),
            (1, unary(np.tanh, steps, batch, size)),
            (12, binary(steps, batch, size)),
            (1, binary(steps, 4, batch, size)),
        ],
    )


def layer(texts: int = 16, words: int = 32, width: int = 64, heads: int = 4) -> Floor:
    rows, stack, size = texts * words, texts * heads, width // heads
    scores = (stack, words, words)
    return Floor(
        [
            *dense(rows, width, width) * 4,
            *dense(rows, width, 4 * width),
            *dense(rows, 4 * width, width),
            (3, product((stack, words, size), (stack, words, size), turned="y")),
            (3, product(scores, (stack, words, size))),
        ],
        [
            # Softmax and its gradient; dropout of scores, of two sums and of ReLU's.
            (1, unary(np.exp, *scores)),
            (2, sums(-1, *scores)),
            (9, binary(*scores)),
            (1, numbers(*scores)),
            (2, numbers(rows, width)),
            (1, numbers(rows, 4 * width)),
            # Biases, ReLU, residuals, and two layer norms: forward and backward.
            (8, binary(rows, 4 * width)),
            (2, sums(0, rows, 4 * width)),
            (40, binary(rows, width)),
            (18, sums(0, rows, width)),
        ],
    )


def policy(rows: int = 32, updates: int = 1) -> Floor:
    return Floor(
        [*dense(rows, 4, 128), *dense(rows, 128, 2)],
        [
            (4, binary(rows, 128)),
            (1, sums(0, rows, 128)),
            (1, unary(np.exp, rows, 2)),
            (1, unary(np.log, rows, 1)),
            (7, binary(rows, 2)),
            (4, sums(-1, rows, 2)),
            (4 * updates, binary(4, 128)),
            (4 * updates, binary(128)),
        ],
    )


def cartpole(choices: int = 32) -> Floor:
    forward = [
        (choices, product((1, 4), (4, 128))),
        (choices, product((1, 128), (128, 2))),
    ]
    draw = np.random.default_rng(0)
    choice = [
        (2 * choices, binary(1, 128)),
        (4 * choices, binary(1, 2)),
        (choices, unary(np.exp, 1, 2)),
        (3 * choices, sums(-1, 1, 2)),
        (choices, lambda: draw.exponential(size=(1, 2))),
    ]
    # Adam makes six calls where SGD makes one.
    update = policy(choices, updates=6)
    return Floor([*forward, *update.products], [*choice, *update.elementwise])


def element_loop(count: int = 20) -> Floor:
    x = drawn(count)
    # Forward w x[i] + b - y[i], its square, the sum; backward as much again.
    indices = (2 * count, lambda: x[3, ...])
    return Floor([], [indices, (5 * count, binary(1)), (6 * count, binary(1))])


FLOORS: dict[str, Callable[[], Floor]] = {
    "lstm b32": lstm,
    "layer": layer,
    "cartpole": cartpole,
    "policy": policy,
    "element loop": element_loop,
}


def run(calls: Sequence[tuple[int, Call]]) -> None:
    for count, call in calls:
        for _ in range(count):
            call()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help=", ".join(FLOORS))
    parser.add_argument("--seconds", type=float, default=10, help="for each model")
    parser.add_argument("--cpu", action="store_true", help="count CPU time")
    asked: Any = parser.parse_args(arguments)
    if unknown := set(asked.models) - set(FLOORS):
        parser.error(f"no floor of {unknown}; there are {', '.join(FLOORS)}")
    clock = "process_time" if asked.cpu else "perf_counter"
    keep_freed_memory()
    print(
        f"{'ms of a step':42} products  elementwise     sum    ours   rival"
        "  sum/rival  ours/rival"
    )
    here, now = commands(), getattr(time, clock)
    for name in asked.models or FLOORS:
        parts = [partial(run, calls) for calls in FLOORS[name]()]
        sides = [here[s] for s in (EAGER, MODELS[name].rival) if s in here]
        steps = measured([[*s, clock, THREADS] for s in sides], name, asked.seconds)
        found = [*(fastest(part, now, ROUNDS) for part in parts), *steps]
        products, elementwise, ours, rival = (1e3 * s for s in [*found, math.nan][:4])
        floor = products + elementwise
        print(
            f"{MODELS[name].about:42} {products:8.3f} {elementwise:12.3f} "
            f"{floor:7.3f} {ours:7.3f} {rival:7.3f}  {floor / rival:9.2f}  "
            f"{ours / rival:10.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
