"""A predictor: a saved program that passes have rewritten, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import FeedError, InvalidValueError, at_user_line
from teachgraph.core.executor import as_fed
from teachgraph.core.observe import followed, observers
from teachgraph.core.scope import Scope
from teachgraph.deploy.inference.config import Config
from teachgraph.deploy.inference.handles import InputHandle, OutputHandle
from teachgraph.deploy.inference.loading import loaded
from teachgraph.deploy.inference.ort_backend import TakeOver, installed
from teachgraph.deploy.onnxruntime import Session
from teachgraph.passes import Optimised, Report, apply_pass
from teachgraph.passes.graph import pure
from teachgraph.planning.executor import Plan
from teachgraph.static.order import check_order
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
        plan: How it runs here.
        session: What runs it instead, or will.
    """

    def __init__(self, config: Config) -> None:
        (program, feeds, fetches), scope = loaded(*config.files())
        self.source, self.config, self.scope = program, config, scope
        self.feeds, self.wanted = feeds, [variable.name for variable in fetches]
        rewritten = self.after(config.passes())
        self.program: Program = program if rewritten is None else rewritten
        self.report = Report() if rewritten is None else rewritten.report
        block = program.global_block()
        self.inputs: list[Variable] = [block.var(name) for name in feeds]
        self.outputs: list[Variable] = fetches
        check_order(self.program.global_block())
        self.plan = Plan.of(self.program, feeds, self.wanted)
        self.session: Session | TakeOver | None = None
        if config.onnxruntime_demanded():
            self.session = self.new_session()
        elif config.onnxruntime_enabled() and installed() and self.only_computes():
            rows = rows_chosen_by(program, feeds)
            self.session = TakeOver(self.by_plan, self.new_session, rows)

    def only_computes(self) -> bool:
        """Whether it neither draws, nor branches, nor keeps anything for later."""
        return not self.plan.stores and all(map(pure, self.program.global_block().ops))

    def after(self, names: Sequence[str]) -> Optimised | None:
        """The program after some passes, None without any."""
        if not names:
            return None
        source, wanted, scope = self.source, self.wanted, self.scope
        return apply_pass(source, names, fetches=wanted, scope=scope)

    def new_session(self) -> Session:
        """The program in ONNX Runtime, after the passes that leave what ONNX has."""
        names = [name for name in self.config.passes() if name not in NOT_FOR_ONNX]
        program = self.after(names) or self.source
        values = {n: v for n, v in self.scope.values.items() if v is not None}
        threads = self.config.chosen_threads()
        return Session(program, self.feeds, self.wanted, values, threads)

    def run(self, feed: dict[str, Array]) -> list[Array]:
        """The results for these inputs; whoever watches sees the plan's operators."""
        if self.session is not None and not observers:
            return self.session.run(feed)
        return self.by_plan(feed)

    def by_plan(self, feed: Mapping[str, Array]) -> list[Array]:
        """The plan's results; values that a run would change are its own."""
        scope = self.scope
        if self.plan.stores:
            scope = Scope()
            scope.values = self.scope.values.copy()
        if not observers:
            return self.plan.run(feed, scope)
        return self.plan.watched(feed, scope, interpret=followed(self.program))


NOT_FOR_ONNX = ("attention_fuse", "elementwise_fusion")
"""Passes whose operators ONNX has no like for; ONNX Runtime has fusions of its own."""


def rows_chosen_by(program: Program, feeds: Sequence[str]) -> dict[str, int]:
    """For inputs that are looked up in tables, how many rows there are at least."""
    block, found = program.global_block(), dict[str, int]()
    for op in block.ops:
        if op.type == "lookup_table_v2" and (name := op.input("Ids")[0]) in feeds:
            rows = block.var(op.input("W")[0]).shape[0]
            found[name] = min(rows, found.get(name, rows))
    return found


class Predictor:
    """Predicts: inputs are put into handles, or handed to `run`.

    Handles belong to one predictor and so to one thread; `clone` makes one for another
    thread that shares program and parameters.

    Where `onnx` and `onnxruntime` are installed (the extra `deploy`), ONNX Runtime
    takes over from the plan at the third run, if at the second it gave the plan's
    results to 1e-5: its matrix products are faster than NumPy's, and a small BERT
    answers in half the time. Else nothing changes: who predicts once waits for no
    export; what the runtime cannot do (some dtypes, random numbers, branches, an id
    that is in no table) the plan does, or explains; and whoever watches runs (a
    picture, a profiler, a check for NaN) sees the plan's. It holds the parameters once
    more. `Config.disable_onnxruntime` keeps to the plan, as Paddle does by default.

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
    def executor(self) -> str:
        """Who runs it: "plan", or "onnxruntime" once that has taken over."""
        session = self.ready.session
        waits = isinstance(session, TakeOver) and session.session is None
        return "plan" if session is None or waits else "onnxruntime"

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
