"""Optimizers, learning rate schedules and gradient clipping."""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.optimizer import lr
from teachgraph.optimizer.adadelta import Adadelta
from teachgraph.optimizer.adagrad import Adagrad
from teachgraph.optimizer.adam import Adam, AdamW
from teachgraph.optimizer.adamax import Adamax
from teachgraph.optimizer.lamb import Lamb
from teachgraph.optimizer.lbfgs import LBFGS
from teachgraph.optimizer.momentum import Momentum
from teachgraph.optimizer.optimizer import Optimizer
from teachgraph.optimizer.rmsprop import RMSProp
from teachgraph.optimizer.sgd import SGD

__all__ = [
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lamb",
    "Momentum",
    "Optimizer",
    "RMSProp",
    "lr",
]

if not TYPE_CHECKING:
    __getattr__ = absent("optimizer")

known_as("optimizer")
