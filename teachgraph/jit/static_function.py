"""`to_static`, and `StaticFunction`, its result: traced once, then run as a program."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from teachgraph.core.errors import DTypeError, InvalidValueError, ModeError
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.core.observe import announce, observers
from teachgraph.errors import ConversionError
from teachgraph.jit.arguments import FunctionSpec, flags, flattened, require_list
from teachgraph.jit.concrete import ConcreteProgram, trace
from teachgraph.jit.conversion import conversion, converted, is_converted
from teachgraph.jit.convert_call import convert_call
from teachgraph.jit.guards import Guard
from teachgraph.jit.helpers import HELPERS
from teachgraph.jit.recorder import Recorder
from teachgraph.jit.settings import LEFT_ALONE, program_limit, switch
from teachgraph.jit.tracebacks import of_user
from teachgraph.jit.tracing import tracer
from teachgraph.nn import Layer
from teachgraph.passes.compiled import BuildStrategy
from teachgraph.static.program import Program
from teachgraph.static.variable import Variable

__all__ = ["ProgramCache", "StaticFunction", "to_static"]

MANY = 10
"""More programs than this of one function are worth a warning."""

_one_at_a_time = threading.RLock()


def to_static(
    function: Any = None,
    input_spec: Any = None,
    build_strategy: Any = None,
    backend: str | None = None,
    full_graph: bool = True,
    **options: Any,
) -> Any:
    """Convert a function or layer into one that runs as a program.

    Its source is transformed so that an `if` or a loop that depends on a tensor becomes
    part of the program. The program is traced once for each shape and dtype of its
    tensors and each value of its other arguments, in training and evaluation.

    Args:
        function: A function, a method or a layer; left out, this is a decorator.
        input_spec: `InputSpec`s of its tensors, with None for sizes that may differ.
        build_strategy: A `static.BuildStrategy`, accepted for Paddle's sake.
        backend: 'CINN' or None, accepted for Paddle's sake.
        full_graph: Accepted for Paddle's sake; all of a function is one program.
        **options: Accepted for Paddle's sake.

    Returns:
        A StaticFunction; of a layer, the layer itself, whose `forward` is one.

    Raises:
        ConversionError: It is nothing that can be converted.
        DTypeError: `input_spec` is no list, or `build_strategy` of another kind.
        InvalidValueError: There is no such backend.

    In Paddle this is `paddle.jit.to_static`.

    >>> import teachgraph as tg
    >>> @tg.jit.to_static
    ... def clipped(x):
    ...     if x.sum() > 1.0:
    ...         x = x * 0.0
    ...     return x
    >>> clipped(tg.to_tensor([2.0])).tolist()
    [0.0]
    """
    if not (input_spec is build_strategy is backend is None):
        check_options(input_spec, build_strategy, backend)
    if function is None:
        return lambda decorated: to_static(decorated, input_spec)
    if isinstance(function, FunctionType):
        return StaticFunction(function, input_spec)
    return to_static_callable(function, input_spec)


def check_options(input_spec: Any, build_strategy: Any, backend: Any) -> None:
    """Refuse options of another kind than `to_static` takes."""
    if input_spec is not None:
        require_list(input_spec)
    if not isinstance(build_strategy, BuildStrategy | None):
        raise DTypeError.here(
            "Required type(build_strategy) shall be `paddle.static.BuildStrategy`, but "
            f"received {type(build_strategy).__name__}"
        )
    if backend not in (None, "CINN"):
        raise InvalidValueError.here(
            "The backend of to_static should be 'CINN' or None, but received "
            f"{backend!r}."
        )


def to_static_callable(value: Any, input_spec: Any) -> Any:
    """Convert anything but a plain function; see `to_static`."""
    if isinstance(value, (staticmethod, classmethod)):
        return type(value)(to_static(value.__func__, input_spec))
    if isinstance(value, StaticFunction):
        return StaticFunction(value.function, input_spec, value.receiver)
    if isinstance(value, Layer):
        plain: Any = getattr(value.forward, "dygraph_function", value.forward)
        static = StaticFunction(plain.__func__, input_spec, value)
        # Not `value.forward = static`: that would count as a change of the layer.
        object.__setattr__(value, "forward", static)
        return value
    if isinstance(value, MethodType):
        return StaticFunction(value.__func__, input_spec, value.__self__)
    if not callable(value) or isinstance(value, type):
        raise ConversionError.here(
            f"to_static takes a function or a Layer, got {value!r}"
        )
    return StaticFunction(value, input_spec)


class ProgramCache:
    """The programs of a function, by the keys of its calls.

    Programs of one key differ in their guards.
    """

    def __init__(self) -> None:
        self.programs: dict[Any, list[ConcreteProgram]] = {}
        self.count = 0

    def __len__(self) -> int:
        return sum(map(len, self.programs.values()))

    def concrete_programs(self) -> list[ConcreteProgram]:
        """List all programs, by key."""
        return [one for programs in self.programs.values() for one in programs]

    @property
    def newest(self) -> ConcreteProgram | None:
        """The program that was traced last, None if there is none."""
        return max(self, key=lambda one: one.number, default=None)

    def keep_newest(self, most: int) -> bool:
        """Drop the oldest programs, up to so many; True if there were more."""
        oldest = sorted(self, key=lambda one: one.number)[:-most]
        for key, programs in [*self.programs.items()] if oldest else ():
            programs[:] = [one for one in programs if one not in oldest]
            if not programs:
                del self.programs[key]
        return bool(oldest)

    def broken(self) -> Guard | None:
        """Return the guard of the newest program that no longer holds, if any."""
        return None if self.newest is None else self.newest.conditions.broken()

    def last(self) -> tuple[Any, tuple[ConcreteProgram, ConcreteProgram]]:
        """Return the key of the newest program, and it as `get_concrete_program` does.

        Raises:
            InvalidValueError: There is none yet.
        """
        for key, programs in self.programs.items():
            if self.newest in programs:
                return key, (self.newest, self.newest)
        message = "no program has been made yet: call the function first"
        raise InvalidValueError.here(message)

    def __iter__(self) -> Iterator[ConcreteProgram]:
        return iter(self.concrete_programs())


class StaticFunction:
    """A function that becomes a program when it is called.

    In Paddle this is `paddle.jit.dy2static.program_translator.StaticFunction`.

    Attributes:
        dygraph_function: The user's function.
        function_spec: Its signature, with the input spec.
        program_cache: Its programs so far.
    """

    latest: StaticFunction | None = None
    """The StaticFunction that was called last, in any thread."""

    def __init__(
        self,
        function: Callable[..., Any],
        input_spec: Any = None,
        receiver: Any = None,
    ) -> None:
        self.function, self.receiver = function, receiver
        self.input_spec = input_spec
        self._spec: FunctionSpec | None = None
        functools.update_wrapper(self, function, updated=())
        self.__name__ = getattr(function, "__name__", "function")
        bound = function if receiver is None else MethodType(function, receiver)
        self.dygraph_function = bound
        self.program_cache = ProgramCache()

    @property
    def function_spec(self) -> FunctionSpec:
        """The signature of the function, with the input spec."""
        if self._spec is None or not self._spec.holds():
            self._spec = FunctionSpec(self.dygraph_function, self.input_spec)
        return self._spec

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, which has programs of its own; see also `rollback`."""
        if instance is None:
            return self
        own = functions_of(instance)
        if id(self) not in own:
            own[id(self)] = StaticFunction(self.function, self.input_spec, instance)
        return own[id(self)]

    def __deepcopy__(self, memo: dict[int, Any]) -> StaticFunction:
        """Bind the function to the copied instance, without programs."""
        from copy import deepcopy

        receiver = deepcopy(self.receiver, memo)
        return StaticFunction(self.function, self.input_spec, receiver)

    @property
    def converted_function(self) -> Callable[..., Any]:
        """The converted function, which is traced.

        Raises:
            ConversionError: It has no source, or is a generator.
        """
        written = self.function
        if not isinstance(written, FunctionType):
            called: Callable[..., Any] = convert_call(self.dygraph_function)
            return called
        alone = getattr(written, LEFT_ALONE, False) or is_converted(written)
        function = written if alone else converted(written, HELPERS)
        if here := tracer():
            here.meet_function(function, written)
        bound = self.receiver is not None
        return MethodType(function, self.receiver) if bound else function

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the program for these arguments; trace it if there is none."""
        here = tracer()
        if not switch.on or isinstance(here, Recorder):
            return self.dygraph_function(*args, **named)
        # Within another trace the function becomes part of that program.
        if here is not None or not in_dynamic_mode():
            return self.converted_function(*args, **named)
        StaticFunction.latest = self
        spec, values = self._spec or self.function_spec, args
        if named or len(args) != spec.in_order:
            values = (spec := self.function_spec).bound(args, named)
        tensors, key = flattened(values)
        if self.input_spec is not None:
            values = spec.specified(values)
            _, key = flattened(values)
        if spec.reads_flags:
            key = *key, *flags(tensors)
        if (program := self.known(key)) is None:
            # Its guards notice a function that is defined anew, with other parameters.
            if self.function_spec is not spec:
                return self(*args, **named)
            program = self.traced(key, values)
        return program(tensors)

    def known(self, key: Any) -> ConcreteProgram | None:
        """Return the program of a key whose guards hold, None if there is none."""
        programs = self.program_cache.programs.get(key, [])
        for program in programs:
            if program.conditions.hold():
                return program
        # Programs hold weights: those that can never be used again are dropped.
        programs[:] = [p for p in programs[-MANY:] if not p.conditions.passed]
        return None

    def traced(self, key: Any, values: tuple[Any, ...]) -> ConcreteProgram:
        """Trace a new program for a key, and cache it."""
        cache = self.program_cache
        before = cache.broken() if cache.count >= MANY else None
        try:
            with _one_at_a_time:
                program = trace(self, values)
        except Exception as error:
            raise error.with_traceback(of_user(error.__traceback__)) from None
        if program.conditions.read_flags and not self.function_spec.reads_flags:
            self.function_spec.reads_flags = True
            return self.traced((*key, *flags(flattened(values)[0])), values)
        cache.programs.setdefault(key, []).append(program)
        cache.count += 1
        program.number = cache.count
        if observers:
            announce("function_traced", self, program)
        if cache.keep_newest(program_limit.most):
            warnings.warn(dropped(self.__name__, program_limit.most), stacklevel=3)
        elif cache.count > MANY:
            warnings.warn(too_many(self.__name__, cache.count, before), stacklevel=3)
        return program

    def get_concrete_program(
        self, *args: Any, **named: Any
    ) -> tuple[ConcreteProgram, ConcreteProgram]:
        """Return the program for these arguments, tensors or `InputSpec`s, twice.

        In Paddle the pair is the program and a layer that runs it; here a program runs
        itself, on a list of its tensors.
        """
        spec = self.function_spec
        values = spec.bound(args, named) if args or named else spec.example()
        values = spec.specified(values)
        _, key = flattened(values)
        program = self.known(key) or self.traced(key, values)
        return program, program

    def get_traced_count(self) -> int:
        """Return the number of programs."""
        return len(self.program_cache)

    @property
    def concrete_program(self) -> ConcreteProgram:
        """The newest program, or that of the input spec.

        Raises:
            InvalidValueError: There is neither.
        """
        return self.program_cache.newest or self.get_concrete_program()[0]

    @property
    def main_program(self) -> Program:
        """The main program of `concrete_program`."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Variable]:
        """The fed variables."""
        return self.concrete_program.inputs

    @property
    def outputs(self) -> list[Variable]:
        """The returned variables."""
        return self.concrete_program.outputs

    @property
    def code(self) -> str:
        """The function's source after the transformers."""
        function = self.function
        if not isinstance(function, FunctionType):
            raise ConversionError.here(f"{function!r} has no source")
        return conversion(function).text

    def rollback(self) -> Callable[..., Any]:
        """Put the user's function back in place of this one; return it."""
        receiver = self.receiver
        if isinstance(receiver, Layer) and receiver.__dict__.get("forward") is self:
            del receiver.__dict__["forward"]
        own = functions_of(receiver)
        for key in [key for key, function in own.items() if function is self]:
            own[key] = self.dygraph_function
        return self.dygraph_function

    def train(self) -> None:
        """Do nothing: the mode is that of the layers the function calls.

        Raises:
            ModeError: It is the method of a layer in evaluation: call `layer.train()`.
        """
        self.check_mode(training=True)

    def eval(self) -> None:
        """Do nothing: the mode is that of the layers the function calls.

        Raises:
            ModeError: It is the method of a layer in training: call `layer.eval()`.
        """
        self.check_mode(training=False)

    def check_mode(self, *, training: bool) -> None:
        """Refuse to switch a layer's mode by its method."""
        layer, mode = self.receiver, "train" if training else "eval"
        if isinstance(layer, Layer) and layer.training != training:
            text = f"Failed to switch {mode} mode: use {mode}() of the layer itself"
            raise ModeError.here(text)

    def __repr__(self) -> str:
        return f"<StaticFunction {self.function.__qualname__}>"


_of_classes: WeakKeyDictionary[type, dict[int, Any]] = WeakKeyDictionary()


def functions_of(instance: Any) -> dict[int, Any]:
    """Return an object's bound StaticFunctions, by the identity of its class's own."""
    if isinstance(instance, type):
        return _of_classes.setdefault(instance, {})
    values = getattr(instance, "__dict__", None)
    if values is None:
        return {}
    bound: dict[int, Any] = values.setdefault("_static_functions", {})
    return bound


def dropped(name: str, most: int) -> str:
    """Warning for a function of which programs were dropped."""
    return (
        f"{name} has been traced into more than {most} programs: the oldest was "
        "dropped and will be traced again. jit.set_program_limit keeps more; tensors "
        "for numbers, and input_spec with None for sizes that differ, need fewer."
    )


def too_many(name: str, count: int, broken: Guard | None) -> str:
    """Warning for a function that is traced again and again."""
    why = "its arguments have another shape, dtype or Python value"
    if broken is not None:
        why = f"{broken}, which it reads, is another"
    return (
        f"{name} has been traced into {count} programs: {why} almost every time. Give "
        "input_spec=[InputSpec([None, ...])] for sizes that differ, and tensors for "
        "numbers that do."
    )
