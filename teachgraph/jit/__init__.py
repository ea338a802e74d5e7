"""Python in, Program out: `to_static`, and programs on disk: `save` and `load`.

source -> AST -> one transformer a construct (`transform/`)
       -> a function that calls `convert_ifelse`, `convert_while`, ...
       -> traced under `program_guard` -> Program -> a plan of the executor
"""

from teachgraph.jit.load import load
from teachgraph.jit.save import save
from teachgraph.jit.settings import (
    enable_to_static,
    ignore_module,
    not_to_static,
    set_code_level,
    set_program_limit,
    set_verbosity,
)
from teachgraph.jit.static_function import StaticFunction, to_static
from teachgraph.jit.traced_layer import TracedLayer
from teachgraph.jit.translated_layer import TranslatedLayer
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "StaticFunction",
    "TracedLayer",
    "TranslatedLayer",
    "enable_to_static",
    "ignore_module",
    "load",
    "not_to_static",
    "save",
    "set_code_level",
    "set_program_limit",
    "set_verbosity",
    "to_static",
]

known_as("jit")
