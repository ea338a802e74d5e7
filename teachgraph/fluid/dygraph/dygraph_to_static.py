"""Paddle 1.x's `fluid.dygraph.dygraph_to_static`, by the name tutorials import it."""

from teachgraph.fluid.program_translator import ProgramTranslator
from teachgraph.ops.paddle_modules import known_as

__all__ = ["ProgramTranslator"]

known_as("fluid.dygraph.dygraph_to_static")
