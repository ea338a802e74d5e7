"""A deep-learning framework to read, and to watch while it works.

Under Paddle 2's names: `import teachgraph as paddle`. Paddle 1's are in
`teachgraph.fluid`. `with tg.record():` shows what each line does; so does `%%trace` in
a notebook, after `%load_ext teachgraph`.

>>> import teachgraph as tg
>>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0]

Importing the package imports the engine's tables alone; a room, and what a name stands
for, is imported when it is first used (PEP 562).
"""

import sys

if sys.argv[:1] == ["-m"] and "-m teachgraph" in " ".join(sys.orig_argv):
    # Python imports this before it runs `__main__`, which then takes care of Ctrl-C.
    # `signal` would import other modules first, and Ctrl-C show these.
    import _signal  # type: ignore[import-not-found]

    from teachgraph_command import quit_at_once as _quit_at_once

    _signal.signal(_signal.SIGINT, _quit_at_once)

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachgraph.core import callsite as callsite
from teachgraph.core import modes as modes
from teachgraph.core.extend import unregistered
from teachgraph.core.op import _registry

if TYPE_CHECKING:
    from numpy import dtype as dtype

    from teachgraph import autograd as autograd
    from teachgraph import base as base
    from teachgraph import callbacks as callbacks
    from teachgraph import cli as cli
    from teachgraph import control_flow as control_flow
    from teachgraph import core as core
    from teachgraph import dataset as dataset
    from teachgraph import deploy as deploy
    from teachgraph import device as device
    from teachgraph import distributed as distributed
    from teachgraph import distribution as distribution
    from teachgraph import errors as errors
    from teachgraph import fluid as fluid
    from teachgraph import framework as framework
    from teachgraph import hapi as hapi
    from teachgraph import inference as inference
    from teachgraph import io as io
    from teachgraph import jit as jit
    from teachgraph import linalg as linalg
    from teachgraph import metric as metric
    from teachgraph import models as models
    from teachgraph import nn as nn
    from teachgraph import onnx as onnx
    from teachgraph import ops as ops
    from teachgraph import optimizer as optimizer
    from teachgraph import passes as passes
    from teachgraph import planning as planning
    from teachgraph import reader as reader
    from teachgraph import regularizer as regularizer
    from teachgraph import static as static
    from teachgraph import tensor as tensor
    from teachgraph import text as text
    from teachgraph import utils as utils
    from teachgraph import vision as vision
    from teachgraph.autograd.creation import Parameter as Parameter
    from teachgraph.autograd.creation import to_tensor as to_tensor
    from teachgraph.autograd.grad_mode import enable_grad as enable_grad
    from teachgraph.autograd.grad_mode import is_grad_enabled as is_grad_enabled
    from teachgraph.autograd.grad_mode import set_grad_enabled as set_grad_enabled
    from teachgraph.autograd.gradient import grad as grad
    from teachgraph.autograd.places import CPUPlace as CPUPlace
    from teachgraph.autograd.places import CUDAPlace as CUDAPlace
    from teachgraph.autograd.places import (
        is_compiled_with_cuda as is_compiled_with_cuda,
    )
    from teachgraph.autograd.printing import set_printoptions as set_printoptions
    from teachgraph.autograd.random_state import get_rng_state as get_rng_state
    from teachgraph.autograd.random_state import seed as seed
    from teachgraph.autograd.random_state import set_rng_state as set_rng_state
    from teachgraph.autograd.tensor import Tensor as Tensor
    from teachgraph.cli.ipython import load_ipython_extension as load_ipython_extension
    from teachgraph.cli.ipython import (
        unload_ipython_extension as unload_ipython_extension,
    )
    from teachgraph.core import dtypes as dtypes
    from teachgraph.core import unique_name as unique_name
    from teachgraph.core.dtypes import float32 as float32
    from teachgraph.core.dtypes import float64 as float64
    from teachgraph.core.dtypes import int8 as int8
    from teachgraph.core.dtypes import int16 as int16
    from teachgraph.core.dtypes import int32 as int32
    from teachgraph.core.dtypes import int64 as int64
    from teachgraph.core.dtypes import uint8 as uint8
    from teachgraph.core.modes import disable_static as disable_static
    from teachgraph.core.modes import enable_static as enable_static
    from teachgraph.core.modes import in_dynamic_mode as in_dynamic_mode
    from teachgraph.core.modes import no_grad as no_grad
    from teachgraph.device import get_cudnn_version as get_cudnn_version
    from teachgraph.device import get_device as get_device
    from teachgraph.device import (
        is_compiled_with_cinn as is_compiled_with_cinn,
    )
    from teachgraph.device import (
        is_compiled_with_custom_device as is_compiled_with_custom_device,
    )
    from teachgraph.device import (
        is_compiled_with_distribute as is_compiled_with_distribute,
    )
    from teachgraph.device import (
        is_compiled_with_ipu as is_compiled_with_ipu,
    )
    from teachgraph.device import (
        is_compiled_with_rocm as is_compiled_with_rocm,
    )
    from teachgraph.device import (
        is_compiled_with_xpu as is_compiled_with_xpu,
    )
    from teachgraph.device import set_device as set_device
    from teachgraph.distributed.data_parallel import DataParallel as DataParallel
    from teachgraph.hapi.model import Model as Model
    from teachgraph.io import batch as batch
    from teachgraph.io.saving import load as load
    from teachgraph.io.saving import save as save
    from teachgraph.nn.summary import flops as flops
    from teachgraph.nn.summary import summary as summary
    from teachgraph.ops import functions as functions
    from teachgraph.ops.default_dtype import get_default_dtype as get_default_dtype
    from teachgraph.ops.default_dtype import set_default_dtype as set_default_dtype
    from teachgraph.ops.functions import *  # noqa: F403
    from teachgraph.ops.functions.decomposition import trace as trace
    from teachgraph.ops.limits import finfo as finfo
    from teachgraph.ops.limits import iinfo as iinfo
    from teachgraph.ops.param_attr import ParamAttr as ParamAttr
    from teachgraph.utils import observe as observe
    from teachgraph.utils.framework import create_parameter as create_parameter
    from teachgraph.utils.framework import (
        disable_signal_handler as disable_signal_handler,
    )
    from teachgraph.utils.framework import get_flags as get_flags
    from teachgraph.utils.framework import set_flags as set_flags

_HERE = Path(__file__).parent
_WIDGETS = ("teachgraph_widgets", "widgets/teachgraph_widgets")
callsite.add_own_files(_HERE, *(_HERE.parent / folder for folder in _WIDGETS))

_PUBLIC_MODULES = {
    **{name: name for name in ("autograd", "base", "callbacks", "dataset", "device")},
    **{name: name for name in ("distributed", "distribution", "framework", "hapi")},
    "inference": "inference",
    **{name: name for name in ("io", "jit")},
    **{name: name for name in ("linalg", "metric", "nn", "onnx", "ops", "optimizer")},
    **{name: name for name in ("reader", "regularizer", "static", "tensor", "text")},
    **{name: name for name in ("utils", "vision")},
    "errors": "errors",
    "modes": "core.modes",
    "observe": "utils.observe",
    "unique_name": "core.unique_name",
}
"""Modules by the name they have in `teachgraph`."""

_OTHER_MODULES = {
    **{name: name for name in ("cli", "control_flow", "core", "deploy", "fluid")},
    **{name: name for name in ("models", "passes", "planning")},
    "callsite": "core.callsite",
    "dtypes": "core.dtypes",
    "functions": "ops.functions",
}
"""Modules that `from teachgraph import *` leaves out."""

_MODULES = {**_PUBLIC_MODULES, **_OTHER_MODULES}

_NAMES = {
    "autograd.creation": ["Parameter", "to_tensor"],
    "autograd.gradient": ["grad"],
    "autograd.grad_mode": ["enable_grad", "is_grad_enabled", "set_grad_enabled"],
    "autograd.printing": ["set_printoptions"],
    "autograd.tensor": ["Tensor"],
    "cli.ipython": ["load_ipython_extension", "unload_ipython_extension"],
    "autograd.random_state": ["get_rng_state", "seed", "set_rng_state"],
    "core.dtypes": [
        *("float32", "float64", "int8", "int16", "int32", "int64", "uint8"),
    ],
    "ops.default_dtype": ["get_default_dtype", "set_default_dtype"],
    "core.modes": ["disable_static", "enable_static", "in_dynamic_mode", "no_grad"],
    "device": [
        *("get_cudnn_version", "get_device", "set_device"),
        *("is_compiled_with_cinn", "is_compiled_with_custom_device"),
        *("is_compiled_with_distribute", "is_compiled_with_ipu"),
        *("is_compiled_with_rocm", "is_compiled_with_xpu"),
    ],
    "hapi.model": ["Model"],
    "io": ["batch"],
    "io.saving": ["load", "save"],
    "distributed.data_parallel": ["DataParallel"],
    "nn.summary": ["flops", "summary"],
    "ops.functions.decomposition": ["trace"],
    "ops.limits": ["finfo", "iinfo"],
    "ops.param_attr": ["ParamAttr"],
    "autograd.places": ["CPUPlace", "CUDAPlace", "is_compiled_with_cuda"],
    "utils.framework": [
        *("create_parameter", "disable_signal_handler", "get_flags", "set_flags"),
    ],
}
"""Names by the module that has them; all of `ops.functions` are here besides."""

_HOME = {name: module for module, names in _NAMES.items() for name in names}

_PICTURES = (
    *("check_nan_inf", "explain", "figure", "monitor"),
    *("plot", "profiler", "record", "show"),
)
"""Drawn by the widgets, which are imported only when somebody wants to look."""

_TYPES = {"bool": "teachgraph.core.dtypes", "dtype": "numpy"}
"""Paddle's names for these; a star import leaves Python's own in place."""

_REGISTERING = {
    ("mode", "dynamic"): "autograd.creation",
    ("mode", "static"): "static.program",
    ("backend", "onnxruntime"): "deploy.onnxruntime",
    ("message", "op"): "ops.error_message",
}
"""Modules that register the interpreter of a mode, a backend or the words of errors."""

_OPS = ("ops", "static", "jit", "onnx", "distributed")
"""Modules that register ops, those that most programs hold first."""


def _import(module: str) -> Any:
    return import_module(f"teachgraph.{module}")


@unregistered.wrap
def _import_registering(nothing: Callable[[str, str], None]) -> Any:
    """Import what registers an op, a mode and so on when it is first asked for."""

    def register(kind: str, name: str) -> None:
        if kind != "op":
            _import(_REGISTERING[kind, name])
            return
        for room in _OPS:  # by its type alone, as a program on disk has it
            _import(room)
            if name in _registry:
                return

    return register


# Values are kept in this module's globals. Some of Paddle's names are those of builtins
# (`all`, `any`, `max`, `slice`, `sum`, ...), so no code here may use one of these.
def __getattr__(name: str) -> Any:
    if name == "__all__":
        value: Any = _exported()
    elif name == "__version__":
        value = import_module("importlib.metadata").version("teachgraph")
    elif name in _MODULES:
        value = _import(_MODULES[name])
    elif name in _HOME:
        value = getattr(_import(_HOME[name]), name)
    elif name in _PICTURES:
        return getattr(import_module("teachgraph_widgets"), name)
    elif name in _TYPES:
        return getattr(import_module(_TYPES[name]), name)
    elif name.startswith("_"):
        raise AttributeError(f"module 'teachgraph' has no attribute {name!r}")
    elif name in _import("ops.functions").__all__:
        value = getattr(_import("ops.functions"), name)
    elif name in _import("autograd.inplace").IN_PLACE:
        value = getattr(_import("autograd.tensor").Tensor, name)
    else:
        return _import("ops.left_out").absent("")(name)
    globals()[name] = value
    return value


class _LeftOut:
    """Says why `from teachgraph... import name` fails, where Paddle has that name."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse a name that is left out; find nothing else."""
        if name.startswith("teachgraph."):
            _import("ops.left_out").refuse_import(name)


# The last one asked: for what is neither in a module nor a file.
sys.meta_path.append(_LeftOut)


def _exported() -> list[str]:
    """List the names that `from teachgraph import *` binds."""
    return sorted({*_PUBLIC_MODULES, *_HOME, *_import("ops.functions").__all__})


def __dir__() -> list[str]:
    in_place = _import("autograd.inplace").IN_PLACE
    names = {*_exported(), *_MODULES, *in_place, *_PICTURES, *_TYPES}
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*names, *special, "__all__", "__version__"})
