"""Each function runs as a program as it runs as Python: results and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit
from tests.jit import list_functions  # noqa: F401  it adds to the cases
from tests.jit.functions import CASES

CALLS = [(name, at) for name, case in CASES.items() for at in range(len(case.calls))]


def tensors(nest: Any) -> Iterator[tg.Tensor]:
    """The Tensors in what a function returned."""
    if isinstance(nest, tg.Tensor):
        yield nest
    elif isinstance(nest, dict):
        for key in sorted(nest):
            yield from tensors(nest[key])
    elif isinstance(nest, (list, tuple)):
        for item in nest:
            yield from tensors(item)


def same(one: Any, other: Any) -> None:
    """Both are nested in the same way, and their numbers are equal."""
    if isinstance(one, dict):
        assert isinstance(other, dict)
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert type(one) is type(other)
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(one, (tg.Tensor, int, float)) and not isinstance(one, bool):
        np.testing.assert_allclose(
            np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-12
        )
    else:
        assert one == other


def run(function: Callable[..., Any], call: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """What a function returns, the gradients of its arguments, and the arguments."""
    given = [
        tg.to_tensor(np.array(x, "float64"), stop_gradient=False)
        if isinstance(x, list)
        else tg.to_tensor(x)
        if isinstance(x, np.ndarray)
        else x
        for x in call
    ]
    result = function(*given)
    wanted = [t for t in tensors(result) if not t.stop_gradient]
    weights = range(1, 1 + len(wanted))
    total = sum(((t * t).sum() * w for t, w in zip(wanted, weights, strict=True)), 0.0)
    if isinstance(total, tg.Tensor):
        total.backward()
    leaves = [x for x in given if isinstance(x, tg.Tensor) and not x.stop_gradient]
    return result, [0.0 if x.grad is None else x.grad for x in leaves], given


def arguments(call: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call, the lists as Tensors without a gradient."""
    return [
        tg.to_tensor(np.array(x, "float64")) if isinstance(x, list) else x for x in call
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_first_run_of_a_program_gives_what_later_runs_give(name: str) -> None:
    """A walk over the operators; a later run is optimised, and written down."""
    case = CASES[name]
    static = jit.to_static(case.function)
    with tg.no_grad():
        first, second = (static(*arguments(case.calls[0])) for _ in range(2))
    pairs = zip(tensors(first), tensors(second), strict=True)
    assert all(a.numpy().tobytes() == b.numpy().tobytes() for a, b in pairs)
    same(first, second)


@pytest.mark.parametrize(("name", "at"), CALLS)
def test_a_program_gives_what_python_gives(name: str, at: int) -> None:
    case = CASES[name]
    result, gradients, _ = run(case.function, case.calls[at])
    again, found, given = run(jit.to_static(case.function), case.calls[at])
    same(result, again)
    for one, other in zip(gradients, found, strict=True):
        np.testing.assert_allclose(
            np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-12
        )
    for before, after in zip(case.calls[at], given, strict=True):
        if isinstance(before, (list, np.ndarray)):
            np.testing.assert_array_equal(np.asarray(after), np.asarray(before))


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if len(c.calls) > 1])
def test_one_program_takes_every_branch(name: str) -> None:
    case = CASES[name]
    shapes = {tuple(np.shape(x) for x in call) for call in case.calls}
    constants = {
        tuple(x for x in call if not isinstance(x, (list, np.ndarray)))
        for call in case.calls
    }
    static = jit.to_static(case.function)
    for call in case.calls:
        same(run(case.function, call)[0], run(static, call)[0])
    assert len(static.program_cache) <= len(shapes) * len(constants)
