"""ONNX Runtime as a backend of the Executor: `Executor(backend="onnxruntime")`.

An inference program is exported to ONNX, once for each set of feeds and fetches, and
Microsoft's runtime runs it. It has no gradients, so a training program is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from teachgraph.core.errors import ExecutorError
from teachgraph.core.executor import Scope
from teachgraph.core.program import Program
from teachgraph.deploy.onnx.types import import_deploy
from teachgraph.planning.executor import backends
from teachgraph.planning.plan import Plan
from teachgraph.static.operator import OpRole
from teachgraph.static.pruning import pruned

__all__ = ["RuntimePlan", "Session"]

ERRORS_ONLY = 3


class RuntimePlan(Plan):
    """A program for some feeds and fetches, run by ONNX Runtime.

    Raises:
        ImportError: ONNX Runtime is not installed.
        ExecutorError: The program holds a backward, or updates something.
    """

    session: Session | None = None
    parameters: Mapping[str, Any] = {}

    def __init__(
        self, program: Any, fed: Iterable[str], fetches: Iterable[str], **more: Any
    ) -> None:
        check_inference(program)
        runtime_package()
        # The program as it is: the runtime has passes of its own.
        super().__init__(program, fed, fetches, **more | {"passes": None})

    def run(self, feed: Mapping[str, Any], scope: Scope) -> list[Any]:
        """Run it once, with the parameters of a scope.

        Raises:
            NotInitializedError: A persistable variable has no value yet.
            UnknownOpError: ONNX has no equivalent of an op.
        """
        feed = self.checked(feed)
        self.check_initialized(scope)
        values = {name: scope.values[name] for name in self.reads}
        old = self.parameters.get
        if self.session is None or any(old(n) is not v for n, v in values.items()):
            program: Any = self.program
            normal = program.clone(for_test=True)
            cut = pruned(normal, [], self.fetches)
            self.session = Session(cut, self.feeds, self.fetches, values)
            self.parameters = values
        return self.session.run(feed)


class Session:
    """A program exported to ONNX, in a session of ONNX Runtime on the CPU.

    Several threads may run it at once.

    Args:
        program: The inference program.
        feeds: Names of the fed variables.
        fetches: Names of the returned variables.
        values: The parameters.
        threads: The number of threads of an operator; by default OMP_NUM_THREADS, as
            for NumPy's library, else one for each core.

    Raises:
        ImportError: `onnx` or `onnxruntime` is not installed.
        UnknownOpError: ONNX has no equivalent of an op.
    """

    def __init__(
        self,
        program: Any,
        feeds: Sequence[str],
        fetches: Sequence[str],
        values: Mapping[str, Any],
        threads: int | None = None,
    ) -> None:
        runtime = runtime_package()
        from teachgraph.deploy.onnx.export import model_of

        content = model_of(program, feeds, fetches, values).SerializeToString()
        options = runtime.SessionOptions()
        options.log_severity_level = ERRORS_ONLY
        options.intra_op_num_threads = allowed_threads() if threads is None else threads
        providers = ["CPUExecutionProvider"]
        self.session = runtime.InferenceSession(content, options, providers=providers)
        self.inputs = [info.name for info in self.session.get_inputs()]
        self.outputs = [info.name for info in self.session.get_outputs()]
        # A name that is fetched twice is one output of the model.
        each = list(dict.fromkeys(fetches))
        self.places = [each.index(name) for name in fetches]

    def run(self, feed: Mapping[str, Any]) -> list[Any]:
        """Run the session; return the fetched values."""
        feed = {name: feed[name] for name in self.inputs}
        results = self.session.run(self.outputs, feed)
        return [results[place] for place in self.places]


def allowed_threads() -> int:
    """Return the number in OMP_NUM_THREADS; 0, which means all cores, without one."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    return int(number) if number.isdecimal() else 0


def runtime_package() -> Any:
    """Import ONNX Runtime.

    Raises:
        ImportError: It is not installed.
    """
    return import_deploy("onnxruntime")


def check_inference(program: Program) -> None:
    """Refuse a training program.

    Raises:
        ExecutorError: It has gradients or updates.
    """
    for operator in program.global_block().ops:
        if operator.role & (OpRole.BACKWARD | OpRole.OPTIMIZE):
            raise ExecutorError.here(
                f"backend='onnxruntime' runs programs for use, and {operator.type} "
                "is of the backward or the optimizer: run "
                "program.clone(for_test=True), or leave the backend out",
                operator.callsite,
            )


backends["onnxruntime"] = RuntimePlan
