"""Import from ONNX: an importer for each op, a file for each family."""

from teachgraph.deploy.onnx.reading import (
    border,
    creation,
    elementwise,
    flow,
    image,
    lookup,
    matmul,
    norm,
    quantize,
    recurrent,
    reduce,
    shape,
    window,
)
from teachgraph.deploy.onnx.reading.reader import IMPORTERS, Node, Reader, reads

__all__ = [
    "IMPORTERS",
    "Node",
    "Reader",
    "border",
    "creation",
    "elementwise",
    "flow",
    "image",
    "lookup",
    "matmul",
    "norm",
    "quantize",
    "reads",
    "recurrent",
    "reduce",
    "shape",
    "window",
]
