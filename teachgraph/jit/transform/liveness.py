"""Liveness: the variables that enter and leave each `if` and loop of a function.

A branch or a loop returns the variables that are still live after it, and no others.
Liveness is computed backwards from the end of a function (Aho and others, Compilers,
9.2.5); the variables that may have no value yet, forwards from its beginning.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import NamedTuple

from teachgraph.jit.transform.break_continue import stop_of
from teachgraph.jit.transform.names import bound, changed, here, read

__all__ = ["Facts", "Liveness", "captured", "maybe_unbound"]


class Facts(NamedTuple):
    """The variables that one `if` or loop changes and that are live around it.

    Attributes:
        live_before: Those whose value from before may be read.
        live_after: Those whose value from after may be read.
    """

    live_before: list[str]
    live_after: list[str]


class Liveness:
    """Backward pass over a function that computes its live variables.

    Attributes:
        always: The variables that nested functions read, which may be at any time.
        own: The local variables of this function; others are not passed on.
        facts: The results, by `if` or loop.
    """

    def __init__(
        self, function: ast.FunctionDef, always: set[str], elsewhere: Collection[str]
    ) -> None:
        self.always = always
        self.own = (bound(function.body) | parameters(function)) - set(elsewhere)
        self.facts: dict[ast.AST, Facts] = {}
        self.body(function.body, set(always))

    def body(self, body: Sequence[ast.stmt], after: set[str]) -> set[str]:
        """Return the variables that are live before some statements."""
        for node in reversed(body):
            after = self.one(node, after)
        return after

    def one(self, node: ast.stmt, after: set[str]) -> set[str]:
        """Return the variables that are live before a statement."""
        if isinstance(node, ast.If):
            return self.branch(node, after)
        if isinstance(node, (ast.For, ast.While)):
            return self.loop(node, after)
        if isinstance(node, ast.Try):
            return self.attempt(node, after)
        if isinstance(node, ast.With):
            inside = self.body(node.body, after)
            items = [item.context_expr for item in node.items]
            return (inside - bound(node.items)) | read(*items) | self.always
        if isinstance(node, ast.Match):
            cases = [self.body(case.body, after) for case in node.cases]
            return set().union(after, read(node.subject, *node.cases), *cases)
        return (after - bound([node])) | read(node) | self.always

    def branch(self, node: ast.If, after: set[str]) -> set[str]:
        """Return the variables that are live before an `if`."""
        before = self.body(node.body, after) | self.body(node.orelse, after)
        own = changed([*node.body, *node.orelse]) & self.own
        self.facts[node] = Facts(sorted(own & before), sorted(own & after))
        return before | read(node.test)

    def loop(self, node: ast.For | ast.While, after: set[str]) -> set[str]:
        """Return the variables that are live before a loop.

        The end of its body may be followed by its beginning, so the live variables
        there are a fixed point.
        """
        each = [node.target] if isinstance(node, ast.For) else []
        asked = set() if isinstance(node, ast.For) else read(node.test)
        stop = stop_of(node) if isinstance(node, ast.For) else None
        head = after | asked | ({stop} if stop else set())
        while True:
            inside = self.body(node.body, head) - bound(each)
            if inside <= head:
                break
            head |= inside
        test = [] if isinstance(node, ast.For) else [node.test]
        carried = sorted(changed([*node.body, *each, *test]) & head & self.own)
        self.facts[node] = Facts(carried, carried)
        return head | (read(node.iter) if isinstance(node, ast.For) else set())

    def attempt(self, node: ast.Try, after: set[str]) -> set[str]:
        """Return the variables that are live before a `try`.

        An error may leave it anywhere, so everything that it reads is live.
        """
        live = after | read(node)
        handlers = (handler.body for handler in node.handlers)
        for part in (node.body, *handlers, node.orelse, node.finalbody):
            live |= self.body(part, set(live))
        return live


def maybe_unbound(
    function: ast.FunctionDef, facts: dict[ast.AST, Facts]
) -> tuple[list[str], list[ast.Name]]:
    """Find variables that enter a branch or loop and may have no value.

    Returns:
        Their names, and the places where they are read.
    """
    known = parameters(function)
    walk = Assigned(facts)
    walk.body(function.body, set(known))
    unbound = walk.missing - known
    return sorted(unbound), [name for name in walk.loads if name.id in unbound]


def parameters(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's parameters."""
    return {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}


class Assigned:
    """Forward pass over a function that computes the variables with a value.

    Attributes:
        facts: The live variables around each branch and loop.
        missing: Variables that enter one of these and may have no value.
        loads: The places where such names may be read.
    """

    def __init__(self, facts: dict[ast.AST, Facts]) -> None:
        self.facts = facts
        self.missing: set[str] = set()
        self.loads: list[ast.Name] = []

    def body(self, body: Sequence[ast.stmt], known: set[str]) -> set[str]:
        """Return the variables that surely have a value after some statements."""
        for node in body:
            if node in self.facts:
                self.missing |= set(self.facts[node].live_before) - known
            known = self.one(node, known)
        return known

    def one(self, node: ast.stmt, known: set[str]) -> set[str]:
        """Return the variables that surely have a value after a statement."""
        if isinstance(node, ast.If):
            self.reads(node.test, known)
            known = known | bound([node.test])
            return self.body(node.body, known) & self.body(node.orelse, known)
        if isinstance(node, ast.While):
            self.body(node.body, set(known))
            return known
        if isinstance(node, ast.For):
            self.reads(node.iter, known)
            self.body(node.body, known | bound([node.target]))
            return known
        if isinstance(node, ast.With):
            return self.body(node.body, known | bound(node.items))
        if isinstance(node, (ast.Try, ast.Match)):
            for inner in ast.walk(node):
                if inner in self.facts:
                    self.missing |= set(self.facts[inner].live_before) - known
            return known
        if not isinstance(node, SCOPES):
            self.reads(node, known)
        return known | bound([node])

    def reads(self, node: ast.AST, known: set[str]) -> None:
        """Note the names in a tree that may have no value."""
        self.loads += [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Load)
            and part.id not in known
        ]


def captured(function: ast.FunctionDef) -> set[str]:
    """Return the names that nested functions read."""
    inside = [
        node for node in here(function.body) if isinstance(node, (*SCOPES, ast.Lambda))
    ]
    return read(*inside)


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
