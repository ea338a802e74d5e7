"""The `name` that a function is given: what it appends is called by it, as in Paddle.

`mean(x, name="loss")` is `loss.tmp_0`; arithmetic is called just so: `add(x, y,
name="total")` is `total`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops.naming import Layer, scope

__all__ = ["name_scope_of"]


class Given(Layer):
    """`loss.tmp_0`, `loss.tmp_1`, ... for what a function called `loss` appends."""

    free = True

    def __call__(self, key: str = "") -> str:
        """The next name: the given one itself for the first arithmetic."""
        if self.free and key.startswith("elementwise_"):
            self.free = False
            return self.name
        return super().__call__(key)


def name_scope_of(name: Any) -> AbstractContextManager[Any]:
    """Let the user name what is appended inside; None names nothing.

    Raises:
        InvalidValueError: The name is no text.
    """
    if name is None:
        return nullcontext()
    if not isinstance(name, str):
        raise InvalidValueError.here(f"a name is a str, not {name!r}")
    return scope(Given(name)) if name else nullcontext()
