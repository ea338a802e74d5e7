"""Activation layers: each applies a function of `nn.functional` with its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer
from teachgraph.ops.initializer import Constant

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Maxout",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Sigmoid",
    "Silu",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
]


class Activation(Layer):
    """Base of activation layers without parameters.

    Attributes:
        function: The function to apply.
        options: Its keyword arguments.
    """

    function: Callable[..., Any]
    options: Mapping[str, Any]

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.options = {}

    def forward(self, x: Any) -> Any:
        """Apply the function to `x`."""
        return type(self).function(x, **self.options)

    def extra_repr(self) -> str:
        """Format the options for `repr`."""
        return ", ".join(f"{name}={value}" for name, value in self.options.items())


class ReLU(Activation):
    """out = max(x, 0)."""

    function = functional.relu


class ReLU6(Activation):
    """out = min(max(x, 0), 6)."""

    function = functional.relu6


class Sigmoid(Activation):
    """out = 1 / (1 + exp(-x))."""

    function = functional.sigmoid


class Tanh(Activation):
    """out = tanh x."""

    function = functional.tanh


class Silu(Activation):
    """out = x sigmoid(x)."""

    function = functional.silu


class Swish(Activation):
    """out = x sigmoid(x), as `Silu`."""

    function = functional.swish


class Mish(Activation):
    """out = x tanh(softplus(x))."""

    function = functional.mish


class Hardswish(Activation):
    """out = x min(max(x + 3, 0), 6) / 6."""

    function = functional.hardswish


class Tanhshrink(Activation):
    """out = x - tanh(x)."""

    function = functional.tanhshrink


class Softsign(Activation):
    """out = x / (1 + |x|)."""

    function = functional.softsign


class LogSigmoid(Activation):
    """out = log sigmoid(x)."""

    function = functional.log_sigmoid


class LeakyReLU(Activation):
    """out = x where x > 0, negative_slope x elsewhere."""

    function = functional.leaky_relu

    def __init__(self, negative_slope: float = 0.01, name: str | None = None) -> None:
        super().__init__()
        self.options = {"negative_slope": negative_slope}


class ELU(Activation):
    """out = x where x > 0, alpha (exp(x) - 1) elsewhere."""

    function = functional.elu

    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None:
        super().__init__()
        self.options = {"alpha": alpha}


class SELU(Activation):
    """out = scale elu(x)."""

    function = functional.selu

    def __init__(
        self,
        scale: float = 1.0507009873554805,
        alpha: float = 1.6732632423543772,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.options = {"scale": scale, "alpha": alpha}


class CELU(Activation):
    """out = max(x, 0) + alpha (exp(min(x, 0) / alpha) - 1)."""

    function = functional.celu

    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None:
        super().__init__()
        self.options = {"alpha": alpha}


class Hardsigmoid(Activation):
    """out = min(max(x / 6 + 0.5, 0), 1)."""

    function = functional.hardsigmoid


class Hardtanh(Activation):
    """out = min(max(x, min), max)."""

    function = functional.hardtanh

    def __init__(
        self, min: float = -1.0, max: float = 1.0, name: str | None = None
    ) -> None:
        super().__init__()
        self.options = {"min": min, "max": max}


class Hardshrink(Activation):
    """out = x where |x| > threshold, 0 elsewhere."""

    function = functional.hardshrink

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        self.options = {"threshold": threshold}


class Softshrink(Activation):
    """out = sign(x) max(|x| - threshold, 0)."""

    function = functional.softshrink

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        self.options = {"threshold": threshold}


class ThresholdedReLU(Activation):
    """out = x where x > threshold, 0 elsewhere."""

    function = functional.thresholded_relu

    def __init__(self, threshold: float = 1.0, name: str | None = None) -> None:
        super().__init__()
        self.options = {"threshold": threshold}


class Softplus(Activation):
    """out = log(1 + exp(beta x)) / beta."""

    function = functional.softplus

    def __init__(
        self, beta: float = 1, threshold: float = 20, name: str | None = None
    ) -> None:
        super().__init__()
        self.options = {"beta": beta, "threshold": threshold}


class Softmax(Activation):
    """out = exp(x) / sum exp(x) along `axis`."""

    function = functional.softmax

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__()
        self.options = {"axis": axis}


class LogSoftmax(Activation):
    """out = x - log sum exp(x) along `axis`."""

    function = functional.log_softmax

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__()
        self.options = {"axis": axis}


class GELU(Activation):
    """out = x Phi(x), with Phi the standard normal distribution function."""

    function = functional.gelu

    def __init__(self, approximate: bool = False, name: str | None = None) -> None:
        super().__init__()
        self.options = {"approximate": approximate}


class GLU(Activation):
    """out = a sigmoid(b), where a and b are the halves along `axis`."""

    function = functional.glu

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__()
        self.options = {"axis": axis}


class Maxout(Activation):
    """Maximum of each group of `groups` neighbours along `axis`."""

    function = functional.maxout

    def __init__(self, groups: int, axis: int = 1, name: str | None = None) -> None:
        super().__init__()
        self.options = {"groups": groups, "axis": axis}


class PReLU(Layer):
    """out = x where x > 0, weight x elsewhere.

    Args:
        num_parameters: 1, or the number of channels.
        init: The initial value of each slope.
        weight_attr: A ParamAttr, or a name.
        data_format: Where the channels stand.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> tg.nn.PReLU()(tg.to_tensor([-4.0, 4.0])).tolist()
    [-1.0, 4.0]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.init, self.data_format = init, data_format
        self._weight = self.create_parameter(
            [num_parameters],
            attr=weight_attr,
            default_initializer=Constant(init),
        )

    def forward(self, x: Any) -> Any:
        """Apply the function `prelu`."""
        return functional.prelu(x, self._weight, self.data_format)

    def extra_repr(self) -> str:
        """Format the settings for `repr`."""
        return (
            f"num_parameters={self._weight.shape[0]}, data_format={self.data_format}, "
            f"init={self.init}, dtype={self._dtype}"
        )


class RReLU(Activation):
    """out = x where x >= 0, else x times a random slope; in `eval` the mean slope."""

    def __init__(
        self,
        lower: float = 1.0 / 8.0,
        upper: float = 1.0 / 3.0,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.options = {"lower": lower, "upper": upper}

    def forward(self, x: Any) -> Any:
        """Apply the function to `x`."""
        return functional.rrelu(x, **self.options, training=self.training)

    def extra_repr(self) -> str:
        """Format the options, the mode and the dtype for `repr`."""
        return f"{super().extra_repr()}, training={self.training}, dtype={self._dtype}"


class Softmax2D(Activation):
    """Softmax over the channels of images [N, C, H, W] or [C, H, W].

    >>> import teachgraph as tg
    >>> Softmax2D()(tg.zeros([2, 1, 1])).flatten().tolist()
    [0.5, 0.5]
    """

    def forward(self, x: Any) -> Any:
        """Apply the function to `x`."""
        return functional.softmax(x, axis=-3)
