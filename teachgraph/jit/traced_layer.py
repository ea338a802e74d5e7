"""`TracedLayer`: one run of a layer, recorded as a program.

`to_static` reads the source and keeps its branches and loops. This records a run
instead: the program holds the ops that ran, so every decision that Python made for
these inputs is a constant of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.autograd.views import store
from teachgraph.core.errors import (
    DTypeError,
    FeedError,
    InvalidValueError,
    ModeError,
)
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.io.inference import save_inference_model
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.outputs import outputs_of
from teachgraph.jit.recorder import Recorder
from teachgraph.nn import Layer
from teachgraph.passes import BuildStrategy, CompiledProgram
from teachgraph.planning.executor import Executor
from teachgraph.planning.feeds import as_fed
from teachgraph.static.program import Program
from teachgraph.static.scope import Scope, scope_guard
from teachgraph.static.variable import Variable

__all__ = ["TracedLayer"]


class TracedLayer:
    """One run of a layer as a program; `TracedLayer.trace` creates it.

    It shares its weights with the layer.

    In Paddle this is `paddle.jit.api.TracedLayer`, in 1.x `fluid.dygraph.TracedLayer`.

    >>> import teachgraph as tg
    >>> class Half(tg.nn.Layer):
    ...     def forward(self, x):
    ...         return x / 2.0 if x.sum() > 0.0 else x
    >>> outputs, traced = TracedLayer.trace(Half(), [tg.to_tensor([4.0])])
    >>> outputs.tolist(), traced([tg.to_tensor([-4.0])])[0].tolist()
    ([2.0], [-2.0])
    """

    def __init__(self, concrete: ConcreteProgram) -> None:
        self._concrete, self._executor = concrete, Executor()
        slots = concrete.results.tree
        self._fetched = [concrete.outputs[slot.number] for slot in slots]
        self._strategy: BuildStrategy | None = None
        self._compiled: CompiledProgram | None = None

    @property
    def program(self) -> Program:
        """The recorded program."""
        return self._concrete.main_program

    @staticmethod
    def trace(layer: Layer, inputs: Any) -> tuple[Any, TracedLayer]:
        """Run a layer, and record its ops.

        Args:
            layer: The layer.
            inputs: The Tensor it takes, or a list or tuple of them.

        Returns:
            The layer's result, and the program.

        Raises:
            ModeError: This is static mode.
            TypeError: It is no Layer, or takes or returns something but Tensors.
        """
        if not in_dynamic_mode():
            raise ModeError.here("TracedLayer.trace runs in dynamic mode only")
        if not isinstance(layer, Layer):
            raise DTypeError.here(
                "The type of 'layer' in paddle.jit.api.TracedLayer.trace must be "
                f"paddle.nn.Layer, but received {type(layer)}."
            )
        arguments = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        recorder = Recorder()
        fed = [
            recorder.feed(number, tensor)
            for number, tensor in enumerate(tensors_in(arguments, "inputs"))
        ]
        with recorder.current():
            result = layer(*arguments)
        tensors = tensors_in(result, "outputs")
        with recorder.writing():
            outputs = outputs_of(tensors, recorder)
        program = ConcreteProgram(recorder, fed, outputs, type(layer).__name__)
        return result, TracedLayer(program)

    def set_strategy(
        self, build_strategy: Any = None, exec_strategy: Any = None
    ) -> None:
        """Choose the passes to run; before the first call.

        Args:
            build_strategy: A `BuildStrategy`.
            exec_strategy: Accepted for Paddle's sake.

        Raises:
            ModeError: It has run already.
            TypeError: It is no BuildStrategy.
        """
        if self._compiled is not None:
            raise ModeError.here("Cannot set strategy after run")
        if not isinstance(build_strategy, (BuildStrategy, type(None))):
            raise DTypeError.here(
                "The type of 'build_strategy' in paddle.jit.api.TracedLayer."
                "set_strategy must be base.BuildStrategy, but received "
                f"{type(build_strategy)}."
            )
        self._strategy = build_strategy

    def __call__(self, inputs: Any) -> list[np.ndarray[Any, Any]]:
        """Run the program on a list of inputs, Tensors or arrays; return arrays.

        Raises:
            FeedError: There are more or fewer inputs, or of another shape or dtype.
        """
        variables = self._concrete.inputs
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(variables):
            raise FeedError.here(
                f"Inputs should be a list or tuple of {len(variables)} variables, "
                f"got {inputs!r}"
            )
        if self._compiled is None:
            self._compiled = CompiledProgram(self.program, self._strategy)
        feed = {
            v.name: as_fed(v, x.data if isinstance(x, Tensor) else x)
            for v, x in zip(variables, inputs, strict=True)
        }
        with scope_guard(self._scope()) as scope:
            results: list[Any] = self._executor.run(self._compiled, feed, self._fetched)
        # A run may update weights, as batch_norm its statistics.
        for name, tensor in self._concrete.held.items():
            value = scope.values[name]
            assert value is not None
            store(tensor, value)
        return results

    def _scope(self) -> Scope:
        """Return a scope with the present weights."""
        scope = Scope()
        scope.values = self._concrete.arrays()
        return scope

    def save_inference_model(
        self,
        path: Any,
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        """Write the program for inference: `path.pdmodel` and `path.pdiparams`.

        Args:
            path: The prefix of the files.
            feed: The numbers of the inputs to feed; by default all.
            fetch: The numbers of the results to fetch; by default all.
            **options: Accepted for Paddle's sake.

        Raises:
            InvalidValueError: There is no such number, or the path has no last part.
        """
        inputs = selected_variables("feed", self._concrete.inputs, feed)
        outputs = selected_variables("fetch", self._fetched, fetch)
        with scope_guard(self._scope()):
            save_inference_model(
                path, inputs, outputs, self._executor, program=self.program
            )


def tensors_in(value: Any, what: str) -> list[Tensor]:
    """List the Tensors in nested lists and tuples.

    Raises:
        TypeError: There is something else.
    """
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item, what)]
    raise DTypeError.here(
        f"The type of 'each element of {what}' in paddle.jit.api.TracedLayer.trace "
        f"must be base.Variable, but received {type(value)}."
    )


def selected_variables(
    what: str, variables: Sequence[Variable], places: Sequence[int] | None
) -> list[Variable]:
    """Select some of the variables, by number.

    Raises:
        InvalidValueError: There is no such number.
    """
    if places is None:
        return list(variables)
    for place in places:
        if not isinstance(place, int) or not 0 <= place < len(variables):
            raise InvalidValueError.here(
                f"{what} is a list of numbers from 0 to {len(variables) - 1}, got "
                f"{place!r}"
            )
    return [variables[place] for place in places]
