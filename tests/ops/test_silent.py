"""Infinity and NaN come without NumPy's warnings, which the tests take for errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static

EDGES: list[tuple[str, list[Any], float, list[float]]] = [
    ("exp", [1000.0], math.inf, [math.inf]),
    ("log", [0.0], -math.inf, [math.inf]),
    ("log", [-1.0], math.nan, [-1.0]),
    ("log2", [0.0], -math.inf, [math.inf]),
    ("log1p", [-1.0], -math.inf, [math.inf]),
    ("sqrt", [0.0], 0.0, [math.inf]),
    ("sqrt", [-1.0], math.nan, [math.nan]),
    ("rsqrt", [0.0], math.inf, [-math.inf]),
    ("reciprocal", [0.0], math.inf, [-math.inf]),
    ("square", [1e200], math.inf, [2e200]),
    ("asin", [2.0], math.nan, [math.nan]),
    ("acosh", [1.0], 0.0, [math.inf]),
    ("atanh", [1.0], math.inf, [math.inf]),
    ("cosh", [1000.0], math.inf, [math.inf]),
    ("sin", [math.inf], math.nan, [math.nan]),
    ("erfinv", [1.0], math.inf, [math.inf]),
    ("logit", [1.0], math.inf, [math.inf]),
    ("divide", [1.0, 0.0], math.inf, [math.inf, -math.inf]),
    ("divide", [0.0, 0.0], math.nan, [math.inf, math.nan]),
    ("floor_divide", [1.0, 0.0], math.inf, []),
    ("remainder", [1.0, 0.0], math.nan, [1.0, -math.inf]),
    ("pow", [0.0, -1.0], math.inf, [-math.inf]),
]
"""A function, its arguments, its result, and the gradients."""

IDS = [f"{name}{tuple(arguments)}" for name, arguments, _, _ in EDGES]


def function_of(name: str, arguments: list[Any]) -> tuple[Callable[..., Any], int]:
    """The function and how many of the arguments are tensors; pow's power is not."""
    return getattr(tg, name), 1 if name == "pow" else len(arguments)


@pytest.mark.parametrize(("name", "arguments", "result", "slopes"), EDGES, ids=IDS)
def test_on_arrays(name: str, arguments: Any, result: float, slopes: Any) -> None:
    function, tensors = function_of(name, arguments)
    inputs = [np.array(x) if i < tensors else x for i, x in enumerate(arguments)]
    np.testing.assert_equal(float(function(*inputs)), result)


@pytest.mark.parametrize(("name", "arguments", "result", "slopes"), EDGES, ids=IDS)
def test_on_tensors(name: str, arguments: Any, result: float, slopes: Any) -> None:
    function, tensors = function_of(name, arguments)
    leaves = [tg.Tensor(np.array(x), stop_gradient=False) for x in arguments[:tensors]]
    out = function(*leaves, *arguments[tensors:])
    np.testing.assert_equal(out.item(), result)
    out.backward()
    found = [leaf.grad.item() for leaf in leaves if leaf.grad is not None]
    np.testing.assert_allclose(found, slopes, rtol=1e-12)


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize(("name", "arguments", "result", "slopes"), EDGES, ids=IDS)
def test_in_a_program(
    name: str, arguments: Any, result: float, slopes: Any, interpret: bool
) -> None:
    function, tensors = function_of(name, arguments)
    program = static.Program()
    with static.program_guard(program, static.Program()):
        inputs = [static.data(f"x{i}", [], "float64") for i in range(tensors)]
        for variable in inputs:
            variable.stop_gradient = False
        out = function(*inputs, *arguments[tensors:])
        slots = static.gradients(out, inputs) if slopes else []
    feed = {f"x{i}": np.array(arguments[i]) for i in range(tensors)}
    executor = static.Executor(interpret=interpret)
    found, *gradients = executor.run(program, feed, [out, *slots])
    np.testing.assert_equal(float(found), result)
    np.testing.assert_allclose([float(dx) for dx in gradients], slopes, rtol=1e-12)


def test_numpys_own_settings_stay_what_they_were() -> None:
    before = np.geterr()
    x = tg.to_tensor([0.0], stop_gradient=False)
    tg.log(x).backward()
    assert np.geterr() == before
