"""Averages of parameters over the steps of training, to be tested with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from teachgraph.control_flow.cond import cond
from teachgraph.core import unique_name
from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import functions
from teachgraph.static.counting import autoincreased_step_counter
from teachgraph.static.layers import create_global_var, name_scope
from teachgraph.static.operator import OpRole
from teachgraph.static.program import Program, default_main_program, program_guard
from teachgraph.static.variable import Parameter, Variable

__all__ = ["ExponentialMovingAverage"]

COUNTER = "@EMA_STEP_COUNTER@"
RATE = "scheduled_ema_decay_rate"


class Runs(Protocol):
    """An Executor: what runs programs."""

    def run(self, program: Program) -> Any:
        """Run a program once."""


class ExponentialMovingAverage:
    """Averages of all trainable parameters: ema <- decay ema + (1 - decay) parameter.

    They start at 0, so after t steps they are too small by 1 - decay^t, by which they
    are divided when they are applied.

    Args:
        decay: The weight of the old average.
        thres_steps: A counter t of steps; then the weight is at most
            (t + 1) / (t + 10), so that early parameters are soon forgotten.
        name: Put before the names of the averages.

    Raises:
        InvalidValueError: `decay` is not between 0 and 1.

    In Paddle this is `paddle.static.ExponentialMovingAverage`.
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Any = None, name: str | None = None
    ) -> None:
        if not 0 <= decay < 1:
            raise InvalidValueError.here(
                f"decay is at least 0 and less than 1, got {decay!r}"
            )
        self._program, self._name = default_main_program(), name or ""
        self._rate = self.rate(decay, thres_steps)
        self._parameters = {
            parameter: self.place_for(parameter)
            for parameter in self._program.all_parameters()
            if parameter.trainable
        }
        self._averages = {p: self.average_of(p) for p in self._parameters}
        self.apply_program = self.program_that(self.put_average)
        self.restore_program = self.program_that(self.put_back)

    def rate(self, decay: float, thres_steps: Any) -> Variable:
        """The weight of the old average, as a variable."""
        with self._program.with_role(OpRole.RATE):
            rate = create_global_var([1], decay, "float32", persistable=True, name=RATE)
            if thres_steps is not None:
                steps = functions.cast(thres_steps, "float32")
                least = functions.clip((steps + 1.0) / (steps + 10.0), max=decay)
                functions.assign(least, rate)
        return rate

    def place_for(self, parameter: Parameter) -> str:
        """The variable that keeps a parameter while its average is in place."""
        name = unique_name.generate(f"{self._name}{parameter.name}.ema_tmp")
        facts = {"persistable": False, "stop_gradient": True}
        self._program.global_block().create_var(name, None, parameter.dtype, **facts)
        return name

    def average_of(self, parameter: Parameter) -> Variable:
        """The variable that holds a parameter's average."""
        name = unique_name.generate(f"{self._name}{parameter.name}_ema")
        with name_scope("moving_average"):
            return create_global_var(
                parameter.shape, 0.0, parameter.dtype, persistable=True, name=name
            )

    def program_that(self, changes: Callable[[], None]) -> Program:
        """A program that changes all parameters."""
        program = Program()
        with program_guard(program):
            changes()
        return program

    def put_average(self) -> None:
        """Keep each parameter, and put its average in its place."""
        counter = create_global_var([1], 0, "int64", persistable=True, name=COUNTER)
        step = functions.cast(counter, "float32")
        power = functions.pow(shared_variable(self._rate), step)
        for parameter, place in self._parameters.items():
            here, kept = shared_variable(parameter), shared_variable(parameter, place)
            average = shared_variable(self._averages[parameter])
            functions.assign(here, kept)
            whole = corrected(average, step, power)
            functions.assign(whole, here)

    def put_back(self) -> None:
        """Put each parameter back in its place."""
        for parameter, place in self._parameters.items():
            functions.assign(
                shared_variable(parameter, place), shared_variable(parameter)
            )

    def update(self) -> None:
        """Append the operators that move the averages; call it after `minimize`."""
        autoincreased_step_counter(COUNTER)
        ops = self._program.global_block().ops
        for parameter, place in self._parameters.items():
            first = len(ops)
            average = self._averages[parameter]
            with self._program.with_role(OpRole.OPTIMIZE), name_scope("moving_average"):
                moved = average * self._rate + parameter * (1.0 - self._rate)
                functions.assign(moved, average)
            for operator in ops[first:]:
                operator._set_attr("op_role_var", [parameter.name, place])

    @contextmanager
    def apply(self, executor: Runs, need_restore: bool = True) -> Iterator[None]:
        """Inside, the averages stand in for the parameters.

        Args:
            executor: What runs the exchange, in the scope in use.
            need_restore: Whether to put the parameters back at the end, whatever
                happens.
        """
        executor.run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Runs) -> None:
        """Put the parameters back, after `apply(executor, need_restore=False)`."""
        executor.run(self.restore_program)


def shared_variable(variable: Variable, name: str | None = None) -> Variable:
    """A variable of another program in this one: the same place in the scope."""
    block = default_main_program().global_block()
    facts = {"persistable": True, "stop_gradient": variable.stop_gradient}
    return block.create_var(
        name or variable.name, variable.shape, variable.dtype, **facts
    )


def corrected(average: Variable, step: Variable, power: Variable) -> Any:
    """An average, divided by the weights it is made of, if there are any yet."""
    return cond(step > 0.0, lambda: average / (1.0 - power), lambda: average)
