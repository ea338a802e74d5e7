"""Paddle 1.x under its own names: `import teachgraph.fluid as fluid`.

Thin calls of the same things. Who has not chosen a mode means static here, as in 1.x.
"""

from teachgraph import unique_name
from teachgraph.executor import Executor, Scope, global_scope, scope_guard
from teachgraph.fluid import (
    clip,
    dygraph,
    initializer,
    io,
    layers,
    optimizer,
    regularizer,
)
from teachgraph.fluid.dataset import DatasetFactory, InMemoryDataset, QueueDataset
from teachgraph.fluid.dygraph import (
    disable_dygraph,
    disable_imperative,
    enable_dygraph,
    enable_imperative,
    load_dygraph,
    save_dygraph,
)
from teachgraph.fluid.io import load, save
from teachgraph.modes import in_dynamic_mode
from teachgraph.nn.parametric import embedding
from teachgraph.param_attr import ParamAttr
from teachgraph.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.static import (
    Program,
    Variable,
    append_backward,
    data,
    default_main_program,
    default_startup_program,
    gradients,
    name_scope,
    program_guard,
)

__all__ = [
    "CPUPlace",
    "CUDAPlace",
    "DatasetFactory",
    "Executor",
    "InMemoryDataset",
    "ParamAttr",
    "Program",
    "QueueDataset",
    "Scope",
    "Variable",
    "append_backward",
    "clip",
    "data",
    "default_main_program",
    "default_startup_program",
    "disable_dygraph",
    "disable_imperative",
    "dygraph",
    "embedding",
    "enable_dygraph",
    "enable_imperative",
    "global_scope",
    "gradients",
    "in_dynamic_mode",
    "initializer",
    "io",
    "is_compiled_with_cuda",
    "layers",
    "load",
    "load_dygraph",
    "name_scope",
    "optimizer",
    "program_guard",
    "regularizer",
    "save",
    "save_dygraph",
    "scope_guard",
    "unique_name",
]
