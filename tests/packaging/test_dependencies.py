"""Whatever the packages import is asked for in pyproject.toml, by its own name."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OURS = {"teachgraph", "teachgraph_command", "teachgraph_widgets"}


def imported() -> set[str]:
    """The distributions of all that is imported anywhere in the two packages."""
    owners = packages_distributions()
    tops = {name.split(".")[0] for name in _modules()}
    foreign = tops - OURS - set(sys.stdlib_module_names)
    return {canonicalize_name(owners.get(top, [top])[0]) for top in foreign}


def _modules() -> Iterator[str]:
    for folder in (ROOT / "teachgraph", ROOT / "widgets" / "teachgraph_widgets"):
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    yield from (name.name for name in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    yield node.module


def asked_for() -> set[str]:
    """The distributions the project or one of its extras depends on."""
    extras = PROJECT["optional-dependencies"].values()
    lines = PROJECT["dependencies"] + [line for extra in extras for line in extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_what_is_imported_is_asked_for() -> None:
    assert imported() <= asked_for()
