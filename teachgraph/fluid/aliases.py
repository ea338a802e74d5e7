"""Aliases: 1.x layers as 2.x functions under other argument names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, Signature, isclass, isfunction
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import modes
from teachgraph.core.op import Op
from teachgraph.nn import Layer
from teachgraph.ops import functions
from teachgraph.ops.activation import activated
from teachgraph.ops.given_name import name_scope_of

__all__ = ["alias", "all_static_unless_chosen", "arguments", "method", "renamed"]

Function = Callable[..., Any]

IGNORED = ("", "use_cudnn", "force_cpu")
"""Arguments that have no effect here."""


def arguments(text: str) -> Signature:
    """Parse a signature from the text of its `def`.

    >>> arguments("x, alpha=0.02, name=None")
    <Signature (x, alpha=0.02, name=None)>
    """
    parsed = ast.parse(f"def layer({text}): ...").body[0].args  # type: ignore[attr-defined]
    values = [ast.literal_eval(value) for value in parsed.defaults]
    defaults = [Parameter.empty] * (len(parsed.args) - len(values)) + values
    return Signature(
        [
            Parameter(name.arg, Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in zip(parsed.args, defaults, strict=True)
        ]
    )


def with_a_name(taken: Signature) -> Signature:
    """Add the argument `name`, which every layer takes, to a signature."""
    if "name" in taken.parameters:
        return taken
    name = Parameter("name", Parameter.POSITIONAL_OR_KEYWORD, default=None)
    return taken.replace(parameters=[*taken.parameters.values(), name])


def alias(function: Function, signature: str, **new: str) -> Function:
    """Wrap a function in 1.x's argument names and defaults.

    Args:
        function: The function; its first argument is passed by position, an argument
            that is None not at all.
        signature: 1.x's arguments as in its `def`. `act` is the type of an activation,
            `out` a variable to write the result to, `name` the name of the layer.
        new: The function's names of arguments that differ; "" for those without effect.

    >>> import numpy as np
    >>> from teachgraph.ops import functions
    >>> text = "input, dim=None, keep_dim=False, name=None"
    >>> reduce_sum = alias(functions.sum, text, dim="axis", keep_dim="keepdim")
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
        values = {k: v for k, v in bound.arguments.items() if v is not None}
        name, act, out = (values.pop(word, None) for word in ("name", "act", "out"))
        first = values.pop(first_name, None)
        by_new_name = {new.get(word, word): value for word, value in values.items()}
        rest = {word: v for word, v in by_new_name.items() if word not in IGNORED}
        # An op takes its inputs by position only.
        more = [rest.pop(word) for word in inputs if word in rest]
        with name_scope_of(name):
            result = activated(function(first, *more, **rest), act)
        return result if out is None else functions.assign(result, out)

    layer.__name__, layer.__doc__ = called, f"{function.__doc__}"
    layer.__signature__ = taken  # type: ignore[attr-defined]
    return layer


def method(function: Function, signature: str, **new: str) -> Function:
    """Wrap a method in 1.x's order and names of arguments; see `renamed`."""
    return renamed(function, f"self, {signature}", **new)


def renamed(function: Function, signature: str, **new: str) -> Function:
    """Wrap a function in 1.x's order and names of arguments.

    Args:
        function: The function.
        signature: 1.x's arguments as in its `def`; the function's defaults hold.
        new: The function's names of arguments that differ.

    >>> power = renamed(pow, "exponent, base", exponent="exp")
    >>> power(3, 2), power(base=2, exponent=3)
    (8, 8)
    """
    taken = arguments(signature)
    words = [*taken.parameters]  # binding them takes longer than a small step
    known = {*words}
    needed = {w for w, p in taken.parameters.items() if p.default is Parameter.empty}

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        values = dict(zip(words, args, strict=False)) | named
        if not needed <= values.keys() <= known or len(values) < len(args) + len(named):
            taken.bind(*args, **named)  # raises
        return function(**{new.get(word, word): v for word, v in values.items()})

    called.__signature__ = taken  # type: ignore[attr-defined]
    return called


def static_unless_chosen(function: Function) -> Function:
    """Wrap a function of 1.x: where no mode is chosen, it builds the program.

    Given a Tensor it computes: that one was made at once.
    """

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if modes.chosen() is not None or any(map(is_eager, [*args, *kwargs.values()])):
            return function(*args, **kwargs)
        with modes.using(static=True):
            return function(*args, **kwargs)

    return called


def is_eager(argument: Any) -> bool:
    """True for a Tensor, and for a list with one."""
    if isinstance(argument, (list, tuple)):
        return any(map(is_eager, argument))
    return isinstance(argument, Tensor)


def all_static_unless_chosen(names: Sequence[str], found: dict[str, Any]) -> None:
    """Wrap the functions, and what layers do, that these names stand for."""
    for name in names:
        if isfunction(found[name]):
            found[name] = static_unless_chosen(found[name])
        elif isclass(found[name]) and issubclass(found[name], Layer):
            for method in ("__init__", "forward"):
                wrapped = static_unless_chosen(getattr(found[name], method))
                setattr(found[name], method, wrapped)
