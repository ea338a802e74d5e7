"""The learning rate of an optimizer: a number, a schedule, or a program's variable.

Tensors are updated with its current value. A Program has it as a variable: that of a
schedule is set from the schedule before each run; one that the program itself computes
is used directly.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes, unique_name
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.program import OpRole
from teachgraph.optimizer.checks import NUMBERS
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.static.layers import in_child_scope, initialised
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

__all__ = ["Rate"]


class Scaled(dict[float, Tensor]):
    """A learning rate times the factors of parameters, as scalars by factor."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __missing__(self, factor: float) -> Tensor:
        self[factor] = scaled = Tensor.results(np.array(self.rate * factor, np.float32))
        return scaled


class Rate:
    """A learning rate.

    Args:
        value: A number of 0 or more, a schedule, or a Variable of a program.

    Raises:
        InvalidValueError: The value is none of these.
    """

    scheduler: LRScheduler | None = None
    _number: float | None = None
    # NaN differs from every rate, so the first step computes its own.
    _scaled = Scaled(nan)

    def __init__(self, value: Any) -> None:
        self.variables: dict[int, Variable] = {}
        if isinstance(value, LRScheduler):
            self.scheduler = value
        elif isinstance(value, Variable):
            self.variables[id(value.block.program)] = value
        else:
            self._number = checked(value)

    def now(self) -> float:
        """Return the current value.

        Raises:
            ModeError: A program computes it when it runs.
        """
        if self.scheduler is not None:
            return self.scheduler()
        if self._number is None:
            raise no_value_yet()
        return self._number

    def set(self, value: Any) -> None:
        """Set the value.

        Raises:
            InvalidValueError: The value is no number greater than 0.
            ModeError: A schedule determines the rate, or a program has it already.
        """
        if self.scheduler is not None:
            raise ModeError.here(
                "optimizer's learning rate can't be LRScheduler when invoke this "
                "API, because this will lead to conflict."
            )
        for variable in self.variables.values():
            raise ModeError.here(
                f"the learning rate is the program's variable {variable.name!r}: "
                "set it in the scope, by scope.var(name).get_tensor().set(value)"
            )
        self._number = checked(value)

    def follow(self, scheduler: LRScheduler) -> None:
        """Follow a schedule from now on, in programs as well."""
        self.scheduler = scheduler
        for variable in self.variables.values():
            program: Any = variable.block.program
            program.ask(variable.name, scheduler)

    def tensors(self) -> Scaled:
        """The rate as it is now, as a scalar for each factor."""
        now = self.now()
        if self._scaled.rate != now:
            self._scaled = Scaled(now)
        return self._scaled

    def variable(self, program: Program) -> Variable:
        """Return the rate as a variable of a program, `learning_rate_0`."""
        if id(program) not in self.variables:
            name = unique_name.generate("learning_rate")
            rate = initialised(name, [], self.now(), dtypes.float32)
            self.variables[id(program)] = rate
            if self.scheduler is not None:
                program.ask(name, self.scheduler)
        return self.variables[id(program)]

    def scaled(self, program: Program, factor: float) -> Variable:
        """Return the variable times a parameter's own factor."""
        rate = self.variable(program)
        if factor == 1.0:
            return rate
        with (
            program.with_role(OpRole.OPTIMIZE | OpRole.RATE),
            in_child_scope(program, "scale_with_param_lr"),
        ):
            scaled: Variable = rate * factor
            return scaled


def no_value_yet() -> ModeError:
    """The error for a rate that a program computes."""
    return ModeError.here(
        "the learning rate is a variable, which has a value only when its program "
        "runs: fetch it there"
    )


def checked(value: Any) -> float:
    """A learning rate that is a number.

    Raises:
        InvalidValueError: It is no number of 0 or more.
    """
    number = isinstance(value, NUMBERS) and not isinstance(value, bool)
    if not number or not 0 <= value < inf:
        raise no_rate(value)
    return float(value)


LONGEST = 60
"""Characters of a value that a message shows."""


def no_rate(value: Any) -> InvalidValueError:
    """The error for what is no learning rate."""
    got = text if len(text := repr(value)) < LONGEST else f"a {type(value).__name__}"
    return InvalidValueError.here(
        f"the learning rate must be 0 or more, or an LRScheduler, got {got} as the "
        "first argument"
    )
