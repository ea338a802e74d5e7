"""1.x layers made of 2.x functions: the same thing under other argument names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from teachgraph.core import modes, naming
from teachgraph.core.op import Op
from teachgraph.ops import functions
from teachgraph.ops.activation import activated

__all__ = ["arguments", "created", "renamed"]

Function = Callable[..., Any]

IGNORED = ("", "use_cudnn", "force_cpu")
"""What changes no number here."""


def arguments(text: str) -> Signature:
    """What a function takes, read from a text as it would stand in its `def`.

    >>> arguments("x, alpha=0.02, name=None")
    <Signature (x, alpha=0.02, name=None)>
    """
    given = ast.parse(f"def layer({text}): ...").body[0].args  # type: ignore[attr-defined]
    values = [ast.literal_eval(value) for value in given.defaults]
    defaults = [Parameter.empty] * (len(given.args) - len(values)) + values
    return Signature(
        [
            Parameter(name.arg, Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in zip(given.args, defaults, strict=True)
        ]
    )


def with_a_name(taken: Signature) -> Signature:
    """The same, and a name, which every function takes."""
    if "name" in taken.parameters:
        return taken
    name = Parameter("name", Parameter.POSITIONAL_OR_KEYWORD, default=None)
    return taken.replace(parameters=[*taken.parameters.values(), name])


def renamed(function: Function, signature: str, **new: str) -> Function:
    """A function under 1.x argument names, with 1.x's defaults.

    Args:
        function: What is called, with its first argument by position; an argument that
            is None is left out.
        signature: 1.x's arguments as in its `def`. After `act` follows the activation
            of that type, into `out` the result is written, and `name` names it.
        new: What the function calls them where the names differ; "" for what changes
            no number.

    >>> import numpy as np
    >>> from teachgraph.ops import functions
    >>> text = "input, dim=None, keep_dim=False, name=None"
    >>> reduce_sum = renamed(functions.sum, text, dim="axis", keep_dim="keepdim")
    >>> reduce_sum(np.ones((2, 3)), dim=1).tolist()
    [3.0, 3.0]
    """
    taken = with_a_name(arguments(signature))
    first_name = next(iter(taken.parameters))
    called = getattr(function, "__name__", None) or function.type  # type: ignore[attr-defined]
    inputs = function.inputs[1:] if isinstance(function, Op) else ()

    def layer(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = taken.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{called}{taken}: {error}") from None
        bound.apply_defaults()
        given = {k: v for k, v in bound.arguments.items() if v is not None}
        name, act, out = (given.pop(word, None) for word in ("name", "act", "out"))
        first = given.pop(first_name, None)
        called_so = {new.get(word, word): value for word, value in given.items()}
        rest = {word: v for word, v in called_so.items() if word not in IGNORED}
        more = [rest.pop(word) for word in inputs if word in rest]
        with naming.given(name):
            found = activated(function(first, *more, **rest), act)
        return found if out is None else functions.assign(found, out)

    layer.__name__, layer.__doc__ = called, f"{function.__doc__}"
    layer.__signature__ = taken  # type: ignore[attr-defined]
    return layer


def created(function: Function, signature: str, **new: str) -> Function:
    """The same for what makes a tensor of nothing: an operator, unless in a guard."""
    layer = renamed(function, signature, **new)

    def creation(*args: Any, **kwargs: Any) -> Any:
        with modes.static_by_default():
            return layer(*args, **kwargs)

    creation.__name__, creation.__doc__ = layer.__name__, layer.__doc__
    creation.__signature__ = layer.__signature__  # type: ignore[attr-defined]
    return creation
