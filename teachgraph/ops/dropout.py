"""Dropout: elements are zeroed at random while training."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core import random
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["drawn_seed", "dropout"]

IMPLEMENTATIONS = ("upscale_in_train", "downgrade_in_infer")


@op(outputs=("out", "mask"), random=True, needs="floating x and 0 <= dropout_prob <= 1")
def dropout(
    x: Any,
    seed_: Any = None,
    *,
    dropout_prob: float = 0.5,
    is_test: bool = False,
    dropout_implementation: str = "downgrade_in_infer",
    fix_seed: bool = False,
    seed: int = 0,
    axis: Sequence[int] = (),
) -> Any:
    """Zero each element of x with probability p; the second output is the mask.

    To preserve the mean, elements are divided by 1 - p while training, or
    (`downgrade_in_infer`) multiplied by it in a test. With `axis` the mask varies along
    these dimensions and broadcasts along the others. The seed may be an input, too: two
    ops that read the same seed draw the same mask.
    """
    check(x, dropout_prob, dropout_implementation, axis)
    factor = kept_times(dropout_prob, is_test, dropout_implementation)
    if is_test:
        ones = np.empty(x.shape, np.uint8)
        ones.fill(1)  # in half the time of `np.ones`
        return x * factor, ones
    own = seed_ is not None or fix_seed or seed
    first = seed if seed_ is None else int(seed_.item())
    source = np.random.default_rng(first) if own else random.generator()
    mask = np.empty(x.shape, np.bool_)
    mask[...] = drawn(source, mask_shape(x.shape, axis), dropout_prob)
    # Paddle's mask is of uint8; a view costs nothing.
    return times_mask(x, mask, factor), mask.view(np.uint8)


LEVELS = 1 << 32
"""Of so many numbers one is drawn for each element: p is rounded to 1 / LEVELS."""


def drawn(source: np.random.Generator, shape: Sequence[int], p: float) -> Any:
    """Draw a mask that is False with probability p.

    Two elements share 64 random bits: two thirds of the time of a float for each.
    """
    count = prod(shape)
    bits = source.bit_generator.random_raw(-(-count // 2)).view(np.uint32)
    return bits[:count].reshape(shape) >= round(p * LEVELS)


def times_mask(x: Any, mask: Any, factor: float) -> Any:
    """Compute x times mask times factor, 0 even where an infinite element is masked.

    An infinity times 0 is NaN, and `np.where` takes long for a mask at random. So the
    mask, as an integer of all bits 1 or 0, is multiplied bit by bit.
    """
    integer = np.dtype(f"i{x.itemsize}")
    out = np.multiply(x, factor, out=np.empty(x.shape, x.dtype))
    bits = out.view(integer)
    bits &= np.negative(mask.view(np.int8), dtype=integer)
    return out


def mask_shape(shape: Sequence[int], axis: Sequence[int]) -> list[int]:
    """Shape of the random numbers: 1 where the mask broadcasts."""
    chosen = {i % len(shape) for i in axis}
    return [n if not chosen or i in chosen else 1 for i, n in enumerate(shape)]


def kept_times(p: float, is_test: bool, implementation: str) -> float:
    """Factor of the elements that are not zeroed."""
    if is_test:
        return 1.0 if implementation == "upscale_in_train" else 1.0 - p
    # With p = 1 all elements are zeroed, and 1 / (1 - p) would be infinite.
    return 1.0 / (1.0 - p) if implementation == "upscale_in_train" and p < 1 else 1.0


def check(x: Any, p: float, implementation: str, axis: Sequence[int]) -> None:
    """Check the arguments.

    Raises:
        DTypeError: x is not floating.
        InvalidValueError: p is no probability, or the implementation is unknown.
        ShapeError: An axis is out of range.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"floating numbers are left out, not {x.dtype}")
    if not 0 <= p <= 1:
        raise InvalidValueError(f"p is between 0 and 1, got {p}")
    if implementation not in IMPLEMENTATIONS:
        raise InvalidValueError(f"{implementation!r} is none of {IMPLEMENTATIONS}")
    if axis and any(not -len(x.shape) <= i < len(x.shape) for i in axis):
        raise ShapeError(f"axis {list(axis)} of {len(x.shape)} dimensions")


@dropout.infers
def infer_dropout(
    x: Like,
    seed_: Like | None = None,
    *,
    dropout_prob: float,
    dropout_implementation: str,
    axis: Sequence[int],
    **others: Any,
) -> Any:
    """Both outputs have x's shape."""
    check(x, dropout_prob, dropout_implementation, axis)
    return [(x.shape, x.dtype), (x.shape, np.dtype(np.uint8))]


@dropout.grad(of=("x",))
def dropout_grad(
    dout: Any,
    mask: Any,
    *,
    dropout_prob: float,
    is_test: bool,
    dropout_implementation: str,
) -> Any:
    """dx = dout times mask and factor."""
    factor = kept_times(dropout_prob, is_test, dropout_implementation)
    # Cast and scaled before: times a bool, NumPy multiplies in small parts.
    return dout * ((mask > 0).astype(dout.dtype) * factor)


@op(type="seed", random=True)
def drawn_seed(*, seed: int = 0) -> Any:
    """Output the seed, or a random one if it is 0."""
    return np.array([seed or random.generator().integers(1, 2**31)], np.int32)


@drawn_seed.infers
def infer_seed(*, seed: int) -> Any:
    """One number."""
    return [((1,), np.dtype(np.int32))]
