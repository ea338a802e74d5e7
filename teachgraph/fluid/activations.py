"""Paddle 1.x's activations."""

from __future__ import annotations

from typing import Any

from teachgraph.core import ops
from teachgraph.core.op import find
from teachgraph.fluid.aliases import alias
from teachgraph.nn import functional
from teachgraph.ops import functions

__all__ = [
    "acos",
    "asin",
    "atan",
    "brelu",
    "ceil",
    "cos",
    "cosh",
    "elu",
    "erf",
    "floor",
    "gelu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_swish",
    "leaky_relu",
    "logsigmoid",
    "maxout",
    "mish",
    "pow",
    "reciprocal",
    "relu6",
    "round",
    "rsqrt",
    "selu",
    "sign",
    "sin",
    "sinh",
    "soft_relu",
    "softplus",
    "softshrink",
    "softsign",
    "stanh",
    "swish",
    "tan",
    "tanh_shrink",
    "thresholded_relu",
]

acos, asin, atan = functions.acos, functions.asin, functions.atan
sin, cos, tan = functions.sin, functions.cos, functions.tan
sinh, cosh = functions.sinh, functions.cosh
ceil, floor, round = functions.ceil, functions.floor, functions.round
erf, rsqrt, reciprocal = functions.erf, functions.rsqrt, functions.reciprocal
sign = functions.sign
softsign = functional.softsign

elu = alias(functional.elu, "x, alpha=1.0, name=None")
selu = alias(functional.selu, "x, scale=None, alpha=None, name=None")
gelu = alias(functional.gelu, "x, approximate=False")
maxout = alias(functional.maxout, "x, groups, name=None, axis=1")
leaky_relu = alias(
    functional.leaky_relu, "x, alpha=0.02, name=None", alpha="negative_slope"
)
logsigmoid = alias(functional.log_sigmoid, "x, name=None")
softplus = alias(functional.softplus, "x, name=None")
hard_shrink = alias(functional.hardshrink, "x, threshold=None")
tanh_shrink = alias(functional.tanhshrink, "x, name=None")
softshrink = alias(functional.softshrink, "x, alpha=None", alpha="threshold")
thresholded_relu = alias(functional.thresholded_relu, "x, threshold=None")
hard_sigmoid = alias(find("hard_sigmoid"), "x, slope=0.2, offset=0.5, name=None")
hard_swish = alias(
    find("hard_swish"), "x, threshold=6.0, scale=6.0, offset=3.0, name=None"
)
stanh = alias(find("stanh"), "x, scale_a=0.67, scale_b=1.7159, name=None")
brelu = alias(find("brelu"), "x, t_min=0.0, t_max=24.0, name=None")
pow = alias(functions.pow, "x, factor=1.0, name=None", factor="y")


def relu6(x: Any, threshold: float = 6.0, name: Any = None) -> Any:
    """min(max(x, 0), threshold)."""
    return functions.clip(x, 0.0, threshold)


def soft_relu(x: Any, threshold: float = 40.0, name: Any = None) -> Any:
    """log(1 + exp(x)), x kept within +-threshold.

    >>> import numpy as np
    >>> soft_relu(np.array([0.0])).round(4)
    array([0.6931])
    """
    return functional.softplus(functions.clip(x, -threshold, threshold))


def swish(x: Any, beta: float = 1.0, name: Any = None) -> Any:
    """x sigmoid(beta x)."""
    return ops.elementwise_mul(x, functional.sigmoid(functions.scale(x, beta)))


def mish(x: Any, threshold: float = 20, name: Any = None) -> Any:
    """x tanh(log(1 + exp(x))), where the logarithm is x itself above the threshold."""
    if threshold == 20:
        return functional.mish(x)
    bent = functional.tanh(functional.softplus(x, 1.0, threshold))
    return ops.elementwise_mul(x, bent)
