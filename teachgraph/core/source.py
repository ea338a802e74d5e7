"""Writing a plan down as one Python function, such as a NumPy expert would write.

A step that knows no better writes the call of its kernel. An op may also say which
NumPy statements it comes to (`op.numpy`): these are written in the program's names.
"""

from __future__ import annotations

import ast
import builtins
import copy
import keyword
import linecache
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from teachgraph.core.op import force

if TYPE_CHECKING:
    from teachgraph.core.executor import Call, Step

__all__ = ["Code", "Expression", "Writer"]

_numbers = count(1)


class Expression(str):
    """An attribute that generated code computes as it makes the call: its text."""

    __slots__ = ()


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
    """Writes the lines, and gathers what they refer to.

    No name or attribute gets into the text as it is: variables become identifiers,
    attributes become literals or constants, and statements pass through a syntax tree.

    Attributes:
        wanted: Variables that must have a value, be it None, on every path.
        lines: The text so far.
        steps: The step that each line (from 1) belongs to.
        globals: What the lines refer to.
        names: The identifier of each variable.
        margin: The indentation of the next line.
        helpers: Results of helpers that expressions called, by the text of the call.
    """

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self.wanted = {*wanted}
        self.lines = ["def run(feed, scope):"]
        self.steps: dict[int, Step] = {}
        self.globals: dict[str, Any] = {"np": np, "force": force}
        self.taken = {*self.globals, *dir(builtins), "feed", "scope", "_", "run"}
        self.names: dict[str, str] = {}
        self.margin = "    "
        self.helpers: dict[str, list[ast.expr]] = {}

    def code(self) -> Code:
        """The lines, compiled; tracebacks can show them."""
        source = "\n".join(self.lines) + "\n"
        filename = f"<teachgraph program {next(_numbers)}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        exec(compile(source, filename, "exec"), self.globals)  # noqa: S102  our own text
        names = {identifier: name for name, identifier in self.names.items()}
        return Code(source, self.globals["run"], self.steps, names)

    def name(self, variable: str) -> str:
        """The identifier of a variable: `fc_0.w_0@GRAD` is `fc_0_w_0_GRAD`."""
        if variable not in self.names:
            base = re.sub(r"\W", "_", unicodedata.normalize("NFKC", variable))
            if not base.isidentifier() or keyword.iskeyword(base):
                base = f"v_{base}"
            self.names[variable] = self.fresh(base)
        return self.names[variable]

    def fresh(self, base: str) -> str:
        """An identifier that stands for nothing else, nor for anything of Python's."""
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
            shown = "".join(c if c.isprintable() else " " for c in where.short)
            text = f"{text}  # {shown}"
        self.lines.append(self.margin + text)
        if step is not None:
            self.steps[len(self.lines)] = step

    def body(self, steps: Sequence[Step], *, empty: bool = True) -> None:
        """The lines of an indented body; if there are none and it is empty, `pass`."""
        before, self.margin = self.margin, self.margin + "    "
        helpers, self.helpers = self.helpers, {}  # a body may not run at all
        for step in steps:
            step.write(self)
        if empty and not steps:
            self.line("pass")
        self.margin, self.helpers = before, helpers

    def call(self, call: Call) -> None:
        """The line of a kernel's call; gradients that are lambdas are called."""
        wanted = [name for name in call.outputs if name is not None]
        arguments = ["None" if n is None else self.name(n) for n in call.arguments]
        arguments += [f"{name}={self.literal(v)}" for name, v in call.attrs.items()]
        self.forget(wanted)
        targets = ", ".join("_" if n is None else self.name(n) for n in call.outputs)
        targets += "," if len(call.outputs) == 1 and not call.single else ""
        function = self.uses(call.function, call.operator.type)
        text = f"{function}({', '.join(arguments)})"
        if call.lazy and call.single:
            text = f"force({text})"
        self.line(f"{targets or '_'} = {text}", call, comment=True)
        for name in wanted if call.lazy and not call.single else ():
            self.line(f"{self.name(name)} = force({self.name(name)})", call)

    def inline(self, call: Call, statements: str) -> None:
        """The statements that an op comes to, in this program's names."""
        op, bound = call.operator.op, dict[str, ast.expr]()
        for name, value in call.operator.own_attrs.items():
            bound[name] = ast.parse(self.literal(value), mode="eval").body
        for parameter, variable in [*call.named_arguments(), *call.named_results()]:
            text = "None" if variable is None else self.name(variable)
            bound[parameter] = ast.parse(text, mode="eval").body
        assert op.expression is not None
        rename, first = Rename(self, bound, op.expression.__globals__), True
        for statement in ast.parse(statements).body:
            if not rename.known(statement):
                for line in ast.unparse(rename.visit(statement)).splitlines():
                    self.line(line, call, comment=first)
                    first = False
        self.forget(name for name in call.outputs if name is not None)
        self.release(rename.local)
        self.taken.difference_update(rename.local)

    def forget(self, written: Iterable[str]) -> None:
        """Drop what helpers gave for variables that are written anew."""
        names = {self.name(variable) for variable in written}
        for text in list(self.helpers):
            if not names.isdisjoint(re.findall(r"\w+", text)):
                del self.helpers[text]

    def release(self, identifiers: Sequence[str]) -> None:
        """`del` these, in one line with what the line before releases."""
        if identifiers and self.lines[-1].startswith(f"{self.margin}del "):
            self.lines[-1] += f", {', '.join(identifiers)}"
        elif identifiers:
            self.line(f"del {', '.join(identifiers)}")


class Rename(ast.NodeTransformer):
    """Puts what the names of an op's statements stand for in their place.

    A name that the statements assign is a local variable, any other one a global of the
    op's module, or one of Python's own.
    """

    def __init__(
        self, writer: Writer, bound: dict[str, ast.expr], scope: Mapping[str, Any]
    ) -> None:
        self.writer, self.bound, self.scope = writer, bound, scope
        self.local: list[str] = []

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The identifier or literal that a name stands for."""
        if node.id not in self.bound:
            identifier = node.id
            if isinstance(node.ctx, ast.Store):
                identifier = self.writer.fresh(node.id)
                self.local.append(identifier)
            elif node.id in self.scope:
                identifier = self.writer.uses(self.scope[node.id], node.id)
            self.bound[node.id] = ast.Name(identifier)
        return self.bound[node.id]

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """The value first: in `x = f(x)` a name is read before it is bound."""
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return node

    def known(self, statement: ast.stmt) -> bool:
        """Use the results of a helper again, if one has been called just so before.

        A helper is a function of the op's module, called in an assignment to several
        local names: a loss and its gradient both ask for the index of the labels.
        """
        match statement:
            case ast.Assign([ast.Tuple(targets)], ast.Call(ast.Name(helper))):
                if helper not in self.scope:
                    return False
            case _:
                return False
        text = ast.unparse(self.visit(copy.deepcopy(statement.value)))
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if known := self.writer.helpers.get(text):
            self.bound.update(zip(names, known, strict=True))
            return True
        results = [self.visit(target) for target in targets]
        self.writer.helpers[text] = results
        kept = {ast.unparse(result) for result in results}
        self.local = [name for name in self.local if name not in kept]
        return False
