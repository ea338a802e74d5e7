"""Predictor: a saved program, rewritten by passes, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import (
    FeedError,
    InvalidValueError,
    OpError,
)
from teachgraph.core.observe import observers
from teachgraph.deploy.inference.config import Config
from teachgraph.deploy.inference.handles import InputHandle, OutputHandle
from teachgraph.deploy.inference.loading import loaded
from teachgraph.deploy.inference.ort_backend import OrtBackend, installed
from teachgraph.deploy.onnxruntime import Session
from teachgraph.io.inference import Model
from teachgraph.passes import Optimised, Report, apply_pass
from teachgraph.passes.graph import pure
from teachgraph.planning.feeds import as_fed
from teachgraph.planning.written import WrittenPlan
from teachgraph.static.order import check_order
from teachgraph.static.other_sizes import other_sizes, with_sizes
from teachgraph.static.program import Program
from teachgraph.static.scope import Scope
from teachgraph.static.variable import Variable

__all__ = ["Predictor", "create_predictor"]

Array = np.ndarray[Any, Any]


class Ready:
    """A loaded model, immutable and shared by the clones of a predictor.

    Attributes:
        program: The program after the passes.
        report: The rewrites.
        inputs: The fed variables.
        outputs: The fetched variables.
        plan: The plan that runs the program in NumPy.
        session: A backend that replaces the plan, at once or after verification.
    """

    def __init__(
        self, config: Config, model: tuple[Model, Scope] | None = None
    ) -> None:
        (program, feeds, fetches), scope = model or loaded(*config.files())
        self.others: dict[Any, Ready] = {}
        self.source, self.config, self.scope = program, config, scope
        self.feeds, self.wanted = feeds, [variable.name for variable in fetches]
        rewritten = self.after(config.passes())
        self.program: Program = program if rewritten is None else rewritten
        self.report = Report() if rewritten is None else rewritten.report
        block = program.global_block()
        self.inputs: list[Variable] = [block.var(name) for name in feeds]
        self.outputs: list[Variable] = fetches
        check_order(self.program.global_block())
        self.plan = WrittenPlan(self.program, feeds, self.wanted)
        self.session: Session | OrtBackend | None = None
        if config.onnxruntime_demanded():
            self.session = self.new_session()
        elif config.onnxruntime_enabled() and installed() and self.only_computes():
            rows = table_rows(program, feeds)
            self.session = OrtBackend(self.by_plan, self.new_session, rows)

    def suited(self, feed: Mapping[str, Array]) -> Ready:
        """Return the model for the sizes of a feed.

        Raises:
            FeedError: The model does not accept these sizes.
        """
        sizes = other_sizes(self.inputs, [feed[name] for name in self.feeds])
        if not sizes:
            return self
        key = tuple(sizes.items())
        if key not in self.others:
            try:
                program = with_sizes(self.source, sizes)
            except OpError:
                for variable in self.inputs:
                    as_fed(variable, feed[variable.name])
                raise
            find = program.global_block().var
            model = program, self.feeds, [find(name) for name in self.wanted]
            self.others[key] = Ready(self.config, (model, self.scope))
        return self.others[key]

    def only_computes(self) -> bool:
        """True if the program has no random numbers, branches or state."""
        return not self.plan.stores and all(map(pure, self.program.global_block().ops))

    def after(self, names: Sequence[str]) -> Optimised | None:
        """Apply some passes to the program; None without any."""
        if not names:
            return None
        source, wanted, scope = self.source, self.wanted, self.scope
        return apply_pass(source, names, fetches=wanted, scope=scope)

    def new_session(self) -> Session:
        """Export the program, after the passes whose operators ONNX has."""
        names = [name for name in self.config.passes() if name not in NOT_FOR_ONNX]
        program = self.after(names) or self.source
        values = {n: v for n, v in self.scope.values.items() if v is not None}
        threads = self.config.threads()
        return Session(program, self.feeds, self.wanted, values, threads)

    def run(self, feed: dict[str, Array]) -> list[Array]:
        """Run the model; with observers, by the plan, whose operators they see."""
        if self.session is not None and not observers:
            return self.session.run(feed)
        return self.by_plan(feed)

    def by_plan(self, feed: Mapping[str, Array]) -> list[Array]:
        """Run the plan."""
        # A run that stores values does so in a copy: threads share the scope.
        scope = self.scope
        if self.plan.stores:
            scope = Scope()
            scope.values = self.scope.values.copy()
        return self.plan.execute(feed, scope)


NOT_FOR_ONNX = ("attention_fuse", "elementwise_fusion")
"""Passes whose operators ONNX does not have; ONNX Runtime has fusions of its own."""


def table_rows(program: Program, feeds: Sequence[str]) -> dict[str, int]:
    """Return the rows of the smallest table that each fed input indexes."""
    block, by_input = program.global_block(), dict[str, int]()
    for op in block.ops:
        if op.type == "lookup_table_v2" and (name := op.input("Ids")[0]) in feeds:
            rows = block.var(op.input("W")[0]).shape[0]
            by_input[name] = min(rows, by_input.get(name, rows))
    return by_input


class Predictor:
    """Runs a model for inference, on inputs in handles or passed to `run`.

    Handles belong to one predictor and so to one thread; `clone` creates a predictor
    for another thread that shares program and parameters.

    If `onnx` and `onnxruntime` are installed (the extra `deploy`), ONNX Runtime
    replaces the plan from the third run on, provided that its results of the second run
    equal the plan's to 1e-5: its matrix products are faster than NumPy's, and a small
    BERT takes half the time. The plan still serves what the runtime cannot do (some
    dtypes, random numbers, branches), explains an id outside of a table, and runs when
    there are observers (a picture, a profiler, a check for NaN). The runtime holds a
    second copy of the parameters. `Config.disable_onnxruntime` keeps to the plan, as
    Paddle does by default.

    In Paddle this is `paddle.inference.Predictor`.
    """

    def __init__(self, config: Config | Ready) -> None:
        self.ready = Ready(config) if isinstance(config, Config) else config
        self._inputs = {v.name: InputHandle(v) for v in self.ready.inputs}
        self._outputs = {v.name: OutputHandle(v) for v in self.ready.outputs}

    @property
    def program(self) -> Program:
        """The program after the passes."""
        return self.ready.program

    @property
    def executor(self) -> str:
        """The present backend: "plan" or "onnxruntime"."""
        session = self.ready.session
        waits = isinstance(session, OrtBackend) and session.session is None
        return "plan" if session is None or waits else "onnxruntime"

    @property
    def report(self) -> Report:
        """The rewrites of the passes."""
        return self.ready.report

    def get_input_names(self) -> list[str]:
        """Return the names of its inputs, in order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Return the names of its outputs, in order."""
        return [variable.name for variable in self.ready.outputs]

    def get_input_handle(self, name: str) -> InputHandle:
        """Return the handle of an input.

        Raises:
            InvalidValueError: There is none of that name.
        """
        handle: InputHandle = handle_named(self._inputs, name, "input")
        return handle

    def get_output_handle(self, name: str) -> OutputHandle:
        """Return the handle of an output."""
        handle: OutputHandle = handle_named(self._outputs, name, "output")
        return handle

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Run the model.

        Args:
            inputs: Arrays in the order of `get_input_names`; by default those of the
                handles.

        Returns:
            The results in the order of `get_output_names`; True if the handles were
            used, which hold the results then.

        Raises:
            FeedError: An input is missing, or of another shape or dtype.
        """
        feed = self.held() if inputs is None else self.as_feed(inputs)
        results = self.ready.suited(feed).run(feed)
        for variable, value in zip(self.ready.outputs, results, strict=True):
            self._outputs[variable.name].value = value
        return True if inputs is None else [np.array(value) for value in results]

    def as_feed(self, inputs: Sequence[Any]) -> dict[str, Array]:
        """Return arrays by the names of the inputs, checked against their variables."""
        variables = self.ready.inputs
        if len(inputs) != len(variables):
            names = ", ".join(self._inputs)
            message = f"the model takes {names}, which are not {len(inputs)} inputs"
            raise FeedError.here(message)
        pairs = zip(variables, inputs, strict=True)
        return {v.name: as_fed(v, value, any_size=True) for v, value in pairs}

    def held(self) -> dict[str, Array]:
        """Return the arrays of the input handles, by name."""
        feed = {}
        for name, handle in self._inputs.items():
            if handle.value is None:
                message = f"{name!r} has no array yet: call copy_from_cpu first"
                raise FeedError.here(message)
            feed[name] = handle.value
        return feed

    def clone(self) -> Predictor:
        """Create a predictor with handles of its own, for another thread."""
        return Predictor(self.ready)

    def clear_intermediate_tensor(self) -> None:
        """Do nothing: intermediate values are freed during a run."""

    def try_shrink_memory(self) -> int:
        """Do nothing: no memory is held between runs."""
        return 0


def handle_named(handles: dict[str, Any], name: str, what: str) -> Any:
    """Return a handle by name.

    Raises:
        InvalidValueError: There is none.
    """
    if name not in handles:
        known = ", ".join(handles)
        message = f"the model has no {what} {name!r}; there are {known}"
        raise InvalidValueError.here(message)
    return handles[name]


def create_predictor(config: Config) -> Predictor:
    """Create the predictor of a model.

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
