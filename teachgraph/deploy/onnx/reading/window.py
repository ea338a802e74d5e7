"""Importers of convolution and pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, as_variable, reads
from teachgraph.ops import conv as convs
from teachgraph.ops import functions as f
from teachgraph.ops.pad import pad as pad_op
from teachgraph.ops.pool import pool2d, pool3d

CONVS = {2: convs.conv2d, 3: convs.conv3d}
TRANSPOSED = {2: convs.conv2d_transpose, 3: convs.conv3d_transpose}
POOLS = {2: pool2d, 3: pool3d}


def padding(
    node: Node, sizes: Any, window: Any, strides: Any, dilations: Any
) -> list[int]:
    """Return the padding before and after each dimension, pair by pair."""
    dims, kind = len(window), node.attr("auto_pad", "NOTSET")
    if kind == "VALID":
        return [0] * (2 * dims)
    if kind == "NOTSET":
        pads = node.attr("pads", [0] * (2 * dims))
        return [n for i in range(dims) for n in (pads[i], pads[i + dims])]
    pairs = []
    for n, k, s, d in zip(sizes, window, strides, dilations, strict=True):
        if n == -1:
            node.refuse(f"auto_pad={kind!r} of a size that is not known")
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        small, large = total // 2, total - total // 2
        pairs += [small, large] if kind == "SAME_UPPER" else [large, small]
    return pairs


@reads("Conv")
def conv(node: Node) -> Any:
    """Convolve; 1-D as 2-D with a height of 1."""
    x, w = as_variable(node.x()), as_variable(node.x(1))
    dims = len(x.shape) - 2
    if dims == 1:
        return without_inserted(
            conv_in(node, f.unsqueeze(x, [2]), f.unsqueeze(w, [2]), lift=True)
        )
    return conv_in(node, x, w, lift=False)


def without_inserted(x: Any) -> Any:
    """Remove the inserted dimension of a 1-D image."""
    return f.squeeze(x, [2])


def conv_in(node: Node, x: Any, w: Any, *, lift: bool) -> Any:
    """Convolve in two dimensions or three."""
    dims = len(x.shape) - 2
    if dims not in CONVS:
        node.refuse(f"{dims} dimensions")
    own = dims - lift
    strides, dilations = (
        node.attr("strides", [1] * own),
        node.attr("dilations", [1] * own),
    )
    window = list(w.shape[2 + lift :])
    pads = padding(node, x.shape[2 + lift :], window, strides, dilations)
    one, none = [1] * lift, [0, 0] * lift
    attrs = {"strides": one + strides, "dilations": one + dilations}
    attrs |= {"paddings": none + pads, "groups": node.attr("group", 1)}
    return biased(CONVS[dims](x, w, **attrs), node.x(2))


def biased(x: Any, bias: Any) -> Any:
    """Add a bias for each channel."""
    if bias is None:
        return x
    return f.add(x, f.reshape(as_variable(bias), [-1, *[1] * (len(x.shape) - 2)]))


@reads("ConvTranspose")
def conv_transpose(node: Node) -> Any:
    """Apply the transposed convolution, then crop or pad the result."""
    x, w = as_variable(node.x()), as_variable(node.x(1))
    lift = int(len(x.shape) == 3)
    if lift:
        x, w = f.unsqueeze(x, [2]), f.unsqueeze(w, [2])
    dims = len(x.shape) - 2
    own = dims - lift
    strides, dilations = (
        node.attr("strides", [1] * own),
        node.attr("dilations", [1] * own),
    )
    more = node.attr("output_padding", [0] * own)
    pads = [0, 0] * lift + crop_width(
        node, x.shape[2 + lift :], w.shape[2 + lift :], strides, dilations, more
    )
    one = [1] * lift
    attrs = {"strides": one + strides, "dilations": one + dilations}
    before = [max(-n, 0) for n in pads]
    kept = [max(n, 0) for n in pads]
    extra = [0] * lift + more
    attrs |= {"paddings": [0] * (2 * dims), "groups": node.attr("group", 1)}
    if dims not in TRANSPOSED:
        node.refuse(f"{dims} dimensions")
    out = TRANSPOSED[dims](x, w, **attrs)
    border = [0, 0, 0, 0]
    for i in range(dims):
        border += [before[2 * i], before[2 * i + 1] + extra[i]]
    if any(border):
        out = pad_op(out, paddings=border)
    ends = [-n or 2**31 - 1 for n in kept[1::2]]
    out = f.slice(out, list(range(2, dims + 2)), kept[::2], ends)
    return biased(without_inserted(out) if lift else out, node.x(2))


def crop_width(
    node: Node, sizes: Any, window: Any, strides: Any, dilations: Any, more: Any
) -> list[int]:
    """Return the width to crop from both ends of the full result; negative to pad."""
    wanted = node.attr("output_shape")
    kind = node.attr("auto_pad", "NOTSET")
    if wanted is None and kind in ("NOTSET", "VALID"):
        return padding(node, sizes, window, strides, dilations)
    if -1 in sizes:
        node.refuse("a result of a size that is not known")
    pairs = []
    for i, n in enumerate(sizes):
        want = wanted[-len(window) :][i] if wanted is not None else n * strides[i]
        full = (n - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1
        total = full + more[i] - want
        small, large = total // 2, total - total // 2
        pairs += [small, large] if kind == "SAME_UPPER" else [large, small]
    return pairs


@reads("MaxPool", "AveragePool")
def pool(node: Node) -> Any:
    """Compute the maximum, or the mean, of each window."""
    x = as_variable(node.x())
    if len(node.outputs) > 1:
        node.refuse("where the largest was")
    if x.dtype.kind != "f":
        node.refuse(f"elements of {x.dtype}")
    if any(n != 1 for n in node.attr("dilations", [1])):
        node.refuse("dilations")
    lift = int(len(x.shape) == 3)
    x = f.unsqueeze(x, [2]) if lift else x
    dims = len(x.shape) - 2
    if dims not in POOLS:
        node.refuse(f"{dims} dimensions")
    out = POOLS[dims](x, **pool_attrs(node, x, dims, lift))
    return without_inserted(out) if lift else out


def pool_attrs(node: Node, x: Any, dims: int, lift: int) -> dict[str, Any]:
    """Return the attributes of the pooling op."""
    window, own = node.attr("kernel_shape"), dims - lift
    strides = node.attr("strides", [1] * own)
    sizes = x.shape[2 + lift :]
    pads = padding(node, sizes, window, strides, [1] * own)
    ceil, average = bool(node.attr("ceil_mode", 0)), node.type == "AveragePool"
    counted = bool(node.attr("count_include_pad", 0))
    if ceil and overhanging(node, sizes, window, strides, pads):
        node.refuse("ceil_mode with windows that begin behind the image")
    if ceil and counted and average and any(pads):
        node.refuse("ceil_mode where the padding counts")
    if any(n >= k for k, n in zip(np.repeat(window, 2), pads, strict=True)):
        node.refuse("windows that lie in the padding alone")
    return {
        "pooling_type": "avg" if average else "max",
        "ksize": [1] * lift + window,
        "strides": [1] * lift + strides,
        "paddings": [0, 0] * lift + pads,
        "ceil_mode": ceil,
        "exclusive": not (counted and any(pads)),
    }


def overhanging(node: Node, sizes: Any, window: Any, strides: Any, pads: Any) -> bool:
    """True if the last window would begin after the end of the image."""
    for i, n in enumerate(sizes):
        if n == -1:
            node.refuse("ceil_mode over a size that is not known")
        room = n + pads[2 * i] + pads[2 * i + 1] - window[i]
        if -(-room // strides[i]) * strides[i] >= n + pads[2 * i]:
            return True
    return False


@reads("GlobalAveragePool", "GlobalMaxPool")
def global_pool(node: Node) -> Any:
    """Pool over the whole image."""
    x = node.x()
    function = f.mean if node.type == "GlobalAveragePool" else f.max
    return function(x, list(range(2, len(x.shape))), keepdim=True)
