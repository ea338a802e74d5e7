"""Python in, Program out: `to_static`.

source -> AST -> one transformer a construct (`transform/`)
       -> a function that calls `convert_ifelse`, `convert_while`, ...
       -> traced under `program_guard` -> Program -> a plan of the executor
"""

from teachgraph.jit.api import (
    enable_to_static,
    ignore_module,
    not_to_static,
    set_code_level,
    set_verbosity,
    to_static,
)
from teachgraph.jit.static_function import StaticFunction

__all__ = [
    "StaticFunction",
    "enable_to_static",
    "ignore_module",
    "not_to_static",
    "set_code_level",
    "set_verbosity",
    "to_static",
]
