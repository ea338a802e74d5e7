"""Output shapes and dtypes, derived from the kernel itself.

A kernel is run on stand-ins. An unknown dimension (-1) is tried with several sizes;
what changes in the result is unknown there too. Where known sizes leave an unknown one
no choice, such as in [-1] + [10], the sizes that fit are looked for. Ops that are
costly to run say `infers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, product, takewhile
from math import prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.op import Like, Op
from teachgraph.ops.shape_errors import Reason, best, sizes_that_tell

__all__ = ["Spec", "infer"]

TRIAL_SIZES = (2, 3)
LARGEST_TRIAL = 10_000
MOST_TRIALS = 2_000
MOST_ELEMENTS = 1_000_000
MOST_REASONS = 200

Place = tuple[int, int]
"""An unknown dimension: which input, and which axis of it."""

Sizes = Mapping[Place, int]


class Spec(NamedTuple):
    """A shape (with -1 for an unknown size) and a dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def nbytes(self, unknown: int = 1) -> int:
        """How many bytes a value has if each unknown size is this.

        >>> Spec((-1, 4), np.dtype("float32")).nbytes(unknown=64)
        1024
        """
        sizes = (unknown if size == -1 else size for size in self.shape)
        return prod(sizes) * self.dtype.itemsize


Inputs = Sequence[Spec | None]


def infer(op: Op, inputs: Inputs, attrs: Mapping[str, Any]) -> list[Spec]:
    """What `op` gives for inputs like these, for each output.

    Raises:
        OpError: The inputs do not fit (with the kernel's own reason).

    >>> from teachgraph.ops.linalg import mul
    >>> f = np.dtype("float32")
    >>> infer(mul, [Spec((-1, 4), f), Spec((4, 3), f)], {})[0].shape
    (-1, 3)
    >>> infer(mul, [Spec((-1, -1), f), Spec((4, 3), f)], {})[0].shape
    (-1, 3)
    """
    places = unknown(inputs)
    if not places:
        return trial(op, inputs, attrs, {})
    try:
        found = [
            trial(op, inputs, attrs, dict.fromkeys(places, size))
            for size in TRIAL_SIZES
        ]
    except Exception:
        found = list(searched(op, inputs, attrs, places))
        found = found or told(op, inputs, attrs, places)
    else:
        beyond = sum(numbers_in(attrs)) + 1  # room for a window and a step
        if beyond > max(TRIAL_SIZES):
            found += attempt(op, inputs, attrs, dict.fromkeys(places, beyond))
    return [agreed(specs) for specs in zip(*found, strict=True)]


def unknown(inputs: Inputs) -> list[Place]:
    """The dimensions whose size is not known."""
    return [
        (i, axis)
        for i, spec in enumerate(inputs)
        if spec is not None
        for axis, size in enumerate(spec.shape)
        if size == -1
    ]


def numbers_in(attrs: Mapping[str, Any]) -> Iterator[int]:
    """The attributes, or items of them, that could be a size."""
    for value in attrs.values():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if type(item) is int and 0 < item < LARGEST_TRIAL:
                yield item


def agreed(specs: Sequence[Spec]) -> Spec:
    """What several trials agree on."""
    first = specs[0]
    if len({len(spec.shape) for spec in specs}) > 1:
        return first
    sizes = zip(*(spec.shape for spec in specs), strict=True)
    return Spec(tuple(n[0] if len(set(n)) == 1 else -1 for n in sizes), first.dtype)


def searched(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], places: Sequence[Place]
) -> Iterator[list[Spec]]:
    """Trials that succeed, for unknown sizes that known ones restrict."""
    choices = candidates(inputs, attrs)
    most = max(len(TRIAL_SIZES), int(MOST_TRIALS ** (1 / len(places))))
    combinations = product(choices[:most], repeat=len(places))
    for combination in islice(combinations, MOST_TRIALS):
        sizes = dict(zip(places, combination, strict=True))
        yield from attempt(op, inputs, attrs, sizes)


def told(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], places: Sequence[Place]
) -> list[list[Spec]]:
    """Trials of sizes that stand nowhere else, so that what they raise can be told.

    Raises:
        Exception: Why all of them fail, in the sizes that are declared.
    """
    known = dict.fromkeys(n for spec in inputs if spec for n in spec.shape if n >= 0)
    telling = tuple(islice(sizes_that_tell(candidates(inputs, attrs)), 2))
    reasons: list[Reason] = []
    for chosen in islice(product([-1, *known], repeat=len(places)), MOST_REASONS):
        choices = [completed(places, chosen, rest) for rest in telling]
        if reasons and too_large(inputs, choices[-1]):
            continue
        tried = [outcome(op, inputs, attrs, sizes) for sizes in choices]
        if fits := [specs for specs in tried if not isinstance(specs, Exception)]:
            return fits
        one, other = (error for error in tried if isinstance(error, Exception))
        reasons.append(Reason.of(one, other, telling[0], chosen))
    raise best(reasons)


def completed(places: Sequence[Place], chosen: Sequence[int], rest: int) -> Sizes:
    """The sizes chosen, those that are left open all alike."""
    pairs = zip(places, chosen, strict=True)
    return {place: rest if n == -1 else n for place, n in pairs}


def outcome(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], sizes: Sizes
) -> list[Spec] | Exception:
    """The result of a trial, or what it raised."""
    try:
        return trial(op, inputs, attrs, sizes)
    except Exception as error:
        return error


def candidates(inputs: Inputs, attrs: Mapping[str, Any]) -> list[int]:
    """Sizes worth trying, the likely ones first.

    They are the usual ones, the known ones and their products, what makes numbers of
    elements equal, whatever stands in the attributes and its square, and twice all
    that.
    """
    shapes: list[Sequence[Any]] = [s.shape for s in inputs if s is not None]
    known = [n for shape in shapes for n in shape if n >= 0]
    flattened = [n for shape in shapes for n in products(shape)]
    shapes += [v for v in attrs.values() if isinstance(v, (list, tuple))]
    counts = [count(shape) for shape in shapes if -1 not in shape]
    rest = [count(n for n in shape if n != -1) for shape in shapes if -1 in shape]
    equal = [n // m for n, m in product(counts, rest) if m and n % m == 0]
    told = list(numbers_in(attrs))
    likely = [*TRIAL_SIZES, *known, *equal, 1, *rest, *flattened, *told]
    likely += [n * n for n in told]
    every = dict.fromkeys([*likely, *(2 * n for n in likely)])
    return [n for n in every if n <= LARGEST_TRIAL]


def products(shape: Sequence[int]) -> Iterator[int]:
    """What the first, or the last, dimensions of a shape are when flattened to one."""
    for part in (shape, shape[::-1]):
        yield from takewhile(lambda n: n >= 0, accumulate(part, mul))


def count(shape: Iterable[Any]) -> int:
    """The number of elements, of what could be a shape."""
    return prod(n for n in shape if type(n) is int)


def attempt(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], sizes: Sizes
) -> list[list[Spec]]:
    """The result of a trial in a list, which is empty if it failed or is too large."""
    if too_large(inputs, sizes):
        return []
    try:
        return [trial(op, inputs, attrs, sizes)]
    except Exception:
        return []


def too_large(inputs: Inputs, sizes: Sizes) -> bool:
    """Whether a stand-in would take more memory than it may."""
    return any(count(s.shape) > MOST_ELEMENTS for s in filled(inputs, sizes) if s)


def trial(op: Op, inputs: Inputs, attrs: Mapping[str, Any], sizes: Sizes) -> list[Spec]:
    """The outputs with the unknown sizes set to these."""
    sized = filled(inputs, sizes) if sizes else inputs
    if op.infer is not None:
        likes = [None if spec is None else Like(spec) for spec in sized]
        return [Spec(tuple(s), d) for s, d in op.infer(*likes, **op.complete(attrs))]
    stand_ins = [None if spec is None else stand_in(spec) for spec in sized]
    with np.errstate(all="ignore"):
        out = op.kernel(*stand_ins, **attrs)
    parts = out if isinstance(out, tuple) else (out,)
    return [Spec(np.shape(part), np.asarray(part).dtype) for part in parts]


def filled(inputs: Inputs, sizes: Sizes) -> list[Spec | None]:
    """The same with every unknown size set."""
    return [
        spec
        and Spec(tuple(sizes.get((i, k), n) for k, n in enumerate(spec.shape)), spec[1])
        for i, spec in enumerate(inputs)
    ]


def stand_in(spec: Spec) -> np.ndarray[Any, Any]:
    """An array to try a kernel on: ones, or zeros for integers (a valid index)."""
    if spec.dtype.kind == "f":
        return np.ones(spec.shape, spec.dtype)
    return np.zeros(spec.shape, spec.dtype)
