"""ONNX: export of layers and programs, import of models, and the backend protocol.

`Backend` is the interface by which the `onnx` package runs its tests on this one. The
packages `onnx` and `onnxruntime` are loaded when first needed; the extra `deploy`
installs them.
"""

from teachgraph.deploy.onnx.backend import Backend
from teachgraph.deploy.onnx.export import export
from teachgraph.deploy.onnx.load import load

__all__ = ["Backend", "export", "load"]
