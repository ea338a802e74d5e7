"""A limit on the iterations of the loops in a learner's program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest import mock

from teachgraph import static

__all__ = ["rounds_at_most"]


@contextmanager
def rounds_at_most(most: int) -> Iterator[None]:
    """Stop each `while_loop` that is built inside with LoopError after `most` rounds.

    >>> import teachgraph as paddle
    >>> paddle.enable_static()
    >>> main = static.Program()
    >>> with static.program_guard(main), rounds_at_most(7):
    ...     always = lambda x: paddle.full([1], True, "bool")
    ...     (x,) = static.nn.while_loop(always, lambda x: [x * 2.0], [paddle.ones([1])])
    >>> static.Executor().run(main, fetch_list=[x])  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    teachgraph.control_flow.ops.LoopError: while
    >>> paddle.disable_static()
    """
    limited = partial(static.nn.while_loop, max_iterations=most)
    with mock.patch.object(static.nn, "while_loop", limited):
        yield
