"""Search for the sizes that an op accepts where a dimension is unknown.

The core tries two sizes for all unknown dimensions alike. Where known sizes leave an
unknown one no choice, as in [-1] + [10], combinations of likely sizes are tried here;
where nothing fits, sizes that stand nowhere else, so that the message of the kernel can
be put in the sizes that were declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, product, takewhile
from math import prod
from operator import mul
from typing import Any

from teachgraph.core import build
from teachgraph.core.build import (
    LARGEST_SIZE,
    TRIAL_SIZES,
    Inputs,
    trial,
    whole_numbers,
)
from teachgraph.core.op import Op
from teachgraph.core.program import Spec
from teachgraph.ops.shape_errors import Reason, best, sizes_that_tell

__all__ = ["with_room", "with_search"]

MOST_TRIALS = 2_000
MOST_ELEMENTS = 1_000_000
MOST_REASONS = 200

Place = tuple[int, int]
"""An unknown dimension: the position of the input, and the axis."""

Sizes = Mapping[Place, int]
Trials = list[list[Spec]]


@build.search.wrap
def with_search(_: Any) -> Any:
    """Search where one of the core's two trials fails."""

    def search(
        op: Op,
        inputs: Inputs,
        attrs: Mapping[str, Any],
        error: Exception,
    ) -> Trials:
        unknown = places_of(inputs)
        results: Trials = list(searched(op, inputs, attrs, unknown))
        return results or explained(op, inputs, attrs, unknown)

    return search


@build.further.wrap
def with_room(_: Any) -> Any:
    """Try a third size, if it does not take too much memory.

    It has room for a window, or else is larger than any other size: where one of two
    trials gave another number of dimensions, it had met a known size by chance.
    """

    def further(
        op: Op,
        inputs: Inputs,
        attrs: Mapping[str, Any],
        size: int,
    ) -> Trials:
        if size <= max(TRIAL_SIZES):
            known = (n for spec in inputs if spec for n in spec.shape)
            size = max(*TRIAL_SIZES, *known) + 1
        return attempt(op, inputs, attrs, dict.fromkeys(places_of(inputs), size))

    return further


def places_of(inputs: Inputs) -> list[Place]:
    """The unknown dimensions of all inputs."""
    return [
        (i, axis)
        for i, spec in enumerate(inputs)
        if spec is not None
        for axis, size in enumerate(spec.shape)
        if size == -1
    ]


def filled(inputs: Inputs, sizes: Sizes) -> list[Spec | None]:
    """Specs whose unknown sizes are set, each to one of its own."""
    return [
        spec
        and Spec(tuple(sizes.get((i, k), n) for k, n in enumerate(spec.shape)), spec[1])
        for i, spec in enumerate(inputs)
    ]


def searched(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], places: Sequence[Place]
) -> Iterator[list[Spec]]:
    """Trials that succeed, for unknown sizes that known ones restrict."""
    choices = candidates(inputs, attrs)
    most = max(len(TRIAL_SIZES), int(MOST_TRIALS ** (1 / len(places))))
    combinations = product(choices[:most], repeat=len(places))
    for combination in islice(combinations, MOST_TRIALS):
        sizes = dict(zip(places, combination, strict=True))
        for specs in attempt(op, inputs, attrs, sizes):
            yield [*map(without_zeros, specs)] if 0 in combination else specs


def without_zeros(spec: Spec) -> Spec:
    """A spec in which no size is 0, as it may be so for the sake of a trial only."""
    return Spec(tuple(n or -1 for n in spec.shape), spec.dtype)


def explained(
    op: Op, inputs: Inputs, attrs: Mapping[str, Any], places: Sequence[Place]
) -> list[list[Spec]]:
    """Trials of sizes that stand nowhere else, so that errors show which they mean.

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
        return trial(op, filled(inputs, sizes), attrs)
    except Exception as error:
        return error.with_traceback(None)  # whose frames would keep it alive


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
    told = list(whole_numbers(attrs))
    likely = [*TRIAL_SIZES, *known, *equal, 1, *rest, *flattened, *told]
    likely += [n * n for n in told]
    every = dict.fromkeys([*likely, *(2 * n for n in likely)])
    return [n for n in every if n <= LARGEST_SIZE]


def products(shape: Sequence[int]) -> Iterator[int]:
    """Sizes of the first, or the last, dimensions of a shape flattened into one."""
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
        return [trial(op, filled(inputs, sizes), attrs)]
    except Exception:
        return []


def too_large(inputs: Inputs, sizes: Sizes) -> bool:
    """Say if a stand-in would take more memory than it may."""
    return any(count(s.shape) > MOST_ELEMENTS for s in filled(inputs, sizes) if s)
