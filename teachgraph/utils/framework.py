"""Paddle's flags, and `create_parameter`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.nn.layer import Layer
from teachgraph.ops.param_attr import ParamAttr

__all__ = ["create_parameter", "disable_signal_handler", "get_flags", "set_flags"]

FIXED: dict[str, Any] = {
    "FLAGS_cudnn_deterministic": True,
    "FLAGS_use_mkldnn": False,
}
"""Paddle's flags that have a fixed value here."""

IGNORED: dict[str, Any] = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_sort_sum_gradient": False,
    "FLAGS_use_stride_kernel": True,
}
"""Paddle's flags that are kept as they were set, and change nothing here."""

NAN = "FLAGS_check_nan_inf"
CHECK = "teachgraph_widgets.finite"
"""The module that checks for NaN; if it is not imported, the check is off."""


def create_parameter(
    shape: Sequence[int],
    dtype: Any = "float32",
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """Create a parameter that belongs to no layer, in the present mode.

    Args:
        shape: The shape.
        dtype: The dtype.
        name: The name, unless `attr` has one.
        attr: A ParamAttr, a name or an initializer.
        is_bias: True to initialize with 0, False with Xavier's uniform distribution.
        default_initializer: Another default initializer.

    In Paddle this is `paddle.create_parameter` and `paddle.static.create_parameter`.

    >>> weight = create_parameter([2, 3], "float64", name="w")
    >>> weight.name, weight.shape, weight.stop_gradient
    ('w', [2, 3], False)
    """
    attr = ParamAttr(name=name) if attr is None and name else attr
    maker = Layer("create_parameter")
    return maker.create_parameter(shape, attr, dtype, is_bias, default_initializer)


def get_flags(flags: str | Iterable[str]) -> dict[str, Any]:
    """Return the values of some of Paddle's flags.

    Raises:
        DTypeError: The flags are no list, tuple or string.
        InvalidValueError: A flag is unknown here.

    >>> get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': False}
    """
    checks = CHECK in sys.modules and import_module(CHECK).is_on()
    known = {NAN: checks, **FIXED, **IGNORED}
    if not isinstance(flags, Iterable):
        raise DTypeError.here(
            f"flags of get_flags are a list, tuple or string, got {flags!r}"
        )
    names = [flags] if isinstance(flags, str) else list(flags)
    for name in names:
        if name not in known:
            told = f"there is no flag {name!r} here, only {', '.join(known)}"
            raise InvalidValueError.here(told)
    return {name: known[name] for name in names}


def set_flags(flags: Mapping[str, Any]) -> None:
    """Set some of Paddle's flags, of which only `FLAGS_check_nan_inf` does something.

    With it the first op that computes a NaN or an infinity stops the program, see
    `check_nan_inf`. Some others are kept and change nothing; the rest are fixed, as
    results are deterministic in any case, and there is no GPU.

    Raises:
        DTypeError: The flags are no dict.
        InvalidValueError: Another flag would have to change, or is unknown here.

    >>> set_flags({"FLAGS_check_nan_inf": True})
    >>> get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': True}
    >>> set_flags({"FLAGS_check_nan_inf": False, "FLAGS_cudnn_deterministic": True})
    """
    if not isinstance(flags, Mapping):
        raise DTypeError.here(f"flags in set_flags should be a dict, got {flags!r}")
    IGNORED.update({n: v for n, v in flags.items() if n in IGNORED})
    changed = {n: v for n, v in get_flags(flags).items() if bool(flags[n]) != v}
    for name, value in changed.items():
        if name != NAN:
            told = f"{name} is {value} here and cannot be changed; see set_flags"
            raise InvalidValueError.here(told)
    if changed:
        import_module(CHECK).check_nan_inf(bool(flags[NAN]))


def disable_signal_handler() -> None:
    """Do nothing: signals are never caught here."""
