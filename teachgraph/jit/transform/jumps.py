"""Code without jumps: `break`, `continue` and `return` become flags.

The statements after an `if` that jumps move into its other branch; where both branches
may reach them, they move under `if not flag:`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from teachgraph.jit.transform.names import load, set_lines

__all__ = ["Jumps", "Straight"]


class Straight(NamedTuple):
    """Statements without jumps.

    Attributes:
        body: The statements.
        flags: The flags they may set in place of a jump.
        always: True if they jump on every path.
        whole: True if they include the statements that followed them in their body.
    """

    body: list[ast.stmt]
    flags: list[str]
    always: bool = False
    whole: bool = False


class Jumps:
    """Replace the jumps of a body; a subclass says which, and by what."""

    def jump(self, node: ast.stmt) -> Straight | None:
        """Return the replacement of a jump, None for any other statement."""
        raise NotImplementedError

    def loop(self, node: ast.For | ast.While) -> Straight:
        """Return the replacement of a loop in the body."""
        return Straight([node], [])

    def straight(self, body: Sequence[ast.stmt]) -> Straight:
        """Remove the jumps of a body."""
        statements: list[ast.stmt] = []
        flags: list[str] = []
        for at, node in enumerate(body):
            part = self.one(node, body[at + 1 :])
            statements += part.body
            flags += [flag for flag in part.flags if flag not in flags]
            if part.always or part.whole:
                return Straight(statements, flags, part.always)
            if part.flags:
                rest = self.straight(body[at + 1 :])
                if rest.body:
                    statements.append(if_not(part.flags, rest.body))
                flags += [flag for flag in rest.flags if flag not in flags]
                return Straight(statements, flags, rest.always)
        return Straight(statements, flags)

    def one(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> Straight:
        """Remove the jumps of a statement; an `if` may include all that follows it."""
        jump = self.jump(node)
        if jump is not None:
            return jump
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
        """Change an `if`: if one branch always jumps, the rest moves into the other."""
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
        """Append the statements after an `if` to one of its branches."""
        then = self.straight(rest)
        guarded = first.flags and then.body
        body = [if_not(first.flags, then.body)] if guarded else then.body
        flags = list(dict.fromkeys([*first.flags, *then.flags]))
        return Straight([*first.body, *body], flags, then.always)

    def attempt(self, node: ast.Try) -> Straight:
        """Change a `try`, whose `else` runs only if nothing has jumped."""
        flags: list[str] = []
        always = self.within(node, node, flags)
        for handler in node.handlers:
            always &= self.within(handler, node, flags)
        last = self.straight(node.orelse)
        node.orelse = [if_not(flags, last.body)] if flags and last.body else last.body
        flags += [flag for flag in last.flags if flag not in flags]
        end = self.straight(node.finalbody)
        node.finalbody = end.body
        flags += [flag for flag in end.flags if flag not in flags]
        return Straight([node], flags, always or end.always)

    def within(
        self, part: ast.Try | ast.ExceptHandler, node: ast.Try, flags: list[str]
    ) -> bool:
        """Change the body of one part of a `try`; return True if it always jumps."""
        inside = self.straight(part.body)
        part.body = inside.body or [ast.copy_location(ast.Pass(), node)]
        flags += [flag for flag in inside.flags if flag not in flags]
        return inside.always

    def match(self, node: ast.Match) -> Straight:
        """Change the cases of a `match`, each by itself."""
        flags: list[str] = []
        for case in node.cases:
            inside = self.straight(case.body)
            case.body = inside.body or [ast.copy_location(ast.Pass(), node)]
            flags += [flag for flag in inside.flags if flag not in flags]
        return Straight([node], flags)


def if_not(flags: Sequence[str], body: list[ast.stmt]) -> ast.If:
    """`if not (a or b): body`."""
    names: list[ast.expr] = [load(flag) for flag in flags]
    any_of = names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names)
    test = ast.UnaryOp(ast.Not(), any_of)
    set_lines(test, body[0])
    return ast.copy_location(ast.If(test, body, []), body[0])
