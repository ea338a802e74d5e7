"""Reader of an ONNX graph, and `Node`, the view of one node that importers use.

A value is a Variable, or an array if it is constant: our functions take both, so what
depends on constants alone is computed while reading. Floating parameters are Variables,
since they may be trained.
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import UnknownOpError
from teachgraph.deploy.onnx.reading.files import array_of
from teachgraph.deploy.onnx.tensor_attributes import with_tensor_attributes
from teachgraph.deploy.onnx.types import import_deploy
from teachgraph.errors import DataError
from teachgraph.ops.creation import assign_value
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["IMPORTERS", "LARGEST", "Node", "Reader", "reads"]

Importer = Callable[["Node"], Any]

IMPORTERS: dict[str, Importer] = {}
"""The importer of each of ONNX's ops."""

LARGEST = 1 << 28
"""The largest tensor that a short file may ask for: a gigabyte of float32."""


def reads(*types: str) -> Callable[[Importer], Importer]:
    """Register an importer of these ops; a decorator."""

    def enter(importer: Importer) -> Importer:
        IMPORTERS.update(dict.fromkeys(types, importer))
        return importer

    return enter


class Reader:
    """The values of a graph that is being read.

    Attributes:
        values: Variables and arrays by name; None for an omitted input.
        constants: The arrays of parameters, by name.
        partly: For computed lists of sizes: the known ones, and -1 for the others.
        opset: The version of ONNX's ops that the model uses.
    """

    def __init__(self, opset: int, folder: Any = None) -> None:
        self.opset, self.folder = opset, folder
        self.values: ChainMap[str, Any] = ChainMap({"": None})
        self.constants: dict[str, Any] = {}
        self.partly: dict[str, list[int]] = {}

    def graph(self, graph: Any) -> list[Any]:
        """Build a graph; return its results."""
        for tensor in graph.initializer:
            if tensor.name not in self.values.maps[0]:
                self.values[tensor.name] = array_of(tensor, self.folder)
        for node in graph.node:
            self.node(node)
        return [self.value(result.name) for result in graph.output]

    def value(self, name: str) -> Any:
        """Return the value of a name.

        Raises:
            DataError: There is no such value.
        """
        if name not in self.values:
            raise DataError.here(f"the graph reads {name!r}, which is nowhere")
        return self.values[name]

    def node(self, node: Any) -> None:
        """Build one node.

        Raises:
            UnknownOpError: Its op has no importer.
        """
        importer = IMPORTERS.get(node.op_type)
        if importer is None or node.domain not in ("", "ai.onnx"):
            raise UnknownOpError.here(unknown(node))
        result = importer(Node(self, node))
        results = result if isinstance(result, (tuple, list)) else (result,)
        for name, value in zip(node.output, results, strict=False):
            if name:
                self.values[name] = constant_array(value)

    @contextmanager
    def inside(self) -> Any:
        """Let names inside belong to a subgraph, which sees those around it."""
        self.values = self.values.new_child()
        try:
            yield
        finally:
            self.values = self.values.parents


def constant_array(value: Any) -> Any:
    """Return a constant as an array."""
    known = value is None or isinstance(value, Variable)
    return value if known else np.asarray(value)


def unknown(node: Any) -> str:
    """Error message for an op without an importer."""
    domain = f" of {node.domain}" if node.domain else ""
    return (
        f"the ONNX op {node.op_type}{domain} ({node.name or node.output[0]!r}) has "
        f"no importer. Covered are: {', '.join(sorted(IMPORTERS))}"
    )


class Node:
    """One node, as its importer sees it.

    Attributes:
        type: ONNX's name of the op.
        attrs: Its attributes as Python values.
        opset: The version of ONNX's ops.
    """

    def __init__(self, reader: Reader, node: Any) -> None:
        self.reader, self.type, self.opset = reader, node.op_type, reader.opset
        self.names = list(node.input)
        self.outputs = list(node.output)
        read = import_deploy("onnx.helper").get_attribute_value
        self.attrs: Mapping[str, Any] = {a.name: read(a) for a in node.attribute}

    def __len__(self) -> int:
        return len(self.names)

    def has(self, i: int) -> bool:
        """True if input i is present."""
        return i < len(self.names) and bool(self.names[i])

    def x(self, i: int = 0) -> Any:
        """Return input i, a Variable or an array; None if it is omitted."""
        return self.reader.value(self.names[i]) if self.has(i) else None

    def all(self) -> list[Any]:
        """Return all inputs."""
        return [self.x(i) for i in range(len(self))]

    def attr(self, name: str, default: Any = None) -> Any:
        """Return an attribute; bytes as a string."""
        value = self.attrs.get(name, default)
        if isinstance(value, bytes):
            return value.decode()
        return list(value) if not isinstance(value, str) and is_list(value) else value

    def known(self, i: int) -> Any:
        """Return input i if it is constant, also a parameter; else None."""
        if not self.has(i):
            return None
        value = self.x(i)
        return self.reader.constants.get(self.names[i]) if is_traced(value) else value

    def constant(self, i: int) -> Any:
        """Return input i, which must be constant.

        Raises:
            UnknownOpError: It is computed.
        """
        if self.has(i) and self.known(i) is None:
            self.refuse(f"its input {i} must be a constant")
        return self.known(i)

    def ints(self, i: int, name: str = "") -> list[int] | None:
        """Return integers of a constant input, or of an attribute in older opsets."""
        if name and name in self.attrs:
            return [int(n) for n in self.attr(name)]
        value = self.constant(i)
        return None if value is None else [int(n) for n in np.ravel(value)]

    def counted(self, i: int) -> int:
        """Return the length of input i.

        Raises:
            UnknownOpError: It is unknown.
        """
        count: int = self.x(i).shape[0]
        return (
            self.refuse("how many sizes there are is not known") if count < 0 else count
        )

    def partly(self, i: int) -> list[int]:
        """Return the known numbers of input i, a list, with -1 for the others."""
        value = self.x(i)
        if not is_traced(value):
            return [int(n) for n in np.ravel(value)]
        return self.reader.partly.get(value.name) or [-1] * self.counted(i)

    def refuse(self, reason: str) -> Any:
        """Raise an error about what is not supported.

        Raises:
            UnknownOpError: Always.
        """
        called = self.outputs[0] if self.outputs else "?"
        raise UnknownOpError.here(
            f"{self.type} (which makes {called!r}) is not covered: {reason}"
        )

    def with_tensors(
        self, type: str, inputs: Sequence[Any], result: Sequence[int], **attrs: Any
    ) -> Any:
        """Append an op of ours, some of whose attributes may be Variables."""
        names = [name for name, value in attrs.items() if is_traced(value)]
        constants = {name: v for name, v in attrs.items() if name not in names}
        dtype = dtypes.PADDLE_CODES[dtypes.convert(inputs[0].dtype)]
        text = json.dumps(constants, default=int)
        how = {"type": type, "names": names, "attributes": text}
        values = [as_variable(x) for x in (*inputs, *(attrs[n] for n in names))]
        return with_tensor_attributes(*values, **how, shape=list(result), dtype=dtype)

    def sizes(self, i: int) -> list[int] | None:
        """Return a shape if it is constant.

        Raises:
            DataError: It has too many elements.
        """
        value = self.known(i)
        if value is None:
            return None
        shape = [int(n) for n in np.ravel(value)]
        check_size(shape)
        return shape


def check_size(sizes: Sequence[int]) -> None:
    """Refuse a shape of more than `LARGEST` elements.

    Raises:
        DataError: It has more.
    """
    total = 1
    for size in sizes:
        total *= max(abs(size), 1)
    if total > LARGEST:
        raise DataError.here(f"the file asks for a tensor of {list(sizes)}")


def is_list(value: Any) -> bool:
    """True if an attribute is a list."""
    return not isinstance(value, bytes) and isinstance(value, Sequence)


def is_traced(value: Any) -> bool:
    """True if a value is known only when the program runs."""
    return isinstance(value, Variable)


def as_variable(value: Any) -> Variable:
    """Return a value as a Variable."""
    if is_traced(value):
        return value  # type: ignore[no-any-return]
    array = np.asarray(value)
    code = dtypes.PADDLE_CODES[dtypes.convert(array.dtype)]
    how = {"values": array.ravel(), "shape": list(array.shape), "dtype": code}
    return current_block().apply(assign_value, (), how)  # type: ignore[no-any-return]
