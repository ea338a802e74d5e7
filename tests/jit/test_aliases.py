"""A list or a tensor under two names: what one name changes, the other one shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn
from teachgraph.errors import ConversionError


def under_an_if(x: Any) -> Any:
    a = [x, x * 2]
    b = a
    if x > 0:
        b[0] = x * 7
        y = a[0] + 1
    else:
        y = x
    return y, a[0]


def extended(x: Any) -> Any:
    a = [x]
    b = a
    if x > 0:
        b += [x * 3]
    else:
        b += [x]
    return a[-1] + len(a)


def in_a_loop(x: Any) -> Any:
    a = {"p": [x, x]}
    b = a["p"]
    i = tg.to_tensor(0)
    while i < 3:
        b[0] = b[0] + 1
        x = a["p"][0] * 2
        i = i + 1
    return x, a["p"][0]


def given_another_in_a_loop(x: Any) -> Any:
    a = [x]
    b = a
    i = tg.to_tensor(0)
    while i < 3:
        b = [a[0] + 1]
        a[0] = a[0] * 2
        i = i + 1
    return a[0], b[0]


def put(items: Any, value: Any) -> None:
    if value > 0:
        items[0] = value


def by_a_helper(x: Any) -> Any:
    items = [x * 2]
    put(items, x)
    return items[0]


def by_a_helper_in_a_loop(x: Any) -> Any:
    items = [x, x]
    i = tg.to_tensor(0)
    while i < 3:
        put(items, items[0] + x)
        i = i + 1
    return items[0]


def of_an_object(x: Any) -> Any:
    owner = SimpleNamespace(items=[x, x])
    items = owner.items
    if x > 0:
        items[0] = x * 4
    else:
        owner.items[1] = x * 5
    return owner.items[0], items[1]


def within_another(x: Any) -> Any:
    rows = [[x], [x * 2]]
    first = rows[0]
    if x > 0:
        first[0] = x * 3
        if x > 1:
            rows[0][0] = first[0] + 1
    return rows[0][0], first[0]


def of_a_deque(x: Any) -> Any:
    last = deque([x, x], 2)
    both = [last]
    if x > 0:
        last.append(x * 2)
    return both[0][1]


@pytest.mark.parametrize("value", [2.0, -2.0])
@pytest.mark.parametrize(
    "function",
    [
        under_an_if,
        extended,
        in_a_loop,
        given_another_in_a_loop,
        by_a_helper,
        by_a_helper_in_a_loop,
        of_an_object,
        within_another,
        of_a_deque,
    ],
)
def test_another_name_shows_the_change(
    function: Callable[..., Any], value: float
) -> None:
    found = jit.to_static(function)(tg.to_tensor(value))
    wanted = function(tg.to_tensor(value))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


def longer_under_another_name(x: Any) -> Any:
    a = [x]
    b = a
    if x > 0:
        b.append(x)  # the place
    return a[0], len(b)


def test_a_list_made_longer_is_not_read_under_another_name() -> None:
    with pytest.raises(ConversionError, match="under one name") as caught:
        jit.to_static(longer_under_another_name)(tg.to_tensor(1.0))
    assert "# the place" in str(caught.value)


class Memory(nn.Layer):
    """Keeps what it has seen in containers of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.items = [tg.to_tensor(1.0), tg.to_tensor(2.0)]

    def latest(self, x: Any) -> Any:
        self.items[0] = self.items[0] + x
        return self.items[0] * 2

    def chosen(self, x: Any) -> Any:
        items = self.items
        if x > 3:
            items[1] = items[1] + x
        return x

    def all(self, x: Any) -> Any:
        self.items.append(x * 2)
        return self.items[-1]


@pytest.mark.parametrize("method", ["latest", "chosen", "all"])
def test_a_list_of_a_layer_holds_what_each_run_put_there(method: str) -> None:
    one, other = Memory(), Memory()
    static = jit.to_static(getattr(one, method))
    for value in (3.0, 4.0, 5.0):
        found = static(tg.to_tensor(value))
        assert found.tolist() == getattr(other, method)(tg.to_tensor(value)).tolist()
        assert [t.tolist() for t in one.items] == [t.tolist() for t in other.items]


def chosen_here(x: Any) -> Any:
    y = x + 0
    z = y if x > 0 else x * 2
    z.add_(x)  # the place
    return y, z


def chosen_in_a_branch(x: Any) -> Any:
    items = [x, x]
    mine = items if x > 0 else [x * 2, x * 3]
    mine[0] = x * 9  # the place
    return items[0], mine[0]


def chosen_by_a_loop(x: Any) -> Any:
    y = x + 0
    z = y
    while z < 3:
        z = z * 2
    z.add_(x)  # the place
    return y


def of_two_made_in_branches(x: Any) -> Any:
    if x > 0:
        y = x * 2
        z = y
    else:
        y = x * 3
        z = x * 4
    z.add_(x)  # the place
    return y


def the_one_it_was_chosen_from(x: Any) -> Any:
    y = x + 0
    z = y if x > 0 else x * 2
    y.add_(x)  # the place
    return z


def bound_to_another_in_a_loop(x: Any) -> Any:
    items, others = [x, x], [x * 2, x * 3]
    while x < 3:
        x = x * 2
        items = others
    items[0] = x  # the place
    return others[0]


def the_other_after_a_loop(x: Any) -> Any:
    items, others = [x, x], [x * 2, x * 3]
    while x < 3:
        x = x * 2
        items = others
    others[0] = x  # the place
    return items[0]


def both_new_in_a_loop(x: Any) -> Any:
    items = others = [x, x]
    while x < 3:
        x = x * 2
        items = others = [x, x]
    others[0] = x * 5  # the place
    return items[0]


@pytest.mark.parametrize(
    "function",
    [
        chosen_here,
        chosen_in_a_branch,
        chosen_by_a_loop,
        of_two_made_in_branches,
        the_one_it_was_chosen_from,
        bound_to_another_in_a_loop,
        the_other_after_a_loop,
        both_new_in_a_loop,
    ],
)
def test_what_a_tensor_has_chosen_is_not_changed_in_place(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ConversionError, match=r"clone\(\)") as caught:
        jit.to_static(function)(tg.to_tensor(2.0))
    assert "# the place" in str(caught.value)


def once_in_each_branch(x: Any) -> Any:
    if x > 0:
        y = x * 2
        z = y
    else:
        y = x * 3
        z = y
    z.add_(x)
    return y


def without_other_names(x: Any) -> Any:
    h = x + 0
    for i in range(3):
        if x > i:
            h = h * 2
        h.add_(x)
    return h


def states_of_each_round(x: Any) -> Any:
    states, i = [x, x * 2], x * 0
    while i < 3:
        i = i + 1
        before = states
        states = [before[1] + i, before[0]]
    states[0] = states[0] * 2
    return states[0] + states[1]


@pytest.mark.parametrize("value", [2.0, -2.0])
@pytest.mark.parametrize(
    "function", [once_in_each_branch, without_other_names, states_of_each_round]
)
def test_what_no_other_name_stands_for_is_changed_in_place(
    function: Callable[..., Any], value: float
) -> None:
    found = jit.to_static(function)(tg.to_tensor(value))
    assert found.tolist() == function(tg.to_tensor(value)).tolist()


def left_without_an_attribute(x: Any) -> Any:
    owner = SimpleNamespace(part=x)
    if x > 0:
        del owner.part  # the place
    return x + hasattr(owner, "part")


def test_an_attribute_that_there_may_be_is_not_asked_for() -> None:
    function = jit.to_static(left_without_an_attribute)
    assert function(tg.to_tensor(2.0)).tolist() == 2.0
    assert function(tg.to_tensor(-2.0)).tolist() == -1.0


def divided(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + 1 / i
    return x


def divided_whole(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + 1 // i
    return x


def remainder(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + 1 % i
    return x


@pytest.mark.parametrize("function", [divided, divided_whole, remainder])
def test_a_number_is_divided_by_one_of_a_range_as_in_python(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ZeroDivisionError):
        jit.to_static(function)(tg.to_tensor(1.0), tg.to_tensor(2))


class Counter:
    """Has a method that assigns to an attribute."""

    def __init__(self) -> None:
        self.value: Any = 0

    def put(self, value: Any) -> None:
        self.value = value  # the place


def put_in_a_branch(x: Any) -> Any:
    counter = Counter()
    if x > 0:
        counter.put(x * 2)
    return counter.value


def put_in_a_loop(x: Any) -> Any:
    counter = Counter()
    counter.put(x)
    while x < 3:
        counter.put(counter.value + x)
        x = x + 1
    return counter.value


@pytest.mark.parametrize("function", [put_in_a_branch, put_in_a_loop])
def test_a_method_called_in_a_branch_assigns_to_no_attribute(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ConversionError, match="return the value") as caught:
        jit.to_static(function)(tg.to_tensor(2.0))
    assert "# the place" in str(caught.value)


def of_an_object_of_its_own(x: Any) -> Any:
    if x > 0:
        counter = Counter()
        counter.put(x * 2)
        x = counter.value + 1
    return x


def from_a_generator(x: Any) -> Any:
    def multiples(n: int) -> Any:
        while n > 0:
            if n != 2:
                yield x * n
            n -= 1

    if x > 0:
        x = x + sum(multiples(3))
    return x


@pytest.mark.parametrize("value", [2.0, -2.0])
@pytest.mark.parametrize("function", [of_an_object_of_its_own, from_a_generator])
def test_what_stays_within_a_branch_runs_as_it_is(
    function: Callable[..., Any], value: float
) -> None:
    found = jit.to_static(function)(tg.to_tensor(value))
    assert found.tolist() == function(tg.to_tensor(value)).tolist()


def from_a_place_on(x: Any, i: Any) -> Any:
    y = x + 0
    y[i:] = y[i:] * 2
    y[:, : i + 1] = 5.0
    return y


def test_a_slice_up_to_a_tensor_is_assigned() -> None:
    values = np.arange(6.0).reshape(3, 2)
    one, other = (tg.to_tensor(values, stop_gradient=False) for _ in range(2))
    found = jit.to_static(from_a_place_on)(one, tg.to_tensor(0))
    wanted = from_a_place_on(other, 0)
    assert found.tolist() == wanted.tolist()
    found.sum().backward()
    wanted.sum().backward()
    assert one.grad.tolist() == other.grad.tolist()
