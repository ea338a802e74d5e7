"""ONNX Runtime in the place of our own plans: `Executor(backend="onnxruntime")`.

A program for use becomes an ONNX model, once for each set of feeds and fetches, and
Microsoft's runtime runs it. It knows no gradients, so a program that trains is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from teachgraph.errors import ExecutorError, at_user_line
from teachgraph.executor.plan import Plan
from teachgraph.executor.scope import Scope
from teachgraph.static.operator import OpRole
from teachgraph.static.program import Program

__all__ = ["RuntimePlan", "plan"]

ERRORS_ONLY = 3

Session = Callable[[list[str], dict[str, Any]], list[Any]]


def plan(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> Plan:
    """How ONNX Runtime runs a program."""
    return RuntimePlan(program, feeds, fetches)


class RuntimePlan(Plan):
    """A program for some feeds and fetches, run by ONNX Runtime.

    Raises:
        ImportError: ONNX Runtime is not installed.
        ExecutorError: The program holds a backward, or updates something.
    """

    def __init__(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str]
    ) -> None:
        check_for_use(program)
        runtime_package()
        super().__init__(program, feeds, fetches)
        self.held: dict[str, Any] = {}
        self.made: Session | None = None

    def run(self, feed: Mapping[str, Any], scope: Scope) -> list[Any]:
        """Run it once, with the parameters of a scope.

        Raises:
            NotInitializedError: A persistable variable has no value yet.
            UnknownOpError: ONNX has no like for an op.
        """
        self.check_initialized(scope)
        values = {name: scope.values[name] for name in self.reads}
        old = self.held.get
        if self.made is None or any(old(n) is not v for n, v in values.items()):
            self.held, self.made = values, self.session(values)
        return self.made(self.fetches, {name: feed[name] for name in self.feeds})

    interpret = run

    def session(self, values: Mapping[str, Any]) -> Session:
        """The program in ONNX Runtime, with these parameters."""
        model_of = import_module("teachgraph.onnx.export").model_of
        normal = self.program.clone(for_test=True)
        cut = normal._prune_with_input([], self.fetches)
        model = model_of(cut, self.feeds, self.fetches, values)
        runtime = runtime_package()
        options = runtime.SessionOptions()
        options.log_severity_level = ERRORS_ONLY
        providers = ["CPUExecutionProvider"]
        content = model.SerializeToString()
        made = runtime.InferenceSession(content, options, providers=providers)
        called = [output.name for output in made.get_outputs()]

        def run(fetches: list[str], feed: dict[str, Any]) -> list[Any]:
            found = dict(
                zip(dict.fromkeys(fetches), made.run(called, feed), strict=True)
            )
            return [found[name] for name in fetches]

        return run


def runtime_package() -> Any:
    """ONNX Runtime.

    Raises:
        ImportError: It is not installed.
    """
    return import_module("teachgraph.onnx.types").needed("onnxruntime")


def check_for_use(program: Program) -> None:
    """Refuse a program that does more than answer.

    Raises:
        ExecutorError: It has gradients or updates.
    """
    for operator in program.global_block().ops:
        if operator.role & (OpRole.BACKWARD | OpRole.OPTIMIZE):
            raise ExecutorError(
                at_user_line(
                    f"backend='onnxruntime' runs programs for use, and {operator.type} "
                    "is of the backward or the optimizer: run "
                    "program.clone(for_test=True), or leave the backend out",
                    operator.callsite,
                )
            )
