"""Paddle 1.x's `fluid.dygraph.dygraph_to_static`, by the name tutorials import it."""

from teachgraph.fluid.program_translator import ProgramTranslator

__all__ = ["ProgramTranslator"]
