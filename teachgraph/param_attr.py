"""What a user may say about a parameter before it exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from teachgraph.errors import DTypeError

__all__ = ["ParamAttr"]


@dataclass(frozen=True)
class ParamAttr:
    """Name, first values and training of one parameter.

    Attributes:
        name: Its name; one that exists already shares that parameter.
        initializer: What it starts as.
        learning_rate: A factor on the optimizer's.
        regularizer: A decay of its own.
        trainable: Whether it is updated.
        need_clip: Whether gradient clipping counts it.

    In Paddle this is `paddle.ParamAttr`.
    """

    name: str | None = None
    initializer: Any = None
    learning_rate: float = 1.0
    regularizer: Any = None
    trainable: bool = True
    need_clip: bool = True

    @staticmethod
    def of(value: Any) -> ParamAttr | Literal[False]:
        """What the user gave as an attr: None, a name, an initializer, False (none).

        Raises:
            DTypeError: It is none of these.

        >>> ParamAttr.of("w").name
        'w'
        """
        if value is None or value is True:
            return ParamAttr()
        if value is False or isinstance(value, ParamAttr):
            return value
        if isinstance(value, str):
            return ParamAttr(name=value)
        if hasattr(value, "operation"):
            return ParamAttr(initializer=value)
        raise DTypeError(
            f"a parameter's attr is a ParamAttr, a name, an initializer or False, "
            f"got {value!r}"
        )
