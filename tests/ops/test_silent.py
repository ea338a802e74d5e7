"""Infinity and NaN come without NumPy's warnings, which the tests take for errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.ops.py_func import OutputSpec, py_func, register

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
    ("add", [1.7e308, 1.7e308], math.inf, [1.0, 1.0]),
    ("subtract", [math.inf, math.inf], math.nan, [1.0, -1.0]),
    ("multiply", [1e200, 1e200], math.inf, [1e200, 1e200]),
    ("multiply", [0.0, math.inf], math.nan, [math.inf, 0.0]),
    ("scale", [1e200, 1e200], math.inf, [1e200]),
]
"""A function, its arguments, its result, and the gradients."""

IDS = [f"{name}{tuple(arguments)}" for name, arguments, _, _ in EDGES]


def function_of(name: str, arguments: list[Any]) -> tuple[Callable[..., Any], int]:
    """The function and how many of the arguments are tensors: no power, no scale."""
    return getattr(tg, name), 1 if name in {"pow", "scale"} else len(arguments)


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
    if not out.stop_gradient:
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


CASTS = {"inf": math.inf, "nan": math.nan, "beyond": 1e30}


@pytest.mark.parametrize("value", CASTS.values(), ids=CASTS)
def test_what_no_integer_can_hold_is_cast_silently(value: float) -> None:
    assert tg.to_tensor([value]).astype("int64").dtype == np.int64


def test_threads_run_the_same_op_at_once() -> None:
    huge = tg.full([300, 300], 1e200, "float64")
    with ThreadPoolExecutor(4) as pool:
        products = list(pool.map(lambda _: tg.matmul(huge, huge), range(16)))
    assert all(np.isinf(product.numpy()).all() for product in products)


told: ContextVar[str] = ContextVar("told", default="nothing")


def test_a_users_own_function_runs_in_their_context() -> None:
    """What a notebook prints, say, goes where a context variable tells."""
    seen = []
    number = register(
        lambda x: seen.append(told.get()) or x + x,
        [OutputSpec("out", (1,), np.dtype("float64"))],
    )
    token = told.set("something")
    x = tg.Tensor(np.ones(1))
    assert py_func(x, forward_callable_id=number).tolist() == [2.0]
    told.reset(token)
    assert seen == ["something"]


@pytest.mark.parametrize("in_a_branch", [False, True])
def test_a_users_own_function_in_a_program_runs_where_the_run_was_called(
    in_a_branch: bool,
) -> None:
    """In its first run, which is a walk, and in the later ones, which are Python."""
    seen = []

    def double(x: Any) -> Any:
        seen.append(told.get())
        return np.asarray(x) * 2

    def called() -> Any:
        out = (
            tg.static.default_main_program()
            .current_block()
            .create_var(name="doubled", shape=[1], dtype="float32")
        )
        return static.py_func(double, x, out)

    program = static.Program()
    with static.program_guard(program):
        x = static.data("x", [1])
        always = tg.full([1], True, "bool")
        out = static.nn.cond(always, called, lambda: x) if in_a_branch else called()
    executor, feed = static.Executor(), {"x": np.ones(1, "float32")}
    for word in ("first", "second", "third"):
        token = told.set(word)
        assert executor.run(program, feed, [out])[0].tolist() == [2.0]
        told.reset(token)
    assert seen == ["first", "second", "third"]
