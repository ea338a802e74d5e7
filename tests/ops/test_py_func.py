"""A user's own function as a kernel: what it is given, and what it must give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph.errors import PyFuncError
from teachgraph.ops.py_func import Array, OutputSpec, py_func, register, registered

FLOAT = np.dtype("float64")
Function = Any


def output(*shape: int, name: str = "out", dtype: Any = FLOAT) -> OutputSpec:
    return OutputSpec(name, shape, np.dtype(dtype))


def run(function: Function, outputs: list[OutputSpec], *x: Any, **attrs: Any) -> Any:
    """Call it as the kernel of an operator does."""
    number = register(function, outputs)
    return py_func.kernel(*x, forward_callable_id=number, **attrs)


X = np.array([1.0, -2.0, 3.0])


def test_it_computes_what_the_function_computes() -> None:
    np.testing.assert_array_equal(run(lambda x: x * 2, [output(3)], X), X * 2)
    total, both = run(lambda x, y: (x.sum(), x + y), [output(), output(3)], X, X)
    assert total == 2.0
    np.testing.assert_array_equal(both, 2 * X)


def test_the_function_gets_copies_it_may_change() -> None:
    def spoil(x: Any) -> Any:
        x[x < 0] = 0.0
        return x

    before = X.copy()
    np.testing.assert_array_equal(run(spoil, [output(3)], X), [1.0, 0.0, 3.0])
    np.testing.assert_array_equal(X, before)


def test_arrays_answer_numpy_as_paddles_do() -> None:
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.extend([type(x), type(x.numpy())])
        return x

    run(look, [output(3)], X)
    assert seen == [Array, np.ndarray]


def test_a_list_is_several_results_and_a_number_is_one() -> None:
    assert run(lambda x: 2.5, [output()], X) == 2.5
    first, second = run(lambda x: [x[0], x[1]], [output(), output()], X)
    assert (float(first), float(second)) == (1.0, -2.0)


def test_integers_may_become_floats_but_not_the_other_way() -> None:
    found = run(lambda x: np.arange(3), [output(3)], X)
    assert found.dtype == FLOAT
    with pytest.raises(PyFuncError, match=r"returned float64 for 'out'.* int64"):
        run(lambda x: x, [output(3, dtype="int64")], X)


@pytest.mark.parametrize(
    ("function", "outputs", "says"),
    [
        (lambda x: x[:2], [output(3)], r"returned shape \[2\] for 'out'.*\[3\]"),
        (lambda x: x[None], [output(-1)], r"returned shape \[1, 3\] for 'out'"),
        (lambda x: (x, x), [output(3)], "returned 2 values, but the op has 1"),
        (lambda x: x, [output(3), output(3)], "returned 1 values, but the op has 2"),
        (lambda x: None, [output(3)], "returned None for 'out'"),
        (lambda x: "text", [output()], "returned <U4 for 'out'"),
    ],
)
def test_what_it_may_not_return(function: Function, outputs: Any, says: str) -> None:
    with pytest.raises(PyFuncError, match=says):
        run(function, outputs, X)


def test_a_size_of_minus_one_takes_any() -> None:
    assert run(lambda x: x[:2], [output(-1)], X).shape == (2,)


def test_its_error_is_ours_and_of_its_own_kind() -> None:
    def explode(x: Any) -> Any:
        raise KeyError("lost")

    with pytest.raises(PyFuncError, match="explode raised KeyError: 'lost'") as caught:
        run(explode, [output(3)], X)
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value.__cause__, KeyError)


def test_only_what_is_required_must_be_there() -> None:
    outputs = [output(3, name="a"), output(3, name="b")]
    first, second = run(lambda x: (None, x), outputs, X, required=[1])
    assert first is None
    np.testing.assert_array_equal(second, X)
    with pytest.raises(PyFuncError, match="returned None for 'a'"):
        run(lambda x: (None, x), outputs, X, required=[0])


@pytest.mark.parametrize("number", [-1, 10**9])
def test_a_number_nobody_registered(number: int) -> None:
    with pytest.raises(PyFuncError, match=f"no function {number}"):
        registered(number)
