"""Scopes: where the values of variables live between runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, at_user_line
from teachgraph.core.threads import Guard, InForce


class Scope:
    """Values by variable name.

    Attributes:
        values: The arrays; None for a variable that has none yet.

    In Paddle this is `paddle.static.Scope`.

    >>> scope = Scope()
    >>> scope.var("w").get_tensor().set(np.zeros(2))
    >>> np.array(scope.find_var("w").get_tensor())
    array([0., 0.])
    """

    def __init__(self) -> None:
        self.values: dict[str, np.ndarray[Any, Any] | None] = {}

    def var(self, name: str) -> ScopeVariable:
        """The variable of that name, made if need be."""
        self.values.setdefault(name, None)
        return ScopeVariable(self, name)

    def find_var(self, name: str) -> ScopeVariable | None:
        """The variable of that name, or None."""
        return ScopeVariable(self, name) if name in self.values else None

    def erase(self, names: Iterable[str]) -> None:
        """Forget some variables."""
        for name in names:
            self.values.pop(name, None)

    def local_var_names(self) -> list[str]:
        """The names there are."""
        return list(self.values)


class ScopeVariable:
    """One variable of a scope."""

    def __init__(self, scope: Scope, name: str) -> None:
        self.scope, self.name = scope, name

    def get_tensor(self) -> ScopeTensor:
        """Its value."""
        return ScopeTensor(self.scope, self.name)


class ScopeTensor:
    """The value of a variable of a scope, to read and to set."""

    def __init__(self, scope: Scope, name: str) -> None:
        self.scope, self.name = scope, name

    def set(self, value: Any, place: Any = None) -> None:
        """Give the variable this value: a copy, in the dtype of the one it replaces.

        Raises:
            DTypeError: The value cannot be taken in that dtype.
        """
        old, new = self.scope.values[self.name], np.array(value)
        if old is not None and not np.can_cast(new.dtype, old.dtype, "same_kind"):
            raise DTypeError(
                at_user_line(f"{self.name!r} holds {old.dtype}, got {new.dtype}")
            )
        self.scope.values[self.name] = new if old is None else new.astype(old.dtype)

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return list(np.array(self).shape)

    def _is_initialized(self) -> bool:
        return self.scope.values[self.name] is not None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = self.scope.values[self.name]
        return np.array(np.empty(0) if value is None else value, dtype=dtype)


_current = InForce(Scope())
"""The scope that runs use when none is given."""


def global_scope() -> Scope:
    """The scope in use.

    In Paddle this is `paddle.static.global_scope`.
    """
    return _current.value


def scope_guard(scope: Scope) -> Guard[Scope]:
    """Inside, `scope` is the one in use.

    >>> with scope_guard(Scope()) as inner:
    ...     global_scope() is inner
    True
    """
    return _current.holding(scope)
