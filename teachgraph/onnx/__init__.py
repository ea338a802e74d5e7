"""ONNX, both ways.

`export` writes what other runtimes read.
"""

from teachgraph.onnx.export import export

__all__ = ["export"]
