"""What Paddle has at its top and belongs to no room: flags, and a lone parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from teachgraph.errors import InvalidValueError, at_user_line
from teachgraph.nn.layer import Layer
from teachgraph.param_attr import ParamAttr

__all__ = ["create_parameter", "disable_signal_handler", "get_flags", "set_flags"]

KNOWN: dict[str, Any] = {
    "FLAGS_check_nan_inf": False,
    "FLAGS_cudnn_deterministic": True,
    "FLAGS_use_mkldnn": False,
}
"""Paddle's flags that say something true here, and what holds."""


def create_parameter(
    shape: Sequence[int],
    dtype: Any = "float32",
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """A parameter that belongs to no layer, in the mode in force.

    Args:
        shape: Its sizes.
        dtype: Of its elements.
        name: What it is called, unless `attr` says so.
        attr: A ParamAttr, a name or an initializer.
        is_bias: A bias starts at 0, a weight Xavier-uniform.
        default_initializer: Instead of these.

    In Paddle this is `paddle.create_parameter` and `paddle.static.create_parameter`.

    >>> weight = create_parameter([2, 3], "float64", name="w")
    >>> weight.name, weight.shape, weight.stop_gradient
    ('w', [2, 3], False)
    """
    attr = ParamAttr(name=name) if attr is None and name else attr
    maker = Layer("create_parameter")
    return maker.create_parameter(shape, attr, dtype, is_bias, default_initializer)


def get_flags(flags: str | Iterable[str]) -> dict[str, Any]:
    """What some of Paddle's flags stand at.

    Raises:
        InvalidValueError: It is not a flag that means anything here.

    >>> get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': False}
    """
    names = [flags] if isinstance(flags, str) else list(flags)
    for name in names:
        if name not in KNOWN:
            told = f"there is no flag {name!r} here, only {', '.join(KNOWN)}"
            raise InvalidValueError(at_user_line(told))
    return {name: KNOWN[name] for name in names}


def set_flags(flags: Mapping[str, Any]) -> None:
    """Ask that flags stand at what they stand at.

    What Paddle switches by flags is not switched here: NaN is looked for by an observer
    (`teachgraph.observe`), results repeat anyway, and there is no GPU.

    Raises:
        InvalidValueError: A flag would have to change, or means nothing here.

    >>> set_flags({"FLAGS_cudnn_deterministic": True})
    """
    for name, value in get_flags(flags).items():
        if bool(flags[name]) != value:
            told = f"{name} is {value} here and cannot be changed; see set_flags"
            raise InvalidValueError(at_user_line(told))


def disable_signal_handler() -> None:
    """Do nothing: signals are never caught here."""
