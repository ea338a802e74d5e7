"""The state of the random generator, to save and to go on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core import random
from teachgraph.core.errors import InvalidValueError

__all__ = ["Generator", "get_rng_state", "seed", "set_rng_state"]


class Generator:
    """The generator of all random numbers, as `seed` returns it.

    In Paddle this is `paddle.framework.core.default_cpu_generator()`.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def manual_seed(self, seed: int) -> Generator:
        """Start the random numbers anew from a number."""
        random.seed(seed)
        self._seed = seed
        return self

    def initial_seed(self) -> int:
        """The number that it was started from."""
        return self._seed

    def get_state(self) -> dict[str, Any]:
        """The state, to go on from with `set_state`."""
        return get_rng_state()[0]

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from where it stood when `get_state` was asked."""
        set_rng_state([state])

    def random(self) -> int:
        """Draw a whole number of 63 bits."""
        return int(random.generator().integers(2**63))


def seed(seed: int) -> Generator:
    """Start the random numbers anew from a number.

    Raises:
        InvalidValueError: It is no whole number.

    In Paddle this is `paddle.seed`.

    >>> import teachgraph as tg
    >>> generator = tg.seed(7)
    >>> first = tg.rand([2]).tolist()
    >>> _ = generator.manual_seed(7)
    >>> first == tg.rand([2]).tolist(), generator.initial_seed()
    (True, 7)
    """
    try:
        return Generator(int(seed)).manual_seed(int(seed))
    except (TypeError, ValueError):
        said = f"a seed is a whole number, 0 or more, got {seed!r}"
        raise InvalidValueError.here(said) from None


def get_rng_state(device: Any = None) -> list[dict[str, Any]]:
    """The state of the generator: numbers and words, which JSON can hold.

    With it a training run that was saved goes on bit for bit as if it had not stopped.

    Args:
        device: Taken for Paddle's sake; there is one generator.

    >>> _ = random.seed(7)
    >>> state = get_rng_state()
    >>> first = random.generator().normal()
    >>> set_rng_state(state)
    >>> first == random.generator().normal()
    True

    In Paddle this is `paddle.get_rng_state`, whose states are opaque.
    """
    return [dict(random.generator().bit_generator.state)]


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
        raise InvalidValueError.here(said) from None
    random.current[0] = fresh
