"""Paddle's `utils`: names that do not repeat, and what its guides begin with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.core import unique_name
from teachgraph.core.errors import InvalidValueError, at_user_line

__all__ = ["deprecated", "require_version", "run_check", "try_import", "unique_name"]

FOLLOWED = (2, 6, 2)
"""The version of Paddle whose names and behaviour are followed here."""


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """A module that may not be installed.

    Raises:
        ImportError: It is not; with `err_msg`, or words that say how to get it.

    In Paddle this is `paddle.utils.try_import`.

    >>> try_import("math").sqrt(4.0)
    2.0
    """
    try:
        return import_module(module_name)
    except ImportError:
        usual = f"{module_name!r} is not installed: try `pip install {module_name}`"
        raise ImportError(err_msg or usual) from None


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a function that another one should be called.

    Args:
        update_to: The other one.
        since: The version from which on.
        reason: Why.
        level: 0 or 1 for a DeprecationWarning at each call, 2 for a RuntimeError.

    In Paddle this is `paddle.utils.deprecated`.

    >>> import warnings
    >>> @deprecated(update_to="tg.matmul", since="2.0")
    ... def mm(x, y):
    ...     return x @ y
    >>> with warnings.catch_warnings(record=True, action="always") as found:
    ...     _ = mm(np.eye(2), np.eye(2))
    >>> print(found[0].message)
    mm is deprecated since 2.0: use tg.matmul instead
    """

    def marked(function: Callable[..., Any]) -> Callable[..., Any]:
        told = f"{function.__name__} is deprecated"
        told += f" since {since}" if since else ""
        told += f": use {update_to} instead" if update_to else ""
        told += f" ({reason})" if reason else ""

        @wraps(function)
        def call(*inputs: Any, **attrs: Any) -> Any:
            if level > 1:
                raise RuntimeError(at_user_line(told))
            warnings.warn(told, DeprecationWarning, stacklevel=2)
            return function(*inputs, **attrs)

        return call

    return marked


def numbers_of(version: str) -> tuple[int, ...]:
    """A version as numbers that compare; zeros at the end do not count.

    Raises:
        InvalidValueError: It is no version.
    """
    parts = version.split(".")
    if not all(part.isdigit() for part in parts):
        raise InvalidValueError(at_user_line(f"{version!r} is no version, as 2.6.2 is"))
    found = [int(part) for part in parts]
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Refuse to go on unless the Paddle that is followed here is of these versions.

    Raises:
        InvalidValueError: It is older or newer, or one is no version.

    In Paddle this is `paddle.utils.require_version`.

    >>> require_version("2.0", "2.6.2")
    """
    newest = FOLLOWED if max_version is None else numbers_of(max_version)
    if not numbers_of(min_version) <= FOLLOWED <= newest:
        wanted = f"{min_version} or newer"
        wanted = wanted if max_version is None else f"{min_version} to {max_version}"
        followed = ".".join(map(str, FOLLOWED))
        reason = f"what is here follows Paddle {followed}, not {wanted}"
        raise InvalidValueError(at_user_line(reason))


def run_check() -> None:
    """Take one step of training, which raises if something is wrong here.

    In Paddle this is `paddle.utils.run_check`.

    >>> run_check()
    """
    weight = to_tensor([[1.0], [2.0]], stop_gradient=False)
    (to_tensor([[3.0, 4.0]]) @ weight).sum().backward()
    np.testing.assert_array_equal(weight.grad, [[3.0], [4.0]])
