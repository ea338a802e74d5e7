"""`jit.save`: write a layer or function to files that run without its source.

`path.pdmodel` holds the program of `forward`, `path.name.pdmodel` that of another
method of `to_static`; `path.pdiparams` the parameters of all of them, shared ones once;
and `path.pdiparams.info` the layer's names for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter as Argument
from inspect import Signature
from types import MethodType
from typing import Any

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.tensor import Tensor
from teachgraph.core import unique_name
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.io import saving
from teachgraph.io.prefix import file_prefix, with_suffix
from teachgraph.io.together import with_checksums, write_together
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.model import FORWARD, Method, Traced, fetches, renamed
from teachgraph.jit.model_files import (
    INFO,
    VALUES,
    file_of,
    methods_beside,
)
from teachgraph.jit.outputs import Outputs, Slot
from teachgraph.jit.static_function import StaticFunction
from teachgraph.jit.translated_layer import TranslatedLayer
from teachgraph.nn import Layer
from teachgraph.ops.as_list import as_list
from teachgraph.passes import apply_pass

__all__ = ["save"]

CONFIGS = (
    "clip_extra",
    "combine_params",
    "input_names_after_prune",
    "output_spec",
    "skip_forward",
    "skip_prune_program",
    "with_hook",
)
"""Paddle's options; here only `output_spec` and `skip_forward` matter."""

Held = dict[str, Tensor]


def save(layer: Any, path: Any, input_spec: Any = None, **configs: Any) -> None:
    """Write a layer or a function to files that can be loaded without its source.

    It is traced once in training and once in evaluation mode, so that a loaded layer
    can be trained further.

    Args:
        layer: A Layer, with all its methods of `to_static`, or a function.
        path: The prefix of the files; the folder is created if need be.
        input_spec: `InputSpec`s or examples of the arguments, with None for sizes that
            may differ. By default those of `to_static`, or of the last call.
        **configs: `output_spec`, the results to save: their places, or variables of
            the `outputs` of a `StaticFunction`; `skip_forward`, to save the other
            methods alone. Paddle's others are accepted and change nothing: hooks of
            `forward` are saved in any case.

    Raises:
        TypeError: It is neither a Layer nor a function.
        InvalidValueError: The path has no last part, a config is unknown, it returns
            what cannot be saved, or nobody has said what the arguments are.
        ProgramError: It calls a function of Python's through `py_func`.

    In Paddle this is `paddle.jit.save`.

    >>> import tempfile, teachgraph as tg
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "double"
    >>> spec = [tg.static.InputSpec([None], "float32", "x")]
    >>> save(lambda x: x * 2.0, path, spec)
    >>> tg.jit.load(path)(tg.to_tensor([1.0, 2.0, 3.0])).tolist()
    [2.0, 4.0, 6.0]
    """
    prefix = file_prefix(path)
    if unknown := [name for name in configs if name not in CONFIGS]:
        raise InvalidValueError.here(
            f"The additional config ({unknown[0]}) of `paddle.jit.save` is not "
            f"supported. There are {', '.join(CONFIGS)}"
        )
    methods, held = (
        layer.saved_again()
        if isinstance(layer, TranslatedLayer)
        else traced_methods(layer, input_spec, configs)
    )
    values = {name: tensor.data for name, tensor in held.items()}
    ends = {}
    if values:
        ends[VALUES] = saving.serialize(values)
        ends[INFO] = json.dumps(info(layer, held), indent=1).encode()
    files = {
        file_of(prefix, method.name): with_checksums(method.to_bytes(), ends)
        for method in methods
    }
    files |= {with_suffix(prefix, end): content for end, content in ends.items()}
    before = {*methods_beside(prefix).values()}
    before |= {with_suffix(prefix, end) for end in (VALUES, INFO)}
    write_together(files, remove=before - files.keys())


def traced_methods(
    layer: Any, input_spec: Any, configs: Mapping[str, Any]
) -> tuple[list[Method], Held]:
    """Trace the methods to save; return them and all Tensors they hold, by name."""
    held: dict[str, Tensor] = {}
    methods = []
    for name, static in functions_of(layer, input_spec, configs):
        using, training = in_both_modes(static, static_values(static, input_spec))
        wanted = configs.get("output_spec") if name == FORWARD else None
        if not isinstance(wanted, list | tuple | None):
            raise DTypeError.here(
                f"The config `output_spec` should be 'list', but received {wanted!r}"
            )
        wanted = wanted and [place_of(one, static) for one in wanted]
        modes = [pruned(one, held, wanted) for one in (using, training)]
        methods.append(Method(name, list(using.names), *modes))
    used = {name for m in methods for t in (m.using, m.training) for name in names(t)}
    # In the layer's order, so that `load` restores that of its state_dict.
    order = {id(t): i for i, t in enumerate(own_tensors(layer).values())}
    ordered = sorted(held, key=lambda name: order.get(id(held[name]), len(order)))
    return methods, {name: held[name] for name in ordered if name in used}


def functions_of(
    layer: Any, input_spec: Any, configs: Mapping[str, Any]
) -> Iterator[tuple[str, StaticFunction]]:
    """Yield the functions to save, with their names.

    Raises:
        TypeError: The layer is neither a Layer nor a function.
        InvalidValueError: There is one input spec for several methods.
    """
    if not isinstance(layer, Layer):
        yield FORWARD, as_static(layer)
        return
    others = other_methods(layer)
    if others and input_spec is not None:
        raise InvalidValueError.here(
            "If there are static functions other than 'forward' that need to be "
            "saved, the input 'input_spec' should be None: give each its own in "
            f"to_static; there are {', '.join(sorted(others))}"
        )
    if not configs.get("skip_forward"):
        forward = as_static(layer.forward)
        hooks = layer._pre_hooks or layer._post_hooks
        yield FORWARD, forward_with_hooks(layer, forward) if hooks else forward
    yield from others.items()


def other_methods(layer: Layer) -> dict[str, StaticFunction]:
    """Return the methods of `to_static` besides `forward`."""
    known = {name for kind in type(layer).__mro__ for name in vars(kind)}
    plain = {n for n in known if isinstance(static_attribute(layer, n), StaticFunction)}
    own = {n for n, v in layer.__dict__.items() if isinstance(v, StaticFunction)}
    return {name: getattr(layer, name) for name in sorted((plain | own) - {FORWARD})}


def static_attribute(layer: Layer, name: str) -> Any:
    """Look a name up in a layer's class, without running a property."""
    for kind in type(layer).__mro__:
        if name in vars(kind):
            return vars(kind)[name]
    return None


def as_static(function: Any) -> StaticFunction:
    """Return a function as a StaticFunction.

    Raises:
        TypeError: It is no function.
    """
    if isinstance(function, StaticFunction):
        return function
    if isinstance(function, MethodType):
        return StaticFunction(function.__func__, None, function.__self__)
    if not callable(function) or isinstance(function, type):
        raise DTypeError.here(
            "The input of paddle.jit.save should be 'Layer' or 'Function', but "
            f"received input type is {type(function)}."
        )
    return StaticFunction(function)


def forward_with_hooks(layer: Layer, forward: StaticFunction) -> StaticFunction:
    """Return a layer's forward with its pre-hooks and post-hooks."""

    def called(self: Layer, *inputs: Any, **named: Any) -> Any:
        """Do as `Layer.__call__` does, in source that can be converted."""
        for before in list(self._pre_hooks.values()):
            changed = before(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        output = forward(*inputs, **named)
        for after in list(self._post_hooks.values()):
            changed = after(self, inputs, output)
            output = output if changed is None else changed
        return output

    own = Argument("self", Argument.POSITIONAL_ONLY)
    others = forward.function_spec.signature.parameters.values()
    called.__signature__ = Signature([own, *others])  # type: ignore[attr-defined]
    static = StaticFunction(called, forward.input_spec, layer)
    static.program_cache = forward.program_cache
    return static


def static_values(static: StaticFunction, input_spec: Any) -> tuple[Any, ...]:
    """Return the arguments to trace a function for: specs, or values of Python's.

    Raises:
        InvalidValueError: There is neither an input spec nor an earlier call.
    """
    if input_spec is not None:
        spec = StaticFunction(static.function, input_spec, static.receiver)
        return spec.function_spec.example()
    last = static.program_cache.newest
    if static.input_spec is None and last is not None:
        return last.values
    if not static.function_spec.parameters:
        return ()
    return static.function_spec.example()


def in_both_modes(
    static: StaticFunction, values: tuple[Any, ...]
) -> tuple[ConcreteProgram, ConcreteProgram]:
    """Trace a function in evaluation mode and in training mode."""
    fresh = StaticFunction(static.function, None, static.receiver)
    now = fresh.traced("now", values)
    by_mode: dict[bool, ConcreteProgram] = {}
    for training in (False, True):
        with switched(now.conditions.layers, training=training):
            # A program that fits both modes is traced once, and saved once.
            same = next((one for one in by_mode.values() if one.conditions.hold()), now)
            by_mode[training] = (
                same if same.conditions.hold() else fresh.traced(training, values)
            )
    return by_mode[False], by_mode[True]


@contextmanager
def switched(layers: Sequence[Layer], *, training: bool) -> Iterator[None]:
    """Switch the mode of layers; if some of them train already, only those train."""
    before = [layer.training for layer in layers]
    stay = training and any(before)
    try:
        for layer in layers:
            layer.training = layer.training if stay else training
        yield
    finally:
        for layer, was in zip(layers, before, strict=True):
            layer.training = was


def pruned(
    concrete: ConcreteProgram, held: dict[str, Tensor], wanted: Any = None
) -> Traced:
    """Copy a program without dead code, with names that are unique among all methods.

    Args:
        concrete: The program.
        held: The Tensors of the methods before it, by name; its own are added.
        wanted: Places of the wanted results, by default all.
    """
    results = concrete.results if wanted is None else selected(concrete.results, wanted)
    fetched = [variable.name for variable in results.variables]
    program = apply_pass(concrete.main_program, "dead_code", fetches=fetched)
    block = program.global_block()
    copied = Outputs()
    copied.tree, copied.variables = results.tree, [block.var(name) for name in fetched]
    traced = Traced(program, copied)
    used = names(traced) | set(concrete.names)
    for name in [n for n, v in block.vars.items() if v.persistable and n not in used]:
        block._remove_var(name)
    for name, tensor in concrete.held.items():
        if name in used:
            key = name
            while held.setdefault(key, tensor) is not tensor:
                key = unique_name.generate(name)
            if key != name:
                renamed(traced, name, key)
    return traced


def place_of(wanted: Any, static: StaticFunction) -> Any:
    """Return the slot of a wanted variable; a place is returned as it is."""
    for known in static.program_cache:
        for number, variable in enumerate(known.outputs):
            if variable is wanted:
                return Slot(number)
    return wanted


def selected(results: Outputs, wanted: Sequence[Any]) -> Outputs:
    """Select some of the results, by their places.

    Raises:
        InvalidValueError: There is no such result.
    """
    outputs, tree = Outputs(), results.tree
    items = as_list(tree)
    places = range(-len(items), len(items))
    if len(wanted) == len(items) and all(isinstance(i, Tensor) for i in wanted):
        return results  # what a call returned: all that there is
    others = [i for i in wanted if not isinstance(i, Slot)]
    if not all(isinstance(i, int) and i in places for i in others):
        raise InvalidValueError.here(
            f"output_spec: {list(wanted)!r} are no places among {len(items)} results"
        )
    picked = [i if isinstance(i, Slot) else items[i] for i in wanted]
    outputs.variables = results.variables
    outputs.tree = picked[0] if len(picked) == 1 else picked
    return outputs


def names(traced: Traced) -> set[str]:
    """Collect the names that a program's operators or results mention."""
    operators = [op for block in traced.program.blocks for op in block.ops]
    mentioned = {n for op in operators for n in op.input_arg_names}
    written = {n for op in operators for n in op.output_arg_names}
    return mentioned | written | set(fetches(traced))


def own_tensors(layer: Any) -> dict[str, Tensor]:
    """Return the parameters and buffers of a layer, each under its first name."""
    if not isinstance(layer, Layer):
        return {}
    return {**dict(layer.named_parameters()), **dict(layer.named_buffers())}


def info(layer: Any, held: Held) -> dict[str, Any]:
    """Describe the Tensors of a layer: their structured names, and whether they train.

    These are the contents of the `.info` file.
    """
    called = {id(tensor): name for name, tensor in own_tensors(layer).items()}
    return {
        name: describe_tensor(t, called.get(id(t), name)) for name, t in held.items()
    }


def describe_tensor(tensor: Tensor, name: str) -> dict[str, Any]:
    """Describe a Tensor, but for its values."""
    entry = {"structured_name": name, "stop_gradient": tensor.stop_gradient}
    if isinstance(tensor, Parameter):
        entry["trainable"] = tensor.trainable
    return entry
