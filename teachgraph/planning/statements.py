"""Calls of kernels written as the NumPy statements that they come to.

`ops.expressions` says which statements compute what a kernel does, given shapes and
dtypes for which the kernel's checks are known to hold. In generated code they stand in
place of the call, in the names of the program.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, NamedTuple

from teachgraph.control_flow.source import Writer
from teachgraph.core.op import GradOp, Like
from teachgraph.core.program import Variable
from teachgraph.core.steps import Call, Step
from teachgraph.ops.expressions import expressions

__all__ = ["StatementWriter", "Statements", "with_statements"]


class Statements(Call):
    """A call that is written as NumPy statements.

    Attributes:
        call: The call as it is.
        text: The statements, in the op's own names.
        used: The arguments that they read.
        literals: The attributes that they read.
    """

    def __init__(self, call: Call, text: str, attrs: Mapping[str, Any]) -> None:
        # One by one: `vars` would make a dict of each call, and of this.
        self.call, self.operator, self.function = call, call.operator, call.function
        self.arguments, self.told, self.attrs = call.arguments, call.told, call.attrs
        self.outputs, self.single, self.lazy = call.outputs, call.single, call.lazy
        unwanted = frozenset[str]()
        if None in call.outputs:
            unwanted = frozenset(name for name, v in named_results(call) if v is None)
        self.text, words = without(text, unwanted)
        named = named_arguments(call)
        self.used = [v for name, v in named if v is not None and name in words]
        self.literals = {name: v for name, v in attrs.items() if name in words}

    def write(self, writer: Writer) -> None:
        """Write the statements."""
        assert isinstance(writer, StatementWriter)
        writer.inline(self)


def named_arguments(call: Call) -> Iterable[tuple[str, str | None]]:
    """Pair the arguments with the op's names for them: in a list, `x_0`, `x_1`."""
    op = call.operator.op
    names = op.inputs
    if op.variadic:
        last = len(names) - 1
        count = len(call.arguments) - last
        names = (*names[:last], *(f"{names[last]}_{i}" for i in range(count)))
    return zip(names, call.arguments, strict=True)


def named_results(call: Call) -> Iterable[tuple[str, str | None]]:
    """Pair the results with the op's names for them: `dx` for the gradient of `x`."""
    op = call.operator.op
    names: Sequence[str] = op.outputs
    if isinstance(op, GradOp):
        names = [f"d{name}" for name in op.source.of]
    return zip(names, call.outputs, strict=False)


@lru_cache(maxsize=1000)
def without(text: str, unwanted: AbstractSet[str]) -> tuple[str, AbstractSet[str]]:
    """The statements that name nothing of what is unwanted, and the words in them."""
    lines = [(line, {*re.findall(r"\w+", line)}) for line in text.splitlines()]
    wanted = [(line, words) for line, words in lines if words.isdisjoint(unwanted)]
    words = frozenset[str]().union(*(words for _, words in wanted))
    return "\n".join(line for line, _ in wanted), words


def with_statements(
    steps: Sequence[Step],
    given: Mapping[str, Variable],
    variables: Mapping[str, Variable],
) -> list[Step]:
    """Replace calls whose ops have statements where shapes and dtypes are certain.

    Certain are those of `given`, which is compared with the program's declarations; and
    of what ops compute from these, if it is written once.
    """
    known = {name: spec_of(v) for name, v in given.items() if v.type == "LOD_TENSOR"}
    writes = Counter(name for step in steps for name in [*step.outputs, *step.inner])
    written: list[Step] = []
    for step in steps:
        certain = known.keys() >= {*step.arguments} - {None}
        if isinstance(step, Call) and certain:
            written.append(with_statement(step, known))
        else:
            written.append(step)
            certain = False
        for name in filter(None, (*step.outputs, *step.inner)):
            known.pop(name, None)
            once = writes[name] == 1 or name in step.arguments
            variable = variables.get(name) if certain and once else None
            if variable is not None and variable.type == "LOD_TENSOR":
                known[name] = spec_of(variable)
    return written


def spec_of(variable: Variable) -> Like:
    """Shape and dtype of a variable, as a kernel's stand-in."""
    return Like((variable.shape, variable.dtype))


def with_statement(call: Call, known: Mapping[str, Like]) -> Call:
    """Ask the op of a call for its statements, given what is known of its arguments."""
    op = call.operator.op
    expression = expressions.get(op.type)
    if expression is None:
        return call
    likes = [None if name is None else known[name] for name in call.arguments]
    attrs = op.complete(own := call.operator.own_attrs)
    if isinstance(op, GradOp):
        attrs = {name: attrs[name] for name in op.source.defaults}
    text = expression(*likes, **attrs)
    return call if text is None else Statements(call, text, own)


class Template(NamedTuple):
    """A statement of an op, with gaps for its names; literals are filled in.

    Attributes:
        pieces: The text; every second piece is a name.
        names: The names, and whether the statement assigns them.
        helper: Of a call of a function of the op's module, assigned to several local
            names: the function, the call, the local names. A loss and its gradient
            both ask for the index of the labels.
    """

    pieces: list[str]
    names: Mapping[str, bool]
    helper: tuple[str, Template, list[str]] | None


@lru_cache(maxsize=1000)
def templates(text: str, literals: tuple[tuple[str, str], ...]) -> list[Template]:
    """Parse statements of an op, with these literals for the names of attributes."""
    return [template(statement, dict(literals)) for statement in ast.parse(text).body]


def template(statement: ast.AST, literals: Mapping[str, str]) -> Template:
    """Take a statement apart; see `templates`."""
    gaps, helper = Gaps(literals), None
    match statement:
        case ast.Assign([ast.Tuple(targets)], ast.Call(ast.Name(function)) as call):
            results = [target.id for target in targets if isinstance(target, ast.Name)]
            helper = function, template(copy.deepcopy(call), literals), results
    pieces = ast.unparse(gaps.visit(statement)).split(GAP)
    return Template(pieces, gaps.names, helper)


GAP = "\0"
"""Stands on both sides of a name in a text that has gaps: no source contains it."""


class Gaps(ast.NodeTransformer):
    """Marks the names in a statement, and puts literals in their place."""

    def __init__(self, literals: Mapping[str, str]) -> None:
        self.literals = literals
        self.names: dict[str, bool] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return a literal, or a name between the marks of a gap."""
        if node.id in self.literals:
            return ast.parse(self.literals[node.id], mode="eval").body
        self.names[node.id] = self.names.get(node.id) or isinstance(node.ctx, ast.Store)
        return ast.Name(f"{GAP}{node.id}{GAP}")


class StatementWriter(Writer):
    """A writer that puts the statements of ops into the program's names.

    Attributes:
        helpers: Results of helpers that statements called, by the text of the call.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        super().__init__(wanted)
        self.helpers: dict[str, list[str]] = {}

    def body(self, steps: Sequence[Step], *, empty: bool = True) -> None:
        """Write an indented body; it may not run at all, so its results are its own."""
        before, self.helpers = self.helpers, {}
        super().body(steps, empty=empty)
        self.helpers = before

    def call(self, call: Call) -> None:
        """Write a call; what helpers gave for its results holds no more."""
        super().call(call)
        self.forget(call)

    def inline(self, step: Statements) -> None:
        """Write the statements of an op, in this program's names."""
        bound = {
            parameter: "None" if variable is None else self.name(variable)
            for parameter, variable in [*named_arguments(step), *named_results(step)]
        }
        expression: Any = expressions[step.operator.type]
        names, first = Names(self, bound, expression.__globals__), True
        literals = ((name, self.literal(v)) for name, v in step.literals.items())
        for statement in templates(step.text, tuple(literals)):
            if not names.known(statement):
                for line in names.fill(statement).splitlines():
                    self.line(line, step, comment=first)
                    first = False
        self.forget(step)
        self.release(names.local)
        self.taken.difference_update(names.local)

    def forget(self, call: Call) -> None:
        """Drop what helpers gave for variables that a call writes anew."""
        if not self.helpers:
            return
        names = {self.name(variable) for variable in call.outputs if variable}
        for text in list(self.helpers):
            if not names.isdisjoint(re.findall(r"\w+", text)):
                del self.helpers[text]


class Names:
    """Identifiers for the names in an op's statements.

    A name that the statements assign is a local variable, any other one a global of the
    op's module, or one of Python's own.
    """

    def __init__(
        self, writer: StatementWriter, bound: dict[str, str], scope: dict[str, Any]
    ) -> None:
        self.writer, self.bound, self.scope = writer, bound, scope
        self.local: list[str] = []

    def fill(self, statement: Template) -> str:
        """A statement in the program's names."""
        for name, assigned in statement.names.items():
            if name not in self.bound:
                self.bind(name, assigned=assigned)
        pieces = statement.pieces.copy()
        pieces[1::2] = map(self.bound.__getitem__, pieces[1::2])
        return "".join(pieces)

    def bind(self, name: str, *, assigned: bool) -> None:
        """Find the identifier for a name that is no variable of the program."""
        self.bound[name] = name
        if assigned:
            self.bound[name] = self.writer.fresh(name)
            self.local.append(self.bound[name])
        elif name in self.scope:
            self.bound[name] = self.writer.uses(self.scope[name], name)

    def known(self, statement: Template) -> bool:
        """Use the results of a helper again, if one has been called just so before."""
        if statement.helper is None or statement.helper[0] not in self.scope:
            return False
        _, call, targets = statement.helper
        text = self.fill(call)
        if known := self.writer.helpers.get(text):
            self.bound.update(zip(targets, known, strict=True))
            return True
        for target in targets:
            self.bind(target, assigned=True)
        results = [self.bound[target] for target in targets]
        self.writer.helpers[text] = results
        self.local = [name for name in self.local if name not in results]
        return False
