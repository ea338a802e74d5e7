"""The public Scope: the core's, with Paddle's way to a variable's value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from teachgraph.core import executor as core
from teachgraph.core.errors import DTypeError
from teachgraph.core.executor import scopes
from teachgraph.core.threads import Guard

__all__ = ["Scope", "global_scope", "scope_guard"]


class Scope(core.Scope):
    """Values by variable name.

    In Paddle this is `paddle.static.Scope`.

    >>> scope = Scope()
    >>> scope.var("w").get_tensor().set(np.zeros(2))
    >>> np.array(scope.find_var("w").get_tensor())
    array([0., 0.])
    """

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
    """One variable of a scope, whose value is read as an array, and set."""

    def __init__(self, scope: Scope, name: str) -> None:
        self.scope, self.name = scope, name

    def get_tensor(self) -> Self:
        """Its value, in Paddle an object of its own."""
        return self

    def set(self, value: Any, place: Any = None) -> None:
        """Give the variable this value: a copy, in the dtype of the one it replaces.

        Raises:
            DTypeError: The value cannot be taken in that dtype.
        """
        old, new = self.scope.values[self.name], np.array(value)
        if old is not None and not np.can_cast(new.dtype, old.dtype, "same_kind"):
            raise DTypeError.here(f"{self.name!r} holds {old.dtype}, got {new.dtype}")
        if old is not None:
            new = new.astype(old.dtype)
            if new.size == old.size == 1:
                new = new.reshape(old.shape)  # 1.x sets a rate as an array of one
        self.scope.values[self.name] = new

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return list(np.array(self).shape)

    def _is_initialized(self) -> bool:
        return self.scope.values[self.name] is not None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = self.scope.values[self.name]
        return np.array(np.empty(0) if value is None else value, dtype=dtype)


scopes.everyones = Scope()

if TYPE_CHECKING:  # the scope that everybody gets is of the class above

    def global_scope() -> Scope:
        """The scope in use."""

else:
    global_scope = core.global_scope


def scope_guard(scope: core.Scope) -> Guard[Any]:
    """Inside, `scope` is the one in use.

    >>> with scope_guard(Scope()) as inner:
    ...     global_scope() is inner
    True
    """
    return scopes.holding(scope)
