"""A deep-learning framework to read, and to watch while it works.

Under Paddle 2's names: `import teachgraph as paddle`. Paddle 1's are in
`teachgraph.fluid`. `tg.trace()` shows what each line does; so does `%%trace` in a
notebook, after `%load_ext teachgraph`.

>>> import teachgraph as tg
>>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0]
"""

from importlib import import_module
from typing import Any

from teachgraph import (
    autograd,
    errors,
    io,
    nn,
    ops,
    optimizer,
    static,
    unique_name,
    vision,
)
from teachgraph.dtypes import float32, float64, int32, int64, uint8
from teachgraph.eager import Parameter, Tensor, grad, to_tensor
from teachgraph.fluid.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.io import batch
from teachgraph.ipython import load_ipython_extension, unload_ipython_extension
from teachgraph.mode import (
    disable_static,
    enable_grad,
    enable_static,
    in_dynamic_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from teachgraph.ops.functions import (
    abs,
    add,
    argmax,
    cast,
    concat,
    divide,
    equal,
    exp,
    full,
    full_like,
    greater_than,
    less_than,
    log,
    matmul,
    max,
    maximum,
    mean,
    minimum,
    multiply,
    ones,
    ones_like,
    pow,
    rand,
    randn,
    reshape,
    scale,
    sign,
    sqrt,
    square,
    subtract,
    sum,
    tanh,
    topk,
    transpose,
    uniform,
    unsqueeze,
    zeros,
    zeros_like,
)
from teachgraph.param_attr import ParamAttr
from teachgraph.random import seed

__all__ = [
    "CPUPlace",
    "CUDAPlace",
    "ParamAttr",
    "Parameter",
    "Tensor",
    "abs",
    "add",
    "argmax",
    "autograd",
    "batch",
    "cast",
    "concat",
    "disable_static",
    "divide",
    "enable_grad",
    "enable_static",
    "equal",
    "errors",
    "exp",
    "float32",
    "float64",
    "full",
    "full_like",
    "grad",
    "greater_than",
    "in_dynamic_mode",
    "int32",
    "int64",
    "io",
    "is_compiled_with_cuda",
    "is_grad_enabled",
    "less_than",
    "load_ipython_extension",
    "log",
    "matmul",
    "max",
    "maximum",
    "mean",
    "minimum",
    "multiply",
    "nn",
    "no_grad",
    "ones",
    "ones_like",
    "ops",
    "optimizer",
    "pow",
    "rand",
    "randn",
    "reshape",
    "scale",
    "seed",
    "set_grad_enabled",
    "sign",
    "sqrt",
    "square",
    "static",
    "subtract",
    "sum",
    "tanh",
    "to_tensor",
    "topk",
    "trace",
    "transpose",
    "uint8",
    "uniform",
    "unique_name",
    "unload_ipython_extension",
    "unsqueeze",
    "vision",
    "zeros",
    "zeros_like",
]

_PICTURES = ("trace",)
"""Drawn by the widgets, which are imported only when somebody wants to look."""


def __getattr__(name: str) -> Any:
    if name in _PICTURES:
        return getattr(import_module("teachgraph_widgets"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("teachgraph")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
