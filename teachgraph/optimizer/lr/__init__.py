"""Schedules of the learning rate: `paddle.optimizer.lr`.

Each is a function of the epoch, stated in its first line; t counts epochs from 0.
"""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.optimizer.lr.cosine import (
    CosineAnnealingDecay,
    CosineAnnealingWarmRestarts,
)
from teachgraph.optimizer.lr.cycle import CyclicLR, OneCycleLR
from teachgraph.optimizer.lr.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    MultiplicativeDecay,
    MultiStepDecay,
    NaturalExpDecay,
    NoamDecay,
    PiecewiseDecay,
    PolynomialDecay,
    StepDecay,
)
from teachgraph.optimizer.lr.plateau import ReduceOnPlateau
from teachgraph.optimizer.lr.scheduler import LRScheduler
from teachgraph.optimizer.lr.warmup import LinearLR, LinearWarmup

__all__ = [
    "CosineAnnealingDecay",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LRScheduler",
    "LambdaDecay",
    "LinearLR",
    "LinearWarmup",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "OneCycleLR",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceOnPlateau",
    "StepDecay",
]

if not TYPE_CHECKING:
    __getattr__ = absent("optimizer.lr")
