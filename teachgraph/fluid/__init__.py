"""Paddle 1.x under its own names: `import teachgraph.fluid as fluid`.

Thin calls of the 2.x functions. The default mode here is static, as in 1.x.
"""

from typing import TYPE_CHECKING

from teachgraph.autograd.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.core import unique_name
from teachgraph.fluid import (
    average,
    backward,
    clip,
    compiler,
    core,
    dygraph,
    executor,
    framework,
    initializer,
    io,
    layers,
    metrics,
    nets,
    optimizer,
    param_attr,
    reader,
    regularizer,
    transpiler,
)
from teachgraph.fluid.compiler import (
    BuildStrategy,
    CompiledProgram,
    ExecutionStrategy,
    Executor,
    ParallelExecutor,
)
from teachgraph.fluid.dataset import DatasetFactory, InMemoryDataset, QueueDataset
from teachgraph.fluid.dygraph import (
    disable_dygraph,
    disable_imperative,
    enable_dygraph,
    enable_imperative,
    enabled,
    load_dygraph,
    save_dygraph,
)
from teachgraph.fluid.dygraph.losses import *  # noqa: F403
from teachgraph.fluid.dygraph.nn import *  # noqa: F403
from teachgraph.fluid.feeding import DataFeeder
from teachgraph.fluid.input import embedding, one_hot
from teachgraph.fluid.io import load, load_program_state, save, set_program_state
from teachgraph.fluid.lod_tensor import LoDTensor, Tensor
from teachgraph.fluid.transpiler import (
    DistributeTranspiler,
    DistributeTranspilerConfig,
    memory_optimize,
    release_memory,
)
from teachgraph.nn import Layer
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.ops.param_attr import ParamAttr, WeightNormParamAttr
from teachgraph.static import (
    Program,
    Variable,
    append_backward,
    cpu_places,
    cuda_places,
    data,
    default_main_program,
    default_startup_program,
    device_guard,
    gradients,
    name_scope,
    program_guard,
)
from teachgraph.static.scope import Scope, global_scope, scope_guard
from teachgraph.utils.framework import get_flags, set_flags

in_dygraph_mode = in_dynamic_mode = enabled

__all__ = [
    "BuildStrategy",
    "CPUPlace",
    "CUDAPlace",
    "CompiledProgram",
    "DataFeeder",
    "DatasetFactory",
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "ExecutionStrategy",
    "Executor",
    "InMemoryDataset",
    "Layer",
    "LoDTensor",
    "ParallelExecutor",
    "ParamAttr",
    "Program",
    "QueueDataset",
    "Scope",
    "Tensor",
    "Variable",
    "WeightNormParamAttr",
    "append_backward",
    "average",
    "backward",
    "clip",
    "compiler",
    "core",
    "cpu_places",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_dygraph",
    "disable_imperative",
    "dygraph",
    "embedding",
    "enable_dygraph",
    "enable_imperative",
    "executor",
    "framework",
    "get_flags",
    "global_scope",
    "gradients",
    "in_dygraph_mode",
    "in_dynamic_mode",
    "initializer",
    "io",
    "is_compiled_with_cuda",
    "layers",
    "load",
    "load_dygraph",
    "load_program_state",
    "memory_optimize",
    "metrics",
    "name_scope",
    "nets",
    "one_hot",
    "optimizer",
    "param_attr",
    "program_guard",
    "reader",
    "regularizer",
    "release_memory",
    "save",
    "save_dygraph",
    "scope_guard",
    "set_flags",
    "set_program_state",
    "transpiler",
    "unique_name",
]
__all__ += dygraph.losses.__all__ + dygraph.nn.__all__

if not TYPE_CHECKING:
    __getattr__ = absent("fluid")

known_as("fluid")
