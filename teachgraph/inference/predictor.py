"""A predictor: a saved program that passes have rewritten, and its plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.errors import FeedError, InvalidValueError, at_user_line
from teachgraph.executor import Plan, Scope
from teachgraph.executor.executor import as_fed
from teachgraph.inference.config import Config
from teachgraph.inference.handles import InputHandle, OutputHandle
from teachgraph.inference.loading import loaded
from teachgraph.inference.onnx_session import Session
from teachgraph.observe import announce, followed, observers
from teachgraph.passes import Optimised, Report, apply_pass
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

__all__ = ["Predictor", "create_predictor"]

Array = np.ndarray[Any, Any]


class Ready:
    """A model ready to run, which predictors share and none of them changes.

    Attributes:
        program: The program after the passes.
        report: What they did.
        inputs: The variables that are fed.
        outputs: The variables that are fetched.
    """

    def __init__(self, config: Config) -> None:
        (program, feeds, fetches), scope = loaded(*config.files())
        wanted = [variable.name for variable in fetches]
        self.session: Session | None = None
        if config.onnxruntime_enabled():
            threads = config.cpu_math_library_num_threads()
            self.session = Session(program, feeds, wanted, scope, threads)
        names = config.passes() if self.session is None else []
        made: Program = program
        self.report = Report()
        if names:
            rewritten: Optimised = apply_pass(
                program, names, fetches=wanted, scope=scope
            )
            made, self.report = rewritten, rewritten.report
        block = program.global_block()
        self.inputs: list[Variable] = [block.var(name) for name in feeds]
        self.outputs: list[Variable] = fetches
        self.program = made
        self.plan = Plan(made, feeds, wanted)
        self.scope = scope

    def run(self, feed: dict[str, Array]) -> list[Array]:
        """The results for these inputs; values that a run would change are its own."""
        if self.session is not None:
            return self.session.run(feed)
        scope = self.scope
        if self.plan.stores:
            scope = Scope()
            scope.values = self.scope.values.copy()
        with np.errstate(all="ignore"):
            if not observers:
                return self.plan.run(feed, scope)
            announce("run_begin", self.program, feed)
            try:
                walked = followed(self.program)
                run = self.plan.interpret if walked else self.plan.run
                return run(feed, scope)
            finally:
                announce("run_end", self.program)


class Predictor:
    """Predicts: inputs are put into handles, or handed to `run`.

    Handles belong to one predictor and so to one thread; `clone` makes one for another
    thread that shares program and parameters.

    In Paddle this is `paddle.inference.Predictor`.
    """

    def __init__(self, config: Config | Ready) -> None:
        self.ready = Ready(config) if isinstance(config, Config) else config
        self._inputs = {v.name: InputHandle(v) for v in self.ready.inputs}
        self._outputs = {v.name: OutputHandle(v) for v in self.ready.outputs}

    @property
    def program(self) -> Program:
        """The program that runs."""
        return self.ready.program

    @property
    def report(self) -> Report:
        """What the passes did."""
        return self.ready.report

    def get_input_names(self) -> list[str]:
        """The names of its inputs, in order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """The names of its results, in order."""
        return [variable.name for variable in self.ready.outputs]

    def get_input_handle(self, name: str) -> InputHandle:
        """Where to put an input.

        Raises:
            InvalidValueError: There is none of that name.
        """
        found: InputHandle = named(self._inputs, name, "input")
        return found

    def get_output_handle(self, name: str) -> OutputHandle:
        """Where to find a result."""
        found: OutputHandle = named(self._outputs, name, "output")
        return found

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Predict.

        Args:
            inputs: Arrays in the order of `get_input_names`; left out, what the handles
                hold.

        Returns:
            The results in the order of `get_output_names`; True if the handles were
            used, which hold the results then.

        Raises:
            FeedError: An input is missing, or of another shape or dtype.
        """
        if inputs is not None:
            found = self.ready.run(self.given(inputs))
        else:
            found = self.ready.run(self.held())
        for variable, value in zip(self.ready.outputs, found, strict=True):
            self._outputs[variable.name].value = value
        return True if inputs is None else [np.array(value) for value in found]

    def given(self, inputs: Sequence[Any]) -> dict[str, Array]:
        """Arrays by the names of the inputs."""
        variables = self.ready.inputs
        if len(inputs) != len(variables):
            names = ", ".join(self._inputs)
            message = f"the model takes {names}, which are not {len(inputs)} inputs"
            raise FeedError(at_user_line(message))
        pairs = zip(variables, inputs, strict=True)
        return {v.name: as_fed(v, value) for v, value in pairs}

    def held(self) -> dict[str, Array]:
        """What the handles hold."""
        found = {}
        for name, handle in self._inputs.items():
            if handle.value is None:
                message = f"{name!r} has no array yet: call copy_from_cpu first"
                raise FeedError(at_user_line(message))
            found[name] = handle.value
        return found

    def clone(self) -> Predictor:
        """A predictor with handles of its own, for another thread."""
        return Predictor(self.ready)

    def clear_intermediate_tensor(self) -> None:
        """Nothing: what a run does not return is freed while it runs."""

    def try_shrink_memory(self) -> int:
        """Nothing: no memory is kept between runs."""
        return 0


def named(handles: dict[str, Any], name: str, what: str) -> Any:
    """A handle by name.

    Raises:
        InvalidValueError: There is none.
    """
    if name not in handles:
        known = ", ".join(handles)
        message = f"the model has no {what} {name!r}; there are {known}"
        raise InvalidValueError(at_user_line(message))
    return handles[name]


def create_predictor(config: Config) -> Predictor:
    """A predictor of a model.

    Raises:
        InvalidValueError: There is no such model.
        DataError: A file is damaged, or lacks a parameter.

    In Paddle this is `paddle.inference.create_predictor`.

    >>> import tempfile, teachgraph as tg
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "double"
    >>> spec = [tg.static.InputSpec([None], "float32", "x")]
    >>> tg.jit.save(lambda x: x * 2.0, path, spec)
    >>> predictor = create_predictor(Config(path))
    >>> predictor.get_input_handle("x").copy_from_cpu(np.ones(3, "float32"))
    >>> predictor.run()
    True
    >>> (name,) = predictor.get_output_names()
    >>> predictor.get_output_handle(name).copy_to_cpu()
    array([2., 2., 2.], dtype=float32)
    """
    return Predictor(config)
