"""Figures of Matplotlib as pictures that a notebook displays."""

from __future__ import annotations

from io import BytesIO
from typing import Any

__all__ = ["as_image"]


def as_image(figure: Any, alt: str) -> Any:
    """Return a figure as a PNG.

    Args:
        figure: A `matplotlib.figure.Figure`.
        alt: Its content in words, for who cannot see it.
    """
    from IPython.display import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=110)
    return Image(drawn.getvalue(), alt=alt)
