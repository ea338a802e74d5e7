"""Random variables: the spaces that transforms map from and to.

In Paddle this is `paddle.distribution.variable`. A variable of a program is another
thing: `static.Variable`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.distribution import constraint as constraints
from teachgraph.ops.functions.joining import stack, unstack
from teachgraph.ops.functions.reduce import all

__all__ = [
    "Independent",
    "Positive",
    "Real",
    "Stack",
    "Variable",
    "positive",
    "real",
]


class Variable:
    """A random variable.

    Args:
        is_discrete: It takes countably many values.
        event_rank: The number of dimensions of one value.
        constraint: The set of its values.
    """

    def __init__(
        self,
        is_discrete: bool = False,
        event_rank: int = 0,
        constraint: constraints.Constraint | None = None,
    ) -> None:
        self._is_discrete = is_discrete
        self._event_rank = event_rank
        self._constraint = constraint or constraints.real

    @property
    def is_discrete(self) -> bool:
        """True if it takes countably many values."""
        return self._is_discrete

    @property
    def event_rank(self) -> int:
        """The number of dimensions of one value."""
        return self._event_rank

    def constraint(self, value: Any) -> Any:
        """Compute which values satisfy the constraint."""
        return self._constraint(value)


class Real(Variable):
    """A real random variable."""

    def __init__(self, event_rank: int = 0) -> None:
        super().__init__(False, event_rank, constraints.real)


class Positive(Variable):
    """A random variable that is never negative."""

    def __init__(self, event_rank: int = 0) -> None:
        super().__init__(False, event_rank, constraints.positive)


class Independent(Variable):
    """A random variable whose last batch dimensions belong to the event.

    Args:
        base: The variable itself.
        reinterpreted_batch_rank: How many of its last batch dimensions.
    """

    def __init__(self, base: Variable, reinterpreted_batch_rank: int) -> None:
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)
        self._base, self._reinterpreted = base, reinterpreted_batch_rank

    def constraint(self, value: Any) -> Any:
        """Compute which events satisfy the constraint in all their elements."""
        satisfied = self._base.constraint(value)
        axes = list(range(-self._reinterpreted, 0))
        return all(satisfied, axes) if axes else satisfied


class Stack(Variable):
    """Random variables stacked along an axis.

    Args:
        vars: The variables.
        axis: The dimension that counts them.
    """

    def __init__(self, vars: Sequence[Variable], axis: int = 0) -> None:
        self._vars, self._axis = vars, axis
        rank = max(variable.event_rank for variable in vars)
        is_discrete = any(variable.is_discrete for variable in vars)
        # Counted from the end the axis may stand inside the event.
        super().__init__(is_discrete, rank + (axis + rank < 0))

    def constraint(self, value: Any) -> Any:
        """Compute which values satisfy the constraint of their variable."""
        slices = zip(self._vars, unstack(value, self._axis), strict=True)
        return stack([one.constraint(part) for one, part in slices], self._axis)


real = Real()
positive = Positive()
