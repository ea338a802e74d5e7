"""Small texts made for learning: they come along, and need no download."""

from teachgraph.text.datasets.garden import Garden
from teachgraph.text.datasets.translation import EnglishGerman

__all__ = ["EnglishGerman", "Garden"]
