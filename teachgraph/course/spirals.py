"""Two spirals to tell apart, and the picture of a boundary between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.course.digits import Pairs
from teachgraph.course.figures import as_image

__all__ = ["boundary", "spirals"]

Array = np.ndarray[Any, Any]


def spirals(count: int = 100, seed: int = 0) -> Pairs:
    """Points of two spirals, one inside the other, and which of them each is on.

    Args:
        count: How many points each has.
        seed: Decides the noise.

    Returns:
        Points [2 count, 2] and labels [2 count].

    >>> points, labels = spirals(50)
    >>> points.shape, labels.sum()
    ((100, 2), np.int64(50))
    """
    draw = np.random.default_rng(seed)
    angle = np.linspace(0.5, 3.0, count) * np.pi / 1.5
    radius = angle / angle.max()
    arms = []
    for turn in (0.0, np.pi):
        place = np.stack([np.cos(angle + turn), np.sin(angle + turn)], axis=1)
        arms.append(place * radius[:, None] + draw.normal(0.0, 0.02, (count, 2)))
    return np.concatenate(arms), np.repeat([0, 1], count)


def boundary(
    scores_of: Callable[[Array], Array], points: Array, labels: Array, title: str = ""
) -> Any:
    """Draw where a network says which spiral, and the points it learnt from.

    Args:
        scores_of: Of points [N, 2] it gives scores [N, 2].
        points: The points.
        labels: Which spiral each is on.
        title: Written above.

    Returns:
        A picture that a notebook displays.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2, 3.2), layout="constrained")
    axes = figure.subplots()
    line = np.linspace(-1.2, 1.2, 80)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    scores = scores_of(grid)
    margin = (scores[:, 1] - scores[:, 0]).reshape(80, 80)
    side = 1.0 / (1.0 + np.exp(-margin))
    axes.contourf(line, line, side, levels=20, cmap="PuOr", vmin=-1.0, vmax=2.0)
    axes.contour(line, line, side, levels=[0.5], colors="black", linewidths=1.5)
    for one, mark, colour in ((0, "o", "#8A4B00"), (1, "s", "#3B1E70")):
        x, y = points[labels == one].T
        axes.scatter(x, y, s=14, marker=mark, c=colour, linewidths=0.4, ec="white")
    axes.set(title=title, xticks=[], yticks=[], aspect="equal")
    return as_image(figure, f"Two spirals, and where they part. {title}")
