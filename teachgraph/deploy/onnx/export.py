"""`onnx.export`: write a layer, a function or a program to an ONNX file."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, UnknownOpError, at_user_line
from teachgraph.deploy.onnx.types import code_of, import_deploy
from teachgraph.deploy.onnx.writing import Writer
from teachgraph.io.files import written_whole
from teachgraph.io.inference import normalize_program, variable_list
from teachgraph.io.prefix import file_prefix, with_suffix
from teachgraph.jit.static_function import StaticFunction
from teachgraph.nn import Layer
from teachgraph.static.program import Program
from teachgraph.static.scope import Scope, global_scope
from teachgraph.static.variable import Variable

__all__ = ["export", "model_of"]

OLDEST = 17
"""The first opset with LayerNormalization; an older one is raised to it."""

NEWEST = 26
"""The last opset that the converters and ONNX Runtime 1.31 know."""

Values = Mapping[str, np.ndarray[Any, Any]]


def export(
    layer: Any,
    path: Any,
    input_spec: Sequence[Any] | None = None,
    opset_version: int = OLDEST,
    **configs: Any,
) -> None:
    """Write `path.onnx`, for ONNX Runtime and other tools that read ONNX.

    Args:
        layer: A Layer, a function, also one of `to_static`, or a Program.
        path: The file without its suffix.
        input_spec: Its inputs: an `InputSpec`, Tensor or Variable each, -1 for a size
            that differs from call to call. For a Program, the fed Variables; by default
            all data variables.
        opset_version: The version of ONNX's ops; less than 17 becomes 17.
        configs: `output_spec`, the outputs to export, needed for a Program; `scope`,
            the Scope with a Program's parameters.

    Raises:
        ImportError: The package `onnx` is not installed.
        InvalidValueError: The path is none, the version is unknown, or a Program comes
            without `output_spec`.
        UnknownOpError: The model uses an op that ONNX has no equivalent of.
        NotInitializedError: A parameter has no value.

    In Paddle this is `paddle.onnx.export`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import teachgraph as tg
    >>> net = tg.nn.Linear(4, 2)
    >>> file = Path(tempfile.mkdtemp()) / "net"
    >>> export(net, str(file), [tg.static.InputSpec([None, 4], name="x")])
    >>> program, feeds, fetches = tg.onnx.load(f"{file}.onnx")
    >>> feeds, fetches[0].shape
    (['x'], (-1, 2))
    """
    import_deploy("onnx")
    prefix = file_prefix(path)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    outputs, scope = configs.get("output_spec"), configs.get("scope")
    program, feeds, fetches, values = parts_of(layer, input_spec, outputs, scope)
    model = model_of(program, feeds, fetches, values, checked_opset(opset_version))
    check(model)
    with written_whole(with_suffix(prefix, ".onnx")) as file:
        file.write(model.SerializeToString())


def check(model: Any) -> None:
    """Check a model by ONNX's rules.

    Raises:
        UnknownOpError: It breaks them: an op is used in a way that ONNX does not have.
    """
    try:
        import_deploy("onnx.checker").check_model(model, full_check=True)
    except Exception as error:
        reason = str(error).split("\n==>", maxsplit=1)[0].strip()
        message = f"ONNX cannot say what the program does: {reason}"
        raise UnknownOpError.here(message) from None


def checked_opset(version: int) -> int:
    """Return the opset to write.

    Raises:
        InvalidValueError: It is newer than the converters.
    """
    if not isinstance(version, int) or version > NEWEST:
        raise InvalidValueError.here(
            f"opset_version is {OLDEST} to {NEWEST}, got {version!r}"
        )
    if version < OLDEST:
        warnings.warn(
            f"opset_version={version} has no LayerNormalization; {OLDEST} is written.",
            stacklevel=3,
        )
    return max(version, OLDEST)


Parts = tuple[Program, list[str], list[str], Values]


def parts_of(
    layer: Any, input_spec: Any, output_spec: Any, scope: Scope | None
) -> Parts:
    """Return an inference program, its feeds and fetches, and its parameters."""
    if isinstance(layer, Program):
        return of_program(layer, input_spec, output_spec, scope)
    if isinstance(layer, Layer):
        layer = static_forward(layer, input_spec)
    elif inspect.isfunction(layer):
        layer = StaticFunction(layer, input_spec)
    if not isinstance(layer, StaticFunction):
        raise TypeError(
            at_user_line(
                "onnx.export takes a Layer, a function or a Program, got "
                f"{type(layer).__name__}"
            )
        )
    return of_function(layer, input_spec, output_spec)


def static_forward(layer: Layer, input_spec: Any) -> StaticFunction:
    """Return a layer's `forward` as a StaticFunction; the layer stays as it is."""
    forward: Any = layer.forward
    if isinstance(forward, StaticFunction):
        return forward
    return StaticFunction(forward.__func__, input_spec, layer)


def of_function(function: StaticFunction, input_spec: Any, output_spec: Any) -> Parts:
    """Trace a function for the described inputs."""
    args = input_spec if input_spec and function.input_spec is None else ()
    concrete = (
        function.get_concrete_program(*args)[0] if args else function.concrete_program
    )
    wanted = concrete.outputs
    if output_spec is not None:
        names = {getattr(output, "name", output) for output in output_spec}
        wanted = [v for v in wanted if v.name in names]
    values = {name: tensor.data for name, tensor in concrete.held.items()}
    return pruned(concrete.main_program, concrete.inputs, wanted, values)


def of_program(
    program: Program, feeds: Any, fetches: Any, scope: Scope | None
) -> Parts:
    """Return the parts of a program, with values from a scope.

    Raises:
        InvalidValueError: There are no fetches.
    """
    if fetches is None:
        raise InvalidValueError.here(
            "say what the program is for: output_spec=[variable, ...]"
        )
    inputs = variable_list("input_spec", feeds) if feeds else data_of(program)
    stored = (global_scope() if scope is None else scope).values
    values = {name: value for name, value in stored.items() if value is not None}
    return pruned(program, inputs, variable_list("output_spec", fetches), values)


def data_of(program: Program) -> list[Variable]:
    """List the data variables."""
    return [v for v in program.list_vars() if v.is_data]


def pruned(
    program: Program,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    values: Values,
) -> Parts:
    """Prune a program to its outputs, and to the inputs that these depend on."""
    inference = normalize_program(program, [], list(outputs))
    block = inference.global_block()
    feeds = [v.name for v in inputs if block.has_var(v.name)]
    return inference, feeds, [v.name for v in outputs], values


def model_of(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    values: Values,
    opset: int = OLDEST,
) -> Any:
    """Build the ONNX model (`onnx.ModelProto`) of an inference program.

    Args:
        program: The program, pruned to its fetches.
        feeds: Names of its inputs.
        fetches: Names of its outputs.
        values: The arrays of its persistable variables.
        opset: The version of ONNX's ops.

    Raises:
        UnknownOpError: There is no converter for an op.
    """
    writer, block = Writer(values, opset), program.global_block()
    writer.taken.update([*feeds, *fetches])
    writer.names.update({name: name for name in feeds})
    results = dict.fromkeys(fetches)
    writer.reserved = {name for name in results if name not in feeds}
    writer.block(block)
    names = [named_result(writer, block.var(name)) for name in results]
    inputs = [information(block.var(name)) for name in feeds]
    outputs = [
        information(block.var(n), called)
        for n, called in zip(results, names, strict=True)
    ]
    return assembled(writer, inputs, outputs)


def named_result(writer: Writer, variable: Variable) -> str:
    """Return the name of an output: that of its variable, unless it is an input."""
    value = writer.value(variable)
    name = variable.name if variable.name in writer.reserved else value
    if name != value or variable.is_data:
        name = name if name != value else writer.fresh(f"{name}.same")
        writer.node("Identity", [value], [name])
    return name


def information(variable: Variable, called: str | None = None) -> Any:
    """Describe an input or output; an unknown size gets a symbolic name."""
    name = called or variable.name
    sizes = [
        f"{name}.size{axis}" if size == -1 else size
        for axis, size in enumerate(variable.shape)
    ]
    make = import_deploy("onnx.helper").make_tensor_value_info
    return make(name, code_of(variable.dtype), sizes)


def assembled(writer: Writer, inputs: list[Any], outputs: list[Any]) -> Any:
    """Assemble the model from the writer's nodes and constants."""
    helper, arrays = writer.proto, import_deploy("onnx.numpy_helper")
    used = {v.name for v in outputs} | set(read_by(writer.nodes))
    constants = [
        arrays.from_array(np.asarray(value, order="C"), name)
        for name, value in writer.constants.items()
        if name in used
    ]
    graph = helper.make_graph(writer.nodes, "teachgraph", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", writer.opset)]
    return helper.make_model(
        graph,
        producer_name="teachgraph",
        producer_version=version(),
        opset_imports=opsets,
        ir_version=max(8, helper.find_min_ir_version_for(opsets)),
    )


def version() -> str:
    """Return the version of teachgraph, the producer of the file."""
    return metadata.version("teachgraph")


def read_by(nodes: Iterable[Any]) -> Iterator[str]:
    """Yield the names that nodes and their subgraphs read."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            yield from read_by(attribute.g.node)
            yield from (value.name for value in attribute.g.output)
