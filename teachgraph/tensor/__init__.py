"""Paddle's `tensor`: the functions of tensors, by the modules that Paddle has them in.

`paddle.tensor.math.add` and `paddle.tensor.add` are `paddle.add`.
"""

import sys
from typing import Any

from teachgraph.control_flow.arrays import (
    array_length,
    array_read,
    array_write,
    create_array,
    tensor_array_to_tensor,
)
from teachgraph.fluid.layers import fill_constant
from teachgraph.fluid.tensors import create_tensor
from teachgraph.linalg import *  # noqa: F403
from teachgraph.linalg import __all__ as _linear
from teachgraph.ops import functions
from teachgraph.ops.functions import *  # noqa: F403
from teachgraph.ops.paddle_modules import known_as

__all__ = ["array_length", "array_read", "array_write", "create_array"]
__all__ += ["tensor_array_to_tensor"]
__all__ += ["create_tensor", "fill_constant"]
__all__ += [name for name in _linear if name not in functions.__all__]
__all__ += functions.__all__

known_as("tensor")


def __getattr__(name: str) -> Any:
    return getattr(sys.modules["teachgraph"], name)
