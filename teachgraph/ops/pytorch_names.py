"""PyTorch's names for what has another name here; whoever asks for one is told ours."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["PYTORCH", "by_name", "our_name"]

PYTORCH: dict[str, dict[str, str]] = {
    "": {
        "nn.functional.{name}": "relu sigmoid softmax log_softmax cosine_similarity "
        "dropout one_hot prelu selu celu binary_cross_entropy_with_logits",
        "seed(number)": "manual_seed",
        "to_tensor(values)": "as_tensor asarray from_numpy",
        "concat(tensors, axis)": "cat concatenate",
        "clip(x, min, max)": "clamp",
        "x.transpose([1, 0])": "permute",
        "randn(x.shape)": "randn_like",
        "rand(x.shape)": "rand_like",
        "int64": "long",
        "float32": "float",
        "float64": "double",
        "int32": "int",
        "optimizer": "optim",
        "jit.to_static": "compile",
        "divide(x, y)": "div true_divide",
        "subtract(x, y)": "sub",
        "multiply(x, y)": "mul",
        "abs(x)": "absolute",
        "equal(x, y)": "eq",
        "greater_than(x, y)": "gt",
        "greater_equal(x, y)": "ge",
        "less_than(x, y)": "lt",
        "less_equal(x, y)": "le",
        "not_equal(x, y)": "ne",
    },
    "autograd": {
        "autograd.PyLayer": "Function",
        "static.Variable, and a Tensor needs none around it": "Variable",
    },
    "nn": {
        "nn.Layer": "Module",
        "nn.LayerList": "ModuleList",
        "nn.LayerDict": "ModuleDict",
        "nn.MultiHeadAttention": "MultiheadAttention",
        "nn.Silu": "SiLU",
        "self.create_parameter(shape) in a Layer": "Parameter",
        "nn.initializer": "init",
    },
    "nn.functional": {
        "nn.functional.conv1d_transpose": "conv_transpose1d",
        "nn.functional.conv2d_transpose": "conv_transpose2d",
        "nn.functional.conv3d_transpose": "conv_transpose3d",
        "nn.functional.log_sigmoid": "logsigmoid",
        "nn.functional.interpolate(x, scale_factor=2)": "upsample_nearest",
    },
    "optimizer": {"optimizer.RMSProp": "RMSprop", "optimizer.lr": "lr_scheduler"},
    "Layer": {
        "sublayers()": "modules",
        "named_sublayers()": "named_modules",
        "set_state_dict(state)": "load_state_dict",
        "clear_gradients()": "zero_grad",
        "register_forward_post_hook(hook)": "register_forward_hook",
        "add_parameter(name, parameter)": "register_parameter",
        "add_sublayer(name, layer)": "add_module register_module",
        "nothing: all is on one machine without a GPU": "cuda",
    },
    "Optimizer": {
        "clear_grad()": "zero_grad",
        "set_state_dict(state)": "load_state_dict",
    },
    "Tensor": {
        "transpose([1, 0])": "permute",
        "stop_gradient, its inverse": "requires_grad requires_grad_",
        "retain_grads()": "retain_grad",
        "clip(min, max)": "clamp",
        "tile([2, 1])": "repeat",
        "astype('int64')": "long",
        "astype('float32')": "float",
        "astype('float64')": "double",
        "astype('int32')": "int",
        "astype('bool')": "bool",
        "astype(other.dtype)": "type_as",
        "reshape(other.shape)": "reshape_as",
        "place": "device",
        "nn.functional.relu(x)": "relu",
        "nn.functional.softmax(x)": "softmax",
        "nn.functional.log_softmax(x)": "log_softmax",
        "put_along_axis(indices, values, axis, reduce='add')": "scatter_add",
        "x - y": "sub",
        "x * y": "mul",
        "x / y": "div true_divide",
        "x == y": "eq",
        "x > y": "gt",
        "x >= y": "ge",
        "x < y": "lt",
        "x <= y": "le",
        "x != y": "ne",
    },
}
"""For each module or class what PyTorch's names are here; `{name}` is the name."""


def our_name(place: str, name: str) -> str:
    """Say what a name of PyTorch's is called here, nothing if that is not known.

    >>> our_name("", "cat"), our_name("nn", "Conv2d")
    ('concat(tensors, axis)', 'nn.Conv2D')
    """
    if place == "nn" and re.fullmatch(r"[A-Z]\w*[123]d", name):
        return f"nn.{name[:-1].replace('ConvTranspose', 'Conv')}" + (
            "DTranspose" if name.startswith("ConvTranspose") else "D"
        )
    return by_name(place).get(name, "")


@cache
def by_name(place: str) -> dict[str, str]:
    """Collect the names of one module or class, with ours."""
    return {
        name: ours.format(name=name)
        for ours, names in PYTORCH.get(place, {}).items()
        for name in names.split()
    }
