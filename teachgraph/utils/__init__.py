"""Paddle's `utils`: unique names, deprecation, versions, and a check of the install."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.core import unique_name
from teachgraph.core.errors import DTypeError, InvalidValueError, at_user_line
from teachgraph.ops.left_out import absent
from teachgraph.utils import dlpack

__all__ = [
    "deprecated",
    "dlpack",
    "require_version",
    "run_check",
    "try_import",
    "unique_name",
]

FOLLOWED = (2, 6, 2)
"""The version of Paddle whose names and behaviour are followed here."""


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """Import a module that may not be installed.

    Raises:
        ImportError: It is not; with `err_msg`, or the command that installs it.

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
    """Mark a function as deprecated; a decorator.

    Args:
        update_to: The function to call instead.
        since: The first version in which it is deprecated.
        reason: The reason.
        level: 0 or 1 for a DeprecationWarning at each call, 2 for a RuntimeError.

    In Paddle this is `paddle.utils.deprecated`.

    >>> import warnings
    >>> @deprecated(update_to="tg.matmul", since="2.0")
    ... def mm(x, y):
    ...     return x @ y
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     _ = mm(np.eye(2), np.eye(2))
    >>> print(caught[0].message)
    mm is deprecated since 2.0: use tg.matmul instead
    """

    def marked(function: Callable[..., Any]) -> Callable[..., Any]:
        message = f"{function.__name__} is deprecated"
        message += f" since {since}" if since else ""
        message += f": use {update_to} instead" if update_to else ""
        message += f" ({reason})" if reason else ""

        @wraps(function)
        def call(*inputs: Any, **attrs: Any) -> Any:
            if level > 1:
                raise RuntimeError(at_user_line(message))
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return function(*inputs, **attrs)

        return call

    return marked


def numbers_of(version: str) -> tuple[int, ...]:
    """Parse a version to numbers that compare, without zeros at the end.

    Raises:
        InvalidValueError: It is no version.
    """
    parts = version.split(".")
    if not all(part.isdigit() for part in parts):
        raise InvalidValueError.here(f"{version!r} is no version, as 2.6.2 is")
    numbers = [int(part) for part in parts]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Check that the version of Paddle that is followed here is in a range.

    Raises:
        InvalidValueError: It is older or newer, or one is no version.
        DTypeError: One is no text.

    In Paddle this is `paddle.utils.require_version`.

    >>> require_version("2.0", "2.6.2")
    """
    for version in (min_version, max_version or ""):
        if not isinstance(version, str):
            raise DTypeError.here(f"a version is a str such as '2.6', got {version!r}")
    newest = FOLLOWED if max_version is None else numbers_of(max_version)
    if not numbers_of(min_version) <= FOLLOWED <= newest:
        wanted = f"{min_version} or newer"
        wanted = wanted if max_version is None else f"{min_version} to {max_version}"
        followed = ".".join(map(str, FOLLOWED))
        reason = f"what is here follows Paddle {followed}, not {wanted}"
        raise InvalidValueError.here(reason)


def run_check() -> None:
    """Compute a gradient, and raise if it is wrong.

    In Paddle this is `paddle.utils.run_check`.

    >>> run_check()
    """
    weight = to_tensor([[1.0], [2.0]], stop_gradient=False)
    (to_tensor([[3.0, 4.0]]) @ weight).sum().backward()
    np.testing.assert_array_equal(weight.grad, [[3.0], [4.0]])


if not TYPE_CHECKING:
    __getattr__ = absent("utils")
