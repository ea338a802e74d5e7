"""Code without jumps: what follows one is put where it is not reached.

`break`, `continue` and `return` become flags. What follows an `if` that jumps goes into
its other branch, or under `if not flag:` where that will not do.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from teachgraph.jit.transform.names import load, placed

__all__ = ["Jumps", "Straight"]


class Straight(NamedTuple):
    """Statements without jumps.

    Attributes:
        body: They themselves.
        flags: The flags they may set, where they jumped.
        always: Whether they jump whichever way they go.
        whole: Whether what followed them in their body is among them.
    """

    body: list[ast.stmt]
    flags: list[str]
    always: bool = False
    whole: bool = False


class Jumps:
    """Replaces the jumps of a body; subclasses say which, and by what."""

    def jump(self, node: ast.stmt) -> Straight | None:
        """What a jump becomes, None for any other statement."""
        raise NotImplementedError

    def loop(self, node: ast.For | ast.While) -> Straight:
        """What a loop in the body becomes."""
        return Straight([node], [])

    def straight(self, body: Sequence[ast.stmt]) -> Straight:
        """The body without jumps."""
        made: list[ast.stmt] = []
        flags: list[str] = []
        for at, node in enumerate(body):
            found = self.one(node, body[at + 1 :])
            made += found.body
            flags += [flag for flag in found.flags if flag not in flags]
            if found.always or found.whole:
                return Straight(made, flags, found.always)
            if found.flags:
                rest = self.straight(body[at + 1 :])
                if rest.body:
                    made.append(unless(found.flags, rest.body))
                flags += [flag for flag in rest.flags if flag not in flags]
                return Straight(made, flags, rest.always)
        return Straight(made, flags)

    def one(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> Straight:
        """One statement without jumps; an `if` may take in all that follows it."""
        found = self.jump(node)
        if found is not None:
            return found
        if isinstance(node, ast.If):
            return self.branches(node, rest)
        if isinstance(node, (ast.For, ast.While)):
            return self.loop(node)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            inside = self.straight(node.body)
            node.body = inside.body or [ast.copy_location(ast.Pass(), node)]
            return Straight([node], inside.flags, inside.always)
        if isinstance(node, ast.Try):
            return self.attempt(node)
        if isinstance(node, ast.Match):
            return self.match(node)
        return Straight([node], [])

    def branches(self, node: ast.If, rest: Sequence[ast.stmt]) -> Straight:
        """An `if`: if one branch always jumps, the rest belongs to the other."""
        yes = self.straight(node.body)
        no = self.straight([*node.orelse, *rest] if yes.always else node.orelse)
        if not (yes.flags or no.flags or yes.always or no.always):
            return Straight([node], [])
        takes_rest = yes.always or no.always
        if takes_rest and not yes.always:
            yes = self.joined(yes, rest)
        node.body = yes.body or [ast.copy_location(ast.Pass(), node)]
        node.orelse = no.body
        flags = list(dict.fromkeys([*yes.flags, *no.flags]))
        return Straight([node], flags, yes.always and no.always, takes_rest)

    def joined(self, first: Straight, rest: Sequence[ast.stmt]) -> Straight:
        """A branch and what follows the `if`."""
        then = self.straight(rest)
        guarded = first.flags and then.body
        body = [unless(first.flags, then.body)] if guarded else then.body
        flags = list(dict.fromkeys([*first.flags, *then.flags]))
        return Straight([*first.body, *body], flags, then.always)

    def attempt(self, node: ast.Try) -> Straight:
        """A `try`, whose `else` runs only if nothing jumped."""
        flags: list[str] = []
        always = self.within(node, node, flags)
        for handler in node.handlers:
            always &= self.within(handler, node, flags)
        last = self.straight(node.orelse)
        node.orelse = [unless(flags, last.body)] if flags and last.body else last.body
        flags += [flag for flag in last.flags if flag not in flags]
        end = self.straight(node.finalbody)
        node.finalbody = end.body
        flags += [flag for flag in end.flags if flag not in flags]
        return Straight([node], flags, always or end.always)

    def within(
        self, part: ast.Try | ast.ExceptHandler, node: ast.Try, flags: list[str]
    ) -> bool:
        """Change the body of one part of a `try`; whether it always jumps."""
        inside = self.straight(part.body)
        part.body = inside.body or [ast.copy_location(ast.Pass(), node)]
        flags += [flag for flag in inside.flags if flag not in flags]
        return inside.always

    def match(self, node: ast.Match) -> Straight:
        """A `match`: each case by itself."""
        flags: list[str] = []
        for case in node.cases:
            inside = self.straight(case.body)
            case.body = inside.body or [ast.copy_location(ast.Pass(), node)]
            flags += [flag for flag in inside.flags if flag not in flags]
        return Straight([node], flags)


def unless(flags: Sequence[str], body: list[ast.stmt]) -> ast.If:
    """`if not (a or b): body`."""
    names: list[ast.expr] = [load(flag) for flag in flags]
    any_of = names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names)
    test = ast.UnaryOp(ast.Not(), any_of)
    placed(test, body[0])
    return ast.copy_location(ast.If(test, body, []), body[0])
