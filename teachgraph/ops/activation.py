"""Activation ops and their gradients.

At a kink the gradient is Paddle's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import find, op
from teachgraph.core.ops import FLOATING, aligned, elementwise_mul, reduce_to, relu
from teachgraph.ops.error_function import erf
from teachgraph.ops.logic import where
from teachgraph.ops.math import exp, sigmoid, tanh

__all__ = [
    "activated",
    "activation",
    "brelu",
    "celu",
    "elu",
    "gelu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_swish",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "prelu",
    "relu6",
    "selu",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "swish",
    "tanh_shrink",
    "thresholded_relu",
]


def activated(x: Any, act: str | None) -> Any:
    """Apply the activation op of this type to `x`; None is the identity."""
    return activation(act)(x)


def activation(act: str | None) -> Callable[[Any], Any]:
    """Look up the activation op of this type; None is the identity.

    A layer looks it up first, so that a wrong name leaves no partial layer behind.
    """
    return find(act) if act else lambda x: x


def only_floating(x: Any) -> None:
    """Require a floating dtype.

    Raises:
        DTypeError: `x` has no floating dtype.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} is no floating type")


@op(needs=FLOATING)
def relu6(x: Any) -> Any:
    """out = min(max(x, 0), 6)."""
    only_floating(x)
    return np.clip(x, 0, 6)


@relu6.grad
def relu6_grad(dout: Any, out: Any) -> Any:
    """dx = dout where 0 < out < 6."""
    return dout * ((out > 0) & (out < 6))


@op(needs=FLOATING)
def leaky_relu(x: Any, *, alpha: float = 0.02) -> Any:
    """out = x where x > 0, alpha x elsewhere."""
    only_floating(x)
    return np.where(x > 0, x, x * alpha)


@leaky_relu.grad
def leaky_relu_grad(dout: Any, x: Any, *, alpha: float) -> Any:
    """dx = dout where x >= 0, alpha dout elsewhere."""
    return dout * (x >= 0) + dout * (x < 0) * alpha


def alpha_axis(alpha: Any, x: Any, mode: str, data_format: str) -> int:
    """Resolve the axis of `x` at which prelu's `alpha` is aligned; -1 aligns right.

    Raises:
        InvalidValueError: An unknown mode.
    """
    if mode not in ("all", "channel", "element"):
        raise InvalidValueError(f"mode is 'all', 'channel' or 'element', got {mode!r}")
    first = mode == "channel" and data_format.startswith("NC")
    return 1 if first and len(alpha.shape) < len(x.shape) else -1


@op(needs="floating X and Alpha: one number, one a channel, or one for each element")
def prelu(x: Any, alpha: Any, *, mode: str = "all", data_format: str = "NCHW") -> Any:
    """out = x where x > 0, alpha x elsewhere; alpha is trained."""
    only_floating(x)
    only_floating(alpha)
    alpha = aligned(alpha, x.ndim, alpha_axis(alpha, x, mode, data_format))
    out = np.where(x > 0, x, x * alpha)
    if out.size != x.size:
        raise ShapeError(f"{list(alpha.shape)} does not fit into {list(x.shape)}")
    return out.reshape(x.shape).astype(x.dtype, copy=False)


@prelu.grad
def prelu_grad(dout: Any, x: Any, alpha: Any, *, mode: str, data_format: str) -> Any:
    """dx = dout or alpha dout, dalpha = dout x where x <= 0."""
    axis = alpha_axis(alpha, x, mode, data_format)
    left = dout * (x <= 0)
    return (
        lambda: dout * (x > 0) + reduce_to(elementwise_mul(left, alpha, axis=axis), x),
        lambda: reduce_to(left * x, alpha, axis),
    )


@op(needs=FLOATING)
def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """out = x where x > 0, alpha (exp(x) - 1) elsewhere."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0), casting="equiv"))


@elu.grad
def elu_grad(dout: Any, x: Any, out: Any, *, alpha: float) -> Any:
    """dx = dout where x > 0, (out + alpha) dout elsewhere."""
    return where(dout, dout * (out + alpha), x > 0)


@op(needs=FLOATING)
def selu(
    x: Any, *, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772
) -> Any:
    """out = scale elu(x), with the constants that preserve mean 0 and variance 1."""
    curved = alpha * np.expm1(np.minimum(x, 0), casting="equiv")
    return scale * np.where(x > 0, x, curved)


@selu.grad
def selu_grad(dout: Any, out: Any, *, scale: float, alpha: float) -> Any:
    """dx = scale dout where out > 0, (out + scale alpha) dout elsewhere."""
    return where(dout * scale, dout * (out + scale * alpha), out > 0)


@op(needs=FLOATING + "; alpha is not 0")
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    """out = max(x, 0) + alpha (exp(min(x, 0) / alpha) - 1): a smooth elu."""
    only_floating(x)
    if alpha == 0:
        raise InvalidValueError("alpha is 0")
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


@celu.grad
def celu_grad(dout: Any, x: Any, *, alpha: float) -> Any:
    """dx = dout where x > 0, dout exp(x / alpha) elsewhere."""
    return where(dout, dout * exp((x - relu(x)) / alpha), x > 0)


ROOT_HALF = sqrt(0.5)
DENSITY = sqrt(0.5 / pi)
CUBIC = 0.044715


@op(needs=FLOATING)
def gelu(x: Any, *, approximate: bool = False) -> Any:
    """out = x Phi(x), Phi the normal distribution function or its tanh form."""
    only_floating(x)
    if approximate:
        return x * normal(x, approximate)
    out = erf.kernel(x * ROOT_HALF)  # as normal has it, in one array
    out += 1.0
    out *= 0.5
    out *= x
    return out


def normal(x: Any, approximate: bool) -> Any:
    """Compute Phi(x) = (1 + erf(x / sqrt 2)) / 2, erf optionally as tanh of a cubic."""
    if approximate:
        return (tanh((x + x * x * x * CUBIC) * (2.0 * DENSITY)) + 1.0) * 0.5
    return (erf(x * ROOT_HALF) + 1.0) * 0.5


@gelu.grad
def gelu_grad(dout: Any, x: Any, *, approximate: bool) -> Any:
    """dx = dout (Phi + x Phi')."""
    phi = normal(x, approximate)
    if approximate:
        slope = phi * (1.0 - phi) * (x * x * (3.0 * CUBIC) + 1.0) * (4.0 * DENSITY)
    else:
        slope = exp(x * x * -0.5) * DENSITY
    return dout * (phi + x * slope)


@op(needs=FLOATING)
def silu(x: Any) -> Any:
    """out = x sigmoid(x)."""
    return x * sigmoid.kernel(x)


@silu.grad
def silu_grad(dout: Any, x: Any, out: Any) -> Any:
    """dx = dout (s + out (1 - s)) with s = sigmoid(x)."""
    s = sigmoid(x)
    return dout * (s + out * (1.0 - s))


@op(needs=FLOATING)
def swish(x: Any) -> Any:
    """out = x sigmoid(x), as silu; Paddle has it under both names."""
    return x * sigmoid.kernel(x)


@swish.grad
def swish_grad(dout: Any, x: Any) -> Any:
    """dx = dout (s + x s (1 - s)) with s = sigmoid(x)."""
    s = sigmoid(x)
    return dout * (s + x * s * (1.0 - s))


@op(needs=FLOATING)
def softplus(x: Any, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """out = log(1 + exp(beta x)) / beta; x itself where beta x > threshold."""
    only_floating(x)
    curved = np.logaddexp(0, x * beta) / beta
    return np.where(x * beta > threshold, x, curved)


@softplus.grad
def softplus_grad(dout: Any, x: Any, *, beta: float, threshold: float) -> Any:
    """dx = sigmoid(beta x) dout; dout where beta x > threshold."""
    bent = x * beta <= threshold
    return dout * sigmoid(x * beta) * bent + dout * (x * beta > threshold)


@op(needs=FLOATING)
def mish(x: Any, *, threshold: float = 20.0) -> Any:
    """out = x tanh(softplus(x))."""
    return x * np.tanh(softplus.kernel(x, threshold=threshold))


@mish.grad
def mish_grad(dout: Any, x: Any, *, threshold: float) -> Any:
    """dx = dout (t + x (1 - t^2) softplus'(x)) with t = tanh(softplus(x))."""
    t = tanh(softplus(x, threshold=threshold))
    slope = softplus_grad(1.0 - t * t, x, beta=1.0, threshold=threshold)
    return dout * (t + x * slope)


@op(key="log_sigmoid", needs=FLOATING)
def logsigmoid(x: Any) -> Any:
    """out = log sigmoid(x) = -log(1 + exp(-x)), without overflow."""
    only_floating(x)
    return -np.logaddexp(0, -x)


@logsigmoid.grad
def logsigmoid_grad(dout: Any, x: Any) -> Any:
    """dx = dout sigmoid(-x)."""
    return dout * sigmoid(-x)


@op(key="hardsigmoid", needs=FLOATING)
def hard_sigmoid(x: Any, *, slope: float = 0.2, offset: float = 0.5) -> Any:
    """out = min(max(slope x + offset, 0), 1)."""
    only_floating(x)
    return np.clip(slope * x + offset, 0, 1)


@hard_sigmoid.grad
def hard_sigmoid_grad(dout: Any, out: Any, *, slope: float) -> Any:
    """dx = slope dout where 0 < out < 1."""
    return dout * (out > 0) * (out < 1) * slope


@op(key="hardswish", needs=FLOATING)
def hard_swish(
    x: Any, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0
) -> Any:
    """out = x min(max(x + offset, 0), threshold) / scale."""
    only_floating(x)
    return x * np.clip(x + offset, 0, threshold) / scale


@hard_swish.grad
def hard_swish_grad(
    dout: Any, x: Any, *, threshold: float, scale: float, offset: float
) -> Any:
    """dx = dout (gate + x gate'), gate = min(max(x + offset, 0), threshold) / scale.

    At both kinks gate' is 0.
    """
    gate = brelu(x + offset, t_min=0.0, t_max=threshold) / scale
    bent = (x > -offset) * (x < threshold - offset)
    return dout * gate + dout * x * bent / scale


@op(key="hardtanh", needs=FLOATING)
def brelu(x: Any, *, t_min: float = 0.0, t_max: float = 24.0) -> Any:
    """out = min(max(x, t_min), t_max)."""
    only_floating(x)
    return np.clip(x, t_min, t_max)


@brelu.grad
def brelu_grad(dout: Any, x: Any, *, t_min: float, t_max: float) -> Any:
    """dx = dout where t_min < x < t_max."""
    return dout * (x > t_min) * (x < t_max)


@op(key="hardshrink", needs=FLOATING)
def hard_shrink(x: Any, *, threshold: float = 0.5) -> Any:
    """out = 0 where |x| <= threshold, x elsewhere: NaN too."""
    only_floating(x)
    return np.where(np.abs(x) <= threshold, 0, x)


@hard_shrink.grad
def hard_shrink_grad(dout: Any, x: Any, *, threshold: float) -> Any:
    """dx = dout where |x| > threshold."""
    return dout * (abs(x) > threshold)


@op(needs=FLOATING + "; lambda is not negative")
def softshrink(x: Any, *, lambda_: float = 0.5) -> Any:
    """out = sign(x) max(|x| - lambda, 0)."""
    only_floating(x)
    if lambda_ < 0:
        raise InvalidValueError(f"lambda is {lambda_}")
    return x - np.clip(x, -lambda_, lambda_)


@softshrink.grad
def softshrink_grad(dout: Any, x: Any, *, lambda_: float) -> Any:
    """dx = dout where |x| > lambda."""
    return dout * (abs(x) > lambda_)


@op(needs=FLOATING)
def tanh_shrink(x: Any) -> Any:
    """out = x - tanh(x)."""
    return x - np.tanh(x, casting="equiv")


@tanh_shrink.grad
def tanh_shrink_grad(dout: Any, x: Any) -> Any:
    """dx = dout tanh(x)^2."""
    t = tanh(x)
    return dout * t * t


@op(needs=FLOATING)
def thresholded_relu(x: Any, *, threshold: float = 1.0) -> Any:
    """out = 0 where x <= threshold, x elsewhere: NaN too."""
    only_floating(x)
    return np.where(x <= threshold, 0, x)


@thresholded_relu.grad
def thresholded_relu_grad(dout: Any, x: Any, *, threshold: float) -> Any:
    """dx = dout where x > threshold."""
    return dout * (x > threshold)


@op(needs=FLOATING)
def softsign(x: Any) -> Any:
    """out = x / (1 + |x|)."""
    only_floating(x)
    return x / (1 + np.abs(x))


@softsign.grad
def softsign_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (1 + |x|)^2."""
    whole = abs(x) + 1.0
    return dout / (whole * whole)
