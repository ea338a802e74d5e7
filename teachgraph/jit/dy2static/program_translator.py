"""Paddle's `jit.dy2static.program_translator`: traced functions and their programs."""

from teachgraph.jit.arguments import FunctionSpec
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.settings import enable_to_static
from teachgraph.jit.static_function import StaticFunction

__all__ = ["ConcreteProgram", "FunctionSpec", "StaticFunction", "enable_to_static"]
