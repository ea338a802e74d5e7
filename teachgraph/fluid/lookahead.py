"""`LookaheadOptimizer`: slow weights that follow the fast ones of another optimizer."""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import functions
from teachgraph.optimizer.optimizer import Optimizer, Pairs
from teachgraph.static import (
    Operator,
    OpRole,
    Parameter,
    Program,
    Variable,
    default_startup_program,
    program_guard,
)
from teachgraph.static.counting import autoincreased_step_counter

__all__ = ["LookaheadOptimizer"]

COUNTER = "@LOOKAHEAD_COUNTER@"


class LookaheadOptimizer:
    """Every k steps slow <- slow + alpha (fast - slow), and fast <- slow.

    Args:
        inner_optimizer: The optimizer of the fast steps.
        alpha: The step size of the slow parameters.
        k: The number of fast steps for one slow step.

    Raises:
        InvalidValueError: alpha is not between 0 and 1, or k not 1 or more.

    Source: Zhang et al. 2019, https://arxiv.org/abs/1907.08610. In Paddle 1.x this is
    `fluid.optimizer.LookaheadOptimizer`.
    """

    def __init__(
        self, inner_optimizer: Optimizer, alpha: float = 0.5, k: int = 5
    ) -> None:
        if not 0.0 <= alpha <= 1.0 or not isinstance(k, int) or k < 1:
            raise InvalidValueError.here(
                f"alpha is 0 to 1 and k at least 1: {alpha!r}, {k!r}"
            )
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self.type = "lookahead"

    def minimize(
        self, loss: Variable, startup_program: Program | None = None
    ) -> tuple[list[Operator], Pairs]:
        """Append backward, fast steps and slow ones."""
        startup = startup_program or default_startup_program()
        updates, pairs = self.inner_optimizer.minimize(loss, startup)
        program = loss.block.program
        with program_guard(program, startup), program.with_role(OpRole.OPTIMIZE):
            step = autoincreased_step_counter(COUNTER, 1, 1)
            whole = functions.equal(step % self.k, functions.zeros_like(step))
            share = functions.cast(whole, "float32")
            for parameter, _ in pairs:
                self.go(parameter, share, startup)
        return updates, pairs

    def go(self, parameter: Parameter, share: Any, startup: Program) -> None:
        """Append the slow step of one parameter, which takes effect if `share` is 1."""
        facts = (f"{parameter.name}@SLOW", parameter.shape, parameter.dtype)
        slow = parameter.block.program.global_block().create_var(
            *facts, persistable=True, stop_gradient=True
        )
        start = startup.global_block().create_var(*facts, persistable=True)
        with program_guard(startup):
            functions.assign(startup.global_block().var(parameter.name), start)
        gone = slow + (parameter - slow) * self.alpha * share
        functions.assign(parameter + (gone - parameter) * share, parameter)
        functions.assign(gone, slow)
