"""Activation layers are their functions, with the arguments they were made with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from tests.ops.values import numbers

X = numbers(4, 6, low=-8.0, high=8.0)

LAYERS: list[tuple[Any, Any, dict[str, Any]]] = [
    (nn.CELU, F.celu, {"alpha": 0.5}),
    (nn.ELU, F.elu, {"alpha": 0.5}),
    (nn.GELU, F.gelu, {"approximate": True}),
    (nn.GLU, F.glu, {"axis": 0}),
    (nn.Hardshrink, F.hardshrink, {"threshold": 1.5}),
    (nn.Hardsigmoid, F.hardsigmoid, {}),
    (nn.Hardswish, F.hardswish, {}),
    (nn.Hardtanh, F.hardtanh, {"min": -2.0, "max": 3.0}),
    (nn.LeakyReLU, F.leaky_relu, {"negative_slope": 0.2}),
    (nn.LogSigmoid, F.log_sigmoid, {}),
    (nn.LogSoftmax, F.log_softmax, {"axis": 0}),
    (nn.Maxout, F.maxout, {"groups": 3, "axis": 1}),
    (nn.Mish, F.mish, {}),
    (nn.ReLU, F.relu, {}),
    (nn.ReLU6, F.relu6, {}),
    (nn.SELU, F.selu, {"scale": 2.0, "alpha": 0.5}),
    (nn.Sigmoid, F.sigmoid, {}),
    (nn.Silu, F.silu, {}),
    (nn.Softmax, F.softmax, {"axis": 0}),
    (nn.Softplus, F.softplus, {"beta": 2, "threshold": 5}),
    (nn.Softshrink, F.softshrink, {"threshold": 1.5}),
    (nn.Softsign, F.softsign, {}),
    (nn.Swish, F.swish, {}),
    (nn.Tanh, F.tanh, {}),
    (nn.Tanhshrink, F.tanhshrink, {}),
    (nn.ThresholdedReLU, F.thresholded_relu, {"threshold": 2.0}),
]


@pytest.mark.parametrize(
    ("layer", "function", "options"), LAYERS, ids=[row[0].__name__ for row in LAYERS]
)
def test_a_layer_is_its_function(layer: Any, function: Any, options: Any) -> None:
    made = layer(**options)
    found = made(tg.to_tensor(X)).numpy()
    np.testing.assert_allclose(found, function(X, **options), rtol=1e-12)
    if options and layer is not nn.Maxout:
        plain = function(X)
        assert plain.shape != found.shape or not np.allclose(plain, found)
    words = ", ".join(f"{name}={value}" for name, value in options.items())
    assert repr(made) == f"{layer.__name__}({words})"


def test_every_activation_layer_is_tried() -> None:
    tried = {layer.__name__ for layer, _, _ in LAYERS}
    elsewhere = {"RReLU", "Softmax2D"}  # test_noise_and_margins.py
    tried |= {"PReLU", *elsewhere}
    assert tried == set(nn.activation.__all__)


def test_prelu_learns_its_slopes() -> None:
    layer = nn.PReLU(num_parameters=3, init=0.5)
    x = tg.to_tensor(np.array([[-2.0, 2.0, -4.0]], "float32"))
    assert layer(x).tolist() == [[-1.0, 2.0, -2.0]]
    layer(x).sum().backward()
    ((name, weight),) = layer.named_parameters()
    assert name == "_weight"  # Paddle's name, which its saved files have
    assert weight.grad is not None
    assert weight.grad.tolist() == [-2.0, 0.0, -4.0]
    assert (
        repr(layer)
        == "PReLU(num_parameters=3, data_format=NCHW, init=0.5, dtype=float32)"
    )


def test_what_is_refused_names_the_line() -> None:
    x = tg.to_tensor(X)
    for call, error, says in (
        (lambda: F.softshrink(x, -1.0), InvalidValueError, "softshrink"),
        (lambda: F.celu(x, 0.0), InvalidValueError, "alpha is 0"),
        (lambda: F.maxout(x, 4), InvalidValueError, "groups of 4"),
        (lambda: F.prelu(x, tg.ones([4], "float64")), ShapeError, "prelu"),
        (lambda: F.gelu(x.astype("int64")), DTypeError, "int64"),
        (lambda: F.log_softmax(x, 2), Exception, "log_softmax"),
    ):
        with pytest.raises(error, match=says) as caught:
            call()
        assert __file__ in str(caught.value)
