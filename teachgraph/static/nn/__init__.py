"""Paddle 2's `static.nn`: layers that make their own parameters."""

from importlib import import_module
from typing import Any

from teachgraph.control_flow.cond import case, cond, switch_case
from teachgraph.control_flow.loop import while_loop
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.static.layers import create_parameter, fc
from teachgraph.static.py_func import py_func
from teachgraph.static.static_pylayer import static_pylayer

__all__ = [
    "StaticRNN",
    "case",
    "cond",
    "create_parameter",
    "fc",
    "py_func",
    "static_pylayer",
    "switch_case",
    "while_loop",
]

_UPSTAIRS = (
    "batch_norm",
    "bilinear_tensor_product",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "embedding",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "prelu",
    "row_conv",
    "sparse_embedding",
    "spectral_norm",
)
"""Layers that are made of what `nn` is made of, a floor up."""

all_in_words(
    ["case", "cond", "fc", "static_pylayer", "switch_case", "while_loop"], globals()
)


def __getattr__(name: str) -> Any:
    if name in _UPSTAIRS:
        return getattr(import_module("teachgraph.nn.parametric"), name)
    return absent("static.nn")(name)


known_as("static.nn")
