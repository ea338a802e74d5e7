"""A deep-learning framework to read, and to watch while it works.

Under Paddle 2's names: `import teachgraph as paddle`. Paddle 1's are in
`teachgraph.fluid`. `with tg.record():` shows what each line does; so does `%%trace` in
a notebook, after `%load_ext teachgraph`.

>>> import teachgraph as tg
>>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0]
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph import (
    autograd,
    dataset,
    inference,
    io,
    jit,
    linalg,
    metric,
    nn,
    onnx,
    ops,
    optimizer,
    reader,
    regularizer,
    static,
    text,
    utils,
    vision,
)
from teachgraph.autograd.creation import Parameter, to_tensor
from teachgraph.autograd.gradient import grad
from teachgraph.autograd.inplace import IN_PLACE
from teachgraph.autograd.printing import set_printoptions
from teachgraph.autograd.tensor import Tensor
from teachgraph.cli.ipython import load_ipython_extension, unload_ipython_extension
from teachgraph.core import callsite, dtypes, errors, modes, observe, unique_name
from teachgraph.core.dtypes import (
    finfo,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from teachgraph.core.modes import (
    disable_static,
    enable_grad,
    enable_static,
    in_dynamic_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from teachgraph.core.random import get_rng_state, seed, set_rng_state
from teachgraph.io import batch
from teachgraph.io.saving import load, save
from teachgraph.nn.summary import flops, summary
from teachgraph.ops import functions
from teachgraph.ops.functions import *  # noqa: F403
from teachgraph.ops.functions.decomposition import trace
from teachgraph.ops.left_out import absent
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.utils.framework import (
    create_parameter,
    disable_signal_handler,
    get_flags,
    set_flags,
)

_HERE = Path(__file__).parent
_WIDGETS = ("teachgraph_widgets", "widgets/teachgraph_widgets")
callsite.add_own_files(_HERE, *(_HERE.parent / folder for folder in _WIDGETS))

__all__ = [
    "CPUPlace",
    "CUDAPlace",
    "ParamAttr",
    "Parameter",
    "Tensor",
    "autograd",
    "batch",
    "create_parameter",
    "dataset",
    "disable_signal_handler",
    "disable_static",
    "enable_grad",
    "enable_static",
    "errors",
    "finfo",
    "float32",
    "float64",
    "flops",
    "get_default_dtype",
    "get_flags",
    "get_rng_state",
    "grad",
    "iinfo",
    "in_dynamic_mode",
    "inference",
    "int8",
    "int16",
    "int32",
    "int64",
    "io",
    "is_compiled_with_cuda",
    "is_grad_enabled",
    "jit",
    "linalg",
    "load",
    "load_ipython_extension",
    "metric",
    "modes",
    "nn",
    "no_grad",
    "observe",
    "onnx",
    "ops",
    "optimizer",
    "reader",
    "regularizer",
    "save",
    "seed",
    "set_default_dtype",
    "set_flags",
    "set_grad_enabled",
    "set_printoptions",
    "set_rng_state",
    "static",
    "summary",
    "text",
    "to_tensor",
    "trace",
    "uint8",
    "unique_name",
    "unload_ipython_extension",
    "utils",
    "vision",
]
__all__ += functions.__all__

_PICTURES = (
    *("check_nan_inf", "explain", "figure", "monitor"),
    *("plot", "profiler", "record", "show"),
)
"""Drawn by the widgets, which are imported only when somebody wants to look."""

_ROOMS = ("fluid",)
"""Imported when somebody asks for them: who writes 2.x code never does."""

_TYPES = {"bool": dtypes.bool, "dtype": np.dtype}
"""Paddle's names for these, which here would stand in the way of Python's own."""


def __getattr__(name: str) -> Any:
    if name in _PICTURES:
        return getattr(import_module("teachgraph_widgets"), name)
    if name in _ROOMS:
        return import_module(f"teachgraph.{name}")
    if name in _TYPES:
        return _TYPES[name]
    if name in IN_PLACE:
        return getattr(Tensor, name)
    if name == "__version__":
        return import_module("importlib.metadata").version("teachgraph")
    return absent("")(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *IN_PLACE, *_PICTURES, *_ROOMS, *_TYPES})
