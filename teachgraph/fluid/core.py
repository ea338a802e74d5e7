"""Paddle 1.x's `fluid.core`: names of its C++ library that 1.x code uses."""

from types import SimpleNamespace

from teachgraph.autograd.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.autograd.tensor import Tensor as EagerTensor
from teachgraph.core import dtypes
from teachgraph.core.errors import ExecutorError
from teachgraph.fluid.lod_tensor import LoDTensor
from teachgraph.static.scope import Scope

__all__ = [
    "CPUPlace",
    "CUDAPlace",
    "EOFException",
    "LoDTensor",
    "Scope",
    "Tensor",
    "VarBase",
    "VarDesc",
    "eager",
    "is_compiled_with_cuda",
]

Tensor = LoDTensor
VarBase = EagerTensor
eager = SimpleNamespace(Tensor=EagerTensor)
"""The Tensors of dynamic mode, for `isinstance`."""


class EOFException(ExecutorError):
    """A loader that feeds a program by itself has no more batches: `reset()` it."""


class VarDesc:
    """Description of a Variable, of which code of Paddle's uses the types.

    >>> import teachgraph as tg
    >>> tg.ones([1]).dtype == VarDesc.VarType.FP32
    True
    """

    class VarType:
        """The dtypes, and what `type` says of a Variable."""

        BOOL = dtypes.bool
        INT8 = dtypes.int8
        UINT8 = dtypes.uint8
        INT16 = dtypes.int16
        INT32 = dtypes.int32
        INT64 = dtypes.int64
        FP32 = dtypes.float32
        FP64 = dtypes.float64
        LOD_TENSOR = "LOD_TENSOR"
        LOD_TENSOR_ARRAY = "LOD_TENSOR_ARRAY"
