"""1.x layers made of 2.x functions: the same thing under other argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph import modes, naming
from teachgraph.ops.activation import activated
from teachgraph.ops.op import Op

__all__ = ["created", "renamed"]

Function = Callable[..., Any]

IGNORED = ("name", "use_cudnn", "force_cpu", "out", "data_format_")


def renamed(function: Function, signature: str, **defaults: Any) -> Function:
    """A function under 1.x argument names.

    Args:
        function: What is called, with its first argument by position.
        signature: 1.x's arguments in order, `old=new` where the names differ. After
            `act` follows the activation of that type; `name` is ignored.
        defaults: 1.x's defaults, by new names, where they differ.

    >>> import numpy as np
    >>> from teachgraph.ops import functions
    >>> reduce_sum = renamed(functions.sum, "input dim=axis keep_dim=keepdim")
    >>> reduce_sum(np.ones((2, 3)), dim=1).tolist()
    [3.0, 3.0]
    """
    pairs = dict((word.split("=") * 2)[:2] for word in signature.split())
    old = list(pairs)
    inputs = function.inputs[1:] if isinstance(function, Op) else ()

    def layer(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(old, args, strict=False))
        unknown = set(kwargs) - set(old) - set(IGNORED)
        if unknown or given.keys() & kwargs.keys() or len(args) > len(old):
            raise TypeError(f"{layer.__name__} takes {', '.join(old)}, each once")
        given |= {k: v for k, v in kwargs.items() if k not in IGNORED}
        act = given.pop("act", None)
        if old[0] not in given:
            raise TypeError(f"{layer.__name__} needs {old[0]}")
        first = given.pop(old[0])
        rest = {pairs[name]: value for name, value in given.items()}
        more = [rest.pop(name) for name in inputs if name in rest]
        with naming.given(kwargs.get("name")):
            return activated(function(first, *more, **{**defaults, **rest}), act)

    layer.__name__ = getattr(function, "__name__", None) or function.type  # type: ignore[attr-defined]
    layer.__doc__ = f"{function.__doc__}"
    return layer


def created(function: Function, signature: str, **defaults: Any) -> Function:
    """The same for what makes a tensor of nothing: an operator, unless in a guard."""
    layer = renamed(function, signature, **defaults)

    def creation(*args: Any, **kwargs: Any) -> Any:
        with modes.static_by_default():
            return layer(*args, **kwargs)

    creation.__name__, creation.__doc__ = layer.__name__, layer.__doc__
    return creation
