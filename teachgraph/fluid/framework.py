"""Paddle 1.x's `fluid.framework`: programs, blocks, operators and variables."""

from teachgraph.fluid.dygraph.base import enabled as in_dygraph_mode
from teachgraph.static import (
    Block,
    Operator,
    Parameter,
    Program,
    Variable,
    cpu_places,
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
)
from teachgraph.utils.framework import disable_signal_handler, get_flags, set_flags

__all__ = [
    "Block",
    "Operator",
    "Parameter",
    "Program",
    "Variable",
    "cpu_places",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_signal_handler",
    "get_flags",
    "in_dygraph_mode",
    "name_scope",
    "program_guard",
    "set_flags",
]
