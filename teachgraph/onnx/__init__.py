"""ONNX, both ways.

`export` writes what other runtimes read, `load` makes a program of what others wrote,
and `Backend` is how the `onnx` package itself runs and tests us. The packages `onnx`
and `onnxruntime` are loaded when first needed: they come with `teachgraph[deploy]`.
"""

from teachgraph.deploy.onnx.backend import Backend
from teachgraph.deploy.onnx.export import export
from teachgraph.deploy.onnx.load import load

__all__ = ["Backend", "export", "load"]
