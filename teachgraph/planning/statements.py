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
from typing import Any

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
    """

    def __init__(self, call: Call, statements: Sequence[str]) -> None:
        vars(self).update(vars(call))
        self.call = call
        words = {line: {*re.findall(r"\w+", line)} for line in statements}
        unwanted = {name for name, variable in named_results(call) if variable is None}
        wanted = [line for line in statements if words[line].isdisjoint(unwanted)]
        used = set[str]().union(*(words[line] for line in wanted))
        named = named_arguments(call)
        self.used = [v for name, v in named if v is not None and name in used]
        self.text = "\n".join(wanted)

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
        written.append(with_statement(step, known) if isinstance(step, Call) else step)
        certain = isinstance(step, Call) and known.keys() >= {*step.arguments} - {None}
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
    """Ask the op of a call for its statements, if what it is given is known."""
    op = call.operator.op
    expression = expressions.get(op.type)
    if expression is None or not known.keys() >= {*call.arguments} - {None}:
        return call
    likes = [None if name is None else known[name] for name in call.arguments]
    attrs = op.complete(call.operator.own_attrs)
    if isinstance(op, GradOp):
        attrs = {name: attrs[name] for name in op.source.defaults}
    text = expression(*likes, **attrs)
    return call if text is None else Statements(call, text.splitlines())


class StatementWriter(Writer):
    """A writer that puts the statements of ops into the program's names.

    Attributes:
        helpers: Results of helpers that statements called, by the text of the call.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        super().__init__(wanted)
        self.helpers: dict[str, list[ast.expr]] = {}

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
        op, bound = step.operator.op, dict[str, ast.expr]()
        for name, value in step.operator.own_attrs.items():
            bound[name] = ast.parse(self.literal(value), mode="eval").body
        for parameter, variable in [*named_arguments(step), *named_results(step)]:
            text = "None" if variable is None else self.name(variable)
            bound[parameter] = ast.parse(text, mode="eval").body
        expression: Any = expressions[op.type]
        rename, first = Rename(self, bound, expression.__globals__), True
        for statement in ast.parse(step.text).body:
            if not rename.known(statement):
                for line in ast.unparse(rename.visit(statement)).splitlines():
                    self.line(line, step, comment=first)
                    first = False
        self.forget(step)
        self.release(rename.local)
        self.taken.difference_update(rename.local)

    def forget(self, call: Call) -> None:
        """Drop what helpers gave for variables that a call writes anew."""
        names = {self.name(variable) for variable in call.outputs if variable}
        for text in list(self.helpers):
            if not names.isdisjoint(re.findall(r"\w+", text)):
                del self.helpers[text]


class Rename(ast.NodeTransformer):
    """Puts what the names of an op's statements stand for in their place.

    A name that the statements assign is a local variable, any other one a global of the
    op's module, or one of Python's own.
    """

    def __init__(
        self, writer: StatementWriter, bound: dict[str, ast.expr], scope: dict[str, Any]
    ) -> None:
        self.writer, self.bound, self.scope = writer, bound, scope
        self.local: list[str] = []

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the identifier or literal that a name stands for."""
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
        """Visit the value first: in `x = f(x)` a name is read before it is bound."""
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
