"""The user's current line: from markers in the traced source, or from stack frames.

A traced source gets a call before each statement, so that every start of a line is
known without `sys.settrace`. An op belongs to the innermost frame of that source;
without one, to the line that was marked last. Of code without markers those starts are
known after which something happened.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from threading import get_ident
from time import perf_counter
from types import CodeType, FrameType
from typing import Any

from teachgraph_widgets.calls import Call, first_started, frames_of
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.step_sampling import Pause, Region

__all__ = ["MARKER", "Cursor", "Source", "mark", "marked", "running"]

MARKER = "__teachgraph_line__"
"""The name of the marker function, which must be among the globals of traced code."""

ALWAYS = 50
"""Number of starts of a line that are recorded in any case."""

QUIET = 0.01
"""Seconds per recorded start beyond that, for a line without events."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
WITHIN = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_tokens = count(1)


class Source:
    """A traced source text, with the statements, loops and names of its syntax tree.

    Attributes:
        text: The text to show.
        filename: That of its code objects; if empty, set by the first marker.
        token: Its number, which its markers pass.
        starts: For each line, the first line of its statement.
        loops: For each line in a loop, first and last line of the innermost loop.
        bodies: For each loop's line, the line of the first statement inside.
        entries: The lines at which functions begin to run.
        names: For each statement's line, the names that its scope binds.
        read_names: For each statement's line, the names that its scope reads.
        top: The names that the outermost scope binds.
        has_markers: True if its code tells each start of a statement.
        root: The code of the `with` block that is traced, if it is one.
    """

    def __init__(self, text: str, filename: str = "") -> None:
        self.text, self.filename, self.token = text, filename, next(_tokens)
        self.starts: dict[int, int] = {}
        self.loops: dict[int, tuple[int, int]] = {}
        self.bodies: dict[int, int] = {}
        self.entries: set[int] = set()
        self.names: dict[int, Sequence[str]] = {}
        self.read_names: dict[int, Sequence[str]] = {}
        self.top: Sequence[str] = ()
        self.has_markers = False
        self.root: CodeType | None = None
        self._repeating: set[int] = set()

    def read(self, tree: ast.AST) -> None:
        """Read the lines and names of a scope, and of the scopes inside it."""
        bound, used = bound_names(tree), names_in(tree, ast.Load)
        self.top = self.top or bound
        for statement in statements(tree):
            last = statement.end_lineno or statement.lineno
            self.starts.update(
                dict.fromkeys(range(statement.lineno, last + 1), statement.lineno)
            )
            self.names[statement.lineno] = bound
            self.read_names[statement.lineno] = used
            if isinstance(statement, LOOPS):
                end = statement.body[-1].end_lineno or last
                lines = range(statement.lineno, end + 1)
                self.loops.update(dict.fromkeys(lines, (statement.lineno, end)))
                self.bodies[statement.lineno] = statement.body[0].lineno
            elif any(isinstance(node, WITHIN) for node in ast.walk(statement)):
                self._repeating.add(statement.lineno)
            if isinstance(statement, SCOPES):
                first = is_text(statement.body[0]) and len(statement.body) > 1
                self.entries.add(statement.body[first].lineno)
                self.read(statement)

    def is_header(self, line: int, inside: int) -> bool:
        """True if `line` begins a loop around another line."""
        first, last = self.loops.get(line, (0, 0))
        return line == first <= inside <= last

    def may_repeat(self, line: int) -> bool:
        """True if a loop runs the statement at `line` again, whole."""
        is_inside = line in self.loops and not self.is_header(line, line)
        return is_inside and line not in self._repeating

    def share_loop(self, one: int, other: int) -> bool:
        """True if a loop is around both lines."""
        return any(
            first <= one <= last and first <= other <= last
            for first, last in set(self.loops.values())
        )

    @classmethod
    def of_file(cls, filename: str, text: str) -> Source:
        """Return a source whose code is compiled already, without markers."""
        source = cls(text, filename)
        try:
            source.read(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError):
            source.starts.clear()
        return source


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield a scope's statements, outer ones first, without inner functions' own."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            yield from statements(node)


def bound_names(tree: ast.AST) -> tuple[str, ...]:
    """Return the parameters of a scope, and the names that its own statements bind."""
    names = dict[str, None]()
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        names.update(
            (a.arg, None) for a in ast.walk(tree.args) if isinstance(a, ast.arg)
        )
    return tuple(names | dict.fromkeys(names_in(tree, ast.Store)))


def names_in(tree: ast.AST, context: type[ast.expr_context]) -> tuple[str, ...]:
    """Return the names that a scope's own statements bind, or read: by `context`."""
    names = dict[str, None]()
    stack = list(ast.iter_child_nodes(tree))
    while stack:
        node = stack.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            names[node.id] = None
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))
    return tuple(names)


class Markers(ast.NodeTransformer):
    """Inserts `__teachgraph_line__(token, line)` before each statement."""

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
        """Return a body with markers; docstring and `__future__` imports stay first."""
        documented = isinstance(owner, (*SCOPES, ast.Module))
        result: list[ast.stmt] = []
        # A line starts once, however many statements it has; a function's at each call.
        line = 0 if documented else getattr(owner, "lineno", 0)
        for index, statement in enumerate(body):
            first = documented and index == 0 and is_text(statement)
            if not first and not is_future(statement) and statement.lineno != line:
                result.append(self.marker(statement))
                line = statement.lineno
            result.append(statement)
        return result

    def marker(self, statement: ast.stmt) -> ast.stmt:
        """Return the marker call of a statement, at the statement's own place."""
        arguments: list[ast.expr] = [
            ast.Constant(self.token),
            ast.Constant(statement.lineno),
        ]
        called = ast.Call(ast.Name(MARKER, ast.Load()), arguments, [])
        marker = ast.copy_location(ast.Expr(called), statement)
        # A traceback that underlines a line must not underline the marker's.
        return ast.fix_missing_locations(marker)


def is_text(statement: ast.stmt) -> bool:
    """True if a statement is a string literal, as a docstring is."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_future(statement: ast.stmt) -> bool:
    """True if a statement is `from __future__ import ...`."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def marked(tree: ast.Module, source: Source) -> ast.Module:
    """Insert a marker before each statement; leave the tree unchanged on failure.

    >>> tree = marked(ast.parse("y = f(x)"), Source("y = f(x)"))
    >>> print(ast.unparse(tree))  # doctest: +ELLIPSIS
    __teachgraph_line__(..., 1)
    y = f(x)
    """
    try:
        source.read(tree)
        Markers(source.token).visit(tree)
        source.has_markers = True
    except Exception:
        source.starts.clear()
    return tree


class Cursor:
    """The current position in the traced source.

    Attributes:
        token: The number that its markers pass.
        line: The line that runs.
        visits: The number of starts of each line.
        thread: The thread that began the trace; the events of others are ignored.
        find_in: Searches a namespace for names of tensors, given the names to look up.
        has_unnamed: True if tensors without names wait for `find_in`; a scope's names
            if only another scope may still name them.
        pause: The unrecorded steps under way, and the call that ends them.
        due: The moment after which a busy line is told again, and what names mean.
        wait: Called with each line that starts, before it runs.
        tell_names: Takes a namespace, the names to tell of, their scope and a line.
        engine: The code of engines other than the framework, if it stands in the same
            source: what it does belongs to the line that called it.
    """

    def __init__(self, source: Source, log: EventLog) -> None:
        self.source, self.log, self.token = source, log, source.token
        self.line = 0
        self.visits: dict[int, int] = {}
        self.thread = get_ident()
        self.find_in: Callable[[Mapping[str, Any], Sequence[str]], bool] = ignore
        self.has_unnamed: bool | Sequence[str] = False
        self.pause: Pause | None = None
        self.wait: Callable[[int], None] | None = None
        self.engine: frozenset[CodeType] = frozenset()
        self.tell_names: Tell = ignore_names
        self._entries = source.entries
        self._marking = False
        self._calls: list[Call] = []
        self._places: list[int] = []
        self.due = 0.0
        self._untold = 0

    def mark(self, line: int) -> None:
        """Record the start of a statement, at once or with its first event."""
        if get_ident() != self.thread:
            return
        if self.engine and sys._getframe(2).f_code in self.engine:
            return
        log, visits, pause = self.log, self.visits, self.pause
        visits[line] = starts = visits.get(line, 0) + 1
        if (
            pause is not None
            and starts >= pause.due.get(line, 0)
            and pause.ends(sys._getframe(2), line)
        ):
            pause.end(line)
        if self.has_unnamed:
            self.find_names(sys._getframe(2), line)
        if log.pending:
            self._untold += 1
            if line in self._entries or log.callers:
                self.keep_callers(sys._getframe(2), line)
        now = perf_counter()
        if starts > ALWAYS and now < self.due:
            self.line = log.pending = line
            log.starts = starts
            return
        last, self.line, self.due = self.line, line, now + QUIET
        if not self._marking:
            self._marking = True
            self.source.filename = sys._getframe(2).f_code.co_filename
        log.pending = 0
        self.tell(sys._getframe(2), line, last)
        log.pending, log.starts = line, starts if starts > ALWAYS else None
        log.add_all(line, ())

    def keep_callers(self, frame: FrameType, line: int) -> None:
        """Keep those untold statements that called what a frame runs: they are told."""
        names = self.source.names
        if line not in self._entries and names.get(line) is names.get(self.line):
            return
        log = self.log
        outer = frames_of(frame, self.source, self.engine)[:-1]
        starts = self.source.starts
        lines = {starts.get(call.f_lineno, call.f_lineno) for call in outer}
        untold = (*log.callers, (log.pending, log.starts))
        log.callers = [each for each in untold if each[0] in lines]
        self._untold += len(untold) - 1 - len(log.callers)

    def place(self) -> int:
        """Return the user's line of the current event."""
        filename = self.source.filename
        frame: FrameType | None = sys._getframe(3)  # nearer ones are the observer's
        outermost = None
        while frame is not None:
            if frame.f_code.co_filename == filename:
                if frame.f_code not in self.engine:
                    return self.at(frame)
                outermost = frame
            frame = frame.f_back
        return self.line if outermost is None else self.at(outermost)

    @property
    def marking(self) -> bool:
        """True if the source has markers, and one has run."""
        return self._marking

    def region(self) -> Region:
        """Return the innermost running loop of the source, or else the statement."""
        inner: FrameType | None = None
        lines: list[int] = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                inner, line = inner or frame, frame.f_lineno
                lines.insert(0, self.source.starts.get(line, line))
                if line in self.source.loops:
                    return Region(frame.f_code, *self.source.loops[line], lines)
            frame = frame.f_back
        return Region(None if inner is None else inner.f_code, self.line, self.line)

    def lines_in(self, region: Region, frame: FrameType | None) -> list[int]:
        """Return the lines of a region's running statement and of those that it called.

        Args:
            region: The region.
            frame: The innermost frame.
        """
        lines: list[int] = []
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                line = frame.f_lineno
                lines.insert(0, self.source.starts.get(line, line))
                if frame.f_code is region.code:
                    break
            frame = frame.f_back
        return lines

    def at(self, frame: FrameType) -> int:
        """Return the line of the statement that a frame of the source is in."""
        line = frame.f_lineno
        line = self.source.starts.get(line, line)
        if not self._marking:
            self.follow(frame, line)
        self.line = line
        return line

    def follow(self, frame: FrameType, line: int) -> None:
        """Note which statements have started, in code without markers."""
        source = self.source
        frames = frames_of(frame, source, self.engine)
        places = [outer.f_lasti for outer in frames]
        if places == self._places and line == self.line:  # further events of an op
            return
        starts, calls = source.starts, list[Call]()
        for outer in frames:
            number = outer.f_lineno
            calls.append((outer.f_code, starts.get(number, number), outer.f_lasti))
        first = first_started(self._calls, calls, source)
        self._places, self._calls = places, calls
        if first < len(calls):
            started = [number for _, number, _ in calls[first:]]
            for number, outer in zip(started, frames[first:], strict=True):
                self.visits[number] = self.visits.get(number, 0) + 1
                self.look_at(outer, number)
            *callers, self.log.pending = started
            self.log.callers = [(number, None) for number in callers]
            self.log.starts = None
        elif line != self.line:
            self.look_at(frame, line)

    def look_at(self, frame: FrameType, line: int) -> None:
        """Find and tell what a scope's names mean: of a busy line, now and then."""
        if self.has_unnamed:
            self.find_names(frame, line)
        now = perf_counter()
        if self.visits.get(line, 0) <= ALWAYS or now >= self.due:
            self.due = now + QUIET
            self.tell(frame, line, self.line)

    def tell(self, frame: FrameType, line: int, at: int) -> None:
        """Tell what the names of a scope mean, before its next statement runs."""
        names = self.source.names.get(line, ())
        if names:
            is_top = names is self.source.top
            scope = "" if is_top else frame.f_code.co_name
            self.tell_names(frame.f_locals, names, scope, at)

    def find_names(self, frame: FrameType, line: int) -> None:
        """Search the scope of `line` for names of tensors that have none yet.

        If a function has named one, its caller's names are searched as well.
        """
        names = self.source.names.get(line, ())
        if names and names is not self.has_unnamed:
            self.has_unnamed = False
            named_inside = self.find_in(frame.f_locals, names)
            if named_inside and names is not self.source.top:
                self.has_unnamed = names

    def name_of(self, thing: Any) -> str:
        """Return the name that the innermost running scope of the source has for it.

        `self.net` is `net`; of a function that has no name for it, its module's.
        Empty if there is none.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.source.filename:
            frame = frame.f_back
        if frame is None:
            return ""
        names, outer = frame.f_locals, frame.f_globals
        owner = getattr(names.get("self"), "__dict__", {})
        further = () if names is outer else outer.items()
        for name, value in [*names.items(), *owner.items(), *further]:
            if value is thing and isinstance(name, str) and not name.startswith("_"):
                return name
        return ""

    def find_names_now(self) -> bool:
        """Search the innermost running scope of the source for names of tensors.

        Returns:
            True if that scope is a function, whose names are local.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and (
            frame.f_code.co_filename != self.source.filename
            or frame.f_code in self.engine
        ):
            frame = frame.f_back
        if frame is None:
            return False
        line = self.source.starts.get(frame.f_lineno, frame.f_lineno)
        bound = self.source.names.get(line, ())
        self.find_in(frame.f_locals, bound)
        self.find_in(frame.f_locals, self.source.read_names.get(line, ()))
        return bound is not self.source.top

    def visit(self) -> int:
        """Return the number of starts of the current line."""
        return self.visits.get(self.line, 0)

    def begin(self) -> None:
        """Start to receive the calls of markers."""
        running.append(self)

    @property
    def starts(self) -> list[tuple[str, int]]:
        """The lines of which not all starts are told, with their number."""
        visits = self.visits.items() if self._marking else ()
        return [(str(line), count) for line, count in visits if count > ALWAYS]

    def end(self) -> None:
        """Stop receiving the calls of markers, and count the unrecorded starts."""
        if self in running:
            running.remove(self)
        if self._marking and self.log.pending > 0:
            self._untold += 1 + len(self.log.callers)
        if self._untold:
            self.log.leave_out(*UNTOLD, self._untold)


UNTOLD = (
    "repeats of a line",
    "after 50 a line that records nothing is told once in 10 ms",
)


Tell = Callable[[Mapping[str, Any], Sequence[str], str, int], None]


def ignore_names(
    namespace: Mapping[str, Any], names: Sequence[str], scope: str, line: int
) -> None:
    """Tell nothing."""


def ignore(namespace: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Search nothing."""
    return False


running: list[Cursor] = []
"""The cursors of the running sources: process-wide, as observers are."""


def mark(token: int, line: int) -> None:
    """Pass a marker's call on to the cursor of the source `token`.

    A function that outlives its trace keeps its markers; they have no cursor then.
    """
    __tracebackhide__ = True
    for cursor in running:
        if cursor.token == token:
            try:
                cursor.mark(line)
                if cursor.wait is None:  # nobody steps through the cell
                    continue
                if line == cursor.line and get_ident() == cursor.thread:
                    cursor.wait(line)
            except Exception as error:  # never raise in the user's line
                cursor.log.broke(error)
