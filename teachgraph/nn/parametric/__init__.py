"""Layers as functions that create their own parameters: Paddle's `static.nn`.

Each appends its operators to the program under a unique name, such as `conv2d_0`, which
prefixes its parameters and results. All work alike: check the input (`inputs`), create
parameters whose sizes follow from it (`static.layers.parameter`, which puts their
initializers into the startup program), apply the ops.
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
