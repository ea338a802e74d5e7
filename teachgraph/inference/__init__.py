"""Models in use: a saved program, rewritten to run fast, behind handles or a call."""

from teachgraph.inference.config import Config, PassBuilder
from teachgraph.inference.handles import InputHandle, OutputHandle
from teachgraph.inference.model import InferenceModel
from teachgraph.inference.pool import PredictorPool
from teachgraph.inference.predictor import Predictor, create_predictor

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
