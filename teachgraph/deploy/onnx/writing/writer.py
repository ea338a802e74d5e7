"""Writer of an ONNX graph, and `Step`, the view of one operator that converters use.

A program may write a variable several times, an ONNX graph each name once. So the
writer keeps the name of each variable's present value; the first is the variable's own.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.core.errors import NotInitializedError, UnknownOpError
from teachgraph.core.op import slot_name
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.deploy.onnx.types import code_of, import_deploy
from teachgraph.ops.math import integer_for

__all__ = ["CONVERTERS", "Step", "Writer", "writes"]

Array = np.ndarray[Any, Any]
Converter = Callable[["Step"], None]

CONVERTERS: dict[str, Converter] = {}
"""The converter of each op, by type."""


def writes(*types: str) -> Callable[[Converter], Converter]:
    """Register a converter of these ops; a decorator."""

    def enter(converter: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(types, converter))
        return converter

    return enter


class Writer:
    """The nodes and constants of a graph.

    Attributes:
        opset: The version of ONNX's ops.
        nodes: The nodes of the graph, or subgraph, that is being written.
        constants: Parameters, and constants of converters, by name.
        names: For each variable, the name of its present value.
        reserved: The names of the graph's outputs.
    """

    def __init__(self, values: Mapping[str, Array], opset: int) -> None:
        self.values, self.opset = values, opset
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.names: ChainMap[str, str] = ChainMap()
        self.taken: set[str] = set()
        self.reserved: set[str] = set()
        self.proto = import_deploy("onnx.helper")

    def fresh(self, like: str) -> str:
        """Return an unused name: this one, or it with a number."""
        name, count = like, 0
        while name in self.taken:
            count += 1
            name = f"{like}.{count}"
        self.taken.add(name)
        return name

    def constant(self, value: Any, dtype: Any = None, like: str = "const") -> str:
        """Add a constant; return its name."""
        name = self.fresh(like)
        self.constants[name] = np.asarray(value, dtype)
        return name

    def known(self, name: str) -> Array | None:
        """Return the value of a name if it is a constant, else None."""
        return self.constants.get(name)

    def node(
        self, type: str, inputs: Sequence[str], outputs: Sequence[str], **attrs: Any
    ) -> None:
        """Append a node; an empty name is an omitted input or output."""
        present = {name: value for name, value in attrs.items() if value is not None}
        node = self.proto.make_node(type, list(inputs), list(outputs), **present)
        node.name = f"{type}.{len(self.taken)}.{len(self.nodes)}"
        self.nodes.append(node)

    def put(self, type: str, *inputs: str, **attrs: Any) -> str:
        """Append a node of one output; return the output's new name."""
        name = self.fresh(f"{inputs[0] if inputs else ''}.{type.lower()}".lstrip("."))
        self.node(type, inputs, [name], **attrs)
        return name

    def value(self, variable: Variable) -> str:
        """Return the name of a variable's value; add a parameter when first read.

        Raises:
            NotInitializedError: It has no value.
            UnknownOpError: It is a result that ONNX's operator has not, as the places
                of the largest pixels.
        """
        name = variable.name
        if name in self.names:
            return self.names[name]
        if (array := self.values.get(name)) is None:
            if (op := variable.op) is not None:
                message = f"{op.type} cannot be exported with its result {name}"
                raise UnknownOpError.here(message, op.callsite)
            raise NotInitializedError.here(
                f"The variable {name} has no value: nothing writes it, "
                "and the scope holds none; run the startup program first"
            )
        # In the outermost graph, whose names all subgraphs see.
        root = self.names.maps[-1]
        root[name] = self.constant(array, like=name)
        return root[name]

    def written(self, variable: Variable) -> str:
        """Return a new name for the value that an operator writes to a variable."""
        self.names[variable.name] = self.fresh(variable.name)
        return self.names[variable.name]

    def block(self, block: Block) -> None:
        """Write the operators of a block."""
        for operator in block.ops:
            CONVERTERS.get(operator.type, unknown)(Step(self, operator))

    @contextmanager
    def subgraph(self) -> Iterator[list[Any]]:
        """Collect the nodes appended inside, with a scope of names of its own."""
        around, self.nodes = self.nodes, []
        self.names = self.names.new_child()
        try:
            yield self.nodes
        finally:
            self.nodes, self.names = around, self.names.parents


def unknown(step: Step) -> None:
    """Refuse an op without a converter.

    Raises:
        UnknownOpError: Always.
    """
    step.refuse(
        f"ONNX has no converter for it. Covered are: {', '.join(sorted(CONVERTERS))}"
    )


class Step:
    """One operator, as its converter sees it.

    Attributes:
        attrs: Its attributes, with the defaults.
    """

    def __init__(self, writer: Writer, operator: Operator) -> None:
        self.writer, self.operator = writer, operator
        self.put, self.constant = writer.put, writer.constant
        self.attrs = operator.op.complete(operator.own_attrs)

    def variables(self, parameter: str) -> list[Variable]:
        """Return the variables of a slot."""
        find = self.operator.block._var_recursive
        slot = slot_name(parameter)
        slots = {**self.operator.outputs, **self.operator.inputs}
        return [find(name) for name in slots.get(slot, ())]

    def variable(self, parameter: str) -> Variable:
        """Return the first variable of an input slot, else of an output slot."""
        return self.variables(parameter)[0]

    def result(self, parameter: str = "out") -> Variable:
        """Return the variable of an output slot."""
        (name,) = self.operator.outputs[slot_name(parameter)]
        return self.operator.block._var_recursive(name)

    def all(self, parameter: str) -> list[str]:
        """Return the names of the values of an input slot."""
        return [self.writer.value(v) for v in self.variables(parameter)]

    def get(self, parameter: str = "x") -> str:
        """Return the name of the value of an input slot, empty if there is none."""
        return next(iter(self.all(parameter)), "")

    def cast(self, name: str, dtype: Any) -> str:
        """Append a cast of a value."""
        return self.put("Cast", name, to=code_of(dtype))

    def get_as(self, parameter: str, dtype: Any) -> str:
        """Return an input in this dtype, cast if need be."""
        same = self.variable(parameter).dtype == np.dtype(dtype)
        return self.get(parameter) if same else self.cast(self.get(parameter), dtype)

    def ints(self, *numbers: int) -> str:
        """Add a constant of integers, as for axes and shapes."""
        return self.constant(list(numbers), np.int64)

    def like(self, value: float, parameter: str = "x") -> str:
        """Add a constant number in the dtype of an input."""
        dtype = self.variable(parameter).dtype
        number = integer_for(value, dtype) if dtype.kind == "u" else value
        return self.constant(number, dtype)

    def give(self, type: str, *inputs: str, slot: str = "out", **attrs: Any) -> None:
        """Append the node that writes the operator's output."""
        self.give_all(type, inputs, [slot], **attrs)

    def give_all(
        self,
        type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        **attrs: Any,
    ) -> None:
        """Append the node that writes several outputs; omit those that are unused."""
        find = self.operator.block._var_recursive
        slots = [self.operator.outputs.get(slot_name(slot)) for slot in outputs]
        names = [self.writer.written(find(slot[0])) if slot else "" for slot in slots]
        self.writer.node(type, inputs, names, **attrs)

    def refuse(self, reason: str) -> None:
        """Raise an error about an operator that cannot be exported, at the user's line.

        Raises:
            UnknownOpError: Always.
        """
        raise UnknownOpError.here(
            f"{self.operator.type} cannot be exported: {reason}", self.operator.callsite
        )

    @property
    def ndim(self) -> int:
        """The number of dimensions of X."""
        return len(self.variable("x").shape)

    def reduced(self, type: str, x: str, axes: Sequence[int] | None, keep: bool) -> str:
        """Append a reduction over some axes of X, or all, in the form of this opset."""
        # ONNX Runtime takes a negative axis amiss where another size is 0.
        axes = None if axes is None else [axis % self.ndim for axis in axes]
        # The axes became an input with opset 13 for ReduceSum, with 18 for the others.
        axes_are_input = type == "ReduceSum" or self.writer.opset >= 18
        if axes is None:
            return self.put(type, x, keepdims=int(keep))
        if axes_are_input:
            return self.put(type, x, self.ints(*axes), keepdims=int(keep))
        return self.put(type, x, axes=list(axes), keepdims=int(keep))
