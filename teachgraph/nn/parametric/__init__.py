"""Layers as functions that make their own parameters: Paddle's `static.nn`.

Each appends its operators to the program under a name of its own, `conv2d_0`, after
which its parameters and results are called. All go the same way: ask what the input is
(`inputs`), make parameters of sizes that follow from it (`static.layers.parameter`,
which puts what they start as into the startup program), call the ops on them.
"""

from teachgraph.nn.parametric import convolutions, norms, reweighted, tables
from teachgraph.nn.parametric.convolutions import *  # noqa: F403
from teachgraph.nn.parametric.norms import *  # noqa: F403
from teachgraph.nn.parametric.reweighted import *  # noqa: F403
from teachgraph.nn.parametric.tables import *  # noqa: F403

__all__: list[str] = []
__all__ += convolutions.__all__
__all__ += norms.__all__
__all__ += reweighted.__all__
__all__ += tables.__all__
