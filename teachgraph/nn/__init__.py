"""Layers, containers, losses, initializers and gradient clipping: `paddle.nn`."""

from typing import TYPE_CHECKING

from teachgraph.nn import (
    activation,
    batch_norm,
    cells,
    clip,
    container,
    conv,
    dropout,
    embedding,
    functional,
    hierarchy,
    initializer,
    linear,
    loss,
    norm,
    padding,
    pooling,
    rnn,
    shaping,
    spectral_norm,
    transformer,
    utils,
    vision,
)
from teachgraph.nn.activation import *  # noqa: F403
from teachgraph.nn.batch_norm import *  # noqa: F403
from teachgraph.nn.cells import *  # noqa: F403
from teachgraph.nn.clip import *  # noqa: F403
from teachgraph.nn.container import *  # noqa: F403
from teachgraph.nn.conv import *  # noqa: F403
from teachgraph.nn.dropout import *  # noqa: F403
from teachgraph.nn.embedding import *  # noqa: F403
from teachgraph.nn.hierarchy import *  # noqa: F403
from teachgraph.nn.layer import Layer
from teachgraph.nn.linear import *  # noqa: F403
from teachgraph.nn.loss import *  # noqa: F403
from teachgraph.nn.norm import *  # noqa: F403
from teachgraph.nn.padding import *  # noqa: F403
from teachgraph.nn.pooling import *  # noqa: F403
from teachgraph.nn.rnn import *  # noqa: F403
from teachgraph.nn.shaping import *  # noqa: F403
from teachgraph.nn.spectral_norm import *  # noqa: F403
from teachgraph.nn.transformer import *  # noqa: F403
from teachgraph.nn.vision import *  # noqa: F403
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = ["Layer", "functional", "initializer", "utils"]
__all__ += activation.__all__
__all__ += batch_norm.__all__
__all__ += cells.__all__
__all__ += clip.__all__
__all__ += container.__all__
__all__ += conv.__all__
__all__ += dropout.__all__
__all__ += embedding.__all__
__all__ += hierarchy.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += norm.__all__
__all__ += padding.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += shaping.__all__
__all__ += spectral_norm.__all__
__all__ += transformer.__all__
__all__ += vision.__all__

if not TYPE_CHECKING:
    __getattr__ = absent("nn")

known_as("nn")
