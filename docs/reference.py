"""Write the sources of the reference: every public name, described by its docstring.

A name is described once, on the page of the first module that has it; other modules
that have it too refer to it there.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from teachgraph.ops.left_out import LEFT_OUT, ROOMS, UNDERSCORED

__all__ = ["pages", "plain_text"]

TESTS = Path(__file__).parents[1] / "tests"
PADDLE: dict[str, list[str]] = json.loads(
    (TESTS / "oracle" / "paddle_names.json").read_text("utf-8")
)
"""Paddle's public names by module, of which ours are in the reference."""

PICTURES = (
    *("check_nan_inf", "explain", "figure", "monitor", "plot", "profiler", "record"),
    "show",
)
MODULES = (
    "",
    *("nn", "nn.functional", "nn.initializer", "nn.utils", "optimizer", "optimizer.lr"),
    *("regularizer", "metric", "autograd", "linalg", "distribution", "io", "static"),
    *("static.nn", "jit", "passes", "vision", "vision.models", "vision.transforms"),
    *("vision.datasets", "vision.ops", "models", "text", "text.datasets", "hapi"),
    *("callbacks", "inference", "onnx", "distributed", "device", "utils", "reader"),
    *("dataset", "fluid", "fluid.layers", "fluid.nets", "fluid.optimizer"),
    *("fluid.dygraph", "fluid.initializer", "fluid.io", "fluid.metrics"),
    *("fluid.backward", "fluid.executor", "fluid.framework"),
)
"""The public modules; the first to have a name describes it."""


@dataclass
class Reference:
    """The pages so far, and where each object is described."""

    pages: dict[str, str] = field(default_factory=dict)
    described: dict[int, str] = field(default_factory=dict)


def pages(modules: frozenset[str] | None = None) -> dict[str, str]:
    """Return the text of each page, by its name: of these modules, or of all."""
    reference = Reference()
    if modules is None:
        add_tensor(reference)
    for module in MODULES:
        if modules is None or module in modules:
            add_module(reference, module)
    reference.pages["left_out"] = left_out()
    listed = "\n".join(f"   {page}" for page in reference.pages)
    reference.pages["index"] = INDEX.format(count=len(reference.described)) + listed
    return reference.pages


INDEX = """\
Reference
=========

Every public name: {count} functions, classes and constants, each with its formula,
shapes, errors and source. Shapes are in square brackets, as ``[N, C]``; ``paddle.x``
names the original. In the source a name leads to its definition.

.. toctree::
   :maxdepth: 1

"""


def public(module: str) -> dict[str, Any]:
    """The public names of a module, modules apart, with what they stand for."""
    here = import_module(f"teachgraph.{module}".rstrip("."))
    names = {*getattr(here, "__all__", ()), *PADDLE.get(module, ())}
    names |= {*PICTURES} if not module else set()
    objects = {name: getattr(here, name, None) for name in sorted(names)}
    return {
        name: value
        for name, value in objects.items()
        if value is not None
        and not isinstance(value, ModuleType)
        and not name.startswith("_")
    }


def add_module(reference: Reference, module: str) -> None:
    """Add the page of a module; the package itself has one for each family of ops."""
    whole = f"teachgraph.{module}".rstrip(".")
    here = import_module(whole)
    new, known = [], []
    for name, value in public(module).items():
        if f"{whole}.{name}" == "teachgraph.Tensor":
            continue
        full = f"{whole}.{name}"
        key = id(value)
        if key in reference.described and documented_type(value) != "data":
            known.append((name, reference.described[key]))
        else:
            reference.described[key] = full
            new.append((name, value))
    if module:
        text = [heading(whole), about(here), *(entry(whole, n, v) for n, v in new)]
        reference.pages[whole] = "\n".join([*text, elsewhere(known)])
        return
    for family, rows in families(new).items():
        page = page_of(family.__name__)
        text = [heading(page), about(family), *(entry(whole, n, v) for n, v in rows)]
        reference.pages[page.lower().replace(": ", ".")] = "\n".join(text)


def families(names: list[tuple[str, Any]]) -> dict[ModuleType, list[tuple[str, Any]]]:
    """Group names by the modules that define them, those of few names together."""
    groups = defaultdict(list)
    for name, value in names:
        groups[getattr(value, "__module__", "teachgraph")].append((name, value))
    few = [rows for key, rows in groups.items() if not family_of_ops(key)]
    many = {import_module(k): groups[k] for k in sorted(groups) if family_of_ops(k)}
    return {import_module("teachgraph"): sorted(chain(*few))} | many


def family_of_ops(module: str) -> bool:
    """True for the modules in which functions of tensors are written."""
    return module.startswith("teachgraph.ops.functions.")


def page_of(module: str) -> str:
    """The title of a page: that of its module, shortened."""
    return module.replace("teachgraph.ops.functions.", "Functions: ")


def add_tensor(reference: Reference) -> None:
    """Add the page of Tensor: its own members, and those that are functions as well."""
    from teachgraph import Tensor

    twins = public("")
    names = [n for n in dir(Tensor) if not n.startswith("_") and hasattr(Tensor, n)]
    alike = [n for n in names if n in twins or n.removesuffix("_") in twins]
    members = {n: inspect.getattr_static(Tensor, n) for n in names if n not in alike}
    own = {n: member for n, member in members.items() if inspect.getdoc(member)}
    reference.described[id(Tensor)] = "teachgraph.Tensor"
    rows = [
        f"   * - ``{n}``\n     - :py:obj:`teachgraph.{twin}`"
        + (", in place" if twin != n else "")
        for n in alike
        for twin in [n if n in twins else n.removesuffix("_")]
    ]
    described_here = [
        described(member_type(member), f"teachgraph.Tensor.{name}")
        for name, member in own.items()
    ]
    whole = [heading("teachgraph.Tensor"), ".. autoclass:: teachgraph.Tensor\n"]
    whole += [*described_here, heading("Methods that are functions too", "-")]
    whole += ["The tensor is the first argument of the function.", ""]
    whole += [".. list-table::", "", *rows]
    reference.pages["teachgraph.Tensor"] = "\n".join(whole)


def heading(title: str, line: str = "=") -> str:
    """A heading in reStructuredText."""
    title = plain_text(title)
    return f"{title}\n{line * (len(title) + 2)}\n"


def about(module: ModuleType) -> str:
    """The docstring of a module, as text."""
    return "\n".join(plain_lines(inspect.getdoc(module) or "")) + "\n"


def entry(module: str, name: str, value: Any) -> str:
    """The directive that describes a name."""
    if of_numpy(value):
        said = f"NumPy's ``{getattr(value, '__name__', value)}``."
        return f".. py:data:: {module}.{name}\n\n   {said}\n"
    return described(documented_type(value), f"{module}.{name}")


def of_numpy(value: Any) -> bool:
    """True for dtypes, which NumPy and Python describe."""
    module = getattr(value, "__module__", type(value).__module__)
    return module.split(".")[0] in {"numpy", "builtins"} and not callable_here(value)


def callable_here(value: Any) -> bool:
    """True for what is called, other than a type."""
    return callable(value) and not isinstance(value, type)


def member_type(member: Any) -> str:
    """The kind of thing that a member of a class is to autodoc."""
    if isinstance(member, property):
        return "property"
    return "method" if inspect.isroutine(member) else "attribute"


def documented_type(value: Any) -> str:
    """The kind of thing that a value is to autodoc."""
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def described(kind: str, full: str) -> str:
    """The directive of autodoc for one object."""
    options = {
        "class": ["   :members:"],
        "data": ["   :no-value:"],
        "attribute": ["   :no-value:"],
    }.get(kind, [])
    return "\n".join([f".. auto{kind}:: {full}", *options, ""])


def elsewhere(known: list[tuple[str, str]]) -> str:
    """The names of a module that are described on other pages."""
    if not known:
        return ""
    rows = ", ".join(f":py:obj:`{name} <{full}>`" for name, full in known)
    return f"{heading('Described elsewhere', '-')}\n{rows}\n"


def left_out() -> str:
    """The page of Paddle's names that are left out, with the reasons."""
    rows = []
    for module, reasons in LEFT_OUT.items():
        rows.append(heading(f"paddle.{module}".rstrip("."), "-"))
        hidden = UNDERSCORED.get(module, {})
        for reason, names in (*reasons.items(), *hidden.items()):
            listed = ", ".join(f"``{name}``" for name in names.split())
            rows.append(f"{listed}\n   {plain_text(reason)}.\n")
    rooms = [
        f"``paddle.{room}``\n   {plain_text(why)}.\n" for room, why in ROOMS.items()
    ]
    return "\n".join(
        [
            heading("Names of Paddle that are left out"),
            "Whoever asks for one of these is told the reason.\n",
            *rows,
            heading("Whole modules", "-"),
            *rooms,
        ]
    )


QUOTED = re.compile(r"(`[^`]*`)")
SPECIAL = re.compile(r"(?<!\\)([*|\\]|(?<=\w)_(?!\w))")


def plain_text(text: str) -> str:
    r"""Keep a docstring's words from being taken for markup, those in backticks apart.

    >>> print(plain_text("a * b, |x| and `x * y`s, as add_"))
    a \* b, \|x\| and `x * y`\ s, as add\_
    """
    parts = QUOTED.split(text)
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[2::2] = [re.sub(r"^(?=\w)", r"\\ ", part) for part in parts[2::2]]
    return "".join(parts)


def plain_lines(text: str) -> list[str]:
    """The lines of a docstring, without markup but in its examples."""
    lines = []
    for is_example, block in groupby(text.splitlines(), InExample()):
        text = "\n".join(block)
        lines += (text if is_example else plain_text(text)).split("\n")
    return lines


class InExample:
    """True for lines from one that begins with >>> to the next empty one."""

    inside = False

    def __call__(self, line: str) -> bool:
        """Look at the next line."""
        self.inside = line.lstrip().startswith(">>>") or (
            self.inside and bool(line.strip())
        )
        return self.inside
