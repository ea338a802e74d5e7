"""Output shapes and dtypes, derived from the kernel itself.

A kernel is run on stand-ins. An unknown dimension (-1) is tried with two sizes; what
changes in the result is unknown there too. Ops that are costly to run say `infers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.ops.op import Like, Op

__all__ = ["Spec", "infer"]

TRIAL_SIZES = (2, 3)


class Spec(NamedTuple):
    """A shape (with -1 for an unknown size) and a dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def sized(self, unknown: int) -> Spec:
        """The same with every unknown size set."""
        return Spec(tuple(unknown if n == -1 else n for n in self.shape), self.dtype)


def infer(
    op: Op, inputs: Sequence[Spec | None], attrs: Mapping[str, Any]
) -> list[Spec]:
    """What `op` gives for inputs like these, for each output.

    Raises:
        OpError: The inputs do not fit (with the kernel's own reason).

    >>> from teachgraph.ops.linalg import mul
    >>> f = np.dtype("float32")
    >>> infer(mul, [Spec((-1, 4), f), Spec((4, 3), f)], {})[0].shape
    (-1, 3)
    """
    known = all(spec is None or -1 not in spec.shape for spec in inputs)
    if known and -1 not in attrs.get("shape", ()):
        return trial(op, inputs, attrs, TRIAL_SIZES[0])
    first, second = (trial(op, inputs, attrs, size) for size in TRIAL_SIZES)
    return [merged(one, other) for one, other in zip(first, second, strict=True)]


def merged(one: Spec, other: Spec) -> Spec:
    """What two trials agree on."""
    if len(one.shape) != len(other.shape):
        return one
    sizes = zip(one.shape, other.shape, strict=True)
    return Spec(tuple(a if a == b else -1 for a, b in sizes), one.dtype)


def trial(
    op: Op, inputs: Sequence[Spec | None], attrs: Mapping[str, Any], unknown: int
) -> list[Spec]:
    """The outputs with every unknown size set to `unknown`."""
    sized = [None if spec is None else spec.sized(unknown) for spec in inputs]
    if op.infer is not None:
        likes = [None if spec is None else Like(spec) for spec in sized]
        return [Spec(tuple(s), d) for s, d in op.infer(*likes, **op.complete(attrs))]
    stand_ins = [None if spec is None else stand_in(spec) for spec in sized]
    with np.errstate(all="ignore"):
        out = op.kernel(*stand_ins, **attrs)
    parts = out if isinstance(out, tuple) else (out,)
    return [Spec(np.shape(part), np.asarray(part).dtype) for part in parts]


def stand_in(spec: Spec) -> np.ndarray[Any, Any]:
    """An array to try a kernel on: ones, or zeros for integers (a valid index)."""
    if spec.dtype.kind == "f":
        return np.ones(spec.shape, spec.dtype)
    return np.zeros(spec.shape, spec.dtype)
