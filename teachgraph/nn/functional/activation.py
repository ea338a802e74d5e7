"""Activation functions."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes, ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import activation, functions, math
from teachgraph.ops import softmax as softmaxes
from teachgraph.ops.maxout import maxout as maxout_op

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "maxout",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softshrink",
    "softsign",
    "swish",
    "tanh",
    "tanhshrink",
    "thresholded_relu",
]

relu = functions.math.of_one(ops.relu)
sigmoid = functions.math.of_one(math.sigmoid)
tanh = functions.tanh


def relu6(x: Any, name: str | None = None) -> Any:
    """out = min(max(x, 0), 6).

    >>> import numpy as np
    >>> relu6(np.array([-1.0, 2.0, 9.0]))
    array([0., 2., 6.])
    """
    return activation.relu6(x)


def leaky_relu(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    """out = x where x > 0, negative_slope x elsewhere.

    >>> import numpy as np
    >>> leaky_relu(np.array([-1.0, 2.0]), 0.1)
    array([-0.1,  2. ])
    """
    return activation.leaky_relu(x, alpha=float(negative_slope))


def prelu(
    x: Any, weight: Any, data_format: str = "NCHW", name: str | None = None
) -> Any:
    """out = x where x > 0, weight x elsewhere: a leaky relu that learns its slope.

    Args:
        x: [N, C, ...], or with channels last.
        weight: One number [1], or one per channel [C].
        data_format: Where the channels are: "NCHW" and the like, or "NHWC".
        name: Accepted for Paddle's sake.

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852.

    >>> import numpy as np
    >>> prelu(np.array([[-2.0, -2.0]]), np.array([0.5, 0.25]))
    array([[-1. , -0.5]])
    """
    first = data_format.startswith("NC")
    attrs = {
        "mode": "all" if tuple(weight.shape) == (1,) else "channel",
        "data_format": "NCHW" if first else "NHWC",
    }
    return activation.prelu(x, weight, **attrs)


def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """out = x where x > 0, alpha (exp(x) - 1) elsewhere.

    >>> import numpy as np
    >>> elu(np.array([-1.0, 2.0])).round(4)
    array([-0.6321,  2.    ])
    """
    return activation.elu(x, alpha=float(alpha))


def selu(
    x: Any,
    scale: float = 1.0507009873554805,
    alpha: float = 1.6732632423543772,
    name: str | None = None,
) -> Any:
    """out = scale elu(x), with the constants that preserve mean 0 and variance 1.

    Raises:
        InvalidValueError: `scale` is not above 1, or `alpha` is negative.

    Source: Klambauer et al. 2017, https://arxiv.org/abs/1706.02515.
    """
    if not (scale > 1 and alpha >= 0):
        message = f"selu: scale is above 1, alpha at least 0, got {scale} and {alpha}"
        raise InvalidValueError.here(message)
    return activation.selu(x, scale=float(scale), alpha=float(alpha))


def celu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """out = max(x, 0) + alpha (exp(min(x, 0) / alpha) - 1): a smooth elu.

    Raises:
        InvalidValueError: alpha is 0.
    """
    return activation.celu(x, alpha=float(alpha))


def gelu(x: Any, approximate: bool = False, name: str | None = None) -> Any:
    """out = x Phi(x), Phi the normal distribution function; or its tanh approximation.

    Raises:
        InvalidValueError: `approximate` is neither True nor False.

    Source: Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415.

    >>> import numpy as np
    >>> gelu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1587,  0.    ,  1.9545])
    """
    if not isinstance(approximate, bool | None):
        message = f"gelu: approximate is True or False, got {approximate!r}"
        raise InvalidValueError.here(message)
    return activation.gelu(x, approximate=bool(approximate))


def silu(x: Any, name: str | None = None) -> Any:
    """out = x sigmoid(x)."""
    return activation.silu(x)


def swish(x: Any, name: str | None = None) -> Any:
    """out = x sigmoid(x), as `silu`."""
    return activation.swish(x)


def mish(x: Any, name: str | None = None) -> Any:
    """out = x tanh(softplus(x))."""
    return activation.mish(x)


def hardswish(x: Any, name: str | None = None) -> Any:
    """out = x min(max(x + 3, 0), 6) / 6: swish with a piecewise linear sigmoid.

    >>> import numpy as np
    >>> hardswish(np.array([-4.0, 0.0, 1.5, 4.0]))
    array([-0.   ,  0.   ,  1.125,  4.   ])
    """
    return activation.hard_swish(x)


def hardsigmoid(
    x: Any, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None
) -> Any:
    """out = min(max(slope x + offset, 0), 1): a piecewise linear sigmoid."""
    return activation.hard_sigmoid(x, slope=float(slope), offset=float(offset))


def hardtanh(
    x: Any, min: float = -1.0, max: float = 1.0, name: str | None = None
) -> Any:
    """out = x clipped to [min, max].

    >>> import numpy as np
    >>> hardtanh(np.array([-4.0, 0.5, 4.0]))
    array([-1. ,  0.5,  1. ])
    """
    return activation.brelu(x, t_min=float(min), t_max=float(max))


def hardshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """out = x where |x| > threshold, 0 elsewhere."""
    return activation.hard_shrink(x, threshold=float(threshold))


def softshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """out = sign(x) max(|x| - threshold, 0).

    Raises:
        InvalidValueError: The threshold is negative.

    >>> import numpy as np
    >>> softshrink(np.array([-2.0, 0.25, 2.0]))
    array([-1.5,  0. ,  1.5])
    """
    return activation.softshrink(x, lambda_=float(threshold))


def tanhshrink(x: Any, name: str | None = None) -> Any:
    """out = x - tanh(x)."""
    return activation.tanh_shrink(x)


def thresholded_relu(x: Any, threshold: float = 1.0, name: str | None = None) -> Any:
    """out = x where x > threshold, 0 elsewhere."""
    return activation.thresholded_relu(x, threshold=float(threshold))


def softplus(
    x: Any, beta: float = 1, threshold: float = 20, name: str | None = None
) -> Any:
    """out = log(1 + exp(beta x)) / beta, a smooth relu.

    Where beta x > threshold out = x, which differs by less than e^-threshold.

    >>> import numpy as np
    >>> softplus(np.array([0.0, 100.0])).round(4)
    array([  0.6931, 100.    ])
    """
    return activation.softplus(x, beta=float(beta), threshold=float(threshold))


def softsign(x: Any, name: str | None = None) -> Any:
    """out = x / (1 + |x|).

    >>> import numpy as np
    >>> softsign(np.array([-1.0, 3.0]))
    array([-0.5 ,  0.75])
    """
    return activation.softsign(x)


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """out = log sigmoid(x), numerically stable.

    >>> import numpy as np
    >>> log_sigmoid(np.array([-1000.0, 0.0])).round(4)
    array([-1.000e+03, -6.931e-01])
    """
    return activation.logsigmoid(x)


def maxout(x: Any, groups: int, axis: int = 1, name: str | None = None) -> Any:
    """Maximum of each group of `groups` neighbours along `axis`.

    Raises:
        InvalidValueError: `groups` does not divide the axis.

    >>> import numpy as np
    >>> maxout(np.array([[1.0, 2.0, 4.0, 3.0]]), 2)
    array([[2., 4.]])
    """
    return maxout_op(x, groups=groups, axis=axis)


def glu(x: Any, axis: int = -1, name: str | None = None) -> Any:
    """out = a sigmoid(b), where a and b are the halves of `x` along `axis`.

    Raises:
        ShapeError: The axis has an odd size.

    Source: Dauphin et al. 2016, https://arxiv.org/abs/1612.08083.

    >>> import numpy as np
    >>> glu(np.array([4.0, 0.0]))
    array([2.])
    """
    a, b = functions.split(x, 2, axis)
    return ops.elementwise_mul(a, math.sigmoid(b))


def softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """out = exp(x) / sum exp(x) along `axis`.

    In Paddle this is `paddle.nn.functional.softmax`.

    >>> import numpy as np
    >>> softmax(np.zeros((1, 4)))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    return softmaxes.softmax(in_dtype(x, dtype), axis=axis)


def log_softmax(
    x: Any, axis: int = -1, dtype: Any = None, name: str | None = None
) -> Any:
    """out = x - log sum exp(x) along `axis`: log(softmax(x)), numerically stable.

    In Paddle this is `paddle.nn.functional.log_softmax`.

    >>> import numpy as np
    >>> log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """
    return softmaxes.log_softmax(in_dtype(x, dtype), axis=axis)


def in_dtype(x: Any, dtype: Any) -> Any:
    """Cast `x` to a dtype, unless it is None."""
    return x if dtype is None else x.astype(dtypes.convert(dtype))
