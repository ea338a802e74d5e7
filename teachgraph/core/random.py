"""One generator for everything random, seeded in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, at_user_line

__all__ = ["generator", "get_rng_state", "seed", "set_rng_state"]


class _Source:
    """Holds the generator, so that nobody keeps a stale one."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng()


_source = _Source()


def seed(seed: int) -> np.random.Generator:
    """Start the random numbers anew from a number, as `paddle.seed` does.

    >>> first = seed(7).normal()
    >>> first == seed(7).normal()
    True
    """
    _source.generator = np.random.default_rng(seed)
    return _source.generator


def generator() -> np.random.Generator:
    """The one generator. Ask for it each time; do not keep it.

    >>> _ = seed(0)
    >>> 0.0 <= generator().random() < 1.0
    True
    """
    return _source.generator


def get_rng_state(device: Any = None) -> list[dict[str, Any]]:
    """The state of the generator: numbers and words, which JSON can hold.

    With it a training run that was saved goes on bit for bit as if it had not stopped.

    Args:
        device: Taken for Paddle's sake; there is one generator.

    >>> _ = seed(7)
    >>> state = get_rng_state()
    >>> first = generator().normal()
    >>> set_rng_state(state)
    >>> first == generator().normal()
    True

    In Paddle this is `paddle.get_rng_state`, whose states are opaque.
    """
    return [dict(_source.generator.bit_generator.state)]


def set_rng_state(state_list: Sequence[Mapping[str, Any]], device: Any = None) -> None:
    """Go on from where the generator stood when `get_rng_state` was asked.

    Raises:
        InvalidValueError: That is no such state.
    """
    fresh = np.random.default_rng()
    try:
        (state,) = state_list
        fresh.bit_generator.state = dict(state)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        said = f"set_rng_state takes what get_rng_state gave: {error}"
        raise InvalidValueError(at_user_line(said)) from None
    _source.generator = fresh
