"""Transform control flow into calls: one transformer for each construct of Python.

`TABLE` lists them in their order; `print(table())` shows it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from teachgraph.jit.settings import conversion_log
from teachgraph.jit.transform.assert_ import assert_, raise_
from teachgraph.jit.transform.attributes import attributes
from teachgraph.jit.transform.break_continue import break_continue
from teachgraph.jit.transform.calls import attribute, calls, super_, text
from teachgraph.jit.transform.container import container
from teachgraph.jit.transform.control_flow import control_flow, mark
from teachgraph.jit.transform.generators import put_back, set_aside
from teachgraph.jit.transform.guards import guards
from teachgraph.jit.transform.logical import logical
from teachgraph.jit.transform.loop_else import loop_else
from teachgraph.jit.transform.names import CHANGES, CHANGING, Fresh, acts
from teachgraph.jit.transform.return_ import return_
from teachgraph.jit.transform.ternary import ternary
from teachgraph.jit.transform.while_test import while_test

__all__ = ["TABLE", "Transformer", "table", "transformed"]


class Transformer(NamedTuple):
    """A pass over the syntax tree of a function.

    Attributes:
        construct: The construct of Python's that it replaces.
        change: Changes the tree.
        occurs: True for a node with this construct; without one there is no pass.
    """

    construct: str
    change: Callable[[ast.FunctionDef, Fresh], ast.FunctionDef]
    occurs: Callable[[ast.AST], bool]

    @property
    def about(self) -> str:
        """The first line of its docstring."""
        return (self.change.__doc__ or "").splitlines()[0]


def kinds(*types: type[ast.AST]) -> Callable[[ast.AST], bool]:
    """Return a test for nodes of these types."""
    return lambda node: isinstance(node, types)


def has_else(node: ast.AST) -> bool:
    """True for a loop with an `else`."""
    return isinstance(node, (ast.For, ast.While)) and bool(node.orelse)


def returns_early(node: ast.AST) -> bool:
    """True for a statement with a `return` inside; in a function, one may be last."""
    inside = ast.iter_child_nodes(node)
    if isinstance(node, ast.FunctionDef):
        inside = iter(node.body[:-1])
    return any(isinstance(child, ast.Return) for child in inside)


def changes_in_place(node: ast.AST) -> bool:
    """True for a subscript, `del`, and a method that may change its owner."""
    method = getattr(node, "attr", "")
    changing = method in CHANGES or method.endswith("_")
    return changing or isinstance(node, (ast.Subscript, ast.Delete))


def assigns_outside(node: ast.AST) -> bool:
    """True for an assigned or changed attribute, and for a global or nonlocal name."""
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load)
    changed = getattr(node, "id", "") in CHANGING
    return changed or isinstance(node, (ast.Global, ast.Nonlocal))


def decides(node: ast.AST) -> bool:
    """True for `and`, `or`, `not`, `is`, and a chain of comparisons."""
    chained = isinstance(node, ast.Compare) and len(node.ops) > 1
    return chained or isinstance(node, (ast.BoolOp, ast.Not, ast.Is, ast.IsNot))


SCOPES = kinds(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
GENERATORS = kinds(ast.Yield, ast.YieldFrom, ast.AsyncFunctionDef)

TABLE = (
    Transformer("closures", mark, SCOPES),
    Transformer("yield, async", set_aside, GENERATORS),
    Transformer("loop else", loop_else, has_else),
    Transformer("while :=", while_test, acts),
    Transformer("return", return_, returns_early),
    Transformer("break, continue", break_continue, kinds(ast.Break, ast.Continue)),
    Transformer("append, x[i] = v", container, changes_in_place),
    Transformer("self.h = x", attributes, assigns_outside),
    Transformer("assert", assert_, kinds(ast.Assert)),
    Transformer("raise", raise_, kinds(ast.Raise)),
    Transformer("and, or, not", logical, decides),
    Transformer("a if c else b", ternary, kinds(ast.IfExp)),
    Transformer("case if, [if]", guards, kinds(ast.match_case, ast.comprehension)),
    Transformer("f-string", text, kinds(ast.JoinedStr)),
    Transformer("super()", super_, lambda node: getattr(node, "id", "") == "super"),
    Transformer(
        "x.shape", attribute, lambda node: getattr(node, "attr", "") == "shape"
    ),
    Transformer("f(x)", calls, kinds(ast.Call)),
    Transformer("if, while, for", control_flow, kinds(ast.If, ast.While, ast.For)),
    Transformer("yield, async", put_back, lambda node: hasattr(node, "aside")),
)
"""The transformers, in order.

Each relies on those before it: `return` in a loop becomes `break`, jumps become flags,
and only code without jumps can become branches. Names in `f(x)` are replaced last but
one, or the calls that the others insert would be converted too.
"""


def transformed(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Apply the transformers whose construct occurs; each new node gets a line."""
    for number, step in enumerate(TABLE, 1):
        _, *inside = ast.walk(function)
        if any(map(step.occurs, inside)):
            function = step.change(function, fresh)
        if conversion_log.code_level:
            conversion_log.changed(number, step.construct, function, len(TABLE))
    return ast.fix_missing_locations(function)


def table() -> str:
    """List the transformers as text.

    >>> print(table().splitlines()[0])
    closures          Note the variables that nested functions read.
    """
    return "\n".join(f"{step.construct:18}{step.about}" for step in TABLE)
