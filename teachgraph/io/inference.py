"""Models for use: a program cut down to what it answers, and its parameters.

The document of a model says, beside the program, which variables are fed and which
fetched. In Paddle 2 that is `path.pdmodel` with `path.pdiparams`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from teachgraph.core.errors import (
    DataError,
    InvalidValueError,
    ProgramError,
    at_user_line,
)
from teachgraph.io import saving
from teachgraph.io.programs import (
    array_of,
    arrays_in,
    beside,
    persistables,
    put,
    set_state,
    write,
)
from teachgraph.static.deserialize import program_from_document
from teachgraph.static.document import Part, parsed
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
"""What `jit.save` says besides, of which only `jit.load` takes notice."""

Variables = Variable | Sequence[Variable]
Model = tuple[Program, list[str], list[Variable]]


def listed(what: str, variables: Any) -> list[Variable]:
    """One Variable or several, as a list.

    Raises:
        InvalidValueError: They are something else.
    """
    several = isinstance(variables, (list, tuple))
    found = list(variables) if several else [variables]
    if not found or not all(isinstance(v, Variable) for v in found):
        raise InvalidValueError(
            at_user_line(f"'{what}' should be a Variable or a list of Variable.")
        )
    return found


def normalize_program(
    program: Program, feed_vars: Variables, fetch_vars: Variables, **options: Any
) -> Program:
    """A copy of a program for use: pruned to what is fetched, and as in a test.

    Args:
        program: The program.
        feed_vars: What is fed.
        fetch_vars: What is wanted.
        options: Accepted for Paddle's sake.

    Raises:
        TypeError: It is no Program.
        InvalidValueError: Feeds or fetches are no Variables, or a feed is not needed.
        ProgramError: A variable is none of this program.

    In Paddle this is `paddle.static.normalize_program`.
    """
    if not isinstance(program, Program):
        raise TypeError(
            f"program type must be `fluid.Program`, but received `{type(program)}`"
        )
    feeds = [v.name for v in listed("feed_vars", feed_vars)] if feed_vars else []
    fetches = [v.name for v in listed("fetch_vars", fetch_vars)]
    found = program.clone(for_test=True)._prune_with_input(feeds, fetches)
    block = found.global_block()
    for index, name in enumerate(feeds):
        if not block.has_var(name):
            raise InvalidValueError(
                at_user_line(
                    f"The feeded_var_names[{index}]: '{name}' doesn't exist in pruned "
                    "inference program: what is fetched does not depend on it, so "
                    "leave it out"
                )
            )
        block.var(name).is_data = True
    found.asked.clear()
    return found


def save_inference_model(
    path_prefix: Any,
    feed_vars: Variables,
    fetch_vars: Variables,
    executor: Any,
    *,
    program: Program | None = None,
    **options: Any,
) -> None:
    """Write a model for use: `path_prefix.pdmodel` and `path_prefix.pdiparams`.

    Args:
        path_prefix: What the files' names begin with.
        feed_vars: What is fed, Variables of `static.data`.
        fetch_vars: What is wanted.
        executor: Accepted for Paddle's sake; values are those of the scope in use.
        program: By default the one of `fetch_vars`.
        options: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The path is a folder; feeds or fetches are no Variables, or a
            feed is not needed for the fetches.
        NotInitializedError: A parameter has no value.
        ProgramError: The program calls a function of Python's.

    In Paddle this is `paddle.static.save_inference_model`.
    """
    prefix = checked_prefix(path_prefix)
    model = serialized(feed_vars, fetch_vars, program)
    found, _, _ = model_from_bytes(model)
    values = {v.name: array_of(v) for v in persistables(found)}
    saving.save(values, beside(prefix, ".pdiparams"))
    write(beside(prefix, ".pdmodel"), model)


def checked_prefix(path_prefix: Any) -> Path:
    """A path that files' names can begin with.

    Raises:
        InvalidValueError: It is none.
    """
    text = str(path_prefix)
    if not isinstance(path_prefix, (str, Path)) or text in {"", "."}:
        raise InvalidValueError(at_user_line("'path_prefix' should be a string."))
    if text.endswith(("/", "\\")) or Path(text).is_dir():
        raise InvalidValueError(at_user_line("'path_prefix' should not be a directory"))
    return Path(text)


def serialized(
    feed_vars: Variables, fetch_vars: Variables, program: Program | None
) -> bytes:
    """The model of a program, as bytes."""
    feeds = listed("feed_vars", feed_vars) if feed_vars else []
    fetches = listed("fetch_vars", fetch_vars)
    source: Any = fetches[0].block.program if program is None else program
    normal = normalize_program(source, feeds, fetches)
    return model_bytes(normal, [v.name for v in feeds], [v.name for v in fetches])


def model_bytes(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], **besides: Any
) -> bytes:
    """A model's document, with what else there is to say.

    Raises:
        ProgramError: The program calls a function of Python's.
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
    """The program of a model, the names that are fed and the variables fetched.

    Raises:
        DataError: The document is damaged; the message says where.
    """
    return model_in(model_parts(content))


def model_parts(content: bytes) -> dict[str, Part]:
    """The parts of a model's document, not yet read.

    Raises:
        DataError: It is none.
    """
    known = ("format", "version", "feeds", "fetches", "program")
    top = parsed(content).fields(*known, optional=OF_JIT)
    if top["format"].value != FORMAT:
        raise top["format"].refuse(f"{FORMAT!r} was expected")
    top["version"].integer(1, VERSION)
    return top


def model_in(top: Mapping[str, Part]) -> Model:
    """The program, feeds and fetches of which some parts tell."""
    program = program_from_document(top["program"], Program)
    feeds = [declared(program, name).name for name in top["feeds"].items(MOST)]
    fetches = [declared(program, name) for name in top["fetches"].items(MOST)]
    return program, feeds, fetches


def declared(program: Program, part: Part) -> Variable:
    """The variable of the global block that a document names."""
    try:
        return program.global_block().var(part.name())
    except ProgramError:
        raise part.refuse(f"no variable is called {part.value!r}") from None


def load_inference_model(path_prefix: Any, executor: Any, **options: Any) -> list[Any]:
    """Read a model for use, its parameters into the scope in use.

    Args:
        path_prefix: As given to `save_inference_model`.
        executor: Accepted for Paddle's sake.
        options: Accepted for Paddle's sake.

    Returns:
        [the Program, the names that are fed, the Variables to fetch].

    Raises:
        FileNotFoundError: There is no such model.
        DataError: A file is damaged, or lacks a parameter.

    In Paddle this is `paddle.static.load_inference_model`.
    """
    prefix = Path(str(path_prefix))
    model, values = beside(prefix, ".pdmodel"), beside(prefix, ".pdiparams")
    for path in (model, values):
        if not path.is_file():
            raise FileNotFoundError(
                at_user_line(f"there is no {path}: give the prefix it was saved under")
            )
    program, feeds, fetches = model_from_bytes(model.read_bytes())
    state = arrays_in(values)
    if missing := [v.name for v in persistables(program) if v.name not in state]:
        raise DataError(at_user_line(f"{values} lacks {missing}"))
    set_state(program, state)
    return [program, feeds, fetches]


def file_of(dirname: Any, name: str) -> Path:
    """A variable's own file: its name, with nothing in it that leads elsewhere."""
    return Path(dirname) / quote(name, safe="@ ").replace("..", "%2E%2E")


def serialize_program(
    feed_vars: Variables,
    fetch_vars: Variables,
    *,
    program: Program | None = None,
    **options: Any,
) -> bytes:
    """A model for use as bytes, without its parameters.

    In Paddle this is `paddle.static.serialize_program`.
    """
    return serialized(feed_vars, fetch_vars, program)


def deserialize_program(data: bytes) -> Program:
    """The program that `serialize_program` wrote.

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
    """The parameters of a model for use, as bytes.

    Raises:
        NotInitializedError: A parameter has no value.

    In Paddle this is `paddle.static.serialize_persistables`.
    """
    found = deserialize_program(serialized(feed_vars, fetch_vars, program))
    return saving.packed({v.name: array_of(v) for v in persistables(found)})


def deserialize_persistables(program: Program, data: bytes, executor: Any) -> None:
    """Put into the scope what `serialize_persistables` wrote.

    Raises:
        DataError: The bytes are damaged, or lack a parameter.

    In Paddle this is `paddle.static.deserialize_persistables`.
    """
    state = saving.unpacked(data, "the bytes", return_numpy=True)
    for variable in persistables(program):
        if variable.name not in state:
            raise DataError(at_user_line(f"the bytes lack {variable.name!r}"))
        put(variable, state[variable.name])


def save_to_file(path: Any, content: bytes) -> None:
    """Write bytes to a file, whole or not at all.

    Raises:
        InvalidValueError: They are no bytes.

    In Paddle this is `paddle.static.save_to_file`.
    """
    if not isinstance(content, bytes):
        raise InvalidValueError(at_user_line("'content' type should be bytes."))
    write(Path(path), content)


def load_from_file(path: Any) -> bytes:
    """The bytes of a file.

    In Paddle this is `paddle.static.load_from_file`.
    """
    return Path(path).read_bytes()
