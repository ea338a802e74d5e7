"""Paddle's `paddle.onnx`, with an importer: the names of `teachgraph.deploy.onnx`."""

from teachgraph.deploy.onnx.backend import Backend
from teachgraph.deploy.onnx.export import export
from teachgraph.deploy.onnx.load import load

__all__ = ["Backend", "export", "load"]
