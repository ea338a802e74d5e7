"""One sentence through a BERT classifier: dynamic, ONNX, static, and by default.

Run with one thread, as `teachgraph bench` does: OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn
from teachgraph.cli.bert_backends import Prediction, backends
from teachgraph.static.scope import Scope

WAYS = ("dynamic", "ONNX", "static", "predictor")
ROUNDS = {"tiny": (20, 30), "base": (5, 2)}


@cache
def predictions(size: str) -> dict[str, Prediction | None]:
    return backends(size, 32, 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", ROUNDS)
def test_one_sentence(size: str, way: str, benchmark: Any) -> None:
    predict = predictions(size)[way]
    assert predict is not None
    rounds, iterations = ROUNDS[size]
    benchmark.group = f"BERT {size}, one sentence"
    benchmark._timer = time.process_time
    answer = benchmark.pedantic(predict, rounds=rounds, iterations=iterations)
    assert np.isfinite(answer).all()


class Sum(nn.Layer):
    """Adds so many weights to its input, one by one."""

    def __init__(self, weights: int) -> None:
        super().__init__()
        self.weights = nn.ParameterList(
            [self.create_parameter([2]) for _ in range(weights)]
        )

    def forward(self, x: Any) -> Any:
        for weight in self.weights:
            x = x + weight
        return x * 2.0


@pytest.mark.parametrize("what", ["plan", "call"])
@pytest.mark.parametrize("weights", [0, 60, 200])
def test_a_call_of_a_cached_function(weights: int, what: str, benchmark: Any) -> None:
    """The difference between the rows of a group is what a call costs over its plan."""
    function, x = jit.to_static(Sum(weights)).forward, tg.ones([2])
    with tg.no_grad():
        wanted = function(x).tolist()
        concrete = function.concrete_program
        plan, feed, values = concrete.plain, concrete.fed([x]), concrete.arrays()

        def planned() -> None:
            scope = Scope()
            scope.values = values
            plan(feed, scope)

        run = {"plan": planned, "call": lambda: function(x)}[what]
        benchmark.group = f"a cached to_static function of {weights} weights"
        benchmark._timer = time.thread_time
        benchmark.pedantic(run, rounds=30, iterations=20000 // (weights + 10))
    assert function(x).tolist() == wanted
