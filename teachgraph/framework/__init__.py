"""Paddle's `framework`: modes, dtypes, places, programs, files, from one module."""

from teachgraph.autograd.gradient import grad
from teachgraph.autograd.places import CPUPlace, CUDAPlace
from teachgraph.autograd.random_state import get_rng_state, seed, set_rng_state
from teachgraph.core.dtypes import convert as convert_np_dtype_to_dtype_
from teachgraph.core.modes import (
    disable_static,
    enable_static,
    in_dynamic_mode,
    no_grad,
)
from teachgraph.fluid import core
from teachgraph.fluid.dygraph import to_variable
from teachgraph.io.saving import load, save
from teachgraph.ops.default_dtype import get_default_dtype, set_default_dtype
from teachgraph.ops.limits import finfo, iinfo
from teachgraph.ops.paddle_modules import known_as
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.block import Block
from teachgraph.static.program import Program
from teachgraph.static.variable import Parameter, Variable
from teachgraph.utils.framework import disable_signal_handler, get_flags, set_flags

__all__ = [
    "Block",
    "CPUPlace",
    "CUDAPlace",
    "ParamAttr",
    "Parameter",
    "Program",
    "Variable",
    "convert_np_dtype_to_dtype_",
    "core",
    "disable_signal_handler",
    "disable_static",
    "enable_static",
    "finfo",
    "get_default_dtype",
    "get_flags",
    "get_rng_state",
    "grad",
    "iinfo",
    "in_dynamic_mode",
    "in_dynamic_or_pir_mode",
    "load",
    "no_grad",
    "save",
    "seed",
    "set_default_dtype",
    "set_flags",
    "set_rng_state",
    "to_variable",
]

in_dynamic_or_pir_mode = in_dynamic_mode

known_as("framework")
