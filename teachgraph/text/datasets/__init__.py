"""Bundled text data sets: a story for language models, and translation pairs."""

from teachgraph.text.datasets.garden import Garden
from teachgraph.text.datasets.translation import EnglishGerman

__all__ = ["EnglishGerman", "Garden"]
