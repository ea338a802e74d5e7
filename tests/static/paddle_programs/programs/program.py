"""What every family of programs begins with."""

from __future__ import annotations

from typing import Any

__all__ = ["PROGRAMS", "Builder", "data", "labels", "program", "sgd"]

Builder = Any

PROGRAMS: dict[str, Builder] = {}


def program(build: Builder) -> Builder:
    """Compare this one.

    Raises:
        ValueError: Another family has one of this name.
    """
    known = PROGRAMS.get(build.__name__, build)
    if known.__code__.co_filename != build.__code__.co_filename:
        raise ValueError(f"two programs are called {build.__name__}")
    PROGRAMS[build.__name__] = build
    return build


def data(paddle: Any, width: int = 4, name: str = "X") -> Any:
    """A batch of rows."""
    return paddle.static.data(name, [None, width], "float32")


def labels(paddle: Any) -> Any:
    """A class for each row."""
    return paddle.static.data("L", [None, 1], "int64")


def sgd(paddle: Any, loss: Any, **options: Any) -> Any:
    """What `minimize` returns for plain gradient descent."""
    return paddle.optimizer.SGD(learning_rate=0.01).minimize(loss, **options)
