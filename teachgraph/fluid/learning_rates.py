"""Paddle 1.x's learning rates, computed by operators from the number of the step.

The number is the variable `@LR_DECAY_COUNTER@`, which the first operator of each run
increments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.modes import chosen
from teachgraph.ops import functions
from teachgraph.static import OpRole, Variable, default_main_program
from teachgraph.static.counting import autoincreased_step_counter

__all__ = [
    "autoincreased_step_counter",
    "cosine_decay",
    "exponential_decay",
    "inverse_time_decay",
    "linear_lr_warmup",
    "natural_exp_decay",
    "noam_decay",
    "piecewise_decay",
    "polynomial_decay",
]

COUNTER = "@LR_DECAY_COUNTER@"


@contextmanager
def step_number(begin: int = 0) -> Iterator[Any]:
    """Yield the number of the step as a float; operators inside compute a rate from it.

    Raises:
        ModeError: This is dynamic mode.
    """
    if chosen() is False:
        raise ModeError.here(
            "a learning rate of operators is part of a program: in dynamic mode "
            "give the optimizer a schedule of teachgraph.optimizer.lr"
        )
    with default_main_program().with_role(OpRole.RATE):
        yield functions.cast(autoincreased_step_counter(COUNTER, begin, 1), "float32")


def in_decays(step: Any, decay_steps: int, *, staircase: bool) -> Any:
    """Return the number of decays up to a step, whole ones if `staircase`."""
    count = step / float(decay_steps)
    return functions.floor(count) if staircase else count


def exponential_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Variable:
    """learning_rate decay_rate^(step / decay_steps).

    In Paddle 1.x this is `fluid.layers.exponential_decay`.
    """
    with step_number() as step:
        power = in_decays(step, decay_steps, staircase=staircase)
        rate: Variable = (decay_rate**power) * learning_rate
        return rate


def natural_exp_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Variable:
    """learning_rate exp(-decay_rate step / decay_steps)."""
    with step_number() as step:
        power = in_decays(step, decay_steps, staircase=staircase)
        rate: Variable = functions.exp(power * -decay_rate) * learning_rate
        return rate


def inverse_time_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Variable:
    """learning_rate / (1 + decay_rate step / decay_steps)."""
    with step_number() as step:
        power = in_decays(step, decay_steps, staircase=staircase)
        rate: Variable = learning_rate / (power * decay_rate + 1.0)
        return rate


def polynomial_decay(
    learning_rate: float,
    decay_steps: int,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
) -> Variable:
    """(learning_rate - end) (1 - step / decay_steps)^power + end.

    After `decay_steps` it stays at the end, or with `cycle` restarts with a longer
    period.
    """
    with step_number() as step:
        period: Any = float(decay_steps)
        if cycle:
            period = functions.clip(functions.ceil(step / period), min=1.0) * period
        left = (1.0 - functions.minimum(step / period, step * 0.0 + 1.0)) ** power
        rate: Variable = left * (learning_rate - end_learning_rate) + end_learning_rate
        return rate


def piecewise_decay(boundaries: Sequence[int], values: Sequence[float]) -> Variable:
    """values[i] from step boundaries[i - 1] on.

    Raises:
        InvalidValueError: There is not one value more than there are boundaries.
    """
    if len(values) - len(boundaries) != 1:
        raise InvalidValueError.here("len(values) - len(boundaries) should be 1")
    with step_number() as step:
        rate = step * 0.0 + float(values[-1])
        for boundary, value in reversed([*zip(boundaries, values, strict=False)]):
            earlier = step * 0.0 + float(value)
            rate = functions.where(step < float(boundary), earlier, rate)
        return rate  # type: ignore[no-any-return]


def noam_decay(d_model: int, warmup_steps: int, learning_rate: float = 1.0) -> Variable:
    """learning_rate d_model^-0.5 min(step^-0.5, step warmup_steps^-1.5).

    The Transformer's (Vaswani et al., 2017).
    """
    with step_number(1) as step:
        rising, falling = step * warmup_steps**-1.5, step**-0.5
        least = functions.minimum(falling, rising)
        rate: Variable = least * (learning_rate * d_model**-0.5)
        return rate


def cosine_decay(learning_rate: float, step_each_epoch: int, epochs: int) -> Variable:
    """learning_rate (cos(pi epoch / epochs) + 1) / 2."""
    with step_number() as step:
        epoch = functions.floor(step / float(step_each_epoch))
        wave = functions.cos(epoch * (math.pi / epochs)) + 1.0
        rate: Variable = wave * (0.5 * learning_rate)
        return rate


def linear_lr_warmup(
    learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float
) -> Variable:
    """A linear warmup from `start_lr` to `end_lr`, after which `learning_rate` follows.

    Args:
        learning_rate: A number, or one of these learning rates.
        warmup_steps: The length of the warmup.
        start_lr: The rate at its beginning.
        end_lr: The rate at its end.
    """
    with step_number() as step:
        rising = step * ((end_lr - start_lr) / warmup_steps) + start_lr
        late = step * 0.0 + learning_rate
        rate: Variable = functions.where(step < float(warmup_steps), rising, late)
        return rate
