"""gcd, lcm, nextafter, the Heaviside step, and frexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Like, Op, op
from teachgraph.core.ops import BROADCAST as NEEDS
from teachgraph.core.ops import FLOATING, promoted, reduce_to
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import equal
from teachgraph.ops.math import floats

__all__ = ["elementwise_heaviside", "frexp", "gcd", "lcm", "nextafter"]


def of_integers(name: str, ufunc: Callable[..., Any], doc: str) -> Op:
    """Create an op of two integer inputs that broadcast, without gradient."""

    def kernel(x: Any, y: Any) -> Any:
        for number in (x, y):
            if number.dtype.kind not in "iu":
                raise DTypeError(f"{number.dtype} is no integer type")
        return ufunc(x, y)

    kernel.__doc__ = doc
    return op(type=name, needs=f"integers, and {NEEDS}")(kernel)


gcd = of_integers("gcd", np.gcd, "The largest number that divides both; of 0 and 0, 0.")
lcm = of_integers("lcm", np.lcm, "The smallest number from 0 on that both divide.")


@op(needs=f"{FLOATING}, and {NEEDS}")
def nextafter(x: Any, y: Any) -> Any:
    """The next floating number after x towards y."""
    return np.nextafter(*map(floats, promoted(x, y)))


@op(needs=NEEDS)
def elementwise_heaviside(x: Any, y: Any) -> Any:
    """Heaviside step: 0 for x < 0, 1 for x > 0, y at 0."""
    x, y = promoted(x, y)
    step = np.where(x == 0, y, x > 0).astype(np.result_type(x, y))
    return np.where(np.isnan(x), x, step) if x.dtype.kind == "f" else step


@elementwise_heaviside.grad
def elementwise_heaviside_grad(dout: Any, x: Any, y: Like) -> Any:
    """dx = 0, dy = dout where x = 0."""
    return (
        lambda: fill_any_like(x, value=0.0),
        lambda: reduce_to(dout * equal(x, fill_any_like(x, value=0.0)), y),
    )


@op(outputs=("mantissa", "exponent"), needs=FLOATING)
def frexp(x: Any) -> Any:
    """x = mantissa 2^exponent, the mantissa in [0.5, 1); both floating."""
    mantissa, exponent = np.frexp(floats(x))
    return mantissa, exponent.astype(x.dtype)
