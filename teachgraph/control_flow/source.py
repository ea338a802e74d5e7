"""Writing steps down as one Python function, with bodies of branches and loops."""

from __future__ import annotations

import builtins
import keyword
import linecache
import re
import unicodedata
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from teachgraph.core.op import force

if TYPE_CHECKING:
    from teachgraph.core.steps import Call, Step

_numbers = count(1)
_forgotten: list[str] = []
"""Names of programs whose lines are gone, and their entries not yet."""


NOT_IN_WORDS = re.compile(r"\W")


def forget_lines(filename: str) -> None:
    """Empty an entry of linecache, which a collection may do while it is walked over.

    `linecache.checkcache` fails on a name that disappears; the next program removes it.
    """
    linecache.cache[filename] = (0, None, [], filename)
    _forgotten.append(filename)


class Expression(str):
    """An attribute that generated code computes as it makes the call: its text."""

    __slots__ = ()


def with_attrs(call: Call, **attrs: Any) -> Call:
    """A call of its function with these attributes besides."""
    other = copy(call)
    other.attrs = {**call.attrs, **attrs}
    return other


class Code(NamedTuple):
    """Generated code.

    Attributes:
        source: The text.
        function: What it defines: takes the feed and the scope's values, returns the
            fetched values and, by name, what is to be stored.
        steps: The step that each line (from 1) belongs to.
        names: The variable behind each Python name.
    """

    source: str
    function: Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
    steps: dict[int, Step]
    names: dict[str, str]


class Writer:
    """Writes the lines, and collects the values that they refer to.

    No name or attribute gets into the text as it is: variables become identifiers,
    attributes become literals or constants.

    Attributes:
        wanted: Variables that must have a value, be it None, on every path.
        lines: The text so far.
        steps: The step that each line (from 1) belongs to.
        globals: The values that the lines refer to, by their global names.
        names: The identifier of each variable.
        margin: The indentation of the next line.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        self.wanted = {*wanted}
        self.lines = ["def run(feed, scope):"]
        self.steps: dict[int, Step] = {}
        self.globals: dict[str, Any] = {"np": np, "force": force}
        self.taken = {*self.globals, *dir(builtins), "feed", "scope", "_", "run"}
        self.names: dict[str, str] = {}
        self.margin = "    "

    def code(self) -> Code:
        """The lines, compiled; tracebacks can show them."""
        source = "\n".join(self.lines) + "\n"
        filename = f"<teachgraph program {next(_numbers)}>"
        lines = source.splitlines(keepends=True)
        while _forgotten:
            linecache.cache.pop(_forgotten.pop(), None)
        linecache.cache[filename] = (len(source), None, lines, filename)
        exec(compile(source, filename, "exec"), self.globals)  # noqa: S102  our own text
        # Tracebacks read the lines there; they go when the function goes.
        weakref.finalize(self.globals["run"], forget_lines, filename)
        names = {identifier: name for name, identifier in self.names.items()}
        return Code(source, self.globals["run"], self.steps, names)

    def name(self, variable: str) -> str:
        """The identifier of a variable: `fc_0.w_0@GRAD` is `fc_0_w_0_GRAD`."""
        if variable not in self.names:
            letters = unicodedata.normalize("NFKC", variable)
            base = NOT_IN_WORDS.sub("_", letters)
            if not base.isidentifier():  # `\w` takes letters that Python does not
                base = f"v_{base}" if base.isascii() else "v"
            reserved = keyword.iskeyword(base) or base == "__debug__"
            if reserved or not base.isidentifier():
                base = f"v_{base}"
            self.names[variable] = self.fresh(base)
        return self.names[variable]

    def fresh(self, base: str) -> str:
        """An identifier that is not in use, and is no name of Python's."""
        unused, number = base, 2
        while unused in self.taken or keyword.iskeyword(unused):
            unused, number = f"{base}_{number}", number + 1
        self.taken.add(unused)
        return unused

    def uses(self, value: Any, base: str | None = None) -> str:
        """The global name of a function, or of any value, that the lines refer to."""
        base = base or value.__name__
        for name in (base, f"{base}_2"):
            if self.globals.get(name) is value:
                return name
        name = self.fresh(base)
        self.globals[name] = value
        return name

    def literal(self, value: Any) -> str:
        """An attribute as text, or the name of a constant where text would not do."""
        if isinstance(value, Expression):
            return value
        plain = isinstance(value, (bool, int, str, type(None)))
        if plain or (isinstance(value, float) and isfinite(value)):
            return repr(value)
        if isinstance(value, (list, tuple)):
            items = ", ".join(map(self.literal, value))
            one = "," if len(value) == 1 else ""
            return f"[{items}]" if isinstance(value, list) else f"({items}{one})"
        return self.uses(value, "constant")

    def line(
        self, text: str, step: Step | None = None, *, comment: bool = False
    ) -> None:
        """One line of the function's body; an error in it is the step's.

        With `comment` the user's line stands behind it, without what would end the
        line: the file's name may come from a document, which may say anything.
        """
        where = step.operator.callsite if step is not None and comment else None
        if where is not None:
            shown = where.short
            if not shown.isprintable():
                shown = "".join(c if c.isprintable() else " " for c in shown)
            text = f"{text}  # {shown}"
        self.lines.append(self.margin + text)
        if step is not None:
            self.steps[len(self.lines)] = step

    def body(self, steps: Sequence[Step], *, empty: bool = True) -> None:
        """The lines of an indented body; if there are none and it is empty, `pass`."""
        before, self.margin = self.margin, self.margin + "    "
        for step in steps:
            self.step(step)
        if empty and not steps:
            self.line("pass")
        self.margin = before

    def step(self, step: Any) -> None:
        """The lines of a step: what it writes itself, or a kernel's call."""
        if hasattr(step, "write"):
            step.write(self)
        else:
            self.call(step)

    def call(self, call: Call) -> None:
        """The line of a kernel's call; gradients that are lambdas are called."""
        wanted = [name for name in call.outputs if name is not None]
        arguments = ["None" if n is None else self.name(n) for n in call.arguments]
        arguments += [f"{name}={self.literal(v)}" for name, v in call.attrs.items()]
        targets = ", ".join("_" if n is None else self.name(n) for n in call.outputs)
        targets += "," if len(call.outputs) == 1 and not call.single else ""
        function = self.uses(call.function, call.operator.type)
        text = f"{function}({', '.join(arguments)})"
        if call.lazy and call.single:
            text = f"force({text})"
        self.line(f"{targets or '_'} = {text}", call, comment=True)
        for name in wanted if call.lazy and not call.single else ():
            self.line(f"{self.name(name)} = force({self.name(name)})", call)

    def release(self, identifiers: Sequence[str]) -> None:
        """`del` these, in one line with what the line before releases."""
        if identifiers and self.lines[-1].startswith(f"{self.margin}del "):
            self.lines[-1] += f", {', '.join(identifiers)}"
        elif identifiers:
            self.line(f"del {', '.join(identifiers)}")
