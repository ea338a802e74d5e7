"""Optimizer update ops, one for each optimizer, used in both modes.

Each takes a parameter, its gradient, the learning rate and the accumulators of the
parameter, and updates parameter and accumulators in place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from math import prod, sqrt
from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, Op, op
from teachgraph.core.ops import UPDATE, check_update, sgd
from teachgraph.ops.blocked_update import LONG, blocks
from teachgraph.ops.clipping import squares
from teachgraph.ops.expressions import numpy
from teachgraph.ops.statements import in_step

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "lamb",
    "momentum",
    "rmsprop",
]

FLOAT32 = np.dtype("float32")
REMEMBERED = f"{UPDATE}, and what it remembers in the shape it was made in"


def by_parts(update: Callable[..., Any]) -> Callable[..., Any]:
    """Evaluate an elementwise update in blocks if there are many elements.

    Temporaries are then no larger than a block.
    """

    @wraps(update)
    def updated(param: Any, *others: Any, **attrs: Any) -> Any:
        inputs = (param, *others)
        if param.size < LONG or not all(map(divisible(param), inputs)):
            return update(*inputs, **attrs)
        outputs: list[Any] = []
        for here in blocks(param.size):
            pieces = [x if x.size == 1 else x.reshape(-1)[here] for x in inputs]
            results = update(*pieces, **attrs)
            outputs = outputs or [
                allocate_like(param, piece, pieces[0]) for piece in results
            ]
            for whole, piece in zip(outputs, results, strict=True):
                if whole.shape == param.shape:
                    whole.reshape(-1)[here] = piece
        return tuple(outputs)

    return updated


def divisible(param: Any) -> Callable[[Any], bool]:
    """Make a test for inputs that have an element for each of the parameter's."""
    # Of any other array `reshape(-1)` is a copy, made again for each block.
    return lambda x: x.size == 1 or (x.shape == param.shape and x.flags.c_contiguous)


def allocate_like(param: Any, result: Any, part: Any) -> Any:
    """Allocate a whole result; return a scalar result itself."""
    if result.shape != part.shape:
        return result
    return np.empty(param.shape, result.dtype)


def rounded(beta: float, param: Any) -> float:
    """Round beta to the parameter's dtype, in which its powers are computed.

    1 - beta is small, so rounding only one of the two would be noticeable.
    """
    return float(param.dtype.type(beta))


def average(old: Any, new: Any, decay: float) -> Any:
    """Compute the moving average decay old + (1 - decay) new."""
    kept, gained = weights(decay, old.dtype)
    mean = kept * old
    mean += gained * new
    return mean


@cache
def weights(decay: float, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Both weights of an average as arrays: to convert numbers takes longer."""
    return np.array(decay, dtype), np.array(1.0 - decay, dtype)


@op(
    outputs=("param_out", "velocity_out"),
    inplace={"param_out": "param", "velocity_out": "velocity"},
    needs=REMEMBERED,
)
@by_parts
def momentum(
    param: Any,
    grad: Any,
    velocity: Any,
    learning_rate: Any,
    *,
    mu: float,
    use_nesterov: bool = False,
    regularization_method: str = "",
    regularization_coeff: float = 0.0,
    rescale_grad: float = 1.0,
) -> Any:
    """velocity <- mu velocity + grad; param <- param - learning_rate velocity.

    With `use_nesterov` the step is along grad + mu velocity.
    """
    check_update(param, grad, velocity)
    if rescale_grad != 1.0:
        grad = rescale_grad * grad
    if regularization_method == "l2_decay":
        grad = grad + regularization_coeff * param
    velocity = mu * velocity
    velocity += grad
    step = mu * velocity + grad if use_nesterov else velocity
    # A Python number keeps the parameter's dtype; a float32 rate would widen float16.
    change = -learning_rate.item() * step
    change += param  # over a temporary: fresh memory takes longer than the sum
    return change, velocity


@numpy(momentum)
def momentum_numpy(
    param: Like,
    grad: Like,
    velocity: Like,
    learning_rate: Like,
    *,
    mu: float,
    use_nesterov: bool,
    regularization_method: str,
    regularization_coeff: float,
    rescale_grad: float,
) -> str | None:
    """The formula, for parameters that are not updated part by part."""
    plain = rescale_grad == 1.0 and regularization_method != "l2_decay"
    known = in_step(param, grad, velocity) and learning_rate == ((), param.dtype)
    if not plain or not known or prod(param.shape) >= LONG:
        return None
    step = "(mu * velocity_out + grad)" if use_nesterov else "velocity_out"
    return f"""\
velocity_out = mu * velocity + grad
param_out = param - learning_rate * {step}
"""


@op(
    outputs=("param_out", "moment_out"),
    inplace={"param_out": "param", "moment_out": "moment"},
    needs=REMEMBERED,
)
@by_parts
def adagrad(
    param: Any, grad: Any, moment: Any, learning_rate: Any, *, epsilon: float = 1e-6
) -> Any:
    """moment <- moment + grad^2; a step of grad / (sqrt(moment) + epsilon)."""
    check_update(param, grad, moment)
    moment = moment + grad * grad
    step = learning_rate.item() * grad
    step /= np.sqrt(moment) + epsilon
    return param - step, moment


@op(
    outputs=("param_out", "avg_squared_grad_out", "avg_squared_update_out"),
    inplace={
        "param_out": "param",
        "avg_squared_grad_out": "avg_squared_grad",
        "avg_squared_update_out": "avg_squared_update",
    },
    needs=REMEMBERED,
)
@by_parts
def adadelta(
    param: Any,
    grad: Any,
    avg_squared_grad: Any,
    avg_squared_update: Any,
    learning_rate: Any,
    *,
    rho: float = 0.95,
    epsilon: float = 1e-6,
) -> Any:
    """A step of grad times the RMS of past steps over the RMS of gradients."""
    check_update(param, grad, avg_squared_grad, avg_squared_update)
    avg_squared_grad = average(avg_squared_grad, grad * grad, rho)
    # Paddle's step uses the average of the steps before it, without its own square.
    step = np.sqrt((avg_squared_update + epsilon) / (avg_squared_grad + epsilon))
    step *= grad
    avg_squared_update = average(avg_squared_update, step * step, rho)
    return param - learning_rate.item() * step, avg_squared_grad, avg_squared_update


@op(
    outputs=("param_out", "moment_out", "mean_square_out", "mean_grad_out"),
    inplace={
        "param_out": "param",
        "moment_out": "moment",
        "mean_square_out": "mean_square",
        "mean_grad_out": "mean_grad",
    },
    needs=REMEMBERED,
)
@by_parts
def rmsprop(
    param: Any,
    grad: Any,
    moment: Any,
    mean_square: Any,
    mean_grad: Any,
    learning_rate: Any,
    *,
    epsilon: float = 1e-6,
    decay: float = 0.95,
    momentum: float = 0.0,
    centered: bool = False,
) -> Any:
    """mean_square <- the average of grad^2; a step of grad / sqrt(it + epsilon).

    With `centered` the squared average of grad is subtracted from the average of
    grad^2; with `momentum` the steps themselves are accumulated with decay.
    """
    check_update(param, grad, moment, mean_square, mean_grad)
    spread = mean_square = average(mean_square, grad * grad, decay)
    if centered:
        mean_grad = average(mean_grad, grad, decay)
        spread = mean_square - mean_grad * mean_grad
    step = learning_rate.item() * grad
    step /= np.sqrt(spread + epsilon)
    moment = momentum * moment + step
    return param - moment, moment, mean_square, mean_grad


MOMENTS = {
    "param_out": "param",
    "moment1_out": "moment1",
    "moment2_out": "moment2",
    "beta1_pow_out": "beta1_pow",
    "beta2_pow_out": "beta2_pow",
}


@op(outputs=tuple(MOMENTS), inplace=MOMENTS, needs=REMEMBERED)
@by_parts
def adam(
    param: Any,
    grad: Any,
    learning_rate: Any,
    moment1: Any,
    moment2: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> Any:
    """A step of m / (sqrt(v) + epsilon), m and v averages of grad and grad^2.

    The averages start at 0; this bias is corrected by dividing m and v by 1 - beta^t.
    Here both corrections are applied to the rate and epsilon, which are scalars.
    """
    check_update(param, grad, moment1, moment2)
    beta1, beta2 = rounded(beta1, param), rounded(beta2, param)
    moment1 = average(moment1, grad, beta1)
    moment2 = average(moment2, grad * grad, beta2)
    still1, still2 = 1.0 - beta1_pow.item(), sqrt(1.0 - beta2_pow.item())
    # In place from here on: `sqrt` made an array of the step's own.
    step = np.sqrt(moment2)
    step += epsilon * still2
    step = moment1 / step
    step *= learning_rate.item() * still2 / still1
    return param - step, moment1, moment2, beta1_pow * beta1, beta2_pow * beta2


@op(outputs=tuple(MOMENTS), inplace=MOMENTS, needs=REMEMBERED)
@by_parts
def adamw(
    param: Any,
    grad: Any,
    learning_rate: Any,
    moment1: Any,
    moment2: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    coeff: float = 0.01,
    lr_ratio: float = 1.0,
    with_decay: bool = False,
) -> Any:
    """Adam's step after param <- (1 - learning_rate coeff) param.

    So the decay is not part of the gradient, and not divided by its magnitude.
    """
    rate = learning_rate * lr_ratio
    if with_decay:
        param = param * (1.0 - rate.item() * coeff)
    kept = (moment1, moment2, beta1_pow, beta2_pow)
    betas = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
    return adam.kernel(param, grad, rate, *kept, **betas)


@op(
    outputs=("param_out", "moment_out", "inf_norm_out"),
    inplace={
        "param_out": "param",
        "moment_out": "moment",
        "inf_norm_out": "inf_norm",
    },
    needs=REMEMBERED,
)
@by_parts
def adamax(
    param: Any,
    grad: Any,
    learning_rate: Any,
    moment: Any,
    inf_norm: Any,
    beta1_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> Any:
    """Adam with a decaying maximum of |grad| in place of the root mean square."""
    check_update(param, grad, moment, inf_norm)
    beta1 = rounded(beta1, param)
    moment = average(moment, grad, beta1)
    # Paddle adds epsilon inside the maximum, so that the norm is never 0.
    inf_norm = np.maximum(np.abs(grad), beta2 * inf_norm + epsilon)
    step = moment / inf_norm
    step *= learning_rate.item() / (1.0 - beta1_pow.item())
    return param - step, moment, inf_norm


@op(outputs=tuple(MOMENTS), inplace=MOMENTS, needs=REMEMBERED)
def lamb(
    param: Any,
    grad: Any,
    learning_rate: Any,
    moment1: Any,
    moment2: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    weight_decay: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    always_adapt: bool = False,
) -> Any:
    """Adam's step plus weight_decay param, scaled to the norm of the parameter.

    Without decay it is not scaled, unless `always_adapt`.
    """
    # Not evaluated in blocks: the trust ratio is one number for the whole parameter.
    check_update(param, grad, moment1, moment2)
    beta1, beta2 = rounded(beta1, param), rounded(beta2, param)
    moment1 = average(moment1, grad, beta1)
    moment2 = average(moment2, grad * grad, beta2)
    step = moment1 / (1.0 - beta1_pow.item())
    step /= np.sqrt(moment2 / (1.0 - beta2_pow.item())) + epsilon
    rate = learning_rate.item()
    if weight_decay or always_adapt:
        step += weight_decay * param
        rate *= trust_ratio(param, step)
    step *= rate
    return param - step, moment1, moment2, beta1_pow * beta1, beta2_pow * beta2


def trust_ratio(param: Any, step: Any) -> float:
    """Compute the trust ratio |parameter| / |step|; 1 if either is 0."""
    length, own = (float(np.sqrt(squares(x))) for x in (step, param))
    return own / length if own > 0.0 and length > 0.0 else 1.0


NUMBERS = ("learning_rate", "beta1_pow", "beta2_pow")


def keeps_shapes(op: Op) -> None:
    """Infer for an update op: shapes and dtypes of the replaced inputs."""

    def infer(*inputs: Like, **attrs: Any) -> Any:
        specs = dict(zip(op.inputs, inputs, strict=True))
        check_update(*(x for name, x in specs.items() if name not in NUMBERS))
        for name in NUMBERS:
            if name in specs and prod(specs[name].shape) != 1:
                raise ShapeError(f"{name} is one number, not {specs[name].shape}")
        return [(specs[name].shape, specs[name].dtype) for name in op.inplace.values()]

    op.infers(infer)


for update in (sgd, momentum, adagrad, adadelta, rmsprop, adam, adamw, adamax, lamb):
    keeps_shapes(update)
