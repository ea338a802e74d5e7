"""Paddle's `callbacks`: what `Model` calls while it trains, evaluates and predicts."""

from teachgraph.callbacks.callback import Callback, CallbackList
from teachgraph.callbacks.checkpoint import ModelCheckpoint
from teachgraph.callbacks.panel import MonitorPanel
from teachgraph.callbacks.plateau import ReduceLROnPlateau
from teachgraph.callbacks.progress import ProgBarLogger
from teachgraph.callbacks.schedule import LRScheduler
from teachgraph.callbacks.stopping import EarlyStopping
from teachgraph.ops.left_out import absent

__all__ = [
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "LRScheduler",
    "ModelCheckpoint",
    "MonitorPanel",
    "ProgBarLogger",
    "ReduceLROnPlateau",
]

__getattr__ = absent("callbacks")
