"""Label smoothing and sequence masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import op

__all__ = ["label_smooth", "sequence_mask"]


@op(needs="floating labels [..., C], and the prior's shape [1, C] if it is given")
def label_smooth(x: Any, prior_dist: Any = None, *, epsilon: float = 0.0) -> Any:
    """out = (1 - epsilon) x + epsilon prior, where the prior is by default 1 / C."""
    if x.dtype.kind != "f":
        raise DTypeError(f"labels are floating here, not {x.dtype}")
    if not 0 <= epsilon <= 1:
        raise InvalidValueError(f"epsilon is between 0 and 1, got {epsilon}")
    if not x.ndim:
        raise ShapeError("labels have a dimension for the classes")
    if prior_dist is None:
        return (1 - epsilon) * x + epsilon / max(x.shape[-1], 1)
    if prior_dist.size != x.shape[-1]:
        raise ShapeError(f"a prior of {prior_dist.size} for {x.shape[-1]} classes")
    out = (1 - epsilon) * x + epsilon * prior_dist.reshape(-1)
    return out.astype(x.dtype, copy=False)


@label_smooth.grad(of=("x",))
def label_smooth_grad(dout: Any, *, epsilon: float) -> Any:
    """dx = (1 - epsilon) dout; the prior is a constant."""
    return dout * (1 - epsilon)


@op(outputs=("y",), needs="whole numbers, the lengths of sequences")
def sequence_mask(x: Any, *, maxlen: int = -1, out_dtype: int = 3) -> Any:
    """y[..., i] = 1 where i < x, else 0, for i up to `maxlen`, or to the longest."""
    check_lengths(x, maxlen)
    longest = x.max(initial=0) if maxlen == -1 else maxlen
    return (np.arange(longest) < x[..., None]).astype(dtypes.of_code(out_dtype))


def check_lengths(x: Any, maxlen: int) -> None:
    """Require integer lengths, and a valid `maxlen`.

    Raises:
        DTypeError: The lengths are no integers.
        InvalidValueError: `maxlen` is invalid.
    """
    if x.dtype.kind not in "iu":
        raise DTypeError(f"lengths are integers, not {x.dtype}")
    if maxlen < -1:
        raise InvalidValueError(f"maxlen is -1, 0 or more, got {maxlen}")


@sequence_mask.infers
def infer_sequence_mask(x: Any, *, maxlen: int, out_dtype: int) -> Any:
    """The last size is `maxlen`, or unknown (-1)."""
    check_lengths(x, maxlen)
    return [((*x.shape, maxlen), dtypes.of_code(out_dtype))]
