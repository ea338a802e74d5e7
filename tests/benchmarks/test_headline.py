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
from teachgraph import jit
from teachgraph.cli.bert_ways import Prediction, ways
from teachgraph.executor import Scope

WAYS = ("dynamic", "ONNX", "static", "default")
ROUNDS = {"tiny": (20, 30), "base": (5, 2)}


@cache
def predictions(size: str) -> dict[str, Prediction | None]:
    return ways(size, 32, 1)


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


@pytest.mark.parametrize("what", ["plan", "call"])
def test_a_call_of_a_cached_function(what: str, benchmark: Any) -> None:
    function = jit.to_static(lambda x: x * 2.0)
    x = tg.ones([4])
    with tg.no_grad():
        function(x)
        concrete = function.concrete_program
        plan, scope = concrete.plain, Scope()
        feed = {concrete.names[0]: x.data}
        run = {"plan": lambda: plan(feed, scope), "call": lambda: function(x)}[what]
        benchmark.group = "a cached to_static function"
        benchmark.pedantic(run, rounds=20, iterations=2000)
    assert function(x).tolist() == [2.0] * 4
