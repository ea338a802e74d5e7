"""The state of the random generator, to save and to go on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core import random
from teachgraph.core.errors import InvalidValueError, at_user_line

__all__ = ["get_rng_state", "set_rng_state"]


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
        raise InvalidValueError(at_user_line(said)) from None
    random.use(fresh)
