"""A limit on the iterations of the loops in a learner's program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from teachgraph import static
from teachgraph.core.program import Variable
from teachgraph.ops import functions

__all__ = ["rounds_at_most"]


@contextmanager
def rounds_at_most(most: int) -> Iterator[list[Variable]]:
    """End each `while_loop` that is built inside after `most` iterations.

    Yields:
        For each loop built so far, the Variable of its iterations, [1], int64.

    >>> import numpy as np
    >>> import teachgraph as paddle
    >>> paddle.enable_static()
    >>> main = static.Program()
    >>> with static.program_guard(main), rounds_at_most(7) as rounds:
    ...     always = lambda x: paddle.full([1], True, "bool")
    ...     (x,) = static.nn.while_loop(always, lambda x: [x * 2.0], [paddle.ones([1])])
    >>> static.Executor().run(main, fetch_list=[x, *rounds])
    [array([128.], dtype=float32), array([7])]
    >>> paddle.disable_static()
    """
    loop = static.nn.while_loop
    written: list[Variable] = []

    def limited(
        condition: Callable[..., Any],
        body: Callable[..., Any],
        state: Any,
        *options: Any,
        **named: Any,
    ) -> Any:
        def goes_on(count: Any, *state: Any) -> Any:
            return functions.logical_and(count < most, condition(*state))

        def one_round(count: Any, *state: Any) -> list[Any]:
            return [count + 1, *body(*state)]

        start = functions.zeros([1], "int64")
        count, *last = loop(goes_on, one_round, [start, *state], *options, **named)
        written.append(count)
        return last

    with mock.patch.object(static.nn, "while_loop", limited):
        yield written
