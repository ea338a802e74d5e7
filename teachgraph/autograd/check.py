"""Gradient checking: gradients compared with finite differences, order by order.

A finite difference calls only the forward function, so it tests the gradient rules
without using them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teachgraph.autograd.gradient import grad
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, GradientShapeError, InvalidValueError
from teachgraph.core.op import Op
from teachgraph.errors import GradientMismatch

__all__ = ["check_grads"]

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


def check_grads(
    function: Function,
    inputs: Any,
    order: int = 2,
    *,
    epsilon: float = 1e-5,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    seed: int = 0,
) -> None:
    """Compare the gradients of `function` with finite differences, or raise.

    With u a random weight for each output and v a random direction for each input, the
    gradient g = J(x)' u must satisfy, up to the tolerances,

        <g, v> = <u, f(x + epsilon v) - f(x - epsilon v)> / (2 epsilon),

    the central difference, whose error is of order epsilon^2. Then g itself, a function
    of x and u, is checked in the same way, and so on up to `order`. As u is random, a
    rule that ignores its upstream gradient does not pass.

    Args:
        function: Takes one Tensor for each input; returns a Tensor or several. It must
            give the same values each time, and be smooth near the inputs: relu at 0 has
            no derivative to compare with.
        inputs: A list with an array, a Tensor or a number for each argument, or one
            array or Tensor alone. Floating ones are taken as float64; integers and
            bools (labels, indices) are constants.
        order: How many times to differentiate.
        epsilon: The step.
        rtol: Tolerance relative to the larger of both values.
        atol: Tolerance beside it.
        seed: Of the random weights and directions.

    Raises:
        GradientMismatch: They differ; it names the input, the position, both values.
        InvalidValueError: `order` or `epsilon` is not positive.
        DTypeError: No input, or no output, is floating.

    Random projection and the recursion in order are those of HIPS autograd's
    `check_grads`; for central differences see Nocedal and Wright, "Numerical
    Optimization", chapter 8.

    >>> import teachgraph as tg
    >>> check_grads(lambda x, y: tg.tanh(x) * y, [[0.5, -1.0], 3.0])
    >>> check_grads(lambda x: x.detach() * x, [2.0])
    Traceback (most recent call last):
    teachgraph.errors.GradientMismatch: ... of order 1 ... to input 0 (x) ...
    """
    if order < 1 or not epsilon > 0:
        raise InvalidValueError.here(
            "check_grads: order and epsilon must be positive, got "
            f"{order} and {epsilon}"
        )
    arguments = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    values = [as_value(x) for x in arguments]
    if not any(map(is_floating, values)):
        raise DTypeError.here("check_grads: no input is floating")
    names = names_of(function, len(values))
    checker = Checker(epsilon, rtol, atol, np.random.default_rng(seed))
    checker.check(function, values, names, order)


def as_value(x: Any) -> Array:
    """Convert an input to an array; float64 where floating, for precise differences."""
    array = np.array(x.data if isinstance(x, Tensor) else x)
    return array.astype(np.float64) if is_floating(array) else array


def is_floating(value: Any) -> bool:
    """True if the dtype is floating: only such values have gradients."""
    return bool(value.dtype.kind == "f")


def names_of(function: Function, count: int) -> list[str]:
    """Names of the inputs for messages: the position, and the parameter's name."""
    numbers = [f"input {i}" for i in range(count)]
    named = [
        f"{number} ({name})"
        for number, name in zip(numbers, parameters_of(function), strict=False)
    ]
    return named + numbers[len(named) :]


def parameters_of(function: Function) -> list[str]:
    """Names of the positional parameters; none if Python cannot tell the signature."""
    if isinstance(function, Op):
        return list(function.inputs)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


@dataclass
class Checker:
    """The settings of one check, and its random numbers."""

    epsilon: float
    rtol: float
    atol: float
    random: np.random.Generator

    def check(
        self,
        function: Function,
        values: list[Array],
        names: list[str],
        orders: int,
        order: int = 1,
    ) -> None:
        """Check one order, then recurse into the gradient function up to `orders`."""
        outputs = evaluate(function, values)
        if not outputs:
            raise DTypeError.here("check_grads: no output is floating")
        weights = [self.draw(out) for out in outputs]
        floating = [i for i, value in enumerate(values) if is_floating(value)]
        derivative = Derivative(function, len(values), floating)
        try:
            gradients = evaluate(derivative, [*values, *weights])
        except GradientShapeError as error:
            raise GradientMismatch(f"order {order}: {error}") from None
        for position, gradient in zip(floating, gradients, strict=True):
            probe = Probe(function, values, position, weights, self.epsilon)
            self.compare(
                probe, gradient, f"order {order} with respect to {names[position]}"
            )
        if order < orders:
            upstream = [f"the gradient of output {i}" for i in range(len(weights))]
            self.check(
                derivative, [*values, *weights], names + upstream, orders, order + 1
            )

    def compare(self, probe: Probe, gradient: Array, what: str) -> None:
        """Compare one input's gradient with the slope along a random direction."""
        direction = self.draw(probe.values[probe.position])
        if not self.close(float(np.vdot(gradient, direction)), probe.slope(direction)):
            raise located(probe, gradient, what)

    def draw(self, like: Array) -> Array:
        """Draw standard normal numbers in the shape of an array."""
        return np.asarray(self.random.standard_normal(like.shape))

    def close(self, analytic: float, numeric: float) -> bool:
        """True if two values agree within the tolerances; False if one is NaN."""
        bound = self.atol + self.rtol * max(abs(analytic), abs(numeric))
        return abs(analytic - numeric) <= bound


@dataclass
class Derivative:
    """The gradient of a function, as a function of its inputs and output weights."""

    function: Function
    arity: int
    floating: list[int]

    def __call__(self, *arguments: Tensor) -> list[Tensor]:
        inputs, weights = arguments[: self.arity], arguments[self.arity :]
        outputs = floating_outputs(self.function(*inputs))
        wanted = [inputs[i] for i in self.floating]
        gradients = grad(
            outputs, wanted, list(weights), create_graph=True, allow_unused=True
        )
        return [
            Tensor.results(np.zeros_like(x.data)) if dx is None else dx
            for x, dx in zip(wanted, gradients, strict=True)
        ]


@dataclass
class Probe:
    """Finite differences of a function in one of its inputs."""

    function: Function
    values: list[Array]
    position: int
    weights: list[Array]
    epsilon: float

    def slope(self, direction: Array) -> float:
        """The central difference of the weighted outputs along `direction`."""
        ahead = self.outputs_at(self.epsilon * direction)
        behind = self.outputs_at(-self.epsilon * direction)
        changes = [
            float(np.vdot(weight, one - other))
            for weight, one, other in zip(self.weights, ahead, behind, strict=True)
        ]
        return sum(changes) / (2 * self.epsilon)

    def outputs_at(self, step: Array) -> list[Array]:
        """Evaluate the outputs with the input moved by `step`."""
        moved = list(self.values)
        moved[self.position] = moved[self.position] + step
        return evaluate(self.function, moved)


def evaluate(function: Function, values: Sequence[Array]) -> list[Array]:
    """Evaluate a function of Tensors; return its floating outputs as arrays."""
    tensors = [
        Tensor.results(np.asarray(value), stop_gradient=not is_floating(value))
        for value in values
    ]
    return [out.data for out in floating_outputs(function(*tensors))]


def floating_outputs(outputs: Any) -> list[Tensor]:
    """Filter one output or several: only floating ones have gradients."""
    several = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [out for out in several if is_floating(out)]


def located(probe: Probe, gradient: Array, what: str) -> GradientMismatch:
    """Build the error for the element with the largest deviation."""
    # One pair of evaluations per element: affordable only after a check has failed.
    numeric = np.empty_like(gradient)
    for position in np.ndindex(gradient.shape):
        direction = np.zeros_like(gradient)
        direction[position] = 1.0
        numeric[position] = probe.slope(direction)
    off = np.nan_to_num(np.abs(gradient - numeric), nan=np.inf)
    worst = np.unravel_index(np.argmax(off), off.shape)
    index = [int(i) for i in worst]
    return GradientMismatch(
        f"the gradient of {what} is wrong at {index}: {gradient[worst]:.9g} by the "
        f"rules, {numeric[worst]:.9g} by finite differences"
    )
