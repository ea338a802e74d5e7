"""Inference models on disk: a program pruned to its fetches, and its parameters.

A model's document has, beside the program, the names of the feeds and fetches. In
Paddle 2 that is `path.pdmodel` with `path.pdiparams`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ProgramError,
    at_user_line,
)
from teachgraph.errors import DataError
from teachgraph.io import saving
from teachgraph.io.prefix import with_suffix
from teachgraph.io.programs import (
    array_of,
    arrays_in,
    persistables,
    set_state,
    set_value,
    write,
)
from teachgraph.io.together import (
    finish_saves,
    newest,
    refuse_mixture,
    with_checksums,
    write_together,
)
from teachgraph.static.deserialize import program_from_document
from teachgraph.static.document import Part, parsed, reading
from teachgraph.static.program import Program
from teachgraph.static.serialize import document_of
from teachgraph.static.variable import Variable

__all__ = [
    "deserialize_persistables",
    "deserialize_program",
    "file_of",
    "load_from_file",
    "load_inference_model",
    "model_bytes",
    "model_from_bytes",
    "model_in",
    "model_parts",
    "normalize_program",
    "save_inference_model",
    "save_to_file",
    "serialize_persistables",
    "serialize_program",
]

FORMAT, VERSION = "teachgraph.model", 1
MOST = 10_000
OF_JIT = ("method", "results", "training")
VALUES = ".pdiparams"
"""Optional fields that `jit.save` writes and only `jit.load` reads."""

Variables = Variable | Sequence[Variable]
Model = tuple[Program, list[str], list[Variable]]


def variable_list(what: str, variables: Any) -> list[Variable]:
    """Require one Variable or several; return a list.

    Raises:
        InvalidValueError: The argument is something else.
    """
    several = isinstance(variables, (list, tuple))
    as_list = list(variables) if several else [variables]
    if not as_list or not all(isinstance(v, Variable) for v in as_list):
        raise InvalidValueError.here(
            f"'{what}' should be a Variable or a list of Variable."
        )
    return as_list


def normalize_program(
    program: Program, feed_vars: Variables, fetch_vars: Variables, **options: Any
) -> Program:
    """Copy a program for inference: pruned to its fetches, ops in test mode.

    Args:
        program: The program.
        feed_vars: The variables to feed.
        fetch_vars: The variables to fetch.
        options: Accepted for Paddle's sake.

    Raises:
        DTypeError: `program` is no Program.
        InvalidValueError: Feeds or fetches are no Variables, or a feed is not needed.
        ProgramError: A variable belongs to another program.

    In Paddle this is `paddle.static.normalize_program`.
    """
    if not isinstance(program, Program):
        raise DTypeError.here(
            f"program type must be `fluid.Program`, but received `{type(program)}`"
        )
    feeds = [v.name for v in variable_list("feed_vars", feed_vars)] if feed_vars else []
    fetches = [v.name for v in variable_list("fetch_vars", fetch_vars)]
    pruned = program.clone(for_test=True)._prune_with_input(feeds, fetches)
    block = pruned.global_block()
    for index, name in enumerate(feeds):
        if not block.has_var(name):
            raise InvalidValueError.here(
                f"The feeded_var_names[{index}]: '{name}' doesn't exist in pruned "
                "inference program: what is fetched does not depend on it, so "
                "leave it out"
            )
        block.var(name).is_data = True
    pruned.asked = {}
    return pruned


def save_inference_model(
    path_prefix: Any,
    feed_vars: Variables,
    fetch_vars: Variables,
    executor: Any,
    *,
    program: Program | None = None,
    **options: Any,
) -> None:
    """Write an inference model: `path_prefix.pdmodel` and `path_prefix.pdiparams`.

    Args:
        path_prefix: The common prefix of the files' names.
        feed_vars: The variables to feed, of `static.data`.
        fetch_vars: The variables to fetch.
        executor: Accepted for Paddle's sake; values are those of the current scope.
        program: By default the one of `fetch_vars`.
        options: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The path is a folder; feeds or fetches are no Variables, or a
            feed is not needed for the fetches.
        NotInitializedError: A parameter has no value.
        ProgramError: The program calls a Python function.

    In Paddle this is `paddle.static.save_inference_model`.
    """
    prefix = checked_prefix(path_prefix)
    model = serialized(feed_vars, fetch_vars, program)
    # Read back, because only the pruned program tells which parameters it needs.
    pruned, _, _ = model_from_bytes(model)
    values = {v.name: array_of(v) for v in persistables(pruned)}
    content = saving.serialize(values)
    write_together(
        {
            with_suffix(prefix, ".pdmodel"): with_checksums(model, {VALUES: content}),
            with_suffix(prefix, VALUES): content,
        }
    )


def checked_prefix(path_prefix: Any) -> Path:
    """Require a path that can be the prefix of files' names.

    Raises:
        InvalidValueError: It can not.
    """
    text = str(path_prefix)
    if not isinstance(path_prefix, (str, Path)) or text in {"", "."}:
        raise InvalidValueError.here("'path_prefix' should be a string.")
    if text.endswith(("/", "\\")) or Path(text).is_dir():
        raise InvalidValueError.here("'path_prefix' should not be a directory")
    return Path(text)


def serialized(
    feed_vars: Variables, fetch_vars: Variables, program: Program | None
) -> bytes:
    """Serialize the inference model of a program."""
    feeds = variable_list("feed_vars", feed_vars) if feed_vars else []
    fetches = variable_list("fetch_vars", fetch_vars)
    source: Any = fetches[0].block.program if program is None else program
    normal = normalize_program(source, feeds, fetches)
    return model_bytes(normal, [v.name for v in feeds], [v.name for v in fetches])


def model_bytes(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], **besides: Any
) -> bytes:
    """Serialize a model's document, with further fields.

    Raises:
        ProgramError: The program calls a Python function.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "feeds": list(feeds),
        "fetches": list(fetches),
        "program": document_of(program),
        **besides,
    }
    return json.dumps(document, allow_nan=False, indent=1).encode()


def model_from_bytes(content: bytes) -> Model:
    """Deserialize a model: its program, names of feeds, variables of fetches.

    Raises:
        DataError: The document is damaged; the message says where.
    """
    return model_in(model_parts(content))


def model_parts(content: bytes) -> dict[str, Part]:
    """Parse a model's document into its fields, without reading the program.

    Raises:
        DataError: It is no model's document.
    """
    known = ("format", "version", "feeds", "fetches", "program")
    top = parsed(content).fields(*known, optional=(*OF_JIT, "checksums"))
    if top["format"].value != FORMAT:
        raise top["format"].refuse(f"{FORMAT!r} was expected")
    top["version"].integer(1, VERSION)
    return top


def checksums_in(top: Mapping[str, Part]) -> dict[str, str]:
    """The checksums of the files beside a document, by the ends of their names."""
    if "checksums" not in top:
        return {}
    return {end: part.name() for end, part in top["checksums"].entries().items()}


def model_in(top: Mapping[str, Part]) -> Model:
    """Deserialize the program, feeds and fetches of a parsed document."""
    program = program_from_document(top["program"], Program)
    feeds = [declared(program, name).name for name in top["feeds"].items(MOST)]
    fetches = [declared(program, name) for name in top["fetches"].items(MOST)]
    return program, feeds, fetches


def declared(program: Program, part: Part) -> Variable:
    """Look up a variable of the global block by the name in a document."""
    try:
        return program.global_block().var(part.name())
    except ProgramError:
        raise part.refuse(f"no variable is called {part.value!r}") from None


def load_inference_model(path_prefix: Any, executor: Any, **options: Any) -> list[Any]:
    """Read an inference model; put its parameters into the current scope.

    Args:
        path_prefix: The prefix passed to `save_inference_model`.
        executor: Accepted for Paddle's sake.
        options: Accepted for Paddle's sake.

    Returns:
        [the Program, the names of the feeds, the Variables to fetch].

    Raises:
        FileNotFoundError: There is no such model.
        DataError: A file is damaged, or lacks a parameter.

    In Paddle this is `paddle.static.load_inference_model`.
    """
    prefix = Path(str(path_prefix))
    finish_saves(prefix.parent)
    model, values = with_suffix(prefix, ".pdmodel"), with_suffix(prefix, VALUES)
    for path in (model, values):
        if not path.is_file():
            raise FileNotFoundError(
                at_user_line(f"there is no {path}: give the prefix it was saved under")
            )
    with reading(model):
        top = model_parts(newest(model).read_bytes())
        program, feeds, fetches = model_in(top)
        state = arrays_in(values)
        if missing := [v.name for v in persistables(program) if v.name not in state]:
            raise DataError.here(f"{values} lacks {missing}")
        refuse_mixture(checksums_in(top), {VALUES: values}, model)
        set_state(program, state)
    return [program, feeds, fetches]


def file_of(dirname: Any, name: str) -> Path:
    """Path of a variable's own file; the name is quoted to stay inside the folder."""
    return Path(dirname) / quote(name, safe="@ ").replace("..", "%2E%2E")


def serialize_program(
    feed_vars: Variables,
    fetch_vars: Variables,
    *,
    program: Program | None = None,
    **options: Any,
) -> bytes:
    """Serialize an inference model without its parameters.

    In Paddle this is `paddle.static.serialize_program`.
    """
    return serialized(feed_vars, fetch_vars, program)


def deserialize_program(data: bytes) -> Program:
    """Deserialize the program that `serialize_program` wrote.

    In Paddle this is `paddle.static.deserialize_program`.
    """
    return model_from_bytes(data)[0]


def serialize_persistables(
    feed_vars: Variables,
    fetch_vars: Variables,
    executor: Any,
    *,
    program: Program | None = None,
    **options: Any,
) -> bytes:
    """Serialize the parameters of an inference model.

    Raises:
        NotInitializedError: A parameter has no value.

    In Paddle this is `paddle.static.serialize_persistables`.
    """
    pruned = deserialize_program(serialized(feed_vars, fetch_vars, program))
    return saving.serialize({v.name: array_of(v) for v in persistables(pruned)})


def deserialize_persistables(program: Program, data: bytes, executor: Any) -> None:
    """Deserialize parameters of `serialize_persistables` into the scope.

    Raises:
        DataError: The bytes are damaged, or lack a parameter.

    In Paddle this is `paddle.static.deserialize_persistables`.
    """
    state = saving.unpacked(data, "the bytes", return_numpy=True)
    for variable in persistables(program):
        if variable.name not in state:
            raise DataError.here(f"the bytes lack {variable.name!r}")
        set_value(variable, state[variable.name])


def save_to_file(path: Any, content: bytes) -> None:
    """Write bytes to a file atomically.

    Raises:
        InvalidValueError: `content` is no bytes.

    In Paddle this is `paddle.static.save_to_file`.
    """
    if not isinstance(content, bytes):
        raise InvalidValueError.here("'content' type should be bytes.")
    write(Path(path), content)


def load_from_file(path: Any) -> bytes:
    """Read the bytes of a file.

    In Paddle this is `paddle.static.load_from_file`.
    """
    return Path(path).read_bytes()
