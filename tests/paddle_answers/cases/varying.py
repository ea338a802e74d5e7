"""Branches and loops whose values change their rank, sizes or dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["STORIES"]

Build = Callable[[Any, Any], Any]


def runs(paddle: Any, build: Build, *feeds: float, dtype: str = "float32") -> Any:
    """What a program states of its results, and their values by feed."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [1], dtype)
        outs = build(paddle, x)
    executor = paddle.static.Executor()
    feeds = feeds or (1.0,)
    values = [executor.run(main, {"x": np.array([v], dtype)}, outs) for v in feeds]
    return [[list(out.shape), name_of(out.dtype)] for out in outs], values


def name_of(dtype: Any) -> str:
    return str(dtype).rsplit(".", maxsplit=1)[-1]


def branches_of_two_dtypes_and_shapes(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        return paddle.static.nn.cond(
            x.sum() > 0,
            lambda: (paddle.ones([1, 2], "int32"), paddle.ones([2, 3], "bool")),
            lambda: (paddle.full([3, 4], 3.0), paddle.full([4, 5], 2, "int64")),
        )

    return runs(paddle, build, 1.0, -1.0)


def branches_of_two_ranks(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        zeros, threes = lambda: paddle.zeros([]), lambda: paddle.full([3, 2], 3.0)
        return [paddle.static.nn.cond(x.sum() > 0, zeros, threes)]

    return runs(paddle, build, 1.0, -1.0)


def numbered_branches_of_three_shapes(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        fns = {
            1: lambda: paddle.full([1, 2], 1, "int32"),
            2: lambda: paddle.full([2, 3], 2, "int64"),
        }
        other = lambda: paddle.full([3], 3, "int32")  # noqa: E731
        return [paddle.static.nn.switch_case(x, fns, default=other)]

    return runs(paddle, build, 1, 2, 3, dtype="int32")


def cases_of_three_shapes(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        pairs = [
            (x < 1, lambda: paddle.full([1, 2], 1.0)),
            (x < 2, lambda: paddle.full([2, 2], 2.0)),
        ]
        other = lambda: paddle.full([3], 3, "int32")  # noqa: E731
        return [paddle.static.nn.case(pairs, default=other)]

    return runs(paddle, build, 0.0, 1.0, 3.0)


def looped(paddle: Any, first: Any, body: Callable[[Any], Any]) -> Any:
    """A loop of three iterations over one more variable."""
    zero = paddle.full([1], 0, "int64")
    return paddle.static.nn.while_loop(
        lambda i, _: i < 3, lambda i, y: [i + 1, body(y)], [zero, first]
    )


def a_loop_doubles_a_vector(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        return looped(paddle, paddle.full([1], 1.0), lambda y: paddle.concat([y, y]))

    return runs(paddle, build)[1]


def a_loop_makes_a_vector_of_a_number(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        ones = paddle.ones([5])
        return looped(paddle, paddle.full([], 1.0), lambda y: ones + y.sum())

    return runs(paddle, build)


def a_loop_makes_fractions_of_integers(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        whole = paddle.full([1], 1, "int32")
        return looped(paddle, whole, lambda y: paddle.full([5], 2.5))

    return runs(paddle, build)[1]


def an_array_is_written_at_a_counter_that_moves(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        x, i = paddle.full([1, 2], 3.0), paddle.zeros([1], "int64")
        array = paddle.tensor.array_write(x, i)
        paddle.increment(i)
        paddle.tensor.array_write(x * 2, i, array=array)
        paddle.increment(i)
        length = paddle.tensor.array_length(array)
        return [length, paddle.tensor.array_read(array, i - 1), i]

    return runs(paddle, build)[1]


def a_loop_writes_an_array_at_a_counter_that_moves(paddle: Any) -> Any:
    def build(paddle: Any, x: Any) -> Any:
        x, i = paddle.full([1, 2], 3.0), paddle.zeros([1], "int64")
        array = paddle.tensor.array_write(x, i)

        def body(i: Any) -> Any:
            value = paddle.tensor.array_read(array, i)
            i = paddle.increment(i)
            paddle.tensor.array_write(value + 1, i, array=array)
            return [i]

        (i,) = paddle.static.nn.while_loop(lambda i: i < 3, body, [i])
        length = paddle.tensor.array_length(array)
        return [length, paddle.tensor.array_read(array, i), i]

    return runs(paddle, build)[1]


def traced_branches_of_two_dtypes(paddle: Any) -> Any:
    @paddle.jit.to_static
    def either(x: Any) -> Any:
        if x.sum() > 0:  # noqa: SIM108
            y = paddle.full([1, 2], 1, "int32")
        else:
            y = paddle.full([3, 4], 3.0)
        return y

    return [either(paddle.to_tensor([v])) for v in (1.0, -1.0)]


def traced_loops_of_two_shapes(paddle: Any) -> Any:
    @paddle.jit.to_static
    def loop(n: Any) -> Any:
        y = paddle.zeros([])
        i = paddle.zeros([1], "int32")
        while i < n:
            y = paddle.full([5], 2.0) + y
            i += 1
        return y

    return [loop(paddle.to_tensor([n], dtype="int32")) for n in (3, 0)]


def traced_loops_of_two_dtypes(paddle: Any) -> Any:
    @paddle.jit.to_static
    def loop(n: Any) -> Any:
        y = paddle.zeros([2], "int32")
        i = paddle.zeros([1], "int32")
        while i < n:
            y = y.astype("float32") + 0.5
            i += 1
        return y * 2

    return [loop(paddle.to_tensor([n], dtype="int32")) for n in (2, 0)]


def slope_of_branches_of_two_dtypes(paddle: Any) -> Any:
    @paddle.jit.to_static
    def either(x: Any, n: Any) -> Any:
        if n > 1:  # noqa: SIM108
            y = paddle.full([1, 2], 3, "int32")
        else:
            y = x * x
        return y * 2.5

    x = paddle.to_tensor([2.0, -3.0], stop_gradient=False)
    y = either(x, paddle.to_tensor(0))
    y.sum().backward()
    return [y, x.grad, either(x, paddle.to_tensor(2))]


STORIES = [
    branches_of_two_dtypes_and_shapes,
    branches_of_two_ranks,
    numbered_branches_of_three_shapes,
    cases_of_three_shapes,
    a_loop_doubles_a_vector,
    a_loop_makes_a_vector_of_a_number,
    a_loop_makes_fractions_of_integers,
    an_array_is_written_at_a_counter_that_moves,
    a_loop_writes_an_array_at_a_counter_that_moves,
    traced_branches_of_two_dtypes,
    traced_loops_of_two_shapes,
    traced_loops_of_two_dtypes,
    slope_of_branches_of_two_dtypes,
]
