"""Random ops, drawing from the global generator behind `teachgraph.seed`.

An op whose attribute `seed` is not 0 draws from a generator of its own instead, so it
draws the same numbers in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import generator_of, uniform_random

__all__ = [
    "bernoulli",
    "dirichlet",
    "gaussian_like",
    "gaussian_random",
    "multinomial",
    "orthogonal_random",
    "poisson",
    "randint",
    "randint_like",
    "randperm",
    "truncated_gaussian_random",
    "uniform_like",
]

FLOAT32 = dtypes.PADDLE_CODES[dtypes.float32]
INT64 = dtypes.PADDLE_CODES[dtypes.int64]

PROBABILITIES = "floating numbers that can be probabilities"


@op(key="gaussian", random=True)
def gaussian_random(
    *,
    shape: Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: int = FLOAT32,
) -> Any:
    """Draw from a normal distribution."""
    # Drawn in float64 for every dtype: a seed means the same numbers in each.
    numbers = generator_of(seed).normal(mean, std, tuple(shape))
    return np.asarray(numbers, dtypes.of_code(dtype))


@op(key="truncated_gaussian_random", random=True)
def truncated_gaussian_random(
    *,
    shape: Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: int = FLOAT32,
) -> Any:
    """Draw from a normal distribution, truncated at 2 deviations by redrawing."""
    generator = generator_of(seed)
    # For shape () NumPy draws a float, which cannot be written to below.
    numbers = np.asarray(generator.standard_normal(tuple(shape)))
    while (outside := np.abs(numbers) > 2.0).any():
        numbers[outside] = generator.standard_normal(np.count_nonzero(outside))
    return np.asarray(mean + std * numbers, dtypes.of_code(dtype))


@op(random=True)
def orthogonal_random(
    *, shape: Sequence[int], gain: float = 1.0, seed: int = 0, dtype: int = FLOAT32
) -> Any:
    """Draw a matrix with orthogonal rows or columns of norm `gain`.

    The dimensions after the first are flattened. Q of a normally distributed matrix is
    uniform over the orthogonal matrices if the signs are chosen such that R has a
    positive diagonal (Saxe, McClelland and Ganguli, 2014).
    """
    check_matrix(shape)
    rows, columns = shape[0], prod(shape[1:])
    # QR makes orthonormal columns, so the longer side is that of the rows.
    high = generator_of(seed).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(high)
    q = q * np.sign(np.diagonal(r))
    matrix = gain * (q if rows >= columns else q.T)
    return np.asarray(matrix.reshape(tuple(shape)), dtypes.of_code(dtype))


def check_matrix(shape: Sequence[int]) -> None:
    """Require two dimensions or more.

    Raises:
        ShapeError: There are fewer.
    """
    if len(shape) < 2:
        raise ShapeError(f"{list(shape)} is the shape of no matrix")


def check_range(low: int, high: int) -> None:
    """Require a non-empty range.

    Raises:
        InvalidValueError: The range is empty.
    """
    if low >= high:
        raise InvalidValueError(f"there is no number from {low} up to below {high}")


@op(random=True)
def randint(
    *,
    shape: Sequence[int],
    low: int = 0,
    high: int,
    seed: int = 0,
    dtype: int = INT64,
) -> Any:
    """Draw integers low <= n < high uniformly."""
    check_range(low, high)
    numbers = generator_of(seed).integers(low, high, tuple(shape))
    return np.asarray(numbers, dtypes.of_code(dtype))


@op(key="randint", random=True)
def randint_like(
    x: Any, *, low: int = 0, high: int, seed: int = 0, dtype: int = -1
) -> Any:
    """Draw integers in the shape of `x` (and in its dtype, if `dtype` is -1)."""
    check_range(low, high)
    numbers = generator_of(seed).integers(low, high, x.shape)
    return np.asarray(numbers, x.dtype if dtype == -1 else dtypes.of_code(dtype))


@randint_like.infers
def infer_randint_like(x: Like, *, low: int, high: int, seed: int, dtype: int) -> Any:
    """The shape of x."""
    check_range(low, high)
    return [(x.shape, x.dtype if dtype == -1 else dtypes.of_code(dtype))]


@op(random=True)
def randperm(*, n: int, seed: int = 0, dtype: int = INT64) -> Any:
    """Draw a permutation of 0, 1, ..., n - 1 uniformly."""
    check_count(n)
    return np.asarray(generator_of(seed).permutation(n), dtypes.of_code(dtype))


def check_count(n: int) -> None:
    """Require a non-negative integer.

    Raises:
        InvalidValueError: The count is not.
    """
    if n != int(n) or n < 0:
        raise InvalidValueError(f"n is a whole number, 0 or more, got {n}")


@randperm.infers
def infer_randperm(*, n: int, seed: int, dtype: int) -> Any:
    """A vector of n."""
    check_count(n)
    return [((int(n),), dtypes.of_code(dtype))]


def check_floating(x: Any) -> None:
    """Require floating numbers.

    Raises:
        DTypeError: The dtype is not floating.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} is no floating type: x.astype('float32') is")


@op(key="gaussian", random=True)
def gaussian_like(x: Any, *, seed: int = 0) -> Any:
    """Draw from the standard normal distribution in the shape of `x`."""
    check_floating(x)
    return np.asarray(generator_of(seed).standard_normal(x.shape), x.dtype)


@op(key="uniform", random=True)
def uniform_like(x: Any, *, min: float = 0.0, max: float = 1.0, seed: int = 0) -> Any:
    """Draw uniformly from [min, max) in the shape of `x`."""
    check_floating(x)
    return np.asarray(generator_of(seed).uniform(min, max, x.shape), x.dtype)


@op(random=True, needs=PROBABILITIES)
def bernoulli(x: Any, *, seed: int = 0) -> Any:
    """Draw 1 with probability x, else 0."""
    check_floating(x)
    if not ((x >= 0) & (x <= 1)).all():
        raise InvalidValueError("a probability is between 0 and 1")
    return np.asarray(generator_of(seed).random(x.shape) < x, x.dtype)


@op(random=True, needs="floating numbers that can be means, 0 or more")
def poisson(x: Any, *, seed: int = 0) -> Any:
    """Draw from Poisson distributions with rates x."""
    check_floating(x)
    if not (x >= 0).all():
        raise InvalidValueError("a mean number of times is 0 or more")
    return np.asarray(generator_of(seed).poisson(x), x.dtype)


@op(random=True, needs="positive concentrations along the last dimension")
def dirichlet(alpha: Any, *, seed: int = 0) -> Any:
    """Draw points of the simplex from Dirichlet distributions with these parameters.

    Independent gamma variables, divided by their sum. Where `alpha` is below 1 they may
    be too small for a floating number, so their logarithms are drawn: a gamma variable
    of shape a is one of shape a + 1 times u^(1 / a), u uniform (Marsaglia and Tsang,
    2000).
    """
    check_concentration(alpha)
    if not (alpha > 0).all():
        raise InvalidValueError("a concentration is positive")
    generator = generator_of(seed)
    logs = np.log(generator.standard_gamma(alpha + 1.0))
    logs -= generator.standard_exponential(alpha.shape) / alpha
    # The largest share becomes 1, so not all underflow.
    shares = np.exp(logs - logs.max(-1, keepdims=True, initial=-np.inf))
    return np.asarray(shares / shares.sum(-1, keepdims=True), alpha.dtype)


def check_concentration(alpha: Any) -> None:
    """Require floating numbers along a last dimension.

    Raises:
        ShapeError: There is no dimension.
    """
    check_floating(alpha)
    if len(alpha.shape) < 1:
        raise ShapeError("a number alone is no vector of concentrations")


def described(*, shape: Sequence[int], dtype: int, **attrs: Any) -> Any:
    """Infer shape and dtype from the attributes, without drawing.

    Raises:
        ShapeError: A size is negative or not whole.
    """
    sizes = tuple(shape)
    if any(n != int(n) or n < 0 for n in sizes):
        raise ShapeError(f"a size is 0 or more, got {list(sizes)}")
    return [(tuple(int(n) for n in sizes), dtypes.of_code(dtype))]


uniform_random.infers(described)
gaussian_random.infers(described)
truncated_gaussian_random.infers(described)


@orthogonal_random.infers
def infer_orthogonal(*, shape: Sequence[int], **attrs: Any) -> Any:
    """The shape of the attributes."""
    check_matrix(shape)
    return described(shape=shape, **attrs)


@randint.infers
def infer_randint(*, low: int, high: int, **attrs: Any) -> Any:
    """The shape of the attributes."""
    check_range(low, high)
    return described(**attrs)


@gaussian_like.infers
@uniform_like.infers
@bernoulli.infers
@poisson.infers
def infer_like(x: Like, *, seed: int, **limits: float) -> Any:
    """The shape of x."""
    check_floating(x)
    return [(x.shape, x.dtype)]


@dirichlet.infers
def infer_dirichlet(alpha: Like, *, seed: int) -> Any:
    """The shape of alpha."""
    check_concentration(alpha)
    return [(alpha.shape, alpha.dtype)]


@op(random=True, needs="weights, 0 or more, in the last dimension of one or two")
def multinomial(
    x: Any, *, num_samples: int = 1, replacement: bool = False, seed: int = 0
) -> Any:
    """Draw indices of x with probabilities proportional to the weights x.

    With replacement by inverting the cumulative weights. Without, every index draws an
    exponentially distributed time with its weight as rate, and the smallest times win.
    """
    check_draw(x, num_samples)
    positive = check_weights(x, 1 if replacement else num_samples)
    generator = generator_of(seed)
    if replacement:
        shares = np.cumsum(x, -1, dtype=np.float64)
        shares = shares / shares[..., -1:]
        drawn = generator.random((*x.shape[:-1], num_samples, 1))
        return (drawn >= shares[..., np.newaxis, :]).sum(-1)
    times = generator.standard_exponential(x.shape) / x
    if positive is not None:  # a time of 0 divided by a weight of 0 is no number
        times[~positive] = np.inf
    if num_samples == 1:  # sorting takes longer than finding the smallest
        return times.argmin(-1, keepdims=True)
    return np.argsort(times, -1)[..., :num_samples]


def check_weights(x: Any, least: int) -> Any:
    """Require weights of 0 or more, and enough that are not 0.

    Returns:
        Which are not 0; None if all of them are not.

    Raises:
        InvalidValueError: The weights are others.
    """
    if x.shape[-1] >= least and x.size and x.item(x.argmin()) > 0:
        return None
    positive = x > 0
    enough = positive.sum(-1) >= least
    if not (enough.all() and (x >= 0).all()):
        raise InvalidValueError("weights are 0 or more, and enough of them are not 0")
    return positive


def check_draw(x: Any, count: int) -> None:
    """Require a vector or matrix of weights, and a positive number of draws.

    Raises:
        ShapeError: The weights have another rank.
        InvalidValueError: `num_samples` is less than 1.
    """
    check_floating(x)
    if x.ndim not in (1, 2):
        raise ShapeError(f"{x.ndim} dimensions are not 1 or 2")
    if count != int(count) or count < 1:
        raise InvalidValueError(f"num_samples is 1 or more, got {count}")


@multinomial.infers
def infer_multinomial(x: Like, *, num_samples: int, **attrs: Any) -> Any:
    """`num_samples` indices for each row."""
    check_draw(x, num_samples)
    return [((*x.shape[:-1], int(num_samples)), np.dtype("int64"))]
