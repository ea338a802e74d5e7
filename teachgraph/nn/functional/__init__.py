"""Paddle 2's `nn.functional`: layers as functions, each a call of one op or a few.

Each takes arrays, Tensors or Variables, as ops do.
"""

from typing import TYPE_CHECKING

from teachgraph.nn.functional import (
    activation,
    attention,
    common,
    conv,
    elements,
    grids,
    hierarchy,
    inplace,
    likelihood,
    lookup,
    loss,
    margins,
    noise,
    norm,
    pooling,
    vision,
)
from teachgraph.nn.functional.activation import *  # noqa: F403
from teachgraph.nn.functional.attention import *  # noqa: F403
from teachgraph.nn.functional.common import *  # noqa: F403
from teachgraph.nn.functional.conv import *  # noqa: F403
from teachgraph.nn.functional.elements import *  # noqa: F403
from teachgraph.nn.functional.grids import *  # noqa: F403
from teachgraph.nn.functional.hierarchy import *  # noqa: F403
from teachgraph.nn.functional.inplace import *  # noqa: F403
from teachgraph.nn.functional.likelihood import *  # noqa: F403
from teachgraph.nn.functional.lookup import *  # noqa: F403
from teachgraph.nn.functional.loss import *  # noqa: F403
from teachgraph.nn.functional.margins import *  # noqa: F403
from teachgraph.nn.functional.noise import *  # noqa: F403
from teachgraph.nn.functional.norm import *  # noqa: F403
from teachgraph.nn.functional.pooling import *  # noqa: F403
from teachgraph.nn.functional.vision import *  # noqa: F403
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.left_out import absent
from teachgraph.ops.number_arguments import all_read_numbers
from teachgraph.ops.paddle_modules import known_as

__all__: list[str] = []
__all__ += activation.__all__
__all__ += attention.__all__
__all__ += common.__all__
__all__ += conv.__all__
__all__ += elements.__all__
__all__ += grids.__all__
__all__ += hierarchy.__all__
__all__ += inplace.__all__
__all__ += likelihood.__all__
__all__ += lookup.__all__
__all__ += loss.__all__
__all__ += margins.__all__
__all__ += noise.__all__
__all__ += norm.__all__
__all__ += pooling.__all__
__all__ += vision.__all__

all_in_words(__all__, globals())
# Losses are called each step, and their axes are numbers in Paddle too.
LOSSES = {"cross_entropy", "softmax_with_cross_entropy"}
all_read_numbers([n for n in __all__ if n not in LOSSES], globals(), "functional.")

if not TYPE_CHECKING:
    __getattr__ = absent("nn.functional")

known_as("nn.functional")
