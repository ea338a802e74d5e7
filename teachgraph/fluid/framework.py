"""Paddle 1.x's `fluid.framework`: programs, blocks, operators and variables."""

from teachgraph.fluid.dygraph.base import enabled
from teachgraph.static import (
    Block,
    Operator,
    Parameter,
    Program,
    Variable,
    default_main_program,
    default_startup_program,
    name_scope,
    program_guard,
)

__all__ = [
    "Block",
    "Operator",
    "Parameter",
    "Program",
    "Variable",
    "default_main_program",
    "default_startup_program",
    "in_dygraph_mode",
    "name_scope",
    "program_guard",
]

in_dygraph_mode = enabled
