"""Random numbers, all from the one generator that `seed` starts."""

from __future__ import annotations

from typing import Any

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


def uniform(
    shape: Any,
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    name: Any = None,
) -> Any:
    """Numbers spread evenly over [min, max).

    Args:
        shape: Sizes, as numbers or 0-D Tensors.
        dtype: By default float32.
        min: The smallest number there can be.
        max: What all are smaller than.
        seed: If not 0, the same numbers come at every call.
        name: Taken for Paddle's sake.
    """
    limits = {"min": min, "max": max, "seed": seed}
    code = code_of(dtype)
    return sampling.uniform_random(shape=sizes(shape), dtype=code, **limits)


def rand(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Numbers spread evenly over [0, 1)."""
    return uniform(shape, dtype, min=0.0)


def gaussian(
    shape: Any,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """Normally distributed numbers of this mean and deviation."""
    moments = {"mean": mean, "std": std, "seed": seed}
    code = code_of(dtype)
    return sampling.gaussian_random(shape=sizes(shape), dtype=code, **moments)


def standard_normal(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """Normally distributed numbers of mean 0 and deviation 1."""
    return gaussian(shape, dtype=dtype)


def randn(shape: Any, dtype: Any = None, name: Any = None) -> Any:
    """The same as `standard_normal`, under NumPy's name."""
    return standard_normal(shape, dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: Any = None) -> Any:
    """Normally distributed numbers.

    Args:
        mean: Their mean: a number, or a tensor of one for each.
        std: Their deviation: likewise.
        shape: Sizes, where neither is a tensor; by default [1].
        name: Taken for Paddle's sake.

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
    """Whole numbers, low <= n < high, each as likely as any other.

    Args:
        low: The smallest, or where it is given alone, what all are smaller than.
        high: What all are smaller than.
        shape: Sizes, as numbers or 0-D Tensors.
        dtype: By default int64.
        name: Taken for Paddle's sake.

    Raises:
        InvalidValueError: There is no such number.
    """
    limits = {"low": 0, "high": low} if high is None else {"low": low, "high": high}
    code = code_of(dtype, "int64")
    return sampling.randint(shape=sizes(shape), dtype=code, **limits)


def randint_like(
    x: Any, low: int = 0, high: int | None = None, dtype: Any = None, name: Any = None
) -> Any:
    """Whole numbers, low <= n < high, in the shape of `x` and by default its dtype."""
    limits = {"low": 0, "high": low} if high is None else {"low": low, "high": high}
    return sampling.randint_like(x, dtype=code_of(dtype, x.dtype), **limits)


def randperm(n: int, dtype: Any = "int64", name: Any = None) -> Any:
    """0, 1, ..., n - 1 in some order.

    >>> import teachgraph as tg
    >>> sorted(tg.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    return sampling.randperm(n=n, dtype=code_of(dtype, "int64"))


def bernoulli(x: Any, name: Any = None) -> Any:
    """1 with the probability that stands in x, else 0.

    Raises:
        InvalidValueError: One is not between 0 and 1.
    """
    return sampling.bernoulli(x)


def poisson(x: Any, name: Any = None) -> Any:
    """How often something happens that happens x times on average."""
    return sampling.poisson(x)


def multinomial(
    x: Any, num_samples: int = 1, replacement: bool = False, name: Any = None
) -> Any:
    """Places in x, drawn with the weights that stand there.

    Args:
        x: Weights [k] or [rows, k], 0 or more; they need not add up to 1.
        num_samples: How many to draw, from each row.
        replacement: Whether a place may be drawn again.
        name: Taken for Paddle's sake.

    Raises:
        InvalidValueError: A weight is negative, or too few are more than 0.

    >>> import teachgraph as tg
    >>> tg.multinomial(tg.to_tensor([0.0, 3.0, 0.0])).tolist()
    [1]
    """
    how = {"num_samples": num_samples, "replacement": replacement}
    return sampling.multinomial(x, **how)
