"""The steps of a `Model` in static mode: a program each for train, eval and predict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from teachgraph.core.errors import ModeError
from teachgraph.core.modes import using
from teachgraph.hapi.batches import values_in
from teachgraph.hapi.dynamic import Figures, metric_value
from teachgraph.io.inference import save_inference_model
from teachgraph.nn import Layer
from teachgraph.planning.executor import Executor
from teachgraph.static.layers import data
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
)
from teachgraph.static.scope import Scope, global_scope
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    from teachgraph.hapi.model import Model

__all__ = ["Programs"]


class Built(NamedTuple):
    """A program of one kind of step.

    Attributes:
        program: The program.
        feeds: Names of its inputs and labels.
        outputs: What the network returns.
        losses: What the loss function returns.
        computed: For each metric, what it is updated with.
    """

    program: Program
    feeds: list[str]
    outputs: list[Any]
    losses: list[Any]
    computed: list[list[Any]]


@contextmanager
def of_program(network: Layer, program: Program) -> Iterator[None]:
    """Let a network's parameters and buffers be those of a clone, by their names."""
    names = program.global_block().vars
    before = [
        (layer, attribute, value)
        for layer in network.sublayers(include_self=True)
        for attribute, value in vars(layer).items()
        if isinstance(value, Variable) and value.name in names
    ]
    for layer, attribute, value in before:
        vars(layer)[attribute] = names[value.name]
    try:
        yield
    finally:
        for layer, attribute, value in before:
            vars(layer)[attribute] = value


class Programs:
    """Builds programs of the network, when they are first needed, and runs them.

    The network was made in static mode, so its parameters are in the programs that were
    the default ones then; each step's program is a clone with the step appended.

    Raises:
        ModeError: The model was not told the shapes of its inputs.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.executor = model, Executor()
        self.origin, self.startup = default_main_program(), default_startup_program()
        self.built: dict[str, Built] = {}
        if not model.inputs:
            raise ModeError.here(
                "in static mode the shapes come first: Model(network, inputs, "
                "labels) takes an InputSpec for each input and label"
            )

    def state(self) -> dict[str, Any]:
        """The values of the parameters and buffers, by their names in the network."""
        self.initialize()
        variables = self.model.network.state_dict().items()
        return {name: variable.get_value() for name, variable in variables}

    def load(self, state: Mapping[str, Any]) -> None:
        """Give some parameters and buffers these values."""
        variables = self.model.network.state_dict()
        for name, value in state.items():
            variables[name].set_value(value)

    def load_optimizer(self, state: Mapping[str, Any]) -> None:
        """Give the optimizer this state, which it keeps in the training program."""
        self.program_of("train")
        self.model.optimizer.set_state_dict(state)

    def save_for_use(self, path: str | Path) -> None:
        """Save the program that predicts as an inference model."""
        built = self.program_of("predict")
        feeds = [built.program.global_block().var(name) for name in built.feeds]
        save_inference_model(
            str(path), feeds, built.outputs, self.executor, program=built.program
        )

    def initialize(self) -> None:
        """Give first values to what has none: parameters may have been loaded."""
        fresh, values = Scope(), global_scope().values
        self.executor.run(self.startup, scope=fresh)
        for name, value in fresh.values.items():
            if values.get(name) is None:
                values[name] = value

    def program_of(self, kind: str) -> Built:
        """The program of a kind of step: "train", "eval" or "predict"."""
        if kind not in self.built:
            program = self.origin.clone()
            with (
                using(static=True),
                program_guard(program, self.startup),
                of_program(self.model.network, program),
            ):
                self.built[kind] = self.build(kind)
            self.initialize()
        return self.built[kind]

    def build(self, kind: str) -> Built:
        """Append the network, the loss and the update to the default program."""
        model = self.model
        (model.network.train if kind == "train" else model.network.eval)()
        specs = [*model.inputs, *(model.labels if kind != "predict" else ())]
        variables = [
            data(spec.name or f"input_{i}", spec.shape, spec.dtype)
            for i, spec in enumerate(specs)
        ]
        outputs = values_in(model.network(*variables[: len(model.inputs)]))
        labels, losses = variables[len(model.inputs) :], []
        computed: list[list[Any]] = []
        if kind != "predict":
            if model.loss is not None:
                losses = values_in(model.loss(*outputs, *labels))
            computed = [values_in(m.compute(*outputs, *labels)) for m in model.metrics]
        if kind == "train":
            model.optimizer.minimize(reduce(add, losses))
        program = default_main_program()
        return Built(program, [v.name for v in variables], outputs, losses, computed)

    def run(self, kind: str, values: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Outputs, losses and what the metrics computed, of one batch."""
        built = self.program_of(kind)
        fetches = [*built.outputs, *built.losses, *chain.from_iterable(built.computed)]
        feed = {n: np.asarray(v) for n, v in zip(built.feeds, values, strict=True)}
        results = iter(self.executor.run(built.program, feed, fetches))
        outputs = [next(results) for _ in built.outputs]
        losses = [next(results) for _ in built.losses]
        return (
            outputs,
            losses,
            [[next(results) for _ in part] for part in built.computed],
        )

    def train(
        self, inputs: Sequence[Any], labels: Sequence[Any], *, update: bool
    ) -> Figures:
        """One step: forward, backward, and the update of the parameters.

        Raises:
            ModeError: The update is to wait, which a program cannot.
        """
        if not update:
            raise ModeError.here(
                "gradients accumulate over batches in dynamic mode only: a program "
                "updates the parameters in each run"
            )
        return self.measure("train", [*inputs, *labels])

    def evaluate(self, inputs: Sequence[Any], labels: Sequence[Any]) -> Figures:
        """Losses and metrics of a batch."""
        return self.measure("eval", [*inputs, *labels])

    def measure(self, kind: str, values: Sequence[Any]) -> Figures:
        """Losses of a batch, and what the metrics say after it."""
        _, losses, computed = self.run(kind, values)
        pairs = zip(self.model.metrics, computed, strict=True)
        return losses, [metric_value(metric, values) for metric, values in pairs]

    def predict(self, inputs: Sequence[Any]) -> list[Any]:
        """The network's outputs on a batch."""
        return list(self.run("predict", inputs)[0])
