"""Which variables matter after each `if` and loop, and which may not exist before it.

A branch or a loop hands on what somebody still reads, and nothing else: what only its
own body uses stays inside. Live variables are found from the end of a function to its
beginning (Aho and others, Compilers, 9.2.5), assigned ones from its beginning.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import NamedTuple

from teachgraph.jit.transform.break_continue import stop_of
from teachgraph.jit.transform.names import bound, changed, here, read

__all__ = ["Facts", "Liveness", "captured", "maybe_unbound"]


class Facts(NamedTuple):
    """What matters around one `if` or loop.

    Attributes:
        given: The variables it changes and that somebody may read as they were before.
        wanted: The variables it changes and that somebody may read afterwards.
    """

    given: list[str]
    wanted: list[str]


class Liveness:
    """Goes through a function from its end to its beginning.

    Attributes:
        always: What may be read at any time, by functions inside.
        own: The variables of this function, which alone are handed on.
        facts: What was found, by `if` or loop.
    """

    def __init__(
        self, function: ast.FunctionDef, always: set[str], elsewhere: Collection[str]
    ) -> None:
        self.always = always
        self.own = (bound(function.body) | parameters(function)) - set(elsewhere)
        self.facts: dict[ast.AST, Facts] = {}
        self.body(function.body, set(always))

    def body(self, body: Sequence[ast.stmt], after: set[str]) -> set[str]:
        """What is live before some statements."""
        for node in reversed(body):
            after = self.one(node, after)
        return after

    def one(self, node: ast.stmt, after: set[str]) -> set[str]:
        """What is live before a statement."""
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
        """What is live before an `if`."""
        before = self.body(node.body, after) | self.body(node.orelse, after)
        own = changed([*node.body, *node.orelse]) & self.own
        self.facts[node] = Facts(sorted(own & before), sorted(own & after))
        return before | read(node.test)

    def loop(self, node: ast.For | ast.While, after: set[str]) -> set[str]:
        """What is live before a loop: its end may be followed by its beginning."""
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
        """What is live before a `try`: anything it reads, wherever it breaks off."""
        live = after | read(node)
        handlers = (handler.body for handler in node.handlers)
        for part in (node.body, *handlers, node.orelse, node.finalbody):
            live |= self.body(part, set(live))
        return live


def maybe_unbound(
    function: ast.FunctionDef, facts: dict[ast.AST, Facts]
) -> tuple[list[str], list[ast.Name]]:
    """What a branch or loop is given that may not be assigned, and where it is read."""
    known = parameters(function)
    walk = Assigned(facts)
    walk.body(function.body, set(known))
    unbound = walk.missing - known
    return sorted(unbound), [name for name in walk.loads if name.id in unbound]


def parameters(function: ast.FunctionDef) -> set[str]:
    """What a function calls its arguments."""
    return {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}


class Assigned:
    """Goes through a function from its beginning.

    Attributes:
        facts: What matters around each branch and loop.
        missing: What these are given that may not have been assigned.
        loads: Where names are read that may not have been assigned.
    """

    def __init__(self, facts: dict[ast.AST, Facts]) -> None:
        self.facts = facts
        self.missing: set[str] = set()
        self.loads: list[ast.Name] = []

    def body(self, body: Sequence[ast.stmt], known: set[str]) -> set[str]:
        """What has surely been assigned after some statements."""
        for node in body:
            if node in self.facts:
                self.missing |= set(self.facts[node].given) - known
            known = self.one(node, known)
        return known

    def one(self, node: ast.stmt, known: set[str]) -> set[str]:
        """What has surely been assigned after a statement."""
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
                    self.missing |= set(self.facts[inner].given) - known
            return known
        if not isinstance(node, SCOPES):
            self.reads(node, known)
        return known | bound([node])

    def reads(self, node: ast.AST, known: set[str]) -> None:
        """Note the names in a tree that may not have been assigned."""
        self.loads += [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Load)
            and part.id not in known
        ]


def captured(function: ast.FunctionDef) -> set[str]:
    """What functions inside a function read, which may happen at any time."""
    inside = [
        node for node in here(function.body) if isinstance(node, (*SCOPES, ast.Lambda))
    ]
    return read(*inside)


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
