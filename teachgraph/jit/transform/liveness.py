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
from teachgraph.jit.transform.names import bound, changed, read, scope_nodes

__all__ = ["Facts", "captured", "live_variables", "maybe_unbound"]


class Facts(NamedTuple):
    """The variables that one `if` or loop changes and that are live around it.

    Attributes:
        live_before: Those whose value from before may be read.
        live_after: Those whose value from after may be read.
    """

    live_before: list[str]
    live_after: list[str]


def live_variables(
    function: ast.FunctionDef, always: set[str], elsewhere: Collection[str]
) -> dict[ast.AST, Facts]:
    """Compute the live variables around each `if` and loop of a function.

    Args:
        function: The function.
        always: The variables that nested functions read, which may be at any time.
        elsewhere: The names that it declares global or nonlocal.
    """
    own = (bound(function.body) | parameters(function)) - set(elsewhere)
    walk = Liveness(always, own)
    walk.body(function.body, always)
    return walk.facts


class Liveness:
    """Backward pass over a function that computes its live variables.

    Attributes:
        always: The variables that nested functions read.
        own: The local variables of this function; others are not passed on.
        facts: The results, by `if` or loop.
    """

    def __init__(self, always: set[str], own: set[str]) -> None:
        self.always, self.own = always, own
        self.facts: dict[ast.AST, Facts] = {}

    def body(self, body: Sequence[ast.stmt], after: set[str]) -> set[str]:
        """Return the variables that are live before some statements."""
        for node in reversed(body):
            after = self.one(node, after)
        return after

    def one(self, node: ast.stmt, after: set[str]) -> set[str]:
        """Return the variables that are live before a statement."""
        before = getattr(self, f"before_{kind_of(node)}", self.before_other)
        live: set[str] = before(node, after)
        return live

    def before_other(self, node: ast.stmt, after: set[str]) -> set[str]:
        return (after - bound([node])) | read(node) | self.always

    def before_if(self, node: ast.If, after: set[str]) -> set[str]:
        before = self.body(node.body, after) | self.body(node.orelse, after)
        own = changed([*node.body, *node.orelse]) & self.own
        self.facts[node] = Facts(sorted(own & before), sorted(own & after))
        return before | read(node.test)

    def before_while(self, node: ast.While, after: set[str]) -> set[str]:
        return self.loop(node, node.test, after | read(node.test))

    def before_for(self, node: ast.For, after: set[str]) -> set[str]:
        stop = stop_of(node)
        head = after if stop is None else after | {stop}
        return self.loop(node, node.target, head) | read(node.iter)

    def loop(
        self, node: ast.For | ast.While, each: ast.expr, head: set[str]
    ) -> set[str]:
        """Return the variables that are live at the beginning of an iteration.

        The end of its body may be followed by its beginning, so the live variables
        there are a fixed point.

        Args:
            node: The loop.
            each: The part of its first line that every iteration runs.
            head: The variables that are live there, whatever the body reads.
        """
        while not (inside := self.body(node.body, head) - bound([each])) <= head:
            head = head | inside
        carried = sorted(changed([*node.body, each]) & head & self.own)
        self.facts[node] = Facts(carried, carried)
        return head

    def before_with(self, node: ast.With, after: set[str]) -> set[str]:
        inside = self.body(node.body, after)
        items = [item.context_expr for item in node.items]
        return (inside - bound(node.items)) | read(*items) | self.always

    def before_match(self, node: ast.Match, after: set[str]) -> set[str]:
        cases = [self.body(case.body, after) for case in node.cases]
        return set().union(after, read(node.subject, *node.cases), *cases)

    def before_try(self, node: ast.Try, after: set[str]) -> set[str]:
        # An error may leave it anywhere, so everything that it reads is live.
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
    walk = Assigned(facts)
    walk.body(function.body, parameters(function))
    loads = [name for name in walk.loads if name.id in walk.missing]
    return sorted(walk.missing), loads


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
        after = getattr(self, f"after_{kind_of(node)}", self.after_other)
        assigned: set[str] = after(node, known)
        return assigned

    def after_other(self, node: ast.AST, known: set[str]) -> set[str]:
        self.reads(node, known)
        return known | bound([node])

    def after_if(self, node: ast.If, known: set[str]) -> set[str]:
        known = self.after_other(node.test, known)
        return self.body(node.body, known) & self.body(node.orelse, known)

    def after_while(self, node: ast.While, known: set[str]) -> set[str]:
        self.body(node.body, known)
        return known

    def after_for(self, node: ast.For, known: set[str]) -> set[str]:
        self.reads(node.iter, known)
        self.body(node.body, known | bound([node.target]))
        return known

    def after_with(self, node: ast.With, known: set[str]) -> set[str]:
        return self.body(node.body, known | bound(node.items))

    def after_try(self, node: ast.Try | ast.Match, known: set[str]) -> set[str]:
        for inner in ast.walk(node):
            if inner in self.facts:
                self.missing |= set(self.facts[inner].live_before) - known
        return known

    after_match = after_try

    def after_functiondef(self, node: ast.stmt, known: set[str]) -> set[str]:
        # Its body is read later, when the names may have values.
        return known | bound([node])

    after_asyncfunctiondef = after_classdef = after_functiondef

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
        node
        for node in scope_nodes(function.body)
        if isinstance(node, (*SCOPES, ast.Lambda))
    ]
    return read(*inside)


def kind_of(node: ast.AST) -> str:
    """Return the name of a kind of statement: `if`, `while`, `functiondef`."""
    return type(node).__name__.lower()


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
