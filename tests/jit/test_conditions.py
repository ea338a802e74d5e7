"""Conditions that stop early, and tests of loops that change what they ask about."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import teachgraph as tg
from teachgraph.errors import ConversionError

Function = Callable[..., Any]


def either(x: Any, a: Any) -> Any:
    if x > 1 or a is None or a > 1:
        return x + 1
    return x - 1


def both(x: Any, a: Any) -> Any:
    if x > 1 and a is not None and a > 1:
        return x + 1
    return x - 1


def in_parentheses(x: Any, a: Any) -> Any:
    if (x > 1 or a is None) or a > 1:
        return x + 1
    return x - 1


def kept(x: Any, a: Any) -> Any:
    fine = x > 1 or a is None
    if fine or a > 1:
        return x + 1
    return x - 1


def only_one_can_be(x: Any, a: Any) -> Any:
    return x if x > 1 or a is None else x + a


def negated(x: Any, a: Any) -> Any:
    if not (x > 1 and (a is not None and a > 1)) or x < -5:
        return x + 1
    return x - 1


def repeated(x: Any, a: Any) -> Any:
    rounds = 0
    while x < 5 and (a is None or a < 10):
        x = x + 1
        if a is not None:
            a = a * 2
        rounds = rounds + 1
    return x + rounds


def left(x: Any, a: Any) -> Any:
    i = tg.zeros([])
    while i < 3 or a is None:
        i = i + 1
        if i > x + 4:
            break
    return i


@pytest.mark.parametrize(
    "function",
    [
        either,
        both,
        in_parentheses,
        kept,
        only_one_can_be,
        negated,
        repeated,
        left,
    ],
)
def test_no_part_is_asked_that_python_would_not_ask(function: Function) -> None:
    static = tg.jit.to_static(function)
    for x, a in itertools.product([0.0, 2.0], [None, 0.5, 2.0]):
        given = tg.to_tensor([x]), None if a is None else tg.to_tensor([a])
        assert float(static(*given)) == float(function(*given)), (x, a)


def popped(x: Any) -> Any:
    queue = [x * 4, x * 3, x * 2, x, x * 0]
    limit, rounds = x * 0 + 1.5, x * 0
    while queue.pop() < limit:
        rounds = rounds + 1
    return rounds + 100 * len(queue)


def popped_and_filled(x: Any) -> Any:
    queue, rounds = [x * 0, x * 9, x * 8], x * 0
    while queue.pop() > 1:
        rounds = rounds + 1
        if rounds > 3:
            queue.append(x * 0)
        else:
            queue.append(x * 5)
    return rounds + 100 * len(queue)


def added(x: Any) -> Any:
    rounds = x * 0
    while x.add_(tg.ones([1])) < 5:
        rounds = rounds + 1
    return x + 10 * rounds


@pytest.mark.parametrize("function", [popped, popped_and_filled, added])
def test_a_test_of_a_loop_that_changes_something(function: Function) -> None:
    static = tg.jit.to_static(function)
    for x in (1.0, 2.0):
        wanted = function(tg.to_tensor([x]))
        assert float(static(tg.to_tensor([x]))) == float(wanted)


class Counter:
    def __init__(self, count: Any) -> None:
        self.count = count

    def next(self) -> Any:
        self.count = self.count + 1
        return self.count


def attribute_in_a_test(x: Any) -> Any:
    counter, rounds = Counter(x * 0), x * 0
    while counter.next() < 5:
        rounds = rounds + 1
    return rounds + counter.count


def dictionary_in_a_test(x: Any) -> Any:
    found, rounds = {"count": x * 0}, x * 0

    def following() -> Any:
        found["count"] = found["count"] + 1
        return found["count"]

    while following() < 5:
        rounds = rounds + 1
    return rounds


def variable_in_a_test(x: Any) -> Any:
    count, rounds = x * 0, x * 0

    def following() -> Any:
        nonlocal count
        count = count + 1
        return count

    while following() < 5:
        rounds = rounds + 1
    return rounds


def variable_in_a_body(x: Any) -> Any:
    count, total = 0, x * 0

    def following() -> Any:
        nonlocal count
        count = count + 1
        return count

    while total < 5:
        total = total + following()
    return total + count


def variable_in_a_branch(x: Any) -> Any:
    count = 0

    def following() -> Any:
        nonlocal count
        count += 1
        return count

    if x > 1:
        x = x + following()
    return x + count


def iterator_in_a_test(x: Any) -> Any:
    items, rounds = iter([x * 4, x * 3, x * 0, x]), x * 0
    while next(items) > 1:
        rounds = rounds + 1
    return rounds


def iterator_in_a_body(x: Any) -> Any:
    items, total = iter([x * 1, x * 2, x * 3, x * 4]), x * 0
    while total < 5:
        total = total + next(items)
    return total


def iterator_in_a_branch(x: Any) -> Any:
    items = iter([x * 1, x * 2])
    if x > 1:
        x = x + next(items)
    return x + next(items)


@pytest.mark.parametrize(
    "function",
    [
        attribute_in_a_test,
        dictionary_in_a_test,
        variable_in_a_test,
        variable_in_a_body,
        variable_in_a_branch,
        iterator_in_a_test,
        iterator_in_a_body,
        iterator_in_a_branch,
    ],
)
def test_what_would_be_changed_once_for_all_rounds_is_refused(
    function: Function,
) -> None:
    """Rather than a wrong result, or a loop without end."""
    with pytest.raises(ConversionError):
        tg.jit.to_static(function)(tg.to_tensor([1.0]))


def own_iterator(x: Any) -> Any:
    total = x * 0
    while total < 5:
        items = iter([x * 1, x * 2])
        total = total + next(items) * next(items)
    return total


def own_variable(x: Any) -> Any:
    def sum_of(n: int) -> Any:
        total = 0

        def add(i: int) -> None:
            nonlocal total
            total += i

        for i in range(n):
            add(i)
        return total

    while x < 50:
        x = x + sum_of(4)
    return x


@pytest.mark.parametrize("function", [own_iterator, own_variable])
def test_what_a_round_makes_itself_it_may_change(function: Function) -> None:
    x = tg.to_tensor([1.0])
    assert float(tg.jit.to_static(function)(x)) == float(function(x))
