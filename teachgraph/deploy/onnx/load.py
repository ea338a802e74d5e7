"""`onnx.load`: read an ONNX file as a program, which can run and be trained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.core import modes, unique_name
from teachgraph.core.errors import DTypeError, UnknownOpError, at_user_line
from teachgraph.deploy.onnx.reading import IMPORTERS, Reader
from teachgraph.deploy.onnx.reading.files import array_of, model_from_bytes
from teachgraph.deploy.onnx.reading.reader import as_variable, is_traced
from teachgraph.deploy.onnx.types import dtype_of, import_deploy
from teachgraph.ops.functions import assign
from teachgraph.static.document import reading
from teachgraph.static.layers import data
from teachgraph.static.program import Program, current_block, program_guard
from teachgraph.static.scope import Scope, global_scope
from teachgraph.static.variable import Variable

__all__ = ["load", "program_of"]

Loaded = tuple[Program, list[str], list[Variable]]

OWN = "onnx_"
"""The prefix of generated names, so that those of the file stay free."""


def load(path: Any, scope: Scope | None = None) -> Loaded:
    """Load a model file as a program, its parameters into a scope.

    Args:
        path: The file; its external data must be in the same folder.
        scope: The Scope for the parameters; by default the global one.

    Returns:
        The Program, the names of its inputs, and the Variables to fetch.

    Raises:
        ImportError: The package `onnx` is not installed.
        FileNotFoundError: There is no such file.
        DataError: It is damaged, breaks ONNX's rules, or has absurd sizes.
        DTypeError: It has tensors of an unknown dtype.
        UnknownOpError: It uses an op without an importer.

    Nothing of the file is run. Floating weights become Parameters, so the program can
    be trained: append a loss and `minimize` it.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(at_user_line(f"there is no {file}"))
    model = model_from_bytes(file.read_bytes(), file.name, file)
    return program_of(model, file.parent, scope)


def program_of(
    model: Any, folder: Path | None = None, scope: Scope | None = None
) -> Loaded:
    """Build the program of a model in memory; see `load`."""
    with reading("the model of ONNX"):
        return build_program(model, folder, scope)


def build_program(model: Any, folder: Path | None, scope: Scope | None) -> Loaded:
    """Build the program of a model; its parameters are put into the scope."""
    model = without_functions(model)
    program = Program()
    values: dict[str, Any] = {}
    reader = Reader(opset_of(model), folder)
    with (
        modes.using(static=True),
        program_guard(program, Program()),
        unique_name.guard(OWN),
    ):
        feeds = declare(reader, model.graph, values)
        results = reader.graph(model.graph)
        names = [result.name for result in model.graph.output]
        fetches = [output_as_named(v, n) for v, n in zip(results, names, strict=True)]
    for name in unread(program, names):
        program.global_block().remove_var(name)
        del values[name]
    (global_scope() if scope is None else scope).values.update(values)
    return program, feeds, fetches


def unread(program: Program, wanted: Sequence[str]) -> list[str]:
    """List the parameters that no op reads: their values became attributes."""
    blocks = program.blocks
    read = {n for block in blocks for op in block.ops for n in op.input_arg_names}
    held = [parameter.name for parameter in program.all_parameters()]
    return [name for name in held if name not in read and name not in wanted]


def opset_of(model: Any) -> int:
    """Return the version of ONNX's ops that a model uses."""
    versions = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    return int(max(versions, default=1))


def without_functions(model: Any) -> Any:
    """Inline ONNX's own definitions of ops that have no importer.

    Raises:
        UnknownOpError: An op has no definition either.
    """
    used = {(node.domain, node.op_type) for node in model.graph.node}
    strange = [
        key for key in used if key[0] not in ("", "ai.onnx") or key[1] not in IMPORTERS
    ]
    if not strange and not model.functions:
        return model
    inline = import_deploy("onnx.inliner").inline_selected_functions
    known = [(domain, name) for name in IMPORTERS for domain in ("", "ai.onnx")]
    try:
        return inline(model, known, exclude=True, inline_schema_functions=True)
    except Exception as error:
        names = sorted(name for _, name in strange) or "functions"
        raise UnknownOpError.here(
            f"{names} of the model are not covered: {error}"
        ) from None


def declare(reader: Reader, graph: Any, values: dict[str, Any]) -> list[str]:
    """Declare the inputs and the parameters; return the names of the inputs."""
    # Old files list the initializers among the inputs, too.
    initialized = {tensor.name for tensor in graph.initializer}
    feeds = []
    for info in graph.input:
        if info.name in initialized:
            continue
        kind = info.type.tensor_type
        if not info.type.HasField("tensor_type"):
            raise DTypeError.here(f"the input {info.name!r} is no tensor")
        sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in kind.shape.dim]
        reader.values[info.name] = data(info.name, sizes, dtype_of(kind.elem_type))
        feeds.append(info.name)
    for tensor in graph.initializer:
        array = array_of(tensor, reader.folder)
        if array.ndim and array.size and array.dtype in (np.float32, np.float64):
            values[tensor.name] = array
            reader.constants[tensor.name] = array
            reader.values[tensor.name] = parameter(tensor.name, array)
    return feeds


def parameter(name: str, array: Any) -> Variable:
    """Create a Parameter without an initializer: the file has its value."""
    return current_block().create_parameter(name, array.shape, array.dtype)


def output_as_named(value: Any, name: str) -> Variable:
    """Return an output as a Variable with the model's name for it."""
    if not is_traced(value) or value.persistable or value.is_data:
        value = assign(as_variable(value))
    if value.name != name:
        block = value.block
        if name not in block.vars:
            block.rename_var(value.name, name)
    variable: Variable = value
    return variable
