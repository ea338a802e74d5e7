"""Names of the outputs of ops: after the layer that appends them, as in Paddle.

A layer called `fc_0` names its results `fc_0.tmp_0`, `fc_0.tmp_1`; an operator such as
`x + y` names its result `tmp_0`; any other op is a layer of its own (`mean_0.tmp_0`).
What a function appends is called by the `name` it is given: `mean(x, name="loss")` is
`loss.tmp_0`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, Protocol

from teachgraph.core import unique_name
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.core.threads import Guard


class Names(Protocol):
    """Something that gives the next output its name."""

    def __call__(self) -> str:
        """The next name."""


class Layer:
    """`fc_0.tmp_0`, `fc_0.tmp_1`, ... for a layer called `fc_0`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> str:
        """The next name of this layer's results."""
        return unique_name.generate(f"{self.name}.tmp")


class Plain:
    """`tmp_0`, `tmp_1`, ...: a key and a number."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __call__(self) -> str:
        """The next name under this key."""
        return unique_name.generate(self.key)


class Given(Layer):
    """`loss.tmp_0`, `loss.tmp_1`, ... for what a function called `loss` appends.

    Arithmetic is called just so: `add(x, y, name="total")` is `total`.
    """

    free = True

    def names_for(self, key: str) -> Names:
        """The namer of an op's outputs."""
        if not self.free or not key.startswith("elementwise_"):
            return self
        self.free = False
        return lambda: self.name


_names: ContextVar[Names | None] = ContextVar("names", default=None)


def scope(names: Names | None) -> Guard[Names | None]:
    """Let `names` name whatever is appended inside; None leaves it to each op."""
    return Guard(_names.get, _names.set, names)


def layer(key: str, name: str | None = None) -> Guard[Any]:
    """A layer: its outputs are named `key_0.tmp_0` or after the given name."""
    return scope(Layer(name or unique_name.generate(key)))


def given(name: Any) -> AbstractContextManager[Any]:
    """Let the user name what is appended inside; None names nothing.

    Raises:
        InvalidValueError: The name is no text.
    """
    if name is None:
        return nullcontext()
    if not isinstance(name, str):
        raise InvalidValueError(at_user_line(f"a name is a str, not {name!r}"))
    return scope(Given(name)) if name else nullcontext()


def names_for(key: str) -> Names:
    """The namer of an op's outputs: the layer around it, or a layer of its own."""
    innermost = _names.get()
    if innermost is not None:
        return innermost.names_for(key) if isinstance(innermost, Given) else innermost
    if key.startswith("elementwise_"):
        return Plain(key)
    return Layer(unique_name.generate(key))
