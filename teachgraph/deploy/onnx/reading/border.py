"""Importer of `Pad`."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, is_traced, reads
from teachgraph.ops import functions as f

END = 2**31 - 1

MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap"}


@reads("Pad")
def pad(node: Node) -> Any:
    """Pad a tensor; negative widths crop it."""
    x, mode = node.x(), node.attr("mode", "constant")
    if node.has(1) and node.known(1) is None:
        return pad_computed(node, x, mode)
    pads, value = node.ints(1, "pads"), node.attr("value", 0.0)
    assert pads is not None
    if node.has(2):
        value = float(np.reshape(node.constant(2), ()))
    axes = node.ints(3) if node.has(3) else list(range(len(x.shape)))
    assert axes is not None
    pairs = [(0, 0)] * len(x.shape)
    for axis, before, after in zip(axes, pads, pads[len(axes) :], strict=False):
        pairs[axis] = (before, after)
    if not is_traced(x):
        more = {"constant_values": value} if mode == "constant" else {}
        how: Any = MODES[mode]
        return np.pad(x, pairs, how, **more)
    if any(n < 0 for pair in pairs for n in pair):
        ends = [-max(-after, 0) or END for _, after in pairs]
        starts = [max(-before, 0) for before, _ in pairs]
        x = f.slice(x, list(range(len(pairs))), starts, ends)
        pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    if mode == "constant":
        from teachgraph.ops.pad import pad as op

        return op(x, paddings=[n for pair in pairs for n in pair], pad_value=value)
    return mirrored(node, x, pairs, mode)


def pad_computed(node: Node, x: Any, mode: str) -> Any:
    """Pad by one value, with computed widths."""
    ndim = len(x.shape)
    if mode != "constant" or node.has(3) or x.dtype.kind != "f":
        node.refuse("a border of elements, or of some axes, whose width is computed")
    value = node.x(2) if node.has(2) else np.zeros([], x.dtype)
    pairs = f.transpose(f.reshape(node.x(1), [2, ndim]), [1, 0])
    how = {"paddings": f.reshape(pairs, [-1]), "pad_value": f.reshape(value, [])}
    return node.with_tensors("pad", [x], [-1] * ndim, **how)


def mirrored(node: Node, x: Any, pairs: list[tuple[int, int]], mode: str) -> Any:
    """Pad by elements of the tensor: gather their indices along each axis."""
    for axis, (before, after) in enumerate(pairs):
        if not before and not after:
            continue
        if x.shape[axis] == -1:
            node.refuse("a border of elements around a size that is not known")
        how: Any = MODES[mode]
        places = np.pad(np.arange(x.shape[axis]), (before, after), how)
        x = f.gather(x, places, axis)
    return x
