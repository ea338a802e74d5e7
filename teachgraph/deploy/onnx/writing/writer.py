"""An ONNX graph in the making, and one operator of a program on its way into it.

A program writes a variable as often as it likes, an ONNX graph each name once. So the
writer remembers for each variable which name holds its value now; the first is its own.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.core.errors import NotInitializedError, UnknownOpError, at_user_line
from teachgraph.core.op import slot_name
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.deploy.onnx.types import code_of, needed

__all__ = ["CONVERTERS", "Step", "Writer", "writes"]

Array = np.ndarray[Any, Any]
Converter = Callable[["Step"], None]

CONVERTERS: dict[str, Converter] = {}
"""How each op is written, by type."""


def writes(*types: str) -> Callable[[Converter], Converter]:
    """Enter a converter into the table."""

    def enter(converter: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(types, converter))
        return converter

    return enter


class Writer:
    """The nodes and constants of a graph.

    Attributes:
        opset: Which version of ONNX's ops is written.
        nodes: The nodes of the graph, or subgraph, that is being written.
        constants: Arrays by name: parameters and what converters add.
        names: For each variable, what its value is called now.
        reserved: The names of results, which the last value of each shall get.
    """

    def __init__(self, values: Mapping[str, Array], opset: int) -> None:
        self.values, self.opset = values, opset
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.names: ChainMap[str, str] = ChainMap()
        self.taken: set[str] = set()
        self.reserved: set[str] = set()
        self.proto = needed("onnx.helper")

    def fresh(self, like: str) -> str:
        """A name that nobody has yet: this one, or it with a number."""
        name, count = like, 0
        while name in self.taken:
            count += 1
            name = f"{like}.{count}"
        self.taken.add(name)
        return name

    def constant(self, value: Any, dtype: Any = None, like: str = "const") -> str:
        """An array, or what becomes one, under a new name."""
        name = self.fresh(like)
        self.constants[name] = np.asarray(value, dtype)
        return name

    def known(self, name: str) -> Array | None:
        """The value of a name, if it is a constant."""
        return self.constants.get(name)

    def node(
        self, type: str, inputs: Sequence[str], outputs: Sequence[str], **attrs: Any
    ) -> None:
        """Append a node; an empty name stands for an input or output left out."""
        kept = {name: value for name, value in attrs.items() if value is not None}
        made = self.proto.make_node(type, list(inputs), list(outputs), **kept)
        made.name = f"{type}.{len(self.taken)}.{len(self.nodes)}"
        self.nodes.append(made)

    def put(self, type: str, *inputs: str, **attrs: Any) -> str:
        """Append a node of one output; its new name."""
        name = self.fresh(f"{inputs[0] if inputs else ''}.{type.lower()}".lstrip("."))
        self.node(type, inputs, [name], **attrs)
        return name

    def value(self, variable: Variable) -> str:
        """What holds a variable's value: a parameter is entered when first read.

        Raises:
            NotInitializedError: It has none.
        """
        name = variable.name
        if name in self.names:
            return self.names[name]
        if (array := self.values.get(name)) is None:
            raise NotInitializedError(
                at_user_line(
                    f"The variable {name} has no value: nothing writes it, "
                    "and the scope holds none; run the startup program first"
                )
            )
        root = self.names.maps[-1]
        root[name] = self.constant(array, like=name)
        return root[name]

    def written(self, variable: Variable) -> str:
        """A name for the value that an operator gives a variable."""
        self.names[variable.name] = self.fresh(variable.name)
        return self.names[variable.name]

    def block(self, block: Block) -> None:
        """Write the operators of a block."""
        for operator in block.ops:
            CONVERTERS.get(operator.type, unknown)(Step(self, operator))

    @contextmanager
    def subgraph(self) -> Iterator[list[Any]]:
        """Inside, nodes go into a list of their own, with names of their own."""
        around, self.nodes = self.nodes, []
        self.names = self.names.new_child()
        try:
            yield self.nodes
        finally:
            self.nodes, self.names = around, self.names.parents


def unknown(step: Step) -> None:
    """Refuse an op that nobody knows how to write.

    Raises:
        UnknownOpError: Always.
    """
    step.refuse(
        f"ONNX has no converter for it. Covered are: {', '.join(sorted(CONVERTERS))}"
    )


class Step:
    """One operator on its way into the graph.

    Attributes:
        attrs: Its attributes, defaults filled in.
    """

    def __init__(self, writer: Writer, operator: Operator) -> None:
        self.writer, self.operator = writer, operator
        self.put, self.constant = writer.put, writer.constant
        self.attrs = operator.op.complete(operator.own_attrs)

    def variables(self, parameter: str) -> list[Variable]:
        """The variables of a slot."""
        find = self.operator.block._var_recursive
        slot = slot_name(parameter)
        slots = {**self.operator.outputs, **self.operator.inputs}
        return [find(name) for name in slots.get(slot, ())]

    def variable(self, parameter: str) -> Variable:
        """The one variable of an input slot, else of an output slot."""
        return self.variables(parameter)[0]

    def result(self, parameter: str = "out") -> Variable:
        """The variable of an output slot."""
        (name,) = self.operator.outputs[slot_name(parameter)]
        return self.operator.block._var_recursive(name)

    def all(self, parameter: str) -> list[str]:
        """What holds the values of an input slot."""
        return [self.writer.value(v) for v in self.variables(parameter)]

    def get(self, parameter: str = "x") -> str:
        """What holds the value of an input slot; nothing if it is left out."""
        return next(iter(self.all(parameter)), "")

    def cast(self, name: str, dtype: Any) -> str:
        """A value in another type."""
        return self.put("Cast", name, to=code_of(dtype))

    def get_as(self, parameter: str, dtype: Any) -> str:
        """An input in this type; no node if it has it."""
        same = self.variable(parameter).dtype == np.dtype(dtype)
        return self.get(parameter) if same else self.cast(self.get(parameter), dtype)

    def ints(self, *numbers: int) -> str:
        """Whole numbers as a constant, as axes and shapes are given."""
        return self.constant(list(numbers), np.int64)

    def like(self, value: float, parameter: str = "x") -> str:
        """A number in the type of an input."""
        return self.constant(value, self.variable(parameter).dtype)

    def give(self, type: str, *inputs: str, slot: str = "out", **attrs: Any) -> None:
        """Append the node whose output is the operator's."""
        self.give_all(type, inputs, [slot], **attrs)

    def give_all(
        self,
        type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        **attrs: Any,
    ) -> None:
        """The same for several outputs; an empty name is left out."""
        find = self.operator.block._var_recursive
        slots = [self.operator.outputs.get(slot_name(slot)) for slot in outputs]
        names = [self.writer.written(find(slot[0])) if slot else "" for slot in slots]
        self.writer.node(type, inputs, names, **attrs)

    def refuse(self, reason: str) -> None:
        """Say what cannot be written, and whose line it is.

        Raises:
            UnknownOpError: Always.
        """
        raise UnknownOpError(
            at_user_line(
                f"{self.operator.type} cannot be exported: {reason}",
                self.operator.callsite,
            )
        )

    @property
    def ndim(self) -> int:
        """The number of dimensions of X."""
        return len(self.variable("x").shape)

    def reduced(self, type: str, x: str, axes: Sequence[int] | None, keep: bool) -> str:
        """A sum, mean, ... over some axes, None for all, as this opset writes it."""
        listed = type == "ReduceSum" or self.writer.opset >= 18
        if axes is None:
            return self.put(type, x, keepdims=int(keep))
        if listed:
            return self.put(type, x, self.ints(*axes), keepdims=int(keep))
        return self.put(type, x, axes=list(axes), keepdims=int(keep))
