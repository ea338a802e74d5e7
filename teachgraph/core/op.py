"""The contract: an op is a kernel and a gradient rule; all else is derived.

    @op
    def relu(x):
        return np.maximum(x, 0)

    @relu.grad
    def relu_grad(dout, out):
        return dout * (out > 0)

An op has four lives. Called on arrays it is its kernel; on a Tensor it runs and leaves
a node on the tape; on a Variable it appends an Operator to a Block; and differentiated
it is its rule, which is made of ops and so has the same four lives.

Signatures say the rest. Of a kernel: positional parameters are inputs, `*x` a list of
them, keyword-only parameters attributes; `out=None` is an array for the result. Of a
rule: `dout` (`d` and an output's name) is an upstream gradient; any other positional
parameter is an input or output saved for it, annotated `Like` if only its shape and
dtype are. It returns a gradient for each input, a costly one as a lambda.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from functools import cache
from operator import attrgetter, itemgetter
from types import FunctionType
from typing import Any, overload

import numpy as np

from teachgraph.core import modes
from teachgraph.core.errors import OpError, ProgramError, UnknownOpError
from teachgraph.core.extend import HookPoint, unregistered

Kernel = Callable[..., Any]
Values = Sequence[Any]
Attrs = Mapping[str, Any]
Keep = Callable[[Values], Values]

SILENT = Context()
"""The context kernels run in: no warning of an infinity or a NaN, as in Paddle.

To enter a copy takes a tenth of the time of `with np.errstate(all="ignore")`.
"""
SILENT.run(np.seterr, all="ignore")
(ERROR_STATE, IGNORE_ALL), *_ = SILENT.items()
"""NumPy's variable for what it warns of, and the value that ignores everything."""

shape_and_dtype = attrgetter("shape", "dtype")


class Like(tuple[Any, ...]):
    """The shape and dtype of an input whose values a rule does not need."""

    __slots__ = ()
    shape: Any = property(itemgetter(0))
    dtype: Any = property(itemgetter(1))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


def like(value: Any) -> Like | None:
    """The shape and dtype of an input; None for an optional one that is left out."""
    return None if value is None else Like(shape_and_dtype(value))


class Traced:
    """A value that an op hands itself to: a Tensor runs it, a Variable appends it."""

    __slots__ = ()

    shape: Any
    dtype: Any
    stop_gradient: Any

    def apply(self, op: Op, inputs: Values, attrs: Attrs) -> Any:
        """Interpret `op` on `inputs`, of which this is the first traced one."""
        raise NotImplementedError


@cache
def slot_name(parameter: str) -> str:
    """Paddle's slot for a parameter.

    >>> slot_name("x"), slot_name("learning_rate"), slot_name("param_out")
    ('X', 'LearningRate', 'ParamOut')
    """
    return "".join(part.capitalize() for part in parameter.split("_"))


class Rule:
    """A gradient rule, with what its signature says.

    Attributes:
        of: The inputs that have a gradient: the op's first ones.
        upstream: The positions of the outputs whose gradient the rule takes.
        saved: Names of the inputs and outputs that are saved, in the rule's order.
        sources: For each, its position among inputs (i) or outputs (-1 - i).
        shape_only: For each, whether its shape and dtype are enough.
        keep: From the inputs and outputs of a call, in a row, what the tape saves.
    """

    def __init__(
        self, op: Op, function: Callable[..., Any], of: Sequence[str] | None = None
    ) -> None:
        self.function, self.type = function, function.__name__
        self.of = tuple(op.inputs if of is None else of)
        self.padding = (None,) * (len(op.inputs) - len(self.of))
        if self.of != op.inputs[: len(self.of)]:
            raise ProgramError(f"{self.type}: inputs with a gradient come first")
        parameters = list(inspect.signature(function).parameters.values())
        upstream = {f"d{name}": i for i, name in enumerate(op.outputs)}
        positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        self.upstream = tuple(
            upstream[p.name] for p in positional if p.name in upstream
        )
        saved = [p for p in positional if p.name not in upstream]
        self.saved = tuple(p.name for p in saved)
        self.shape_only = tuple("Like" in str(p.annotation) for p in saved)
        self.sources = tuple(op.source_of(name) for name in self.saved)
        self.variadic = any(p.kind is p.VAR_POSITIONAL for p in saved)
        self.keep = (keeper_of_list if self.variadic else keeper)(op, self)
        attrs = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        if unknown := [name for name in attrs if name not in op.attrs]:
            raise ProgramError(
                f"{self.type} reads {unknown}, no attribute of {op.type}"
            )
        self.defaults = {name: op.attrs[name] for name in attrs}

    def gradients(self, upstream: Values, saved: Values, attrs: Attrs) -> Values:
        """One gradient (or lambda, or None) per input, on values of any life."""
        own = self.defaults
        if attrs and own:
            if not own.keys() >= attrs.keys():
                attrs = {name: attrs[name] for name in own.keys() & attrs.keys()}
            own = {**own, **attrs}
        gradients = self.function(*upstream, *saved, **own)
        if gradients.__class__ is not tuple:
            gradients = (gradients,)
        if len(gradients) != len(self.of) and not self.variadic:
            gave = f"{self.type} gave {len(gradients)} gradients"
            raise ProgramError.here(f"{gave} for {', '.join(self.of)}")
        return self.padded(gradients, saved) if self.padding else gradients

    def padded(self, gradients: tuple[Any, ...], saved: Values) -> Values:
        """The gradients, with None for the inputs that have none."""
        if self.variadic:
            gradients += (None,) * (len(saved) - len(self.saved))
        return gradients + self.padding


def keeper(op: Op, rule: Rule) -> Keep:
    """Build what picks a rule's saved values from a call's inputs and outputs."""
    positions = [
        source if source >= 0 else len(op.inputs) - 1 - source
        for source in rule.sources
    ]
    if positions:
        alone = slice(positions[0], positions[0] + 1)
        pick = itemgetter(*positions) if positions[1:] else itemgetter(alone)
        if not any(rule.shape_only):
            return pick
        if all(rule.shape_only) and op.optional.isdisjoint(rule.saved):
            return lambda values: [*map(Like, map(shape_and_dtype, pick(values)))]
    plan = tuple(zip(positions, rule.shape_only, strict=True))
    return lambda values: [
        like(values[position]) if shape_only else values[position]
        for position, shape_only in plan
    ]


def keeper_of_list(op: Op, rule: Rule) -> Keep:
    """Build it for an op whose last input is a list."""
    last, outputs = len(op.inputs) - 1, len(op.outputs)

    def keep(values: Sequence[Any]) -> Sequence[Any]:
        count = len(values) - outputs
        saved: list[Any] = []
        for source, shape_only in zip(rule.sources, rule.shape_only, strict=True):
            place = source if source >= 0 else count - 1 - source
            chosen = values[last:count] if source == last else [values[place]]
            saved.extend(map(like, chosen) if shape_only else chosen)
        return saved

    return keep


class Op:
    """One op: its kernel, its rule, and what their signatures say.

    Attributes:
        inputs, outputs: Their names; `variadic` if the last input is a list.
        inplace: Outputs that are stored where an input was (`param_out` in `param`).
        replaces: For each, the positions of the output and of the input.
        writes: Whether the kernel takes `out`, an array to write the result into.
        key: The word its outputs are named after in a Program.
        needs: What the inputs must be, for error messages.
        context: Makes the kernel's context: if it calls the user's code, their own.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        type: str | None = None,
        outputs: Sequence[str] = ("out",),
        inplace: Mapping[str, str] | None = None,
        key: str | None = None,
        needs: str = "",
        random: bool = False,
        context: Callable[[], Context] = SILENT.copy,
    ) -> None:
        self.kernel, self.context = kernel, context
        self.type: str = type or kernel.__name__
        self.outputs = tuple(outputs)
        self.inplace = dict(inplace or {})
        self.key = key or self.type
        self.needs = needs
        self.random = random
        self.rule: Rule | None = None
        self.infer: Callable[..., Any] | None = None
        self.build_grad: Callable[..., None] | None = None
        self.lower: Callable[..., Any] | None = None
        self.__doc__ = kernel.__doc__
        parameters = inspect.signature(kernel).parameters.values()
        positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        self.inputs = tuple(p.name for p in positional)
        self.input_slots = [slot_name(name) for name in self.inputs]
        self.variadic = any(p.kind is p.VAR_POSITIONAL for p in positional)
        self.optional = frozenset(p.name for p in positional if p.default is None)
        named = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        self.writes = "out" in named
        self.attrs = {name: v for name, v in named.items() if name != "out"}
        self.replaces = tuple(
            (place, self.inputs.index(self.inplace[name]))
            for place, name in enumerate(self.outputs)
            if name in self.inplace
        )
        self.defaults = {k: v for k, v in self.attrs.items() if v is not inspect._empty}

    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        """Hand the call to the first traced input, else to the mode, else compute."""
        if self.optional and len(inputs) < len(self.inputs):
            inputs = self.padded(inputs)
        for x in inputs:
            if isinstance(x, Traced):
                return x.apply(self, inputs, attrs)
        if not self.inputs:
            return modes.interpreter().create(self, attrs)
        try:
            return self.context().run(self.kernel, *inputs, **attrs)
        except Exception as error:
            raise self.explain(inputs, attrs, error) from None

    def padded(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs with None for each optional one that is left out at the end."""
        left_out = self.inputs[len(inputs) :]
        fits = self.optional.issuperset(left_out)
        return (*inputs, *(None for _ in left_out)) if fits else inputs

    def grad(
        self, function: Callable[..., Any] | None = None, **options: Any
    ) -> Callable[..., Any]:
        """Register the gradient rule; a decorator, with or without options.

        With `of=("x",)` it gives gradients of these inputs only, the op's first ones.
        """
        if function is None:
            return lambda rule: self.grad(rule, **options)
        self.rule = Rule(self, function, **options)
        GradOp(self)
        return function

    def infers(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register a cheaper way to the output's shape than running the kernel.

        It takes stand-ins (`Like`, sizes all known) and the attributes, and returns
        (shape, dtype) for each output.
        """
        self.infer = function
        return function

    def grad_builder(self, function: Callable[..., None]) -> Callable[..., None]:
        """Register what `append_backward` does in place of appending `*_grad`."""
        self.build_grad = function
        return function

    def lowering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register what the executor makes of an operator in place of a kernel call."""
        self.lower = function
        return function

    def source_of(self, name: str) -> int:
        """The position of a name: input i as i, output i as -1 - i."""
        if name in self.inputs:
            return self.inputs.index(name)
        if name in self.outputs:
            return -1 - self.outputs.index(name)
        known = ", ".join((*self.inputs, *self.outputs))
        raise ProgramError(f"a rule of {self.type} asks for {name!r}; it has {known}")

    def slots(self, inputs: Values) -> dict[str, list[Any]]:
        """A call's inputs under Paddle's slot names; one that is left out is empty."""
        slots: dict[str, list[Any]] = {slot: [] for slot in self.input_slots}
        for slot, x in zip(self.parameter_names(len(inputs)), inputs, strict=False):
            if x is not None:
                slots[slot].append(x)
        return slots

    def arguments(self, slots: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The reverse of `slots`: values in the kernel's order."""
        lists = [slots.get(slot, ()) for slot in self.input_slots]
        last = lists.pop() if self.variadic else ()
        return [values[0] if values else None for values in lists] + [*last]

    def complete(self, attrs: Attrs) -> dict[str, Any]:
        """The attributes with their defaults filled in."""
        return {**self.defaults, **attrs}

    def parameter_names(self, count: int) -> list[str]:
        """A slot name for each of `count` inputs."""
        names = self.input_slots
        return names + names[-1:] * (count - len(names))

    def explain(
        self, inputs: Values, attrs: Attrs, error: BaseException, **more: Any
    ) -> OpError:
        """The error to raise when the kernel raised `error` on these inputs."""
        unregistered.call("message", "op")
        return explanation.call(self, inputs, attrs, error, **more)

    def __repr__(self) -> str:
        return (
            f"<op {self.type}({', '.join(self.inputs)}) -> {', '.join(self.outputs)}>"
        )


def in_brief(
    op: Op, inputs: Values, attrs: Attrs, error: BaseException, **more: Any
) -> OpError:
    """The error for an op that cannot take its inputs, with what its kernel said."""
    return OpError(f"{op.type} cannot take these inputs: {error}")


explanation: HookPoint[Callable[..., OpError]] = HookPoint(in_brief)
"""Explains what a kernel raised: `explanation(op, inputs, attrs, error, **more)`."""


class GradOp(Op):
    """The op `relu_grad` that a Program holds: the rule, seen as a kernel.

    Its slots are the rule's parameters (`Out`, `Out@GRAD`), its outputs the gradients
    (`X@GRAD`). To be differentiated it is expanded into the ops its rule is made of.
    """

    def __init__(self, forward: Op) -> None:
        assert forward.rule is not None
        rule = forward.rule
        super().__init__(rule.function, type=rule.type)
        self.forward, self.source = forward, rule
        self.attrs, self.defaults = forward.attrs, forward.defaults
        self.outputs = tuple(f"{name}@GRAD" for name in rule.of)
        upstream = [f"{slot_name(forward.outputs[i])}@GRAD" for i in rule.upstream]
        self.input_slots = upstream + [slot_name(name) for name in rule.saved]
        _registry[self.type] = self


def force(gradient: Any) -> Any:
    """A gradient that a rule gave as a lambda, computed; any other as it is."""
    return gradient() if gradient.__class__ is FunctionType else gradient


_registry: dict[str, Op] = {}
place_of = attrgetter("__module__", "__qualname__")


def find(type: str) -> Op:
    """The op of this type.

    Raises:
        UnknownOpError: There is none.

    >>> find("relu")
    <op relu(x) -> out>
    """
    if type not in _registry:
        unregistered.call("op", type)
        if type not in _registry:
            raise UnknownOpError(f'Operator "{type}" has not been registered.')
    return _registry[type]


@overload
def op(kernel: Kernel, **options: Any) -> Op: ...
@overload
def op(**options: Any) -> Callable[[Kernel], Op]: ...
def op(kernel: Kernel | None = None, **options: Any) -> Any:
    """Make an op of a kernel; a decorator, with or without options (see `Op`)."""
    if kernel is None:
        return lambda function: op(function, **options)
    made = Op(kernel, **options)
    old = _registry.get(made.type, made)
    if place_of(old.kernel) != place_of(kernel):  # it may be defined again, in its cell
        raise ProgramError.here(f"two ops are called {made.type!r}: give one a `type`")
    _registry[made.type] = made
    return made
