"""Paddle 1.x's dynamic mode: ops run at once in `with fluid.dygraph.guard():`."""

from typing import TYPE_CHECKING

from teachgraph.fluid import decays
from teachgraph.fluid.decays import *  # noqa: F403
from teachgraph.fluid.dygraph import base, dygraph_to_static, jit, losses, nn, parallel
from teachgraph.fluid.dygraph.base import *  # noqa: F403
from teachgraph.fluid.dygraph.losses import *  # noqa: F403
from teachgraph.fluid.dygraph.nn import *  # noqa: F403
from teachgraph.fluid.dygraph.parallel import *  # noqa: F403
from teachgraph.fluid.program_translator import ProgramTranslator, declarative
from teachgraph.jit import TracedLayer, TranslatedLayer
from teachgraph.nn import Layer, LayerList, ParameterList, Sequential
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "Layer",
    "LayerList",
    "ParameterList",
    "ProgramTranslator",
    "Sequential",
    "TracedLayer",
    "TranslatedLayer",
    "base",
    "declarative",
    "dygraph_to_static",
    "dygraph_to_static_func",
    "jit",
    "nn",
]
__all__ += base.__all__ + nn.__all__ + losses.__all__ + parallel.__all__
__all__ += decays.__all__

dygraph_to_static_func = declarative

if not TYPE_CHECKING:
    __getattr__ = absent("fluid.dygraph")

known_as("fluid.dygraph")
