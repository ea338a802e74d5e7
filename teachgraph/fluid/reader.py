"""Paddle 1.x's `fluid.reader`, by the name that programs import it."""

from teachgraph.fluid.feeding import PyReader
from teachgraph.fluid.io import DataLoader

__all__ = ["DataLoader", "PyReader"]
