"""`RecomputeOptimizer`: activation checkpointing in a Program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, ModeError
from teachgraph.optimizer.optimizer import Optimizer, Pairs
from teachgraph.static.append_backward import append_backward
from teachgraph.static.operator import Operator
from teachgraph.static.program import (
    Program,
    default_startup_program,
    program_guard,
)
from teachgraph.static.variable import Variable

__all__ = ["RecomputeOptimizer"]


class RecomputeOptimizer:
    """Wrapper of an optimizer that saves the forward's values at checkpoints only.

    Gradients and updates are those of the inner optimizer; backward recomputes the
    values between the checkpoints.

    Args:
        optimizer: The inner optimizer.

    Raises:
        DTypeError: `optimizer` is no optimizer.

    In Paddle this is `paddle.incubate.optimizer.RecomputeOptimizer`.

    >>> import teachgraph as tg
    >>> from teachgraph import static
    >>> main = static.Program()
    >>> with static.program_guard(main, static.Program()):
    ...     x = static.data("x", [8, 4])
    ...     first = static.nn.fc(x, 4, activation="tanh")
    ...     second = static.nn.fc(first, 4, activation="tanh")
    ...     optimizer = RecomputeOptimizer(tg.optimizer.SGD(0.1))
    ...     optimizer._set_checkpoints([first, second])
    ...     updates, _ = optimizer.minimize(tg.mean(second))
    >>> [op.type for op in main.global_block().ops].count("mul")
    4
    """

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise DTypeError.here(
                "RecomputeOptimizer takes an optimizer such as SGD(0.1), got "
                f"{type(optimizer)}"
            )
        self._optimizer = optimizer
        self._checkpoints: list[Variable | str] | None = None

    def _set_checkpoints(self, checkpoints: Sequence[Variable | str]) -> None:
        """Set the variables to save; all others are recomputed.

        Raises:
            DTypeError: `checkpoints` is no list of Variables or names.
        """
        if not isinstance(checkpoints, list) or not all(
            isinstance(cut, (Variable, str)) for cut in checkpoints
        ):
            raise DTypeError.here(
                "_checkpoints should be a list of Variable or a list of String, "
                f"received {checkpoints!r}"
            )
        self._checkpoints = checkpoints

    def load(self, state_dict: Any) -> None:
        """Refuse, as Paddle does.

        Raises:
            NotImplementedError: Always; load the state into the inner optimizer.
        """
        raise NotImplementedError(
            "load function is not supported by Recompute Optimizer for now: call "
            "set_state_dict of the inner optimizer"
        )

    def backward(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameter_list: Sequence[Any] | None = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Pairs:
        """Append the recomputation and the backward operators, without updates.

        Raises:
            ModeError: `_set_checkpoints` was not called.
            DTypeError: The loss is no Variable, as in dynamic mode.
        """
        if self._checkpoints is None:
            raise ModeError.here("You should call _set_checkpoints first")
        return append_backward(
            loss, parameter_list, no_grad_set, callbacks, self._checkpoints
        )

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        """Append the inner optimizer's clipping, decay and updates."""
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(
        self, loss: Variable, startup_program: Program | None, params_grads: Pairs
    ) -> list[Operator]:
        """Append clipping, decay and updates, in the loss's program."""
        startup = startup_program or default_startup_program()
        with program_guard(loss.block.program, startup):
            return self.apply_gradients(params_grads)

    def minimize(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameter_list: Sequence[Any] | None = None,
        no_grad_set: Any = None,
    ) -> tuple[list[Operator], Pairs]:
        """Append backward and update operators for `loss`.

        Returns:
            The update operators and the (parameter, gradient) pairs.
        """
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs
