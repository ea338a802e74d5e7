"""Line search: a step length that satisfies the strong Wolfe conditions.

The loss must decrease sufficiently, and the slope must become flatter (Nocedal and
Wright, Numerical Optimization, algorithms 3.5 and 3.6).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

__all__ = ["Point", "strong_wolfe"]

FALL = 1e-4
FLATTER = 0.9
TRIES = 25


class Point(NamedTuple):
    """Loss and gradient at one step along the direction.

    Attributes:
        step: The step length, in multiples of the direction.
        loss: The loss there.
        slope: The derivative of the loss along the direction.
        grad: The whole gradient.
    """

    step: float
    loss: float
    slope: float
    grad: Any


Evaluate = Callable[[float], Point]


def falls(point: Point, start: Point) -> bool:
    """Test the first condition, sufficient decrease (Armijo)."""
    return point.loss <= start.loss + FALL * point.step * start.slope


def flattens(point: Point, start: Point) -> bool:
    """Test the second condition, curvature: the slope is much flatter than at start."""
    return abs(point.slope) <= -FLATTER * start.slope


def cubic_minimum(a: Point, b: Point, low: float, high: float) -> float:
    """Minimise the cubic through two points with their slopes over [low, high].

    Return the middle if the cubic has no minimum.
    """
    a, b = sorted((a, b), key=lambda point: point.step)
    chord = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step)
    square = chord * chord - a.slope * b.slope
    root = sqrt(max(square, 0.0))
    bend = b.slope - a.slope + 2 * root
    if square < 0 or bend == 0:
        return (low + high) / 2
    share = (b.slope + root - chord) / bend
    return min(max(b.step - (b.step - a.step) * share, low), high)


def strong_wolfe(
    evaluate: Evaluate, start: Point, step: float, length: float, tolerance: float
) -> tuple[Point, int]:
    """Search a point that satisfies both conditions.

    Args:
        evaluate: Computes loss and gradient at a step.
        start: The point at step 0, where the slope is negative.
        step: The initial step.
        length: The largest absolute element of the direction.
        tolerance: The smallest interval of positions to search.

    Returns:
        The point, or the best one seen, and the number of evaluations.
    """
    before, point = start, evaluate(step)
    for tries in range(TRIES):
        if not falls(point, start) or (tries > 1 and point.loss >= before.loss):
            break
        if flattens(point, start):
            return point, tries + 1
        if point.slope >= 0:
            break
        least = point.step + 0.01 * (point.step - before.step)
        # At most ten times as far: the cubic means little beyond its two points.
        step = cubic_minimum(before, point, least, 10 * point.step)
        before, point = point, evaluate(step)
    else:
        before, tries = start, TRIES
    return zoom(evaluate, start, (before, point), tries, length, tolerance)


def zoom(
    evaluate: Evaluate,
    start: Point,
    ends: tuple[Point, Point],
    tries: int,
    length: float,
    tolerance: float,
) -> tuple[Point, int]:
    """Shrink an interval that contains such a point until one is found."""
    near_an_end = False
    low, high = sorted(ends, key=lambda point: point.loss)
    while tries < TRIES and abs(high.step - low.step) * length > tolerance:
        left, right = sorted((low.step, high.step))
        step, near_an_end = safeguarded(
            cubic_minimum(low, high, left, right), left, right, near_an_end
        )
        point = evaluate(step)
        tries += 1
        if not falls(point, start) or point.loss >= low.loss:
            low, high = sorted((low, point), key=lambda point: point.loss)
            continue
        if flattens(point, start):
            return point, tries + 1
        if point.slope * (high.step - low.step) >= 0:
            high = low
        low = point
    return low, tries + 1


def safeguarded(
    step: float, left: float, right: float, again: bool
) -> tuple[float, bool]:
    """Keep a step from falling near an end (within a tenth) twice in a row."""
    margin = 0.1 * (right - left)
    if min(right - step, step - left) >= margin:
        return step, False
    if not again and left < step < right:
        return step, True
    nearer_right = abs(step - right) < abs(step - left)
    return (right - margin if nearer_right else left + margin), False
