"""Paddle 1.x's `fluid.dygraph.jit`: programs of dynamic code, and their files."""

from teachgraph.fluid.program_translator import declarative
from teachgraph.jit import TracedLayer, load, save, set_code_level, set_verbosity

__all__ = [
    "TracedLayer",
    "declarative",
    "dygraph_to_static_func",
    "load",
    "save",
    "set_code_level",
    "set_verbosity",
]

dygraph_to_static_func = declarative
