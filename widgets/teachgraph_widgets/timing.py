"""The observer behind the profiler: begin, end and result size of each op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import get_ident
from time import perf_counter
from typing import Any

from teachgraph.core.callsite import user_frame
from teachgraph.core.tape import Node
from teachgraph.static.operator import Operator
from teachgraph.utils.observe import Observer
from teachgraph_widgets.spans import Span

__all__ = ["Timer"]


class Timer(Observer):
    """Records the spans of the thread that created it.

    Eager ops are timed one by one, gradients from the begin of a rule to the last
    gradient that it returns. A program runs operator by operator: each is timed from
    the end of the one before.

    Attributes:
        spans: Those that have ended, in the order of their ends.
    """

    def __init__(self, *, shapes: bool = False) -> None:
        self.spans: list[Span] = []
        self.zero = perf_counter()
        self.thread = get_ident()
        self.shapes = shapes
        self._open: list[Span] = []
        self._rule: Span | None = None
        self._last = 0.0
        self._blocks: dict[int, tuple[float, int]] = {}

    def now(self) -> float:
        """Return the seconds since the timer began."""
        return perf_counter() - self.zero

    def begin(self, name: str, kind: str) -> Span | None:
        """Begin a span inside the open ones."""
        if get_ident() != self.thread:
            return None
        span = Span(name, kind, 0.0, depth=len(self._open), place=place())
        self._open.append(span)
        span.start = self.now()
        return span

    def end(self, span: Span | None) -> None:
        """End a span, and those inside it that an error left open."""
        if span is None or get_ident() != self.thread or span not in self._open:
            return
        end = self.now()
        while self._open:
            top = self._open.pop()
            top.end = end
            self.spans.append(top)
            if top is span:
                return

    def close(self) -> None:
        """End all open spans."""
        if self._open:
            self.end(self._open[0])

    def op_begin(
        self, op: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
    ) -> None:
        """Begin the span of an op."""
        span = self.begin(op, "op")
        if span is not None and self.shapes:
            span.shapes = ", ".join(str(list(getattr(x, "shape", ()))) for x in inputs)

    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Any,
    ) -> None:
        """End the span of an op, with the size of its results."""
        if get_ident() == self.thread and self._open:
            span = self._open[-1]
            self.end(span)
            span.size = sum([t.data.nbytes for t in outputs])

    def op_failed(
        self,
        op: str,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
        error: BaseException,
    ) -> None:
        """End the span of an op that raised."""
        mine = get_ident() == self.thread
        if mine and self._open and self._open[-1].kind == "op":
            self.end(self._open[-1])

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """Begin the span of a backward pass."""
        self.begin("backward", "pass")

    def grad_begin(self, node: Node) -> None:
        """Begin the span of a gradient rule."""
        if get_ident() == self.thread:
            depth = len(self._open)
            self._rule = Span(f"{node.op.type}_grad", "grad", self.now(), depth=depth)

    def grad_flows(self, node: Any, index: int, target: Any, grad: Any) -> None:
        """Extend the rule's span to this gradient: no announcement marks its end."""
        rule = self._rule
        if rule is None or get_ident() != self.thread:
            return
        if not rule.end:
            self.spans.append(rule)
        rule.end = self.now()
        rule.size += getattr(getattr(grad, "data", grad), "nbytes", 0)

    def backward_end(self, roots: Sequence[Any]) -> None:
        """End the span of the backward pass."""
        self._rule = None
        self.end_last("pass")

    def run_begin(self, program: Any, feed: Mapping[str, Any]) -> None:
        """Begin the span of a program's run."""
        if self.begin("Executor.run", "run") is not None:
            self._last, self._blocks = self.now(), {}

    def run_op(self, operator: Operator, outputs: Mapping[str, Any]) -> None:
        """Record the span of an Operator; a sub-block's spans are nested in it."""
        if get_ident() != self.thread:
            return
        block, inner = operator.block.idx, operator.sub_block
        start = self._last
        if inner is not None:
            start, first = self._blocks.pop(inner.idx, (start, len(self.spans)))
            for span in self.spans[first:]:
                span.depth += 1
        elif block and block not in self._blocks:
            self._blocks[block] = start, len(self.spans)
        size = sum([getattr(value, "nbytes", 0) for value in outputs.values()])
        where = operator.callsite
        span = Span(operator.type, "op", start, depth=len(self._open), size=size)
        span.place = ("", 0) if where is None else (where.file, where.line)
        self.spans.append(span)
        span.end = self._last = self.now()

    def run_end(self, program: Any) -> None:
        """End the span of the run."""
        self.end_last("run")

    def end_last(self, kind: str) -> None:
        """End the innermost open span of a kind."""
        if get_ident() == self.thread:
            spans = [span for span in self._open if span.kind == kind]
            self.end(spans[-1] if spans else None)


def place() -> tuple[str, int]:
    """Return the user's file and line."""
    frame = user_frame(4)
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
