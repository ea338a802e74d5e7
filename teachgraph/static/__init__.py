"""The second interpreter: ops become operators of a program, and run later."""

from importlib import import_module
from inspect import isfunction
from typing import Any

from teachgraph.ops.in_words import all_in_words
from teachgraph.param_attr import WeightNormParamAttr
from teachgraph.static import nn
from teachgraph.static.backward import append_backward, gradients
from teachgraph.static.block import Block
from teachgraph.static.devices import cpu_places, device_guard
from teachgraph.static.ema import ExponentialMovingAverage
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.layers import (
    accuracy,
    auc,
    create_global_var,
    create_parameter,
    data,
    name_scope,
)
from teachgraph.static.operator import Operator, OpRole
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
)
from teachgraph.static.user_op import py_func
from teachgraph.static.variable import Parameter, Variable
from teachgraph.static.watching import Print

__all__ = [
    "Block",
    "ExponentialMovingAverage",
    "InputSpec",
    "OpRole",
    "Operator",
    "Parameter",
    "Print",
    "Program",
    "Variable",
    "WeightNormParamAttr",
    "accuracy",
    "append_backward",
    "auc",
    "cpu_places",
    "create_global_var",
    "create_parameter",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "gradients",
    "name_scope",
    "nn",
    "program_guard",
    "py_func",
]

_UPSTAIRS = {
    "teachgraph.executor": ["Executor", "Scope", "global_scope", "scope_guard"],
    "teachgraph.passes": ["BuildStrategy", "CompiledProgram"],
    "teachgraph.io.inference": [
        "deserialize_persistables",
        "deserialize_program",
        "load_from_file",
        "load_inference_model",
        "normalize_program",
        "save_inference_model",
        "save_to_file",
        "serialize_persistables",
        "serialize_program",
    ],
    "teachgraph.io.programs": [
        "is_persistable",
        "load",
        "load_program_state",
        "save",
        "set_program_state",
    ],
}
"""Paddle has these in `static` too; they live a floor up."""

_LOCAL = [name for name in __all__ if isfunction(globals()[name]) and name != "py_func"]
"""The functions of `static` alone; `py_func` is one of `static.nn` too."""

all_in_words(_LOCAL, globals())


def __getattr__(name: str) -> Any:
    for module, names in _UPSTAIRS.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
