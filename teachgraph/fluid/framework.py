"""Paddle 1.x's `fluid.framework`: programs, blocks, operators and variables."""

from teachgraph.autograd.places import is_compiled_with_cuda
from teachgraph.core import unique_name
from teachgraph.core.dtypes import convert as convert_np_dtype_to_dtype_
from teachgraph.fluid import core
from teachgraph.fluid.dygraph.base import enabled as in_dygraph_mode
from teachgraph.static import (
    Block,
    Operator,
    Parameter,
    Program,
    Variable,
    cpu_places,
    cuda_places,
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
    "convert_np_dtype_to_dtype_",
    "core",
    "cpu_places",
    "cuda_places",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_signal_handler",
    "get_flags",
    "in_dygraph_mode",
    "is_compiled_with_cuda",
    "name_scope",
    "program_guard",
    "set_flags",
    "unique_name",
]
