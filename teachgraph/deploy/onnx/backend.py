"""Backend protocol of the `onnx` package, by which it tests implementations of ONNX.

`prepare(model).run(inputs)`: the model becomes a program, the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, UnknownOpError
from teachgraph.deploy.onnx.load import program_of
from teachgraph.deploy.onnx.reading.files import checked
from teachgraph.deploy.onnx.types import import_deploy
from teachgraph.planning.executor import Executor
from teachgraph.static.scope import Scope

__all__ = ["Backend", "Prepared", "prepare", "run_model", "run_node", "supports_device"]


class Prepared:
    """A model ready to run (`onnx.backend.base.BackendRep`).

    Attributes:
        program: The program of the model.
        feeds: The names of its inputs.
        fetches: The Variables of its results.
    """

    def __init__(self, model: Any) -> None:
        self.scope = Scope()
        self.program, self.feeds, self.fetches = program_of(model, scope=self.scope)
        self.executor = Executor(interpret=True)

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """Run the model on inputs in the graph's order or by name."""
        named = isinstance(inputs, Mapping)
        feed = inputs if named else dict(zip(self.feeds, inputs, strict=True))
        feed = {name: np.asarray(value) for name, value in feed.items()}
        results = self.executor.run(self.program, feed, self.fetches, scope=self.scope)
        return tuple(results)


class Backend:
    """The interface of `onnx.backend.base.Backend`, on the CPU.

    >>> from onnx import helper
    >>> node = helper.make_node("Add", ["a", "b"], ["c"])
    >>> Backend.run_node(node, [np.float32([1, 2]), np.float32([3, 4])])[0].tolist()
    [4.0, 6.0]
    """

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **_: Any) -> Prepared:
        """Build the program of a model.

        Raises:
            DataError: The model breaks ONNX's rules.
            UnknownOpError: It uses an op without an importer.
            DTypeError: It has tensors of an unknown dtype.
        """
        return Prepared(checked(model, "the model"))

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **_: Any) -> bool:
        """True if all of a model's ops and dtypes can be imported."""
        return cls.reason(model) is None

    @classmethod
    def reason(cls, model: Any) -> str | None:
        """Return the reason why a model cannot be imported, None if it can."""
        try:
            program_of(model, scope=Scope())
        except (UnknownOpError, DTypeError) as error:
            return str(error).split("\n", maxsplit=1)[0]
        return None

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **_: Any) -> Any:
        """Run a model."""
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: Any,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Any = None,
        **_: Any,
    ) -> Any:
        """Run one node, as a graph of its own."""
        helper, onnx = import_deploy("onnx.helper"), import_deploy("onnx")
        arrays = [np.asarray(value) for value in inputs]
        code = helper.np_dtype_to_tensor_dtype
        infos = [
            helper.make_tensor_value_info(name, code(array.dtype), array.shape)
            for name, array in zip(node.input, arrays, strict=True)
        ]
        results = [onnx.ValueInfoProto(name=name) for name in node.output]
        graph = helper.make_graph([node], "node", infos, results)
        return Prepared(helper.make_model(graph)).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True for the CPU, the only device."""
        return device.split(":", maxsplit=1)[0] == "CPU"


prepare, run_model, run_node = Backend.prepare, Backend.run_model, Backend.run_node
supports_device = Backend.supports_device
