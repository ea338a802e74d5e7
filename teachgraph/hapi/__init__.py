"""Paddle's `hapi`: `Model`, which trains, evaluates and predicts in one call each."""

from teachgraph.hapi.model import Model
from teachgraph.nn.summary import flops, summary
from teachgraph.ops.paddle_modules import known_as

__all__ = ["Model", "flops", "summary"]

known_as("hapi")
