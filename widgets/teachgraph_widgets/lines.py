"""Which of the user's lines is running: markers in the code, and frames on the stack.

A traced source gets a call before each statement, so that every line that starts is
known without `sys.settrace`. What an op is blamed on is the innermost frame of that
source; where there is none, the line that was marked last.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from threading import get_ident
from time import perf_counter
from types import FrameType
from typing import Any

from teachgraph_widgets.log import EventLog
from teachgraph_widgets.pace import Nap, Region

__all__ = ["MARKER", "Cursor", "Source", "mark", "marked", "running"]

MARKER = "__teachgraph_line__"
"""The name that traced code calls; it must be among its globals."""

ALWAYS = 50
"""So many starts of a line are told, whatever it records."""

QUIET = 0.01
"""Seconds in which only one later start is told of a line that records nothing."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_tokens = count(1)


class Source:
    """A traced text, and what its syntax says.

    Attributes:
        text: What is shown.
        filename: That of its code objects; found by the first marker if empty.
        token: Its number, by which its markers are told from others'.
        starts: For each line, where its statement starts.
        loops: For each line in a loop, the first and the last of the innermost.
        names: For each statement's line, the names its scope binds.
        read_names: Likewise, the names it reads: they may be bound elsewhere.
        top: The names that the outermost scope binds.
    """

    def __init__(self, text: str, filename: str = "") -> None:
        self.text, self.filename, self.token = text, filename, next(_tokens)
        self.starts: dict[int, int] = {}
        self.loops: dict[int, tuple[int, int]] = {}
        self.names: dict[int, Sequence[str]] = {}
        self.read_names: dict[int, Sequence[str]] = {}
        self.top: Sequence[str] = ()

    def read(self, tree: ast.AST) -> None:
        """Learn the lines and names of its syntax tree."""
        found, used = bound(tree), named(tree, ast.Load)
        self.top = self.top or found
        for statement in statements(tree):
            last = statement.end_lineno or statement.lineno
            self.starts.update(
                dict.fromkeys(range(statement.lineno, last + 1), statement.lineno)
            )
            self.names[statement.lineno] = found
            self.read_names[statement.lineno] = used
            if isinstance(statement, LOOPS):
                end = statement.body[-1].end_lineno or last
                lines = range(statement.lineno, end + 1)
                self.loops.update(dict.fromkeys(lines, (statement.lineno, end)))
            if isinstance(statement, SCOPES):
                self.read(statement)

    @classmethod
    def of_file(cls, filename: str, text: str) -> Source:
        """A source whose code is there already, without markers."""
        source = cls(text, filename)
        try:
            source.read(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError):
            source.starts.clear()
        return source


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a scope, outer ones first, not those of functions in it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            yield from statements(node)


def bound(tree: ast.AST) -> tuple[str, ...]:
    """The names that a scope's own statements assign, and its parameters."""
    found = dict[str, None]()
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found.update(
            (a.arg, None) for a in ast.walk(tree.args) if isinstance(a, ast.arg)
        )
    return tuple(found | dict.fromkeys(named(tree, ast.Store)))


def named(tree: ast.AST, context: type[ast.expr_context]) -> tuple[str, ...]:
    """The names that a scope's own statements bind, or read."""
    found = dict[str, None]()
    stack = list(ast.iter_child_nodes(tree))
    while stack:
        node = stack.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found[node.id] = None
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))
    return tuple(found)


class Markers(ast.NodeTransformer):
    """Puts `__teachgraph_line__(token, line)` before each statement."""

    def __init__(self, token: int) -> None:
        self.token = token

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Mark the statements of every body that a node has."""
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body:
                setattr(node, field, self.marked(body, node))
        return node

    def marked(self, body: list[ast.stmt], owner: ast.AST) -> list[ast.stmt]:
        """A body with its markers; docstring and `__future__` stay first."""
        documented = isinstance(owner, (*SCOPES, ast.Module))
        result: list[ast.stmt] = []
        for index, statement in enumerate(body):
            first = documented and index == 0 and is_text(statement)
            if not first and not is_future(statement):
                result.append(self.marker(statement))
            result.append(statement)
        return result

    def marker(self, statement: ast.stmt) -> ast.stmt:
        """The call that says a statement starts."""
        arguments: list[ast.expr] = [
            ast.Constant(self.token),
            ast.Constant(statement.lineno),
        ]
        called = ast.Call(ast.Name(MARKER, ast.Load()), arguments, [])
        marker = ast.copy_location(ast.Expr(called), statement)
        # A traceback that underlines a line must not underline the marker's.
        return ast.fix_missing_locations(marker)


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a string and nothing else."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_future(statement: ast.stmt) -> bool:
    """Whether a statement is `from __future__ import ...`."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def marked(tree: ast.Module, source: Source) -> ast.Module:
    """The tree with a marker before each statement; as it is, if that fails.

    >>> tree = marked(ast.parse("y = f(x)"), Source("y = f(x)"))
    >>> print(ast.unparse(tree))  # doctest: +ELLIPSIS
    __teachgraph_line__(..., 1)
    y = f(x)
    """
    try:
        source.read(tree)
        Markers(source.token).visit(tree)
    except Exception:
        source.starts.clear()
    return tree


class Cursor:
    """Where the traced source is.

    Attributes:
        token: The number that its markers call with.
        line: The line that runs.
        visits: How often each line has started.
        thread: The thread that began the trace; what others do is not its own.
        look: Called with a frame and the names its scope binds, when a line is over.
        curious: Whether there is something to look for: in another scope, if it is one.
        nap: Where the recorder does not listen, and what wakes it.
        wait: Called with each line that starts, before it runs.
    """

    def __init__(self, source: Source, log: EventLog) -> None:
        self.source, self.log, self.token = source, log, source.token
        self.line = 0
        self.visits: dict[int, int] = {}
        self.thread = get_ident()
        self.look: Callable[[Mapping[str, Any], Sequence[str]], bool] = ignore
        self.curious: bool | Sequence[str] = False
        self.nap: Nap | None = None
        self.wait: Callable[[int], None] | None = None
        self._marking = False
        self._due = 0.0
        self._untold = 0

    def mark(self, line: int) -> None:
        """A statement starts: tell at once what is new, later what may be nothing."""
        if get_ident() != self.thread:
            return
        log, visits, nap = self.log, self.visits, self.nap
        if nap is not None and nap.ends(sys._getframe(2), line):
            nap.wake()
        if self.curious:
            self.find_names(sys._getframe(2), line)
        if log.pending:
            self._untold += 1
        before = visits.get(line, 0)
        visits[line] = before + 1
        self.line = line
        now = perf_counter()
        if before >= ALWAYS and now < self._due:
            log.pending = line
            return
        self._due = now + QUIET
        if not self._marking:
            self._marking = True
            self.source.filename = sys._getframe(2).f_code.co_filename
        log.pending = 0
        log.add(line, "line")

    def place(self) -> int:
        """The line to blame for what is announced now."""
        filename = self.source.filename
        frame: FrameType | None = sys._getframe(3)  # nearer ones are the observer's
        while frame is not None:
            if frame.f_code.co_filename == filename:
                return self.at(frame)
            frame = frame.f_back
        return self.line

    @property
    def marking(self) -> bool:
        """Whether there are markers in the source."""
        return self._marking

    def region(self) -> Region:
        """The innermost loop of the source that runs now, or else the statement."""
        inner: FrameType | None = None
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                inner = inner or frame
                if frame.f_lineno in self.source.loops:
                    return Region(frame.f_code, *self.source.loops[frame.f_lineno])
            frame = frame.f_back
        return Region(None if inner is None else inner.f_code, self.line, self.line)

    def at(self, frame: FrameType) -> int:
        """The statement that a frame of the source is in."""
        line = frame.f_lineno
        line = self.source.starts.get(line, line)
        if line != self.line:
            if not self._marking:
                if self.curious:
                    self.find_names(frame, frame.f_lineno)
                self.visits[line] = self.visits.get(line, 0) + 1
            self.line = line
        return line

    def find_names(self, frame: FrameType, line: int) -> None:
        """Look what the lines so far have called the tensors they made.

        Where a function has named one, its caller's names are looked at as well.
        """
        names = self.source.names.get(line, ())
        if names and names is not self.curious:
            self.curious = False
            named_inside = self.look(frame.f_locals, names)
            if named_inside and names is not self.source.top:
                self.curious = names

    def look_now(self) -> bool:
        """Look what the innermost code of the source calls its tensors at this time.

        Returns:
            Whether that is a function, whose names are its own.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.source.filename:
            frame = frame.f_back
        if frame is None:
            return False
        line = self.source.starts.get(frame.f_lineno, frame.f_lineno)
        bound = self.source.names.get(line, ())
        self.look(frame.f_locals, bound)
        self.look(frame.f_locals, self.source.read_names.get(line, ()))
        return bound is not self.source.top

    def visit(self) -> int:
        """How often the current line has started."""
        return self.visits.get(self.line, 0)

    def begin(self) -> None:
        """From now on, markers are heard."""
        running.append(self)

    def end(self) -> None:
        """The source has run."""
        if self in running:
            running.remove(self)
        self._untold += self.log.pending > 0
        if self._untold:
            self.log.leave_out(*UNTOLD, self._untold)


UNTOLD = ("line starts", "after 50 a line that records nothing is told once in 10 ms")


def ignore(namespace: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Look at nothing."""
    return False


running: list[Cursor] = []
"""The cursors of the sources that run: process-wide, as observers are."""


def mark(token: int, line: int) -> None:
    """What the markers call: a statement of the source `token` starts.

    A function that outlives its trace keeps its markers; they find nobody then.
    """
    __tracebackhide__ = True
    for cursor in running:
        if cursor.token == token:
            try:
                cursor.mark(line)
                if cursor.wait is not None and get_ident() == cursor.thread:
                    cursor.wait(line)
            except Exception as error:  # the line itself is not to blame
                cursor.log.broke(error)
