"""PyLayer: a user-defined function with a user-defined backward.

A call is one node on the tape: its saved tensors are those that `forward` asked to
save, and its gradient rule is `backward`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.observed import node_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import GradientShapeError, InvalidValueError, ShapeError
from teachgraph.core.modes import is_recording, no_grad
from teachgraph.core.observe import announce
from teachgraph.core.op import Op, Rule
from teachgraph.core.tape import Node, Output
from teachgraph.ops.as_list import as_list

__all__ = ["PyLayer", "PyLayerContext"]


class PyLayerContext:
    """Context passed from `forward` to `backward`; users may set further attributes.

    In Paddle this is `paddle.autograd.PyLayerContext`.
    """

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._no_gradient: set[int] = set()
        self._materialize = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Save these for backward; a second call replaces the first."""
        self._saved = tensors

    def saved_tensor(self) -> tuple[Any, ...]:
        """Return the saved tensors."""
        return self._saved

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare results of `forward` that have no gradient."""
        self._no_gradient = {id(tensor) for tensor in tensors}

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Declare inputs that `forward` returns unchanged: here all are taken so."""

    def set_materialize_grads(self, value: bool) -> None:
        """Choose zeros (True) or None for the upstream gradient of an unused result."""
        self._materialize = value


class UserRule(Rule):
    """Gradient rule of one call of a PyLayer: its `backward` on the saved tensors."""

    def __init__(
        self,
        layer: type[PyLayer],
        ctx: PyLayerContext,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
    ) -> None:
        self.layer, self.ctx = layer, ctx
        self.type = f"{layer.__name__}.backward"
        self.shapes = [None if x.stop_gradient else x.data.shape for x in inputs]
        self.specs = [(y.data.shape, y.data.dtype) for y in outputs]
        self.upstream = tuple(range(len(outputs)))
        self.sources = tuple(source_of(t, inputs, outputs) for t in ctx._saved)
        self.saved = tuple(map(slot_of_source, self.sources))
        self.shape_only = (False,) * len(self.sources)
        self.variadic = False

    def gradients(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Compute a gradient per input; Tensors if backward is itself recorded."""
        recorded = any(isinstance(dy, Tensor) for dy in upstream)
        douts = [self.materialized(i, dy) for i, dy in enumerate(upstream)]
        self.ctx._saved = tuple(map(tensor_of, saved))
        try:
            if recorded:
                result = self.layer.backward(self.ctx, *douts)
            else:
                with no_grad():
                    result = self.layer.backward(self.ctx, *douts)
        finally:
            # The rule outlives this call; the context must not keep the arrays alive.
            self.ctx._saved = ()
        gradients = as_list(result)
        self.check(gradients)
        return tuple(
            dx if recorded or dx is None else tensor_of(dx).data for dx in gradients
        )

    def materialized(self, index: int, dy: Any) -> Any:
        """Convert the upstream gradient of one result to what `backward` takes."""
        if dy is not None:
            return tensor_of(dy)
        return (
            Tensor.results(np.zeros(*self.specs[index]))
            if self.ctx._materialize
            else None
        )

    def check(self, gradients: Sequence[Any]) -> None:
        """Require one gradient for each Tensor that `forward` took, a Tensor or None.

        Raises:
            InvalidValueError: There are more or fewer, or one is something else.
            GradientShapeError: One has another shape than its Tensor.
        """
        if len(gradients) != len(self.shapes):
            raise InvalidValueError.here(
                f"{self.type} must return a gradient for each of the "
                f"{len(self.shapes)} Tensors that forward took, got "
                f"{len(gradients)}"
            )
        for i, (dx, shape) in enumerate(zip(gradients, self.shapes, strict=True)):
            if dx is None:
                continue
            if not isinstance(dx, (Tensor, np.ndarray)):
                raise InvalidValueError.here(
                    f"{self.type} returned {dx!r} for Tensor {i}: a gradient is a "
                    "Tensor, or None for one of zeros"
                )
            # Here, not where it arrives: a leaf or the op before would get the blame.
            if shape is not None and tuple(dx.shape) != shape:
                raise GradientShapeError.here(
                    f"{self.type} returned a gradient of shape {[*dx.shape]} for "
                    f"Tensor {i} of forward, of shape {[*shape]}: they must be equal"
                )


class UserOp(Op):
    """One call of a PyLayer, in the form of an op for the tape and for observers."""

    def __init__(self, layer: type[PyLayer], rule: UserRule) -> None:
        self.type = layer.__name__
        self.rule = rule
        self.inputs = tuple(f"x{i}" for i in range(len(rule.shapes)))
        self.outputs = tuple(f"out{i}" for i in rule.upstream)
        self.attrs, self.variadic, self.replaces = {}, False, ()


class PyLayer:
    """A function with its own derivative.

    Subclasses have two static methods: `forward(ctx, ...)` computes (nothing in it is
    recorded), `backward(ctx, *gradients)` takes a gradient for each result and returns
    one for each Tensor that `forward` took. Where the gradient is itself to be
    differentiated, `backward` must be made of ops.

    In Paddle this is `paddle.autograd.PyLayer`.

    >>> import teachgraph as tg
    >>> class Cube(PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, dy):
    ...         (x,) = ctx.saved_tensor()
    ...         return dy * 3.0 * x * x
    >>> x = tg.to_tensor(2.0, stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Compute the results."""
        raise NotImplementedError("a PyLayer needs a static method forward(ctx, ...)")

    @staticmethod
    def backward(ctx: PyLayerContext, *gradients: Any) -> Any:
        """Compute the gradients of the inputs from those of the results."""
        raise NotImplementedError("a PyLayer needs a static method backward(ctx, ...)")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call `forward` and record a node on the tape whose rule is `backward`.

        Raises:
            ShapeError: `forward` returned no Tensor.
        """
        ctx = PyLayerContext()
        inputs = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
        announce("op_begin", cls.__name__, inputs, {})
        try:
            # Not recorded: the gradient of all this is `backward`.
            with no_grad():
                result = cls.forward(ctx, *args, **kwargs)
        except Exception as error:
            announce("op_failed", cls.__name__, inputs, {}, error)
            raise
        several = isinstance(result, (tuple, list))
        parts = list(result) if several else [result]
        outputs = [y for y in parts if isinstance(y, Tensor)]
        if not outputs:
            raise ShapeError.here(
                f"{cls.__name__}.forward must return a Tensor or several"
            )
        taped = iter(recorded(cls, ctx, inputs, outputs))
        results = [next(taped) if isinstance(y, Tensor) else y for y in parts]
        tensors = [y for y in results if isinstance(y, Tensor)]
        announce("op_end", cls.__name__, inputs, tensors, {}, node_of(tensors))
        return type(result)(results) if several else results[0]


def recorded(
    layer: type[PyLayer],
    ctx: PyLayerContext,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
) -> list[Tensor]:
    """Wrap the results in new Tensors; on the tape if an input requires a gradient."""
    if not is_recording() or all(x.stop_gradient for x in inputs):
        return [Tensor.results(y.data) for y in outputs]
    rule = UserRule(layer, ctx, inputs, outputs)
    edges = [None if x.stop_gradient else x.edge for x in inputs]
    saved = [
        t if source == ELSEWHERE or not isinstance(t, Tensor) else t.data
        for t, source in zip(ctx._saved, rule.sources, strict=True)
    ]
    ctx._saved = ()
    node = Node(UserOp(layer, rule), edges, saved, {})
    single = len(outputs) == 1
    return [
        Tensor.results(y.data)
        if id(y) in ctx._no_gradient
        else Tensor.results(y.data, False, node if single else Output(node, i))
        for i, y in enumerate(outputs)
    ]


ELSEWHERE = -(10**6)
"""Source of a saved value that is neither an input nor a result."""


def source_of(tensor: Any, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
    """Source of a saved value: i for input i, -1 - i for result i."""
    for i, x in enumerate(inputs):
        if x is tensor:
            return i
    for i, y in enumerate(outputs):
        if y is tensor:
            return -1 - i
    return ELSEWHERE


def slot_of_source(source: int) -> str:
    """Slot name of a saved value with this source."""
    if source == ELSEWHERE:
        return "other"
    return f"x{source}" if source >= 0 else f"out{-1 - source}"


def tensor_of(value: Any) -> Any:
    """Wrap an array in a Tensor; return anything else unchanged."""
    return Tensor.results(value) if isinstance(value, np.ndarray) else value
