"""The path of Layer calls under way, named by the attributes that hold the layers.

The outermost is named by the variable that holds it: two networks of one type differ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from weakref import WeakKeyDictionary

from teachgraph.nn.layer import Layer
from teachgraph.nn.rnn import RNNBase
from teachgraph_widgets.log import clean

__all__ = ["Layers", "type_name"]


class Layers:
    """The stack of Layer calls under way, outermost first.

    Args:
        process: The name of the process of a cluster that all of them are in.

    Attributes:
        path: Their names, as `model/features/Conv2D_0`; outside of any call the
            process, if there is one.
        met: Called with each outermost layer before its first call, for its name.

    >>> from teachgraph import nn
    >>> net, layers = nn.Sequential(nn.Linear(2, 1)), Layers()
    >>> layers.enter(net)
    >>> layers.enter(net[0])
    >>> layers.path
    'Sequential/Linear_0'
    >>> layers.leave(net)
    >>> layers.path
    """

    def __init__(self, process: str | None = None) -> None:
        self.process = process
        self.path: str | None = process
        self._calls: list[tuple[object, str | None]] = []
        self._names: WeakKeyDictionary[Layer, dict[int, str]] = WeakKeyDictionary()
        self.met: Callable[[Layer], str] = type_name
        self._outermost: WeakKeyDictionary[Layer, str] = WeakKeyDictionary()

    def enter(self, layer: Layer) -> None:
        """Push a layer's call."""
        before = self.path
        if self._calls:
            name = self.name(layer, self._calls[-1][0])
        else:
            if layer not in self._outermost:
                self._outermost[layer] = self.met(layer)
            name = self._outermost[layer]
        self.path = name if before is None else f"{before}/{name}"
        self._calls.append((layer, before))

    def enter_named(self, owner: object, name: str) -> None:
        """Push work of another kind, such as the making of a batch, under a name."""
        before = self.path
        self.path = name if before is None else f"{before}/{name}"
        self._calls.append((owner, before))

    def leave(self, layer: object) -> None:
        """Pop a layer's call, and the calls inside that an error cut short."""
        if any(called is layer for called, _ in self._calls):
            left = None
            while left is not layer:
                left, self.path = self._calls.pop()

    def name(self, layer: Layer, outer: object) -> str:
        """Return a layer's name within the calling one, else its type."""
        if not isinstance(outer, Layer):
            return type_name(layer)
        names = self._names.get(outer)
        if names is None or id(layer) not in names:
            within = outer.named_sublayers()
            kind = type_name(outer) if isinstance(outer, RNNBase) else ""
            names = {id(inner): called(path, inner, kind) for path, inner in within}
            self._names[outer] = names
        return names.get(id(layer)) or type_name(layer)

    def look(self) -> None:
        """Rebuild the stack from the frames: some calls began before recording."""
        self.path = self.process
        self._calls.clear()
        running = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code is Layer.__call__.__code__:
                running.append(frame.f_locals["self"])
            frame = frame.f_back
        for layer in reversed(running):
            self.enter(layer)


def type_name(layer: Layer) -> str:
    """Return the name of a layer's type."""
    return clean(type(layer).__name__)


def called(path: str, layer: Layer, kind: str = "") -> str:
    """Return a layer's path within another: `blocks.0` is `blocks/Block_0`.

    Args:
        path: The attributes that lead to it.
        layer: The layer.
        kind: What a layer that only has a number is called; by default its type.
    """
    *outer, last = path.split(".")
    if last.isdigit():
        last = f"{kind or type(layer).__name__}_{last}"
    return clean("/".join([*outer, last]).strip("/"))
