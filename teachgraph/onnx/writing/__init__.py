"""From a program to ONNX: a converter for each op, a file for each family."""

from teachgraph.onnx.writing import (
    activation,
    creation,
    elementwise,
    flow,
    image,
    late,
    lookup,
    matmul,
    norm,
    recurrent,
    reduce,
    shape,
    window,
)
from teachgraph.onnx.writing.writer import CONVERTERS, Step, Writer, writes

__all__ = [
    "CONVERTERS",
    "Step",
    "Writer",
    "activation",
    "creation",
    "elementwise",
    "flow",
    "image",
    "late",
    "lookup",
    "matmul",
    "norm",
    "recurrent",
    "reduce",
    "shape",
    "window",
    "writes",
]
