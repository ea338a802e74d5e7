"""Transforms of random variables, with their inverses and Jacobian determinants.

In Paddle this is `paddle.distribution.transform`.
"""

from teachgraph.distribution.transform.base import ChainTransform, Transform, Type
from teachgraph.distribution.transform.composite import (
    IndependentTransform,
    StackTransform,
)
from teachgraph.distribution.transform.elementwise import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    TanhTransform,
)
from teachgraph.distribution.transform.vectors import (
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ChainTransform",
    "ExpTransform",
    "IndependentTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "Type",
]
