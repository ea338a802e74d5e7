"""Small functions, each about one construct or a nest of them, with inputs that differ.

Each is run as Python runs it and as a program: results and gradients are the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial, reduce, wraps
from typing import Any, NamedTuple

import numpy as np

import teachgraph as tg

__all__ = ["CASES", "Case"]

UP, DOWN, MIXED = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [0.5, -4.0, 2.0]
ALL = (UP, DOWN, MIXED)


class Case(NamedTuple):
    """A function and its arguments: lists are float64 tensors that want a gradient."""

    function: Callable[..., Any]
    calls: Sequence[tuple[Any, ...]]


CASES: dict[str, Case] = {}


def on(*calls: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """These are the arguments to try; one that is no tuple is the only one."""

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        given = [call if isinstance(call, tuple) else (call,) for call in calls]
        CASES[function.__name__] = Case(function, given)
        return function

    return noted


@on(*ALL)
def if_else(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    else:
        y = -x
    return y


@on(*ALL)
def if_alone(x: Any) -> Any:
    y = x * 3
    if x.sum() > 0:
        y = y + x
    return y


@on(*ALL)
def elif_chain(x: Any) -> Any:
    total = x.sum()
    if total > 5:
        y = x * 2
    elif total > 0:
        y = x * 3
    elif total > -3:
        y = x * 4
    else:
        y = x * 5
    return y


@on(*ALL)
def if_in_if(x: Any) -> Any:
    if x.sum() > 0:
        if x[0] > 0.75:
            y = x * 2
        else:
            y = x * 3
        z = y + 1
    else:
        y = x
        z = x * x
    return y * z


@on(([1.0, 2.0], True), ([1.0, 2.0], False), ([-1.0, 2.0], True))
def if_of_python(x: Any, flag: Any) -> Any:
    if flag:
        y = x * 2
    else:
        y = x * x
    if flag and x[0] > 0:
        y = y + 1
    return y


@on(*ALL)
def ternary(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x * x


@on(*ALL)
def ternary_in_ternary(x: Any) -> Any:
    return x if x[0] > 0.75 else x * 2 if x[1] > -3 else x * 3


@on(*ALL)
def early_return(x: Any) -> Any:
    if x.sum() > 5:
        return x * 2
    return x * x


@on(*ALL)
def returns_nested(x: Any) -> Any:
    if x.sum() > 0:
        if x[0] > 1.5:
            return x
        y = x * 2
    else:
        if x[0] < -0.5:
            return x * 3
        y = x * 4
    return y + x


@on(*ALL)
def returns_of_elif(x: Any) -> Any:
    if x[0] > 0.75:
        return x
    elif x[0] > 0:
        return x * 2
    return x * 3


@on(*ALL)
def return_in_for(x: Any) -> Any:
    for i in range(5):
        x = x * 2
        if x.sum() > 20:
            return x + i
    return x - 1


@on(([1.0, 2.0], 4), ([1.0, 2.0], 0), ([0.1, 0.2], 3))
def return_in_while(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x * 2
        if x.sum() > 9:
            return x * 10
        i = i + 1
    return x


@on(([1.0, 2.0], np.array(4)), ([1.0, 2.0], np.array(0)), ([0.1, 0.2], np.array(3)))
def return_in_tensor_while(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x * 2
        if x.sum() > 9:
            return x * 10
        i = i + 1
    return x


@on((UP, np.array(3)), (UP, np.array(0)), (DOWN, np.array(5)))
def tensor_while(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x * 1.5 + 1
        i += 1
    return x


@on(*ALL)
def while_on_value(x: Any) -> Any:
    while x.sum() < 20:
        x = x * x + 1
    return x


@on(UP, [50.0, 60.0])
def while_counting(x: Any) -> Any:
    rounds = 0
    while x.sum() < 100:
        x = x * 2
        rounds += 1
    return x, rounds


@on(UP, MIXED)
def while_true_break(x: Any) -> Any:
    while True:
        x = x * x + 0.5
        if x.sum() > 30:
            break
    return x


@on((UP, np.array(3)), (UP, np.array(2)))
def while_in_while(x: Any, n: Any) -> Any:
    i = 0
    s = x * 0
    while i < n:
        j = 0
        while j < i:
            s = s + x * j
            j += 1
        s = s * 2 + x
        i += 1
    return s


@on((UP, np.array(3)), (MIXED, np.array(4)))
def if_in_while(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        if x.sum() > 5:
            x = x - 2
        else:
            x = x * x
        i += 1
    return x


@on((UP, np.array(4)), (UP, np.array(0)))
def while_else(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x + 1
        if x.sum() > 14:
            break
        i += 1
    else:
        x = x * 10
    return x


@on(*ALL)
def for_range(x: Any) -> Any:
    s = x
    for i in range(3):
        s = s + x * i
    return s


@on((UP, np.array(4)), (UP, np.array(0)))
def for_tensor_range(x: Any, n: Any) -> Any:
    s = x * 1
    for i in range(n):
        s = s + x * i
    return s


@on((UP, np.array(2), np.array(9)), (UP, np.array(9), np.array(2)))
def for_range_from_to(x: Any, a: Any, b: Any) -> Any:
    s = x * 1
    for i in range(a, b, 3):
        s = s * 1.5 + i
    return s


@on((UP, np.array(9)), (UP, np.array(-1)))
def for_range_down(x: Any, a: Any) -> Any:
    s = x * 1
    for i in range(a, 0, -2):
        s = s * 0.5 + i
    return s


@on((UP, np.array(7), np.array(2)), (UP, np.array(7), np.array(-1)))
def for_range_any_step(x: Any, n: Any, step: Any) -> Any:
    s = x * 1
    for i in range(0, n, step):
        s = s * 0.5 + i
    return s


@on(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],), ([[1.0, 2.0]],))
def for_over_tensor(x: Any) -> Any:
    s = 0.0
    for row in x:
        s = s + row * row
    return s


@on(([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0]],))
def for_enumerate(x: Any) -> Any:
    s = x[0]
    for i, row in enumerate(x, 1):
        if row.sum() > 2:
            s = s + row * i
    return s


@on(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
def for_zip(x: Any, y: Any) -> Any:
    s = 0.0
    for a, b in zip(x, y, strict=True):
        s = s + a * b
    return s


@on(UP, DOWN)
def for_list(x: Any) -> Any:
    for factor in [1.0, 2.0, 3.0]:
        if x.sum() < 10:
            x = x * factor
    return x


@on(UP, DOWN)
def for_break(x: Any) -> Any:
    for _ in range(10):
        x = x * 2
        if x.sum() > 30:
            break
        x = x + 1
    return x


@on(UP, DOWN, MIXED)
def for_continue(x: Any) -> Any:
    s = x * 0
    for i in range(4):
        if x[i % 3] < 0:
            continue
        s = s + x * i
    return s


@on((UP, np.array(6)), (MIXED, np.array(6)))
def tensor_for_break_continue(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):
        if i == 1:
            continue
        if s.sum() > 15:
            break
        s = s + x * i + 1
    return s


@on(UP, DOWN)
def for_else(x: Any) -> Any:
    for _ in range(3):
        x = x * 2
        if x.sum() > 10:
            break
    else:
        x = x - 100
    return x


@on((UP, np.array(3)))
def loop_variable_after(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + i
    return x * i


@on((UP, np.array(3)))
def created_in_loop(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        y = x * i
        i += 1
    return y


@on((UP, np.array(2)), (DOWN, np.array(3)))
def for_in_for(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):
        for j in range(2):
            if x.sum() > j:
                s = s + x * (i + j)
    return s


@on((UP, np.array(4)))
def break_inner_loop(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):
        j = 0
        while True:
            j += 1
            if j > i:
                break
            s = s + x * j
    return s


@on(*ALL)
def and_or_not(x: Any) -> Any:
    if x[0] > 0 and x[1] > 0 or not x[2] > -1:
        return x * 2
    return x * 3


@on((UP, 3), (UP, 0), (DOWN, 3))
def and_mixed(x: Any, n: Any) -> Any:
    if n and x.sum() > 0:
        return x * n
    return x


@on(*ALL)
def chained_comparison(x: Any) -> Any:
    if 0 < x[0] < 0.75:
        return x * 2
    return x * 3


@on(*ALL)
def long_chain(x: Any) -> Any:
    if -3 < x[0] <= x[1] + 1 < x.sum():
        return x * 2
    return x * 3


@on(([1.0, -1.0, 2.0],), ([1.0, 2.0, 3.0],))
def lazy_and(x: Any) -> Any:
    i = 0
    while i < 3 and x[i] > 0:
        i = i + 1
    return x * i


@on((UP, np.array(0)), ([1.0, -1.0, 2.0], np.array(0)))
def lazy_and_of_tensors(x: Any, start: Any) -> Any:
    i = start
    while i < 3 and x[i] > 0:
        i = i + 1
    return x * i


@on(UP)
def assert_holds(x: Any) -> Any:
    assert x.sum() > 0, "positive"
    return x * 2


@on(UP, DOWN)
def casts(x: Any) -> Any:
    n = int(x[0] * 2)
    scale = float(x[1])
    if bool(x[2] > 0):
        return x * n + scale
    return x - n * len(x)


@on(UP, [[1.0, 2.0], [3.0, 4.0]])
def shapes(x: Any) -> Any:
    s = x * x.shape[0]
    for i in range(x.shape[-1]):
        s = s + i
    return s.reshape([x.shape[0], -1])


@on(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.array(1)))
def index_by_tensor(x: Any, i: Any) -> Any:
    return x[i] * x[i + 1] + x[0, 1]


@on(UP, MIXED)
def slice_assignment(x: Any) -> Any:
    y = x * 1
    y[0] = 10.0
    y[1:] = y[1:] * 2
    if y.sum() > 20:
        y[1] = x[2]
    return y


@on((UP, np.array(3)))
def assignment_in_loop(x: Any, n: Any) -> Any:
    y = x * 0
    for i in range(n):
        y[i] = x[i] * i
    return y


@on(UP)
def augmented(x: Any) -> Any:
    y = x * 1
    y[0] += 5
    y *= 2
    y -= x
    return y


@on(UP, DOWN)
def list_append(x: Any) -> Any:
    parts = []
    for i in range(3):
        parts.append(x * i)
    if x.sum() > 0:
        parts[0] = parts[1] + 1
    last = parts.pop()
    return tg.concat(parts) + last.sum()


@on((UP, np.array(3)), (UP, np.array(1)))
def append_in_tensor_loop(x: Any, n: Any) -> Any:
    parts = [x]
    for i in range(n):
        parts.append(x * (i + 2))
    return parts[0] + parts[1] * len(parts)


@on(UP, DOWN)
def dict_return(x: Any) -> Any:
    if x.sum() > 0:
        out = {"a": x, "b": x * 2}
    else:
        out = {"a": -x, "b": x * 3}
    return out


@on(UP, DOWN)
def nest_return(x: Any) -> Any:
    return {"one": [x, (x * 2, None)], "two": "text", "three": 3}, x.sum()


@on(UP, DOWN)
def tuple_in_branch(x: Any) -> Any:
    a, b = (x, x * 2) if x.sum() > 0 else (x * 3, x)
    a, b = b, a
    return a - b


@on(UP)
def f_strings(x: Any) -> Any:
    name = f"{len(x)}-{x.shape[0]:03d}"
    return x * len(name), name


@on(([1.0, 2.0],), ([1.0, 2.0], 3.0))
def default_argument(x: Any, by: Any = 2.0) -> Any:
    if x.sum() > 0:
        x = x * by
    return x


@on((UP, UP, DOWN), (UP,))
def star_arguments(*xs: Any) -> Any:
    s = 0.0
    for x in xs:
        if x.sum() > 0:
            s = s + x
    return s


def scaled(x: Any, *, by: Any = 1.0, **more: Any) -> Any:
    if x.sum() > 0:
        return x * by
    return x + more.get("add", 0.0)


@on(*ALL)
def keyword_arguments(x: Any) -> Any:
    return scaled(x, by=3.0, add=1.0) + scaled(*[x], **{"by": 2.0})


@on(*ALL)
def nested_function(x: Any) -> Any:
    factor = 2.0

    def inner(y: Any) -> Any:
        if y.sum() > 0:
            return y * factor
        return y - factor

    return inner(x) + inner(-x)


@on(*ALL)
def closure_that_counts(x: Any) -> Any:
    count = 0

    def step(y: Any) -> Any:
        nonlocal count
        count += 1
        return y * count

    x = step(x)
    if x.sum() > 0:
        x = x + 1
    return step(x), count


@on(*ALL)
def lambdas(x: Any) -> Any:
    double = lambda y: y * 2 if y.sum() > 0 else y * 3
    return double(x) + (lambda y: y + 1)(x)


def outer_helper(x: Any) -> Any:
    while x.sum() < 10:
        x = x * x + 1
    return x


@on(*ALL)
def calls_another(x: Any) -> Any:
    return outer_helper(x) * 2


def factorial(x: Any, n: int) -> Any:
    if n <= 1:
        return x
    return factorial(x, n - 1) * n


@on(UP)
def recursion(x: Any) -> Any:
    return factorial(x, 4)


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any) -> Any:
        result = function(*args)
        if result.sum() > 0:
            result = result * 2
        return result

    return wrapper


@doubled
def decorated_helper(x: Any) -> Any:
    if x[0] > 0:
        return x + 1
    return x - 1


@on(*ALL)
def decorators(x: Any) -> Any:
    return decorated_helper(x)


@on(*ALL)
def is_instance(x: Any) -> Any:
    if isinstance(x, tg.Tensor):
        x = x * 2
    if not isinstance(x, (int, float)):
        x = x + 1
    return x


@on(*ALL)
def without_gradient(x: Any) -> Any:
    with tg.no_grad():
        y = x * 10
    if y.sum() > 0:
        return x * y
    return x + y


@on(*ALL)
def return_in_with(x: Any) -> Any:
    with contextlib.nullcontext():
        if x.sum() > 0:
            return x * 2
        x = x + 1
    return x


@on(*ALL)
def try_around(x: Any) -> Any:
    try:
        y = x * {"a": 2}["b"]
    except KeyError:
        y = x * 3
    finally:
        z = 1.0
    if y.sum() > 0:
        y = y + z
    return y


@on(*ALL)
def walrus(x: Any) -> Any:
    if (n := x.sum()) > 0:
        return x * n
    while (m := x.sum()) < 10:
        x = x * x + m * m
    return x + n


@on(*ALL)
def none_then_tensor(x: Any) -> Any:
    best = None
    for i in range(3):
        if x[i] > 0:
            best = x * (i + 1)
    if best is not None:
        return best
    return x


@on((UP, np.array(3)), (DOWN, np.array(3)))
def none_in_tensor_loop(x: Any, n: Any) -> Any:
    best = None
    for i in range(n):
        if best is None or x[i] > best:
            best = x[i]
    return best * 2


@on(*ALL)
def bound_in_one_branch(x: Any) -> Any:
    positive = x.sum() > 0
    if positive:
        y = x * 2
    z = x
    if positive:
        z = y + x
    return z


@on(*ALL)
def list_comprehension(x: Any) -> Any:
    parts = [v * i for i, v in enumerate(x) if i != 1]
    return sum(parts) + max(1, 2)


@on(*ALL)
def generator_expression(x: Any) -> Any:
    return sum(v * v for v in x)


@on(*ALL)
def higher_order(x: Any) -> Any:
    add = partial(scaled, by=4.0)
    return reduce(lambda a, b: a + add(b), [x, x * 2], x)


@on(*ALL)
def attributes(x: Any) -> Any:
    class Box:
        pass

    box = Box()
    box.value = x
    if x.sum() > 0:
        y = box.value * 2
    else:
        y = box.value
    return y


@on(*ALL)
def returns_none_or_tensor(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return None


@on(*ALL)
def returns_of_any_kind(x: Any) -> Any:
    if x[0] > 0.75:
        return x, "first"
    if x[0] > 0:
        return None
    return {"third": x * 3}


@on(*ALL)
def texts_in_branches(x: Any) -> Any:
    if x.sum() > 0:
        name, y = "up", x
    else:
        name, y = "down", x * 2
    return name, y


@on(*ALL)
def numbers_in_branches(x: Any) -> Any:
    k = 1
    if x.sum() > 0:
        k = 2.5
    return x * k


@on((UP, np.array(3)))
def float_accumulator(x: Any, n: Any) -> Any:
    s = 0
    i = 0
    while i < n:
        s = s + x[i] * x[i]
        i += 1
    return s


@on((UP, np.array(3)), (UP, np.array(0)))
def vector_accumulator(x: Any, n: Any) -> Any:
    s = x * 0
    state = {"h": x, "c": [x * 2, 1.0]}
    for i in range(n):
        state["h"] = state["h"] + state["c"][0] * i
        s = s + state["h"]
    return s + state["c"][1]


@on((UP, np.array(2)))
def growing_shape(x: Any, n: Any) -> Any:
    i = 0
    y = x
    while i < n:
        y = tg.concat([y, x * i])
        i += 1
    return y.sum()


@on(*ALL)
def deletes(x: Any) -> Any:
    y = x * 2
    if y.sum() > 0:
        z = y + 1
        del y
    else:
        z = y
    return z


GLOBAL_FACTOR = 3.0


@on(*ALL)
def uses_globals(x: Any) -> Any:
    if x.sum() > 0:
        return x * GLOBAL_FACTOR
    return np.pi * x


@on(*ALL)
def match_statement(x: Any) -> Any:
    match x.shape:
        case [3]:
            y = x * 2
        case _:
            y = x
    if y.sum() > 0:
        y = y + 1
    return y


@on(*ALL)
def in_place_methods(x: Any) -> Any:
    y = x * 1
    if x.sum() > 0:
        y.add_(x)
    y.scale_(3.0)
    return y


@on(*ALL)
def detached(x: Any) -> Any:
    return x * x.detach() + x.clone()


@on(*ALL)
def built_in_any_all_max(x: Any) -> Any:
    if any(v > 1.5 for v in x) and not all(v > 0.75 for v in x):
        x = x * max(x[0], x[1])
    return x + min(x[2], 0.0)


@on(*ALL)
def bare_return(x: Any) -> Any:
    for _ in range(3):
        if x.sum() > 4:
            return
        x = x + 1
    return x


@on((UP, np.array(5)), (UP, np.array(0)), (MIXED, np.array(3)))
def every_jump(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):
        if i % 2 == 0:
            s = s + x
        elif i > 2:
            break
        else:
            continue
        s = s * 1.5
    else:
        s = s - 1
    return s


@on((UP, np.array(5)))
def swapped(x: Any, n: Any) -> Any:
    a, b = x, x * 0
    for _ in range(n):
        a, b = b, a + b
    return a, b


@on(*ALL)
def own_class(x: Any) -> Any:
    class Scale:
        def __init__(self, by: float) -> None:
            self.by = by

        def __call__(self, y: Any) -> Any:
            return y * self.by if y.sum() > 0 else y

    return Scale(2.0)(x)


@on((UP, np.array(3)), (DOWN, np.array(2)))
def attribute_in_loop(x: Any, n: Any) -> Any:
    class Box:
        total: Any = None

    box = Box()
    box.total = x * 0
    for i in range(n):
        if x.sum() > 0:
            box.total = box.total + x * i
        else:
            box.total = box.total - x
    return box.total


@on(*ALL)
def return_in_try(x: Any) -> Any:
    try:
        if x.sum() > 0:
            return x * 2
        y = x + 1
    finally:
        pass
    return y * 3


@on((UP, np.array(3)))
def function_in_loop(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):

        def inner(y: Any, by: Any) -> Any:
            if by > 1:
                return y * by
            return y

        s = s + inner(x, i)
    return s


@on((UP, np.array(2)), (UP, np.array(-1)), (UP, np.array(9)))
def slices_by_tensor(x: Any, k: Any) -> Any:
    return x[:k].sum() * 2 + x[k:].sum() * 3 + x[0:k:2].sum()


@on((UP, np.array(3)))
def last_of_a_list(x: Any, n: Any) -> Any:
    states = []
    h = x * 0
    for i in range(n):
        h = tg.tanh(h + x * i)
        states.append(h)
    for i, state in enumerate(states):
        h = h + state * i
    return states[-1] + tg.concat(states).sum() + h


@on((UP, np.array(3)))
def dict_of_numbers_in_loop(x: Any, n: Any) -> Any:
    table = {"v": x, "n": 0}
    for _ in range(n):
        table["v"] *= 2
        table["n"] += 1
    return table


@on(*ALL)
def super_of_an_inner_class(x: Any) -> Any:
    class Base:
        def step(self, y: Any) -> Any:
            return y + 1 if y.sum() > 0 else y - 1

    class Child(Base):
        def step(self, y: Any) -> Any:
            y = super().step(y)
            if y.sum() > 0:
                y = super().step(y)
            return y

    return Child().step(x)


@on(*ALL)
def caught_in_a_branch(x: Any) -> Any:
    def helper(y: Any) -> Any:
        try:
            raise KeyError("caught at once")
        except KeyError:
            return y * 2

    return helper(x) if x.sum() > 0 else x
