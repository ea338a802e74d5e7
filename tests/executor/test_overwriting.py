"""Gradients of variables that blocks inside loops and branches write over."""

from __future__ import annotations

from typing import Any

import numpy as np

import teachgraph as tg
from teachgraph.core import modes
from teachgraph.fluid.control_flow import (
    While,
    array_read,
    array_write,
    create_array,
    increment,
    less_than,
)
from teachgraph.static import nn
from tests.executor.test_control_flow import agree, made_up


def put(value: Any, variable: Any) -> None:
    tg.assign(value, variable)


def rounds(count: int) -> tuple[Any, Any, Any]:
    """A counter, its end, and whether it has got there."""
    return (
        tg.full([1], 0, "int64"),
        tg.full([1], count, "int64"),
        tg.full([1], 1, "bool"),
    )


def test_a_branch_in_a_loop_writes_over_a_variable_around_both() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 2.0
        if modes.in_dynamic_mode():
            for k in range(5):
                y = tg.tanh(y * w) if k % 2 == 0 else y
                y = y + 0.5 * x
            return y * y
        k, end, going = rounds(5)
        with While(going).block():
            even = tg.equal(k % 2, tg.zeros([1], "int64"))
            nn.cond(even, lambda: put(tg.tanh(y * w), y))
            put(y + 0.5 * x, y)
            increment(k)
            less_than(k, end, cond=going)
        return y * y

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_both_branches_write_over_it_and_read_it_again() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 1.0

        def yes() -> None:
            put(y * w, y)
            put(y + tg.sin(y), y)

        if modes.in_dynamic_mode():
            for k in range(4):
                y = y * w + tg.sin(y * w) if k > 1 else tg.exp(-y)
            return y
        k, end, going = rounds(4)
        with While(going).block():
            nn.cond(k > 1, yes, lambda: put(tg.exp(-y), y))
            increment(k)
            less_than(k, end, cond=going)
        return y

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_a_loop_in_a_loop_writes_over_a_variable_around_both() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 1.0
        if modes.in_dynamic_mode():
            for k in range(3):
                y = y + x
                for _ in range(k + 1):
                    y = tg.tanh(y * w)
                y = y * y
            return y
        k, end, going = rounds(3)
        with While(going).block():
            put(y + x, y)
            j, _, again = rounds(1)
            increment(k)
            with While(again).block():
                put(tg.tanh(y * w), y)
                increment(j)
                less_than(j, k, cond=again)
            put(y * y, y)
            less_than(k, end, cond=going)
        return y

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_a_loop_in_a_branch_in_a_loop_writes_over_it() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 1.0
        if modes.in_dynamic_mode():
            for k in range(3):
                if k != 1:
                    for _ in range(2):
                        y = tg.tanh(y * w)
                y = y + x
            return y
        k, end, going = rounds(3)

        def twice() -> None:
            j, stop, again = rounds(2)
            with While(again).block():
                put(tg.tanh(y * w), y)
                increment(j)
                less_than(j, stop, cond=again)

        with While(going).block():
            nn.cond(tg.not_equal(k, tg.full([1], 1, "int64")), twice)
            put(y + x, y)
            increment(k)
            less_than(k, end, cond=going)
        return y

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_a_branch_writes_over_a_variable_of_the_program() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 3.0
        z = tg.sum(y * y)
        if modes.in_dynamic_mode():
            y = y * w if x.numpy()[0] > 0 else y
            return y * tg.sin(y) + z
        nn.cond(x[0] > 0.0, lambda: put(y * w, y))
        return y * tg.sin(y) + z

    agree(function, 1.0 + made_up(3), made_up(3, start=5))
    agree(function, made_up(3) - 1.0, made_up(3, start=5))


def test_a_branch_writes_into_an_array_around_it() -> None:
    def function(x: Any, w: Any) -> Any:
        array = create_array("float64", [x * w])
        if modes.in_dynamic_mode():
            if x.numpy()[0] > 0:
                array_write(array_read(array, 0) * w, 0, array)
            return array_read(array, 0) * x

        def write() -> None:
            array_write(array_read(array, 0) * w, 0, array)

        nn.cond(x[0] > 0.0, write)
        return array_read(array, 0) * x

    agree(function, 1.0 + made_up(3), made_up(3, start=5))
    agree(function, made_up(3) - 1.0, made_up(3, start=5))


def test_arrays_in_nested_loops() -> None:
    """A table whose rows the inner loop fills, in an array that the outer one keeps."""

    def function(x: Any, w: Any) -> Any:
        table = create_array("float64", [x])
        if modes.in_dynamic_mode():
            for k in range(3):
                row = array_read(table, k)
                for _ in range(2):
                    row = tg.tanh(row * w) + x
                array_write(row, k + 1, table)
            return array_read(table, 3) * array_read(table, 1)
        k, end, going = rounds(3)
        with While(going).block():
            cells = array_write(array_read(table, k), 0)
            j, stop, again = rounds(2)
            with While(again).block():
                cell = tg.tanh(array_read(cells, j) * w) + x
                increment(j)
                array_write(cell, j, cells)
                less_than(j, stop, cond=again)
            increment(k)
            array_write(array_read(cells, j), k, table)
            less_than(k, end, cond=going)
        return array_read(table, 3) * array_read(table, 1)

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_what_a_loop_keeps_does_not_grow_with_what_it_writes_over() -> None:
    """Each round of a long loop keeps the same: the gradient is right at any length."""

    def function(x: Any) -> Any:
        y = x * 1.0
        if modes.in_dynamic_mode():
            for _ in range(50):
                y = tg.sin(y) + x
            return y
        k, end, going = rounds(50)
        with While(going).block():
            nn.cond(k >= 0, lambda: put(tg.sin(y) + x, y))
            increment(k)
            less_than(k, end, cond=going)
        return y

    agree(function, np.array([0.3, 0.7]))
