"""Export to ONNX: a converter for each op, a file for each family."""

from teachgraph.deploy.onnx.writing import (
    activation,
    creation,
    elementwise,
    flow,
    image,
    lookup,
    matmul,
    norm,
    recurrent,
    reduce,
    shape,
    tensor_attributes,
    window,
)
from teachgraph.deploy.onnx.writing.writer import CONVERTERS, Step, Writer, writes

__all__ = [
    "CONVERTERS",
    "Step",
    "Writer",
    "activation",
    "creation",
    "elementwise",
    "flow",
    "image",
    "lookup",
    "matmul",
    "norm",
    "recurrent",
    "reduce",
    "shape",
    "tensor_attributes",
    "window",
    "writes",
]
