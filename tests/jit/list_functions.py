"""Functions whose lists a loop of tensors makes longer or shorter, and aliases."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np

import teachgraph as tg
from tests.jit.functions import ALL, DOWN, UP, on

TWO, THREE, NONE = np.array(2), np.array(3), np.array(0)


@on((UP, THREE), (UP, NONE))
def pop_in_loop(x: Any, n: Any) -> Any:
    stack = [x, x * 2, x * 3, x * 4]
    s = x * 0
    for i in range(n):
        s = s + stack.pop() * i
    return s, len(stack), tg.stack(stack)


@on((UP, THREE), (UP, NONE))
def pop_from_the_front(x: Any, n: Any) -> Any:
    queue = [x, x * 2, x * 3, x * 4]
    s = x * 0
    for i in range(n):
        s = s * 0.5 + queue.pop(0) * (i + 1)
    return s, queue[0], queue[-1]


@on((UP, TWO))
def pop_where_a_tensor_says(x: Any, n: Any) -> Any:
    items = [x, x * 2, x * 3, x * 4]
    for i in range(n):
        items.pop(i)
    return tg.stack(items), len(items)


@on((UP, THREE))
def push_and_pop(x: Any, n: Any) -> Any:
    stack = [x]
    for i in range(n):
        top = stack.pop()
        stack.append(top * 2)
        stack.append(top + i)
    return tg.stack(stack)


@on((UP, THREE), (UP, NONE))
def insert_in_loop(x: Any, n: Any) -> Any:
    items = [x, x * 5]
    for i in range(n):
        items.insert(0, x * (i + 2))
        items.insert(-1, x * x * i)
    return items[0], tg.stack(items)


@on((UP, THREE))
def extend_in_loop(x: Any, n: Any) -> Any:
    items, others = [], []
    for i in range(n):
        items.extend([x * i, x + i])
        others += [x * x, x - i]
    return tg.stack(items) * tg.stack(others)


@on((UP, TWO))
def delete_in_loop(x: Any, n: Any) -> Any:
    items = [x, x * 2, x * 3, x * 4, x * 5]
    for i in range(n):
        del items[i]
        del items[-1]
    return tg.stack(items), len(items)


@on((UP, THREE))
def set_in_loop(x: Any, n: Any) -> Any:
    items = [x, x * 2, x * 3]
    for i in range(n):
        items[i] = items[i] * i
        items[0] += x
    return tg.stack(items)


@on((UP, THREE))
def last_changes_in_loop(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        items.append(x * i)
        items[-1] = items[-1] + 1
    return tg.stack(items)


@on((UP, np.array(4)))
def while_there_are_some(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        items.append(x * i)  # noqa: PERF401  how many, a tensor says
    s = x * 0
    while len(items) > 0:
        s = s * 0.5 + items.pop()
    return s


@on((UP, THREE))
def two_pops_in_a_line(x: Any, n: Any) -> Any:
    items = [x, x * 2]
    for i in range(n):
        items.append(x * i)
        a, b = items.pop(), items.pop()
        items.append(a * b)
        items.append(a - b)
    return tg.stack(items)


@on(*ALL)
def lists_in_branches(x: Any) -> Any:
    items = [x, x * 2, x * 3]
    if x.sum() > 0:
        last = items.pop()
        items.insert(1, last + 1)
    else:
        del items[0]
        items.append(x)
    return items


@on((UP, THREE), (DOWN, THREE))
def list_of_an_attribute(x: Any, n: Any) -> Any:
    class Box:
        pass

    box = Box()
    box.items, box.table = [x], {"k": [x]}
    for i in range(n):
        box.items.append(x * i)
    if x.sum() > 0:
        box.table["k"].append(x * 2)
    else:
        box.table["k"].append(x * 3)
    return tg.stack(box.items), box.table


@on((UP, THREE))
def choosing_by_a_tensor(x: Any, n: Any) -> Any:
    weights, parts = [0.5, 1.5, 2.5], (x, x * x, x + 1)
    s = x * 0
    for i in range(n):
        s = s + parts[i] * weights[i]
    return s


@on(*ALL)
def alias_of_a_tensor(x: Any) -> Any:
    x = x * 1
    y = x
    y[0] = 5.0
    table = {"a": x}
    table["a"][1] = x[2] * 3
    return x, y, y is x


@on(*ALL)
def alias_in_a_branch(x: Any) -> Any:
    before = x * x
    x = x * 2
    y = x
    if y.sum() > 0:
        y[0] = before[1]
        z = x * 3
    else:
        y.add_(before)
        z = x
    return x, z, before


@on((UP, THREE), (UP, NONE))
def alias_in_a_loop(x: Any, n: Any) -> Any:
    x = x * 1
    y = x
    s = x * 0
    for i in range(n):
        s = s + x
        y[i] = s[0] * i
    return x, s


def fill_first(values: Any, by: Any) -> None:
    if by > 0:
        values[0] = by * by


@on(*ALL)
def changed_by_a_function(x: Any) -> Any:
    y = x * 1
    fill_first(y, x[1])
    return y * x


@on(*ALL)
def argument_changed_in_place(x: Any) -> Any:
    y = x.clone()
    y[1] = y[0] * 2
    z = y.scale_(2.0).add_(x)
    return y, z, z is y


@on(*ALL)
def changed_by_functions_in_place(x: Any) -> Any:
    y = x.clone()
    z = y
    if tg.subtract_(y, x * 3.0).sum() > 1:
        tg.nn.functional.relu_(y)
    else:
        tg.tanh_(y)
    return z * x, z is y


@on((UP, TWO))
def items_swapped(x: Any, n: Any) -> Any:
    y, z = x * 1, [x, x * 2]
    for i in range(n):
        y[i], y[i + 1] = y[i + 1], y[i] * 2
    z[0], z[1] = z[1], z[0]
    return y, z


@on((UP, THREE), (UP, NONE))
def cleared_in_loop(x: Any, n: Any) -> Any:
    items = [x]
    for i in range(n):
        if i == 1:
            items.clear()
        items.append(x * i)
    return tg.stack(items), len(items)


@on(*ALL)
def lists_of_two_lengths(x: Any) -> Any:
    items = [x, x * 2]
    if x.sum() > 0:
        items.append(x * x)
    elif x[0] > 0:
        items = []
    return items, len(items)


@on((UP, THREE))
def true_if_there_are_some(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        if items:
            items.append(items[-1] * i + x)
        else:
            items.append(x * x)
    s = x * 0
    while items:
        s = s * 0.5 + items.pop()
    return s


@on((UP, np.array(4)), (UP, THREE))
def slices_of_a_list(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        items.append(x * x * i)  # noqa: PERF401
    items.reverse()
    both = [x, x * 2] + items[1:] + items[:n] + items[::-1]  # noqa: RUF005
    same = list(items)
    items.append(x)
    s = x * 0
    for item in reversed(both):
        s = s * 0.5 + item
    return s + sum(both), len(same), len(items)


@on((UP, THREE))
def list_of_nested_loops(x: Any, n: Any) -> Any:
    items = []
    for i in range(n):
        for j in range(i + 1):
            items.append(x * i + j)  # noqa: PERF401
        items.pop(0)
    return items, tg.stack(items)


@on(*ALL)
def lists_that_nobody_reads_later(x: Any) -> Any:
    items, table = [x, x * 2], {"a": [x]}
    if x.sum() > 0:
        items[0] = x * 3
        table["a"].append(items[0])
        found = set()
        found.add(len(items))
        y = items[0] + table["a"][-1] * len(found)
    else:
        y = items[1]
    return y


@on(*ALL)
def dictionaries_of_other_types(x: Any) -> Any:
    table, ordered = defaultdict(list), OrderedDict(b=x, a=x * 2)
    table["k"].append(x)
    if x.sum() > 0:
        table["k"].append(x * 2)
        ordered["a"] = x * x
    else:
        table["k"].append(x * 3)
        ordered["b"] = x + 1
    table["other"].append(ordered["a"])
    return table["k"], table["other"], ordered["b"], isinstance(ordered, OrderedDict)
