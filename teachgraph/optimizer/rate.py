"""The learning rate: a number, a schedule that is asked for one, or a variable.

Tensors are updated with what it is now. A Program has it as a variable; that of a
schedule is asked for anew before each run, and one that the program itself computes is
taken as it is.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from teachgraph.core import dtypes, unique_name
from teachgraph.core.errors import InvalidValueError, ModeError, at_user_line
from teachgraph.optimizer.checks import is_number
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.static import OpRole, Program, Variable, create_global_var

__all__ = ["Rate"]


class Rate:
    """A learning rate.

    Args:
        value: A number greater than 0, a schedule, or a Variable of a program.

    Raises:
        InvalidValueError: It is none of these.
    """

    def __init__(self, value: Any) -> None:
        self.variables: dict[int, Variable] = {}
        self.scheduler: LRScheduler | None = None
        self._number: float | None = None
        self._last: tuple[float, Any] = -1.0, None
        if isinstance(value, LRScheduler):
            self.scheduler = value
        elif isinstance(value, Variable):
            self.variables[id(value.block.program)] = value
        else:
            self._number = checked(value)

    def now(self) -> float:
        """What it is.

        Raises:
            ModeError: A program computes it when it runs.
        """
        if self.scheduler is not None:
            return self.scheduler()
        if self._number is None:
            raise ModeError(
                at_user_line(
                    "the learning rate is a variable, which has a value only when its "
                    "program runs: fetch it there"
                )
            )
        return self._number

    def set(self, value: Any) -> None:
        """Make it another number.

        Raises:
            InvalidValueError: It is no number greater than 0.
            ModeError: A schedule says what it is, or a program has it already.
        """
        if self.scheduler is not None:
            raise ModeError(
                at_user_line(
                    "optimizer's learning rate can't be LRScheduler when invoke this "
                    "API, because this will lead to conflict."
                )
            )
        for variable in self.variables.values():
            raise ModeError(
                at_user_line(
                    f"the learning rate is the program's variable {variable.name!r}: "
                    "set it in the scope, by scope.var(name).get_tensor().set(value)"
                )
            )
        self._number = checked(value)

    def follow(self, scheduler: LRScheduler) -> None:
        """Let it follow a schedule from now on, in programs as well."""
        self.scheduler = scheduler
        for variable in self.variables.values():
            program: Any = variable.block.program
            program.asked[variable.name] = scheduler

    def array(self, factor: float) -> Any:
        """What it is now, times a parameter's own factor."""
        value = self.now() * factor
        if self._last[0] != value:
            self._last = value, np.array(value, np.float32)
        return self._last[1]

    def variable(self, program: Program) -> Variable:
        """It as a variable of a program, `learning_rate_0`."""
        if id(program) not in self.variables:
            name = unique_name.generate("learning_rate")
            self.variables[id(program)] = create_global_var(
                [], self.now(), dtypes.float32, persistable=True, name=name
            )
            if self.scheduler is not None:
                program.asked[name] = self.scheduler
        return self.variables[id(program)]

    def scaled(self, program: Program, factor: float) -> Variable:
        """The same, times a parameter's own factor."""
        rate = self.variable(program)
        if factor == 1.0:
            return rate
        scope = program.child_scope("scale_with_param_lr")
        with (
            program.with_role(OpRole.OPTIMIZE | OpRole.RATE),
            program.within_name_scope(scope),
        ):
            found: Variable = rate * factor
            return found


def checked(value: Any) -> float:
    """A learning rate that is a number.

    Raises:
        InvalidValueError: It is no number greater than 0.
    """
    if not is_number(value) or not 0 < value < inf:
        raise InvalidValueError(
            at_user_line(
                "the learning rate must be greater than 0, or an LRScheduler, "
                f"got {value!r}"
            )
        )
    return float(value)
