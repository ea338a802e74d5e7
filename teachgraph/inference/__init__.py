"""Paddle's `paddle.inference`: the public names of `teachgraph.deploy.inference`."""

from teachgraph.deploy.inference.config import Config, PassBuilder
from teachgraph.deploy.inference.handles import InputHandle, OutputHandle
from teachgraph.deploy.inference.model import InferenceModel
from teachgraph.deploy.inference.pool import PredictorPool
from teachgraph.deploy.inference.predictor import Predictor, create_predictor

__all__ = [
    "Config",
    "InferenceModel",
    "InputHandle",
    "OutputHandle",
    "PassBuilder",
    "Predictor",
    "PredictorPool",
    "create_predictor",
]
