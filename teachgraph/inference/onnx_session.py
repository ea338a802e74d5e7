"""A program that ONNX Runtime runs instead of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from teachgraph.executor import Scope
from teachgraph.static.program import Program

__all__ = ["Session"]

Array = np.ndarray[Any, Any]


class Session:
    """A program exported to ONNX, in a session of ONNX Runtime on the CPU.

    Raises:
        ImportError: `onnx` or `onnxruntime` is not installed.
        UnknownOpError: There is an op that ONNX has no like for.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        scope: Scope,
        threads: int,
    ) -> None:
        runtime = import_module("onnxruntime")
        model_of = import_module("teachgraph.onnx.export").model_of
        values = {n: value for n, value in scope.values.items() if value is not None}
        model = model_of(program, feeds, fetches, values)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        content, providers = model.SerializeToString(), ["CPUExecutionProvider"]
        self.session = runtime.InferenceSession(content, options, providers=providers)
        self.taken = {given.name for given in self.session.get_inputs()}
        self.results = [given.name for given in self.session.get_outputs()]

    def run(self, feed: Mapping[str, Array]) -> list[Array]:
        """The results for these inputs."""
        given = {name: value for name, value in feed.items() if name in self.taken}
        return list(self.session.run(self.results, given))
