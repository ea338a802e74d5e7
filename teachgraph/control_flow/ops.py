"""Control flow ops: conditional block, while, recurrent; and the limit of a loop.

`conditional_block` and `while` refer to a block of their program, which only an
Executor can run; they have a type, slots and attributes, but no kernel of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, OpError
from teachgraph.core.op import Op, op

__all__ = [
    "LoopError",
    "conditional_block",
    "conditional_block_grad",
    "count_iteration",
    "limit_of",
    "recurrent",
    "recurrent_grad",
    "rnn_memory_helper",
    "while_",
    "while_grad",
]

FLOAT32 = dtypes.PADDLE_CODES[dtypes.float32]
ONE_BOOL = "a condition of one element"


class LoopError(OpError, RuntimeError):
    """A loop exceeded its limit of iterations."""


def count_iteration(rounds: int, limit: int) -> int:
    """Count one more iteration.

    Raises:
        LoopError: The limit is exceeded.
    """
    if rounds >= limit:
        raise LoopError(
            f"the loop has gone round {limit} times and its condition still holds; "
            "max_iterations says how often it may"
        )
    return rounds + 1


def limit_of(max_iterations: Any) -> int | None:
    """Validate the limit of iterations; None is no limit.

    Raises:
        InvalidValueError: The limit is no integer of at least 1.
    """
    if max_iterations is None:
        return None
    whole = isinstance(max_iterations, (int, np.integer))
    if not whole or isinstance(max_iterations, bool) or max_iterations < 1:
        raise InvalidValueError(
            "max_iterations is a whole number from 1 on, or None for a loop without "
            f"end, not {max_iterations!r}"
        )
    return int(max_iterations)


def of_a_block(type: str, outputs: Sequence[str], **attrs: Any) -> Op:
    """Create an op that runs a block of its program."""

    def kernel(condition: Any, *x: Any, sub_block: int) -> Any:
        raise InvalidValueError(
            f"block {sub_block} is part of a program, which an Executor runs"
        )

    block_op = op(type=type, outputs=outputs, needs=ONE_BOOL)(kernel)
    block_op.attrs = {**block_op.attrs, **attrs}
    block_op.defaults = attrs
    block_op.__doc__ = f"`{type}` runs a block of its program: see `static.nn`."
    return block_op


conditional_block = of_a_block(
    "conditional_block", ("out", "scope"), is_scalar_condition=True
)
conditional_block_grad = of_a_block(
    "conditional_block_grad", ("input@GRAD",), is_scalar_condition=True
)
while_ = of_a_block("while", ("out", "step_scopes"), is_test=False, max_iterations=None)
while_grad = of_a_block("while_grad", ("x@GRAD",), original_output_grad=())
recurrent = of_a_block(
    "recurrent",
    ("outputs", "step_scopes"),
    has_states=False,
    ex_states=(),
    states=(),
    step_inputs=(),
    step_outputs=(),
    reverse=False,
    is_train=True,
)
recurrent_grad = of_a_block(
    "recurrent_grad",
    ("inputs@GRAD", "initial_states@GRAD", "parameters@GRAD"),
    has_states=False,
    ex_states=(),
    states=(),
    step_inputs=(),
    step_outputs=(),
    reverse=False,
    is_train=True,
)


@op
def rnn_memory_helper(x: Any, *, dtype: int = FLOAT32) -> Any:
    """Identity: a step's output, or the state passed to the next step."""
    return x


@rnn_memory_helper.grad
def rnn_memory_helper_grad(dout: Any, *, dtype: int) -> Any:
    """dx = dout."""
    return rnn_memory_helper(dout)
