"""Markers: the code does what it did, and every line that starts is known."""

from __future__ import annotations

import ast
import asyncio
import sys
import threading
import traceback
from typing import Any

import pytest
from teachgraph_widgets import lines
from teachgraph_widgets.lines import MARKER, Source, mark, marked, running
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg
from teachgraph.core.observe import observers
from tests.widgets.recording import record

PROGRAM = '''\
"""A module."""
from __future__ import annotations

import functools

def twice(f):
    """Run it twice."""
    @functools.wraps(f)
    def both(*a):
        f(*a)
        return f(*a)
    return both

class Counter:
    """Counts."""
    __slots__ = ("n",)
    def __init__(self):
        self.n = 0
    @twice
    def up(self) -> Nonsense:
        self.n += 1
        return self.n

counter = Counter()
found = []
for i in range(3):
    if i == 0:
        continue
    elif i == 1:
        found.append(("one", counter.up()))
    else:
        found.append(("more", counter.up()))
else:
    found.append("end")
while True:
    try:
        raise KeyError(found[0])
    except KeyError as error:
        found.append(error.args[0][0])
        break
    finally:
        found.append("finally")
match found:
    case [first, *_]:
        found.append(first[1])
with open(__file__) as file: found.append(file.read(3))
squares = [n * n for n in range(3)]; total = sum(squares)
found.append((twice.__doc__, Counter.__doc__, total, __doc__))
def numbers():
    got = yield 1
    yield got
g = numbers(); found.append((next(g), g.send(5)))
async def wait():
    async with lock:
        return [n async for n in stream()]
'''


def run(text: str, *, trace: bool, **names: Any) -> dict[str, Any]:
    tree = ast.parse(text)
    if trace:
        marked(tree, Source(text))
    namespace = {"__name__": "traced", MARKER: mark, **names}
    code = compile(tree, "<traced>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102  a text of ours
    return namespace


def test_marked_code_does_what_it_did() -> None:
    plain = run(PROGRAM, trace=False, __file__=__file__)
    with_markers = run(PROGRAM, trace=True, __file__=__file__)
    assert with_markers["found"] == plain["found"]
    assert with_markers["__doc__"] == "A module."
    assert with_markers["Counter"].up.__annotations__ == {"return": "Nonsense"}


def test_coroutines_are_marked_too() -> None:
    recording = record(
        "import asyncio\n"
        "async def add(a, b):\n"
        "    c = a + b\n"
        "    return c\n"
        "result = asyncio.run(add(1, 2))\n"
    )
    assert recording.names["result"] == 3
    assert [e["line"] for e in recording.all("line")] == [1, 2, 5, 3, 4]


def test_a_traceback_points_at_the_line_and_shows_no_marker() -> None:
    text = "def f(x):\n    y = 1\n    return x / 0\n\nf(3)\n"
    with pytest.raises(ZeroDivisionError) as caught:
        run(text, trace=True)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [(f.lineno, f.colno, f.name) for f in frames if f.filename == "<traced>"]
    assert ours == [(5, 0, "<module>"), (3, 11, "f")]


@pytest.mark.parametrize("text", ["", "pass", '"""Only a text."""', "# nothing"])
def test_the_smallest_sources_run(text: str) -> None:
    assert record(text).one("cell_end")["ok"]


def test_code_nested_too_deep_to_mark_runs_as_it_is() -> None:
    depth = sys.getrecursionlimit()
    tree: Any = ast.Module([ast.Expr(ast.Constant(1))], [])
    for _ in range(depth):
        tree = ast.Module([tree], [])
    assert marked(tree, Source("")) is tree


def test_an_operator_is_blamed_on_its_statement_even_over_several_lines() -> None:
    recording = record(
        """\
x = tg.to_tensor(2.0)
y = (
    x
    * 3.0
)
"""
    )
    assert recording.one("node")["line"] == 2


def test_code_that_calls_ours_from_a_library_is_blamed_on_the_calling_line() -> None:
    library: dict[str, Any] = {"tg": tg}
    code = compile("def f(x):\n\n\n    return x * 2.0\n", "library.py", "exec")
    exec(code, library)  # noqa: S102  a text of ours
    recording = record("x = tg.to_tensor(1.0)\ny = f(x)\n", f=library["f"])
    assert recording.one("node")["line"] == 2


def test_a_hundred_thousand_statements_lose_nothing() -> None:
    recording = record(
        """\
total = 0
for i in range(50_000):
    total += i
    if i % 5_000 == 0:
        x = tg.to_tensor(float(i))
"""
    )
    assert recording.names["total"] == sum(range(50_000))
    assert [e["line"] for e in recording.all("tensor")] == [5] * 10
    values = [e["value"]["mean"] for e in recording.all("value")]
    assert values == [float(i) for i in range(0, 50_000, 5_000)]
    told = len(recording.all("line"))
    untold = recording.one("dropped", what="repeats of a line")["count"]
    assert told < 5_000
    assert told + untold == 2 + 50_000 * 2 + 10, "each start is told or counted"


def test_a_short_loop_is_told_whole() -> None:
    recording = record("n = 0\nfor _ in range(40):\n    n += 1\n    m = n\n")
    assert len(recording.all("line", line=3)) == 40
    assert recording.all("dropped") == []


def test_each_event_stands_after_the_start_of_its_line() -> None:
    recording = record(
        "x = tg.to_tensor(1.0)\n"
        "for _ in range(500):\n"
        "    y = x * 2.0\n"
        "    z = y + 1.0\n"
    )
    line = 0
    for event in recording.events:
        if event["kind"] == "line":
            line = event["line"]
        elif event["kind"] == "node":
            assert event["line"] == line


def test_a_function_that_outlives_its_trace_still_runs() -> None:
    names = record("def f(x):\n    y = x + 1\n    return y\n").names
    assert names["f"](2) == 3
    again = record("z = f(1)\n", f=names["f"])
    assert [e["line"] for e in again.all("line")] == [1], "its lines are another's"


def test_other_threads_are_not_recorded() -> None:
    def elsewhere() -> None:
        tg.to_tensor(1.0) * 2.0

    def in_a_thread(work: Any) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    recording = record(
        "def local():\n"
        "    y = tg.to_tensor(3.0)\n"
        "in_a_thread(elsewhere)\n"
        "in_a_thread(local)\n",
        in_a_thread=in_a_thread,
        elsewhere=elsewhere,
    )
    assert recording.all("node") == []
    assert recording.all("tensor") == []
    assert [e["line"] for e in recording.all("line")] == [1, 3, 4]


def test_two_traces_may_be_nested() -> None:
    recording = record(
        """\
x = tg.to_tensor(1.0)
with tg.record() as inner:
    y = x * 2.0
z = y + 1.0
"""
    )
    kinds = [(e["type"], e["line"]) for e in recording.all("node")]
    assert kinds == [("scale", 3), ("scale", 4)]
    within = [e for e in recording.names["inner"].events if e["kind"] == "node"]
    assert len(within) == 1


def test_nobody_listens_once_it_is_over() -> None:
    before = list(observers)
    recording = record("x = tg.to_tensor(1.0)\nraise RuntimeError('stop')")
    assert isinstance(recording.error, RuntimeError)
    assert observers == before
    assert running == []


def test_what_breaks_the_recorder_does_not_break_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> int:
        raise OSError("no more numbers")

    monkeypatch.setattr(lines.Cursor, "place", broken)
    recording = record("x = tg.to_tensor(1.0)\ny = x * 2.0\nz = y + 1.0\n")
    assert recording.error is None
    assert recording.names["z"].item() == 3.0
    dropped = recording.one("dropped", what="announcements")
    assert dropped["count"] == 3
    assert "no more numbers" in dropped["why"]


def test_a_log_that_is_full_says_how_much_is_missing() -> None:
    source = Source("")
    recorder = Recorder(source)
    recorder.log.most = 20
    recorder.begin()
    x = tg.to_tensor(1.0)
    for _ in range(100):
        x = x * 2.0
    recorder.end()
    events: list[Any] = recorder.log.events()
    assert [e["seq"] for e in events] == list(range(len(events)))
    (dropped,) = (e for e in events if e["kind"] == "dropped")
    assert dropped["what"] == "events"
    made = 2 + 3 * 100  # of the leaf; of each op
    kept = [e for e in events if e["kind"] in ("tensor", "node", "value")]
    assert len(events) <= 20 + 2, "and what was dropped, and the end"
    assert dropped["count"] + len(kept) == made
    assert events[-1]["kind"] == "cell_end"


def test_a_cell_that_awaits_can_be_compiled() -> None:
    tree = marked(ast.parse("await sleep(0)\nx = 1"), Source(""))
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(tree, "<traced>", "exec", flags)
    namespace: dict[str, Any] = {MARKER: mark, "sleep": asyncio.sleep}
    asyncio.run(eval(code, namespace))  # noqa: S307
    assert namespace["x"] == 1


CALLS = """\
def scaled(x, by):
    '''A product.'''
    return x * by
def twice(x):
    y = scaled(x, 2.0)
    return scaled(y, 1.0)
x = tg.ones([2])
for i in range(70):
    a = twice(x) + scaled(x, 3.0)
    b = scaled(x, 5.0)
    c = b + b
"""


def test_a_statement_that_called_a_function_is_told_however_often_it_ran() -> None:
    run = record(CALLS)
    told = [event["line"] for event in run.all("line")][-90:]
    turn = [9, 5, 3, 6, 3, 3, 10, 3, 11]
    assert told == turn * 10
    counts = [e["starts"] for e in run.all("line", line=9) if "starts" in e]
    assert counts == [*range(51, 71)]
    assert not run.all("dropped", what="repeats of a line")


def test_statements_that_have_ended_called_nothing() -> None:
    run = record(
        """\
def scaled(x):
    return x * 2.0
def idle():
    n = 1
    m = n
x = tg.ones([2])
for i in range(70):
    idle()
    idle()
    k = i
    b = scaled(x)
"""
    )
    told = [event["line"] for event in run.all("line")]
    last = [e["seq"] for e in run.all("node")][-2:]
    between = [e["line"] for e in run.all("line") if last[0] < e["seq"] < last[1]]
    assert between[-2:] == [11, 2]
    assert told.count(11) == 70
