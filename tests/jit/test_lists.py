"""Lists of a program: what they cannot do is said at the user's line, in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit
from teachgraph.control_flow.arrays import create_array
from teachgraph.core.errors import OpError
from teachgraph.errors import ConversionError, OutOfRangeError

X = tg.to_tensor(np.array([1.0, 2.0]))
COUNT = tg.to_tensor(3)


def grown(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        items.append(x * i)  # noqa: PERF401  how many, a tensor says
    return items


def in_a_comprehension(x: Any, n: Any) -> Any:
    return [item * 2 for item in grown(x, n)]  # the place


def searched(x: Any, n: Any) -> Any:
    return x in grown(x, n)  # the place


def sorted_(x: Any, n: Any) -> Any:
    items = grown(x, n)
    items.sort()  # the place
    return items


def slice_assigned(x: Any, n: Any) -> Any:
    items = grown(x, n)
    items[1:] = [x]  # the place
    return items


def of_pairs(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):  # the place
        items.append((x, i))  # noqa: PERF401
    return items


def chosen_among_texts(x: Any, n: Any) -> Any:
    return x, ["a", "b", "c", "d"][n]  # the place


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (in_a_comprehension, "`for` statement"),
        (searched, "cannot be searched"),
        (sorted_, "cannot be sorted"),
        (slice_assigned, "have a slice assigned"),
        (of_pairs, "a list that grows by tensors"),
        (chosen_among_texts, "numbers of one dtype"),
    ],
)
def test_what_a_list_cannot_do_is_refused(
    function: Callable[..., Any], said: str
) -> None:
    with pytest.raises(ConversionError, match=said) as caught:
        jit.to_static(function)(X, COUNT)
    assert "# the place" in str(caught.value)


@jit.to_static
def popped(x: Any, n: Any) -> Any:
    items = [x]
    for _ in range(n):
        x = x + items.pop()
    return x


def test_a_pop_of_nothing_stops_the_run() -> None:
    assert popped(X, tg.to_tensor(1)).tolist() == [2.0, 4.0]
    with pytest.raises(IndexError, match=r"items\.pop\(\)") as caught:
        popped(X, tg.to_tensor(2))
    assert isinstance(caught.value, (OutOfRangeError, OpError))


def test_an_index_may_be_negative_or_too_large() -> None:
    function = jit.to_static(lambda x, n, i: grown(x, n)[i])
    assert function(X, COUNT, tg.to_tensor(-1)).tolist() == [2.0, 4.0]
    with pytest.raises(IndexError, match="the list holds 3"):
        function(X, COUNT, tg.to_tensor(3))


def test_gradients_of_gradients_go_through_a_list() -> None:
    def function(x: Any) -> Any:
        items = create_array("float64", [x, x * x])
        items.insert(0, x * x * x)
        del items[1]
        items.extend([items.pop() * x])
        items.reverse()
        both = items + items
        return items[:1][-1].sum() + both[1].sum()

    main = tg.static.Program()
    tg.enable_static()
    try:
        with tg.static.program_guard(main):
            x = tg.static.data("x", [2], "float64")
            x.stop_gradient = False
            first = tg.static.gradients(function(x), x)
            second = tg.static.gradients(first, x)
    finally:
        tg.disable_static()
    values = np.array([2.0, 3.0])
    found = tg.static.Executor().run(main, {"x": values}, [first[0], second[0]])
    np.testing.assert_allclose(found[0], 6 * values**2)
    np.testing.assert_allclose(found[1], 12 * values)


def of_a_function_around(x: Any, n: Any) -> Any:
    items = []

    def keep(value: Any) -> None:
        if value.sum() > 0:
            items.append(value)  # the place

    keep(x * n)
    return items


def of_another_type(x: Any, n: Any) -> Any:
    last = deque([x], 3)
    if n > 0:
        last.append(x * 2)  # the place
    return last[0]


@pytest.mark.parametrize("function", [of_a_function_around, of_another_type])
def test_a_list_of_others_is_not_changed_by_a_branch(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ConversionError, match="return what is new") as caught:
        jit.to_static(function)(X, COUNT)
    assert "# the place" in str(caught.value)
