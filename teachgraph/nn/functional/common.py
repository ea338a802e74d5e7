"""Linear and bilinear maps, dropout, label smoothing, sequence masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes, ops
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ShapeError,
)
from teachgraph.core.program import default_main_program
from teachgraph.ops import bilinear as products
from teachgraph.ops import dropout as dropouts
from teachgraph.ops import naming, sequence
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.math import scale
from teachgraph.ops.matmul import matmul_v2
from teachgraph.static.variable import Variable

__all__ = [
    "alpha_dropout",
    "bilinear",
    "dropout",
    "dropout2d",
    "dropout3d",
    "label_smooth",
    "linear",
    "sequence_mask",
]


def linear(x: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """out = x W + b.

    Args:
        x: [..., in].
        weight: [in, out].
        bias: [out], or None.
        name: What a Program calls the layer, instead of `linear_N`.

    In Paddle this is `paddle.nn.functional.linear`.

    >>> import numpy as np
    >>> linear(np.ones((1, 2)), np.ones((2, 3)), np.ones(3))
    array([[3., 3., 3.]])
    """
    if isinstance(x, Variable):
        with naming.layer("linear", name):
            return affine(x, weight, bias)
    return affine(x, weight, bias)


def affine(x: Any, weight: Any, bias: Any) -> Any:
    """Compute x W + b."""
    out = matmul_v2(x, weight)
    return out if bias is None else ops.elementwise_add(out, bias)


def dropout(
    x: Any,
    p: float = 0.5,
    axis: int | Sequence[int] | None = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Any:
    """Dropout: zero each element with probability p, and preserve the mean.

    Args:
        x: Floating numbers of any shape.
        p: The probability of 0.
        axis: The mask varies along these dimensions and broadcasts along the others.
        training: False turns dropout off.
        mode: "upscale_in_train" divides by 1 - p while training;
            "downscale_in_infer" multiplies by 1 - p when not.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: p is not in [0, 1], or the mode is unknown.

    In Paddle this is `paddle.nn.functional.dropout`.

    >>> import teachgraph as tg
    >>> _ = tg.seed(1)
    >>> sorted(set(dropout(tg.ones([100]), 0.75).tolist()))
    [0.0, 4.0]
    """
    if mode not in MODES:
        raise InvalidValueError.here(
            f"mode argument should be one of {list(MODES)}, got {mode!r}"
        )
    check_probability(p)
    if p == 0:
        return x
    axes = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    out, _ = dropouts.dropout(
        x,
        dropout_prob=p,
        is_test=not training,
        dropout_implementation=MODES[mode],
        axis=axes,
        seed=seed_for(x) if training else 0,
    )
    return out


def seed_for(x: Any) -> int:
    """The seed of an op that runs now, if the default program has one; else 0."""
    return default_main_program().random_seed if isinstance(x, Tensor) else 0


MODES = {
    "upscale_in_train": "upscale_in_train",
    "downscale_in_infer": "downgrade_in_infer",
}


def check_probability(p: Any) -> None:
    """Require a probability.

    Raises:
        DTypeError: The value is no number.
        InvalidValueError: The value is not between 0 and 1.
    """
    if not isinstance(p, (int, float)):
        raise DTypeError.here(f"p argument should be a number, got {p!r}")
    if not 0 <= p <= 1:
        raise InvalidValueError.here(f"p argument should be between 0 and 1, got {p}")


def dropout2d(
    x: Any,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Dropout of whole channels of images [N, C, H, W].

    In Paddle this is `paddle.nn.functional.dropout2d`.
    """
    return channels_dropped(x, p, training, data_format, 4)


def dropout3d(
    x: Any,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Dropout of whole channels of volumes [N, C, D, H, W].

    In Paddle this is `paddle.nn.functional.dropout3d`.
    """
    return channels_dropped(x, p, training, data_format, 5)


def channels_dropped(
    x: Any, p: float, training: bool, data_format: str, rank: int
) -> Any:
    """Dropout of whole channels.

    Raises:
        ShapeError: x has another rank.
    """
    if len(x.shape) != rank:
        raise ShapeError.here(
            f"dimensions of x should be {rank}, but received {len(x.shape)}"
        )
    channel = 1 if data_format.startswith("NC") else rank - 1
    return dropout(x, p, [0, channel], training)


SATURATION = -1.0507009873554805 * 1.6732632423543772
"""SELU's limit for small inputs, which alpha dropout substitutes for dropped ones."""


def alpha_dropout(
    x: Any, p: float = 0.5, training: bool = True, name: str | None = None
) -> Any:
    """Dropout that preserves mean 0 and variance 1, for use with SELU.

    Dropped elements become SELU's limit for small inputs, and an affine map restores
    the moments (Klambauer et al., 2017).

    Raises:
        InvalidValueError: p is not in [0, 1].

    In Paddle this is `paddle.nn.functional.alpha_dropout`.
    """
    check_probability(p)
    if not training or p == 0:
        return x
    if p == 1:
        # The factor would be 0 to a negative power.
        return scale(x, scale=0.0)
    a = ((1 - p) * (1 + p * SATURATION**2)) ** -0.5
    ones = fill_any_like(x, value=1.0)
    kept, _ = dropouts.dropout(ones, dropout_prob=p)
    filled = x * kept + (1.0 - kept) * SATURATION
    return scale(filled, scale=a, bias=-a * p * SATURATION)


def bilinear(
    x1: Any, x2: Any, weight: Any, bias: Any = None, name: str | None = None
) -> Any:
    """out[n, k] = x1[n]' W[k] x2[n] + b[k].

    Args:
        x1: [N, A].
        x2: [N, B].
        weight: [K, A, B].
        bias: [1, K], or None.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.bilinear`.

    >>> import numpy as np
    >>> bilinear(np.array([[2.0]]), np.array([[3.0]]), np.ones((1, 1, 1)))
    array([[6.]])
    """
    return products.bilinear_tensor_product(x1, x2, weight, bias)


def label_smooth(
    label: Any, prior_dist: Any = None, epsilon: float = 0.1, name: str | None = None
) -> Any:
    """Compute (1 - epsilon) label + epsilon prior.

    Args:
        label: Distributions [..., C], such as one-hot labels.
        prior_dist: [1, C]; by default every class has 1 / C.
        epsilon: The weight of the prior.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: epsilon is not in [0, 1].

    In Paddle this is `paddle.nn.functional.label_smooth`.

    >>> import numpy as np
    >>> label_smooth(np.array([[1.0, 0.0]]), epsilon=0.5)
    array([[0.75, 0.25]])
    """
    return sequence.label_smooth(label, prior_dist, epsilon=epsilon)


def sequence_mask(
    x: Any, maxlen: int | None = None, dtype: Any = "int64", name: str | None = None
) -> Any:
    """Create a mask of sequences: 1 before each length, 0 from there on.

    Args:
        x: Lengths, integers of any shape.
        maxlen: The size of the new last dimension; by default the largest length.
        dtype: Of the result.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.sequence_mask`.

    >>> import numpy as np
    >>> sequence_mask(np.array([1, 3])).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype)]
    longest = -1 if maxlen is None else maxlen
    return sequence.sequence_mask(x, maxlen=longest, out_dtype=code)
