"""`jit.load`: read a layer from files, none of which can run code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.errors import DataError
from teachgraph.io.inference import checksums_in, model_parts
from teachgraph.io.prefix import with_suffix
from teachgraph.io.programs import arrays_in, persistables, set_value
from teachgraph.io.together import finish_saves, newest, refuse_mixture
from teachgraph.jit.model import FORWARD, Method, method_from_bytes
from teachgraph.jit.model_files import INFO, MODEL, VALUES, methods_beside
from teachgraph.jit.translated_layer import TranslatedLayer
from teachgraph.nn import Layer
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.document import Part, parsed, reading
from teachgraph.static.scope import Scope
from teachgraph.static.variable import Parameter as Declared
from teachgraph.static.variable import Variable

__all__ = ["load"]

Array = np.ndarray[Any, Any]
Facts = Mapping[str, dict[str, Part]]


def load(path: Any, **configs: Any) -> TranslatedLayer:
    """Load a layer that `jit.save` or `static.save_inference_model` wrote.

    Args:
        path: The prefix of the files.
        **configs: `model_filename` and `params_filename`, where `path` is a folder of
            `fluid.io.save_inference_model`.

    Returns:
        A layer, in the mode of evaluation: it predicts, and after `train()` it trains.

    Raises:
        DTypeError: The path is none.
        InvalidValueError: There is no such model.
        DataError: A file is damaged, or lacks a parameter; nothing in it is run.

    In Paddle this is `paddle.jit.load`.
    """
    files, values = model_paths(path, configs)
    with reading(path):
        return build_layer(path, files, values)


def build_layer(path: Any, files: Mapping[str, Path], values: Path) -> TranslatedLayer:
    """Build the layer of some files."""
    documents = {name: newest(file).read_bytes() for name, file in files.items()}
    methods = [
        method_from_bytes(content)._replace(name=name)
        for name, content in documents.items()
    ]
    variables = persistent_variables(methods)
    arrays = stored(values, list(variables)) if variables else {}
    facts = facts_in(values)
    held = tensors(variables, arrays, facts)
    layer = TranslatedLayer({m.name: m for m in methods}, held, Path(path).name)
    # The order of the facts is that of the saved layer's state_dict.
    order = [*(n for n in facts if n in held), *(n for n in held if n not in facts)]
    for name in order:
        full = facts[name]["structured_name"].name() if name in facts else name
        assign_named(layer, full, held[name])
    beside_it = {VALUES: values, INFO: with_suffix(values, ".info")}
    for name, content in documents.items():
        refuse_mixture(checksums_in(model_parts(content)), beside_it, files[name])
    layer.eval()
    layer.look_up()
    return layer


def model_paths(path: Any, configs: Mapping[str, Any]) -> tuple[dict[str, Path], Path]:
    """Return the files of the methods by name, and that of the values.

    Raises:
        DTypeError: The path is none.
        InvalidValueError: There is no such model.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise DTypeError.here(f"a path is a str or a Path, got {path!r}")
    prefix = Path(path)
    finish_saves(prefix.parent)
    if prefix.is_dir() and configs:
        model = prefix / configs.get("model_filename", "__model__")
        files = {FORWARD: model} if model.is_file() else {}
        values = prefix / configs.get("params_filename", "__params__")
    else:
        files = methods_beside(prefix)
        values = with_suffix(prefix, VALUES)
    if not files:
        raise InvalidValueError.here(
            f"The ``path`` ({path}) to load model not exists: give the prefix it "
            f"was saved under, without {MODEL}"
        )
    return files, values


def persistent_variables(methods: Sequence[Method]) -> dict[str, Variable]:
    """Collect the persistent variables of all programs, by name.

    Raises:
        DataError: Two programs disagree about one of them.
    """
    variables: dict[str, Any] = {}
    for method in methods:
        for program in (method.using.program, method.training.program):
            for variable in persistables(program):
                known = variables.setdefault(variable.name, variable)
                if known.spec != variable.spec:
                    raise DataError.here(
                        f"{variable.name!r} is {known.spec} in one program"
                        f" and {variable.spec} in another"
                    )
    return variables


def stored(file: Path, names: Sequence[str]) -> dict[str, Array]:
    """Read the values of some variables.

    Raises:
        DataError: The file is not there, is damaged, or lacks one.
    """
    if not file.is_file():
        raise DataError.here(f"there is no {file}, which holds the parameters")
    arrays = arrays_in(file)
    if lacking := [name for name in names if name not in arrays]:
        raise DataError.here(f"{file} lacks {lacking}")
    return arrays


def facts_in(values: Path) -> Facts:
    """Read the layer's names for its Tensors; empty if there is no such file.

    Raises:
        DataError: It is damaged.
    """
    file = with_suffix(values, ".info")
    if not file.is_file():
        return {}
    entries = parsed(newest(file).read_bytes()).entries()
    known = ("structured_name", "stop_gradient")
    return {
        name: part.fields(*known, optional=("trainable",))
        for name, part in entries.items()
    }


def tensors(
    variables: Mapping[str, Variable], arrays: Mapping[str, Array], facts: Facts
) -> dict[str, Tensor]:
    """Create the Tensors of some variables; a shared array becomes one Tensor.

    Raises:
        DataError: A value does not fit its variable.
    """
    by_array: dict[int, Tensor] = {}
    trial = Scope()
    for name, variable in variables.items():
        try:
            set_value(variable, arrays[name], trial)
        except ShapeError as error:
            raise DataError(str(error)) from None
        stop = variable.stop_gradient
        if name in facts:
            stop = facts[name]["stop_gradient"].flag()
        value = trial.values[name]
        assert value is not None
        by_array.setdefault(id(arrays[name]), tensor(variable, value, stop=stop))
    return {name: by_array[id(arrays[name])] for name in variables}


def tensor(variable: Variable, value: Array, *, stop: bool) -> Tensor:
    """Create the Tensor of dynamic mode for a variable and its value."""
    if isinstance(variable, Declared):
        attr = ParamAttr(
            learning_rate=variable.optimize_attr["learning_rate"],
            regularizer=variable.regularizer,
            trainable=not stop,
            need_clip=variable.need_clip,
        )
        return Parameter(value, variable.name, attr)
    result = Tensor.results(value, stop)
    result.name = variable.name
    return result


def assign_named(layer: Layer, full: str, tensor: Tensor) -> None:
    """Assign a Tensor under its structured name, such as `block.fc.weight`.

    Missing sublayers on its path are created.

    Raises:
        DataError: The name means something else to a layer.
    """
    *path, last = full.split(".")
    for name in path:
        inner = layer.__dict__.get(name)
        if inner is None and free(layer, name):
            inner = layer.add_sublayer(name, Layer(name))
        if not isinstance(inner, Layer):
            message = f"no layer can be called {name!r} of {full!r}"
            raise DataError.here(message)
        layer = inner
    if layer.__dict__.get(last) is tensor:
        return
    if not free(layer, last):
        raise DataError.here(f"no parameter can be called {full!r}")
    if isinstance(tensor, Parameter):
        layer.add_parameter(last, tensor)
    else:
        layer.register_buffer(last, tensor)


def free(layer: Layer, name: str) -> bool:
    """True if a name is no attribute of the layer or of its class."""
    return bool(name) and name not in layer.__dict__ and not hasattr(Layer, name)
