"""Random tensors, drawn from the global generator behind `seed`."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes, ops
from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Traced
from teachgraph.ops import sampling
from teachgraph.ops.functions.creation import code_of, sizes

__all__ = [
    "bernoulli",
    "gaussian",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "randint",
    "randint_like",
    "randn",
    "randperm",
    "standard_normal",
    "uniform",
]


def floating_code(dtype: Any) -> int:
    """Paddle's code of a floating dtype; None is the default one.

    Raises:
        DTypeError: It is a dtype of integers, to which such numbers would be cut.
    """
    code = code_of(dtype)
    if (kind := dtypes.of_code(code)).kind != "f":
        raise DTypeError.here(
            f"{kind} cannot hold random floating numbers: draw float32, or integers by "
            "randint"
        )
    return code


def uniform(
    shape: Any,
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    name: Any = None,
) -> Any:
    """Draw uniformly from [min, max).

    Args:
        shape: Sizes, as numbers or 0-D Tensors.
        dtype: By default float32.
        min: The lower bound, included.
        max: The upper bound, excluded.
        seed: If not 0, every call draws the same numbers.
        name: Accepted for Paddle's sake.
    """
    limits = {"min": min, "max": max, "seed": seed}
    code = floating_code(dtype)
    return ops.uniform_random(shape=sizes(shape), dtype=code, **limits)


def rand(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Draw uniformly from [0, 1)."""
    return uniform(shape, dtype, min=0.0)


def gaussian(
    shape: Any,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """Draw from the normal distribution with this mean and deviation."""
    moments = {"mean": mean, "std": std, "seed": seed}
    code = floating_code(dtype)
    return sampling.gaussian_random(shape=sizes(shape), dtype=code, **moments)


def standard_normal(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Draw from the normal distribution with mean 0 and deviation 1."""
    return gaussian(shape, dtype=dtype)


def randn(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Draw from the standard normal distribution (NumPy's name)."""
    return standard_normal(shape, dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: Any = None) -> Any:
    """Draw from normal distributions.

    Args:
        mean: The mean: a number, or a tensor with one for each result.
        std: The standard deviation: likewise.
        shape: Sizes, if neither is a tensor; by default [1].
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> tg.normal(mean=tg.zeros([2, 3])).shape
    [2, 3]
    """
    pattern = mean if isinstance(mean, Traced) else std
    if isinstance(pattern, Traced):
        return sampling.gaussian_like(pattern) * std + mean
    return gaussian([1] if shape is None else shape, mean, std)


def randint(
    low: int = 0,
    high: int | None = None,
    shape: Any = (1,),
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """Draw integers low <= n < high uniformly.

    Args:
        low: The lower bound, included; if given alone, the upper bound.
        high: The upper bound, excluded.
        shape: Sizes, as numbers or 0-D Tensors.
        dtype: By default int64.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The range is empty.
    """
    limits = {"low": 0, "high": low} if high is None else {"low": low, "high": high}
    code = code_of(dtype, "int64")
    return sampling.randint(shape=sizes(shape), dtype=code, **limits)


def randint_like(
    x: Any, low: int = 0, high: int | None = None, dtype: Any = None, name: Any = None
) -> Any:
    """Draw integers low <= n < high in the shape of `x` and by default its dtype."""
    limits = {"low": 0, "high": low} if high is None else {"low": low, "high": high}
    return sampling.randint_like(x, dtype=code_of(dtype, x.dtype), **limits)


def randperm(n: int, dtype: Any = "int64", name: Any = None) -> Any:
    """Draw a permutation of 0, 1, ..., n - 1.

    >>> import teachgraph as tg
    >>> sorted(tg.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    return sampling.randperm(n=n, dtype=code_of(dtype, "int64"))


def bernoulli(x: Any, name: Any = None) -> Any:
    """Draw 1 with probability x, else 0.

    Raises:
        InvalidValueError: A probability is not between 0 and 1.
    """
    return sampling.bernoulli(x)


def poisson(x: Any, name: Any = None) -> Any:
    """Draw from Poisson distributions with rates x."""
    return sampling.poisson(x)


def multinomial(
    x: Any, num_samples: int = 1, replacement: bool = False, name: Any = None
) -> Any:
    """Draw indices with probabilities proportional to the weights x.

    Args:
        x: Weights [k] or [rows, k], 0 or more; they need not add up to 1.
        num_samples: The number of draws from each row.
        replacement: Draw with replacement.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: A weight is negative, or too few are positive.

    >>> import teachgraph as tg
    >>> tg.multinomial(tg.to_tensor([0.0, 3.0, 0.0])).tolist()
    [1]
    """
    how = {"num_samples": num_samples, "replacement": replacement}
    return sampling.multinomial(x, **how)
