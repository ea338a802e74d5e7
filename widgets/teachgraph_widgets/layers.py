"""Which Layer runs what: the path of the calls under way, named as attributes are."""

from __future__ import annotations

import sys
from types import FrameType
from weakref import WeakKeyDictionary

from teachgraph.nn.layer import Layer
from teachgraph_widgets.log import clean

__all__ = ["Layers"]


class Layers:
    """The Layers that are being called, outermost first.

    Attributes:
        path: Their names, as `LeNet/features/Conv2D_0`; None outside of any.

    >>> from teachgraph import nn
    >>> net, layers = nn.Sequential(nn.Linear(2, 1)), Layers()
    >>> layers.enter(net)
    >>> layers.enter(net[0])
    >>> layers.path
    'Sequential/Linear_0'
    >>> layers.leave(net)
    >>> layers.path
    """

    def __init__(self) -> None:
        self.path: str | None = None
        self._calls: list[tuple[Layer, str | None]] = []
        self._names: WeakKeyDictionary[Layer, dict[int, str]] = WeakKeyDictionary()

    def enter(self, layer: Layer) -> None:
        """A layer is called."""
        before = self.path
        if before is None:
            self.path = clean(type(layer).__name__)
        else:
            self.path = f"{before}/{self.name(layer, self._calls[-1][0])}"
        self._calls.append((layer, before))

    def leave(self, layer: Layer) -> None:
        """Its call is over, and with it that of whatever it called."""
        if any(called is layer for called, _ in self._calls):
            left = None
            while left is not layer:
                left, self.path = self._calls.pop()

    def name(self, layer: Layer, outer: Layer) -> str:
        """What the calling layer has it as: a bare number says its type too."""
        names = self._names.get(outer)
        if names is None or id(layer) not in names:
            within = outer.named_sublayers()
            names = {id(inner): called(path, inner) for path, inner in within}
            self._names[outer] = names
        return names.get(id(layer)) or clean(type(layer).__name__)

    def look(self) -> None:
        """Find the calls under way, from the frames: some begin unheard."""
        self.path = None
        self._calls.clear()
        running = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code is Layer.__call__.__code__:
                running.append(frame.f_locals["self"])
            frame = frame.f_back
        for layer in reversed(running):
            self.enter(layer)


def called(path: str, layer: Layer) -> str:
    """A layer's name within another: `blocks.0` is `blocks/Block_0`."""
    *outer, last = path.split(".")
    if last.isdigit():
        last = f"{type(layer).__name__}_{last}"
    return clean("/".join([*outer, last]).strip("/"))
