"""Paddle's `hapi`: `Model`, which trains, evaluates and predicts in one call each."""

from teachgraph.hapi.model import Model

__all__ = ["Model"]
