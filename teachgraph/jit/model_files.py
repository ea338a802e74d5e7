"""Files of a saved layer: their names, and how all of them are replaced together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from teachgraph.errors import DataError
from teachgraph.io.inference import model_parts
from teachgraph.io.prefix import with_suffix
from teachgraph.jit.model import FORWARD

__all__ = [
    "INFO",
    "MODEL",
    "VALUES",
    "file_of",
    "methods_beside",
]

MODEL, VALUES, INFO = ".pdmodel", ".pdiparams", ".pdiparams.info"


def file_of(prefix: Path, method: str) -> Path:
    """Return the file of a method's program."""
    return with_suffix(prefix, MODEL if method == FORWARD else f".{method}{MODEL}")


def methods_beside(prefix: Path) -> dict[str, Path]:
    """Find the files of a layer's methods, by name.

    Another model's name may begin with the same letters, so the document must name the
    method that the file name says.
    """
    first, start, folder = with_suffix(prefix, MODEL), f"{prefix.name}.", prefix.parent
    by_method = {FORWARD: first} if first.is_file() else {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        name = path.name[len(start) : -len(MODEL)]
        if path.name == f"{start}{name}{MODEL}" and method_in(path) == name:
            by_method[name] = path
    return by_method


def method_in(path: Path) -> Any:
    """Return the method that a document names, None if it is damaged."""
    try:
        top = model_parts(path.read_bytes())
    except DataError:
        return None
    return top["method"].value if "method" in top else None
