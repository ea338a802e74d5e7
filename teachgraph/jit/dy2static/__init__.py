"""Paddle's `jit.dy2static`: the parts of `to_static` that code imports from there."""

from teachgraph.jit.arguments import FunctionSpec
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.convert_call import convert_call
from teachgraph.jit.static_function import StaticFunction
from teachgraph.jit.undefined import Undefined as UndefinedVar

__all__ = [
    "ConcreteProgram",
    "FunctionSpec",
    "StaticFunction",
    "UndefinedVar",
    "convert_call",
]
