"""`LRScheduler`, base of all schedules: counts epochs and computes the rate."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from teachgraph.core.errors import DTypeError, InvalidValueError

__all__ = ["LRScheduler", "number", "positive", "positive_int"]


class LRScheduler:
    """A learning rate that changes from epoch to epoch.

    Pass one to an optimizer, and call `step` after each epoch (or each batch: an epoch
    is whatever you count). Subclasses define `get_lr`, which returns the rate of epoch
    `last_epoch`; the first is 0.

    Args:
        learning_rate: The rate to start from, at least 0.
        last_epoch: The epoch before the first one.
        verbose: Print each new rate.

    Attributes:
        base_lr: The initial rate.
        last_lr: The current rate; calling the schedule returns it, too.
        last_epoch: The current epoch.

    Raises:
        DTypeError: The rate is no number.
        InvalidValueError: The rate is less than 0.

    In Paddle this is `paddle.optimizer.lr.LRScheduler`.

    >>> class Halving(LRScheduler):
    ...     def get_lr(self):
    ...         return self.base_lr * 0.5**self.last_epoch
    >>> rate = Halving(0.5)
    >>> rate.step()
    >>> rate()
    0.25
    """

    keys: list[str]

    def __init__(
        self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.start(learning_rate, last_epoch, verbose)
        self.step()

    def start(self, learning_rate: float, last_epoch: int, verbose: bool) -> None:
        """Set the attributes common to all schedules."""
        self.base_lr = self.last_lr = number("learning_rate", learning_rate)
        if self.base_lr < 0:
            raise InvalidValueError.here(f"Invalid learning rate: {learning_rate}")
        self.last_epoch, self.verbose = last_epoch, verbose

    def __call__(self) -> float:
        """Return the current rate."""
        return self.last_lr

    def get_lr(self) -> float:
        """Compute the rate of epoch `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr")

    def step(self, epoch: int | None = None) -> None:
        """Advance to the next epoch, or to a given one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()
        self.tell()

    def tell(self) -> None:
        """Print the new rate if `verbose`."""
        if self.verbose:
            print(  # noqa: T201  `verbose` asks for it
                f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to "
                f"{self.last_lr}."
            )

    def state_keys(self) -> None:
        """Name in `keys` the attributes that `state_dict` saves."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Return the state that resuming needs."""
        self.state_keys()
        return {key: getattr(self, key) for key in self.keys}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore a saved state.

        Raises:
            InvalidValueError: A key is missing in it.
        """
        self.state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise InvalidValueError.here(
                    "Please check whether state_dict is correct for optimizer. "
                    f"Can't find [ {key} ] in state_dict"
                )
        for key in self.keys:
            setattr(self, key, state_dict[key])
        unused = [key for key in state_dict if key not in self.own_keys()]
        if unused:
            warnings.warn(f"the state has {unused}, unused here", stacklevel=2)

    set_dict = set_state_dict

    def own_keys(self) -> list[str]:
        """List all keys that a state of this schedule may have."""
        return self.keys


def number(name: str, value: Any) -> float:
    """Convert a number to a float.

    Raises:
        DTypeError: The value is no number.
    """
    if isinstance(value, (int, float)) or type(value).__module__ == "numpy":
        return float(value)
    raise DTypeError.here(f"{name} is a number, got {value!r}")


def positive(name: str, value: Any) -> float:
    """Require a number greater than 0.

    Raises:
        DTypeError: The value is no number.
        InvalidValueError: The value is not greater than 0.
    """
    if not number(name, value) > 0.0:
        raise InvalidValueError.here(f"{name} must be greater than 0, got {value!r}")
    return float(value)


def positive_int(name: str, value: Any) -> int:
    """Require an integer greater than 0.

    Raises:
        DTypeError: The value is no integer.
        InvalidValueError: The value is not greater than 0.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise DTypeError.here(f"{name} is a whole number, got {value!r}")
    if value <= 0:
        raise InvalidValueError.here(f"{name} must be greater than 0, got {value!r}")
    return value
