"""`%%trace` in a real kernel, over the real protocol, seen from the page's side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from teachgraph_widgets.live import MOST_UNNAMED
from teachgraph_widgets.validate import validate

from tests.widgets.front_end import VIEW, Cell, FrontEnd, kernel
from tests.widgets.recording import FOUR_LINES

SET_UP = (
    "%load_ext teachgraph\nimport teachgraph as tg\nimport teachgraph.fluid as fluid"
)
NOBODY_WATCHES = "from teachgraph.core.observe import observers; observers"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernel")


@pytest.fixture(scope="module")
def front_end(folder: Path) -> Iterator[FrontEnd]:
    with kernel(folder) as front_end:
        assert front_end.run(SET_UP).outputs[1:] == []
        yield front_end


@pytest.fixture
def gate(folder: Path) -> Iterator[Path]:
    """A pipe: whoever opens it to read waits until it is written to."""
    path = folder / "gate"
    os.mkfifo(path)
    yield path
    path.unlink()


def rows(cell: Cell) -> list[tuple[str, int]]:
    events = sorted(cell.known().items())
    return [(e["type"], e["line"]) for _, e in events if e["kind"] == "op"]


def test_rows_come_while_the_cell_runs(front_end: FrontEnd, gate: Path) -> None:
    cell = front_end.start(f"%%trace --title Four\n{FOUR_LINES}open('gate').read()")
    front_end.read_until(cell, lambda c: ("sgd", 5) in rows(c))
    assert ("mul", 3) in rows(cell)
    front_end.read_until(cell, lambda c: c.state["head"])
    assert cell.state["head"]["first"] == 0, "for a page that is not ready yet"
    gate.write_text("go")
    front_end.read_until(cell, lambda c: c.ended)
    log = validate(cell.snapshot)
    assert log["title"] == "Four"
    assert cell.state["head"] == {}
    snapshot = {e["seq"]: e for e in log["events"]}
    assert cell.known().items() <= snapshot.items(), "what came live is what was left"


def test_the_source_is_the_cell_as_it_stands(front_end: FrontEnd) -> None:
    text = "%%trace\n\nx = tg.ones([2])  # ones\n"
    (begin, *_), last = front_end.run(text).snapshot["events"], -1
    assert begin["source"] == text
    events = front_end.run(text).snapshot["events"]
    assert [e["line"] for e in events if e["kind"] == "node"] == [3]
    assert events[last]["kind"] == "cell_end"


def test_a_page_that_is_ready_gets_what_it_lacks(front_end: FrontEnd) -> None:
    cell = front_end.run(f"%%trace\n{FOUR_LINES}")
    (view,) = cell.views
    events = cell.snapshot["events"]
    answer = front_end.tell(view, {"type": "ready", "next": 0})
    assert [e for piece in answer.pieces for e in piece["events"]] == events
    assert front_end.tell(view, {"type": "ready", "next": len(events)}).pieces == []


def test_a_page_that_misses_some_gets_exactly_those(front_end: FrontEnd) -> None:
    cell = front_end.run(f"%%trace\n{FOUR_LINES}")
    (view,) = cell.views
    events = cell.snapshot["events"]
    (piece,) = front_end.tell(view, {"type": "gap", "first": 7, "last": 11}).pieces
    assert piece == {"type": "events", "first": 7, "events": events[7:12]}
    (rest,) = front_end.tell(view, {"type": "gap", "first": 30, "last": 10**9}).pieces
    assert rest["events"] == events[30:]


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        "gap",
        {"type": "gap"},
        {"type": "gap", "first": -3, "last": 2},
        {"type": "gap", "first": "0", "last": 2},
        {"type": "gap", "first": True, "last": 2.5},
        {"type": "ready", "next": None},
        {"type": "run", "code": "1/0"},
    ],
)
def test_a_page_that_asks_nonsense_gets_nothing(
    front_end: FrontEnd, message: Any
) -> None:
    (view,) = front_end.run("%%trace\nx = 1").views
    answer = front_end.tell(view, message)
    assert answer.pieces == []
    assert answer.of("error") == answer.of("stream") == []


def test_a_tight_loop_is_sent_in_few_messages_of_bounded_size(
    front_end: FrontEnd,
) -> None:
    body = "x = tg.ones([64])\nfor i in range(5_000):\n    x = x * 1.0001"
    cell = front_end.run(f"%%trace\n{body}")
    events = cell.snapshot["events"]
    assert sum(e["kind"] == "node" for e in events) == 5_001
    seconds = events[-1]["t"]
    assert len(cell.pieces) <= 15 + 30 * seconds + 2
    assert all(size < 1_000_000 for size in cell.sizes)
    following = 0
    for piece in cell.pieces:
        assert piece["first"] == following, "live pieces have no gaps"
        assert piece["events"] == events[following : following + len(piece["events"])]
        following += len(piece["events"])


def test_one_long_line_is_seen_while_it_runs(front_end: FrontEnd, gate: Path) -> None:
    """The timer sends it: nothing more is recorded that could take it along."""
    line = "y = tg.ones([3]) * 2.0; open('gate').read()"
    cell = front_end.start(f"%%trace\n{line}")
    front_end.read_until(
        cell, lambda c: any(e["kind"] == "node" for e in c.known().values())
    )
    gate.write_text("go")
    front_end.read_until(cell, lambda c: c.ended)


CLUSTER = """\
%%trace
from teachgraph import distributed as dist
def work(role):
    dist.all_reduce(tg.to_tensor([1.0]))
    if role.index == 1:
        open('gate').read()
dist.run_local(work, trainers=2)
"""


def test_threads_of_a_cluster_are_seen_while_they_run(
    front_end: FrontEnd, gate: Path
) -> None:
    cell = front_end.start(CLUSTER)

    def sums(cell: Cell) -> list[int]:
        events = [e for _, e in sorted(cell.known().items()) if e["kind"] == "message"]
        return [e["process"] for e in events]

    front_end.read_until(cell, lambda c: sums(c) == [1])
    assert [e["line"] for e in cell.known().values() if e["kind"] == "message"] == [4]
    gate.write_text("go")
    front_end.read_until(cell, lambda c: c.ended)
    validate(cell.snapshot)
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_names_last_expression_and_prints_are_the_cells_own(
    front_end: FrontEnd,
) -> None:
    cell = front_end.run(
        "%%trace\nmine = tg.ones([2]) * 3.0\nprint('hello')\nmine.shape"
    )
    assert cell.result == "[2]"
    assert cell.printed == "hello\n"
    assert front_end.run("mine.tolist()").result == "[3.0, 3.0]"
    hidden = front_end.run("%who").printed
    assert "mine" in hidden
    assert "teachgraph_line" not in hidden


def test_an_error_shows_the_users_own_lines(front_end: FrontEnd) -> None:
    cell = front_end.run(
        "%%trace\ndef f(x):\n    return tg.matmul(x, x)\n\nf(tg.ones([2, 3]))"
    )
    shown = cell.error
    assert "line 5\n" in shown
    assert "----> 5 f(tg.ones([2, 3]))" in shown
    assert "----> 3     return tg.matmul(x, x)" in shown
    assert "# %%trace\n" in shown
    assert "run_line_magic" not in shown
    assert "__teachgraph" not in shown
    assert "widgets/" not in shown
    end = cell.snapshot["events"][-1]
    assert (end["ok"], end["line"]) == (False, 3)
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_an_interrupted_cell_leaves_nobody_watching(
    front_end: FrontEnd, gate: Path
) -> None:
    cell = front_end.start("%%trace\nx = tg.ones([2])\nopen('gate').read()")
    front_end.read_until(cell, lambda c: 3 in [e["line"] for e in c.known().values()])
    front_end.manager.interrupt_kernel()
    front_end.read_until(cell, lambda c: c.ended)
    assert "KeyboardInterrupt" in cell.error
    end = cell.snapshot["events"][-1]
    assert (end["kind"], end["ok"], end["error"]) == (
        "cell_end",
        False,
        "KeyboardInterrupt",
    )
    assert front_end.run(NOBODY_WATCHES).result == "[]"


HELD = """
import gc
from teachgraph_widgets.log import EventLog
gc.collect()
len([thing for thing in gc.get_objects() if isinstance(thing, EventLog)])
"""


def test_the_kernel_holds_the_newest_views_where_cells_have_no_name(
    front_end: FrontEnd,
) -> None:
    before = int(front_end.run(HELD).result)
    cells = [front_end.run("%%trace\nx = tg.ones([2]) * 2.0") for _ in range(12)]
    assert int(front_end.run(HELD).result) <= max(before, MOST_UNNAMED)
    assert all(nodes(cell) for cell in cells), "each page has its own whole log"
    assert not any(cell.of("comm_close") for cell in cells), "it is not taken off"


def test_a_cell_that_is_no_python_is_not_traced(front_end: FrontEnd) -> None:
    cell = front_end.run("%%trace\nx = = 1")
    assert "SyntaxError" in cell.error
    assert cell.views == []
    assert front_end.run("%%trace\n1 + 1").result == "2", "the next one is"


def test_help_and_wrong_options_run_nothing(front_end: FrontEnd) -> None:
    shown = front_end.run("%%trace --help\nprint('ran')").printed
    assert "--no-values" in shown
    assert "ran" not in shown
    refused = front_end.run("%%trace --sideways\nprint('ran')")
    assert "unrecognized arguments: --sideways" in refused.printed
    assert "ran\n" not in refused.printed
    assert refused.views == []


def test_options_are_heeded(front_end: FrontEnd) -> None:
    cell = front_end.run(
        "%%trace --title 'Two words' --no-values --height 300 --theme dark\n"
        "x = tg.ones([2])"
    )
    assert (cell.state["title"], cell.state["height"]) == ("Two words", 300)
    assert cell.state["theme"] == "dark"
    kinds = {e["kind"] for e in cell.snapshot["events"]}
    assert "node" in kinds
    assert "value" not in kinds


def test_await_and_other_magics_work_inside(front_end: FrontEnd) -> None:
    cell = front_end.run(
        "%%trace\n"
        "import asyncio\n"
        "await asyncio.sleep(0)\n"
        "where = %pwd\n"
        "x = tg.ones([1])\n"
        "1"
    )
    assert cell.result == "1"
    nodes = [e for e in cell.snapshot["events"] if e["kind"] == "node"]
    assert [e["line"] for e in nodes] == [5]
    timed = front_end.run("%%time\n%%trace\ny = tg.ones([1])")
    assert "Wall time" in timed.printed
    assert any(e["kind"] == "node" for e in timed.snapshot["events"])


def test_a_cell_that_runs_another_is_traced_to_its_end(front_end: FrontEnd) -> None:
    cell = front_end.run(
        "%%trace\n"
        "get_ipython().run_cell('1')\n"
        "get_ipython().run_cell('')\n"
        "z = tg.ones([1])"
    )
    nodes = [e["line"] for e in cell.snapshot["events"] if e["kind"] == "node"]
    assert nodes == [4]


def test_functions_of_traced_cells_survive_a_reset(front_end: FrontEnd) -> None:
    front_end.run("%%trace\ndef kept(x):\n    y = x + 1\n    return y")
    assert front_end.run("import builtins; builtins.kept = kept; kept(1)").result == "2"
    front_end.run("%reset -f")
    assert front_end.run("kept(2)").result == "3"
    front_end.run(SET_UP)


def test_a_with_block_is_drawn_too(front_end: FrontEnd, gate: Path) -> None:
    cell = front_end.start(
        "with tg.record('A block') as t:\n"
        "    x = tg.to_tensor(2.0, stop_gradient=False)\n"
        "    y = x * x\n"
        "    open('gate').read()\n"
        "len(t.events)"
    )
    front_end.read_until(
        cell, lambda c: any(e["kind"] == "node" for e in c.known().values())
    )
    gate.write_text("go")
    front_end.read_until(cell, lambda c: c.ended)
    events = cell.snapshot["events"]
    assert cell.result == str(len(events))
    assert [(e["kind"], e["line"]) for e in events if e["kind"] == "node"] == [
        ("node", 3)
    ]
    names = [e["value"] for e in events if e["kind"] == "attr"]
    assert names == ["x", "y"]


def test_a_picture_and_a_text_stay_with_the_notebook(front_end: FrontEnd) -> None:
    live, still = front_end.run(f"%%trace\n{FOUR_LINES.rstrip()};").of("display_data")
    assert VIEW in live["data"]
    assert "0x" not in live["data"]["text/plain"]
    assert set(still["data"]) == {"text/html", "text/plain"}
    assert '<img alt="What each line made' in still["data"]["text/html"]
    assert 'src="data:image/svg+xml;base64,' in still["data"]["text/html"]
    assert still["data"]["text/plain"].startswith("Trace\n  4 lines; ")


def test_it_can_be_taken_away_and_loaded_again(front_end: FrontEnd) -> None:
    front_end.run("%unload_ext teachgraph")
    assert "not found" in front_end.run("%%trace\nx = 1").printed
    front_end.run("%load_ext teachgraph")
    front_end.run("%reload_ext teachgraph")
    assert len(front_end.run("%%trace\nx = 1").views) == 1


def test_where_the_pictures_packages_are_missing_it_says_so(
    front_end: FrontEnd,
) -> None:
    front_end.run("%unload_ext teachgraph")
    front_end.run("import sys; sys.modules['anywidget'] = None")
    cell = front_end.run("%load_ext teachgraph")
    assert 'pip install "teachgraph[lab]"' in cell.error
    front_end.run("del sys.modules['anywidget']")
    assert front_end.run(SET_UP).of("error") == []


def nodes(cell: Cell) -> list[int]:
    """The lines of the ops that a trace has recorded."""
    return [e["line"] for e in cell.snapshot["events"] if e["kind"] == "node"]


def test_a_traced_cell_within_a_traced_cell_has_a_trace_of_its_own(
    front_end: FrontEnd,
) -> None:
    inner = "get_ipython().run_cell('%%trace\\ny = x * 2.0')"
    cell = front_end.run(f"%%trace\nx = tg.ones([2])\n{inner}\nz = x * 3.0")
    assert len(cell.views) == 2
    assert nodes(cell) == [2, 3, 4], "the outer one goes on to its end"
    assert len(cell.of("display_data")) == 4, "two views, two pictures"
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_shell_lines_and_magics_go_with_it(front_end: FrontEnd) -> None:
    timed = front_end.run("%%trace\n%%time\ny = tg.ones([1])")
    assert "Wall time" in timed.printed
    assert nodes(timed) == [2]
    cell = front_end.run("%%trace\n!echo hello\n%timeit -n1 -r1 1\nx = tg.ones([2])")
    assert "hello" in cell.printed
    assert "loop" in cell.printed
    assert nodes(cell) == [4]


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("sys.exit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt('mine')", "KeyboardInterrupt: mine"),
    ],
)
def test_a_cell_that_leaves_is_drawn_as_far_as_it_came(
    front_end: FrontEnd, way: str, says: str
) -> None:
    cell = front_end.run(f"%%trace\nimport sys\nx = tg.ones([2])\n{way}\ny = x * 2.0")
    assert nodes(cell) == [3]
    end = cell.snapshot["events"][-1]
    assert (end["ok"], end["line"], end["error"]) == (False, 4, says)
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_an_interrupt_in_the_midst_of_a_loop_ends_it(front_end: FrontEnd) -> None:
    # Views of earlier cells may not die in this loop: Python drops an interrupt that
    # comes while it collects what has callbacks of its own.
    front_end.run("import gc; gc.collect()")
    loop = "for i in range(10_000_000):\n    x = x * 1.0"
    cell = front_end.start(f"%%trace\nx = tg.ones([2])\n{loop}")
    front_end.read_until(cell, lambda c: len(c.known()) > 50)
    front_end.manager.interrupt_kernel()
    front_end.finish(cell)
    events = cell.snapshot["events"]
    end = events[-1]
    assert (end["ok"], end["error"]) == (False, "KeyboardInterrupt")
    assert cell.known().items() <= {e["seq"]: e for e in events}.items()
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_what_is_awaited_together_is_recorded_with_its_lines(
    front_end: FrontEnd,
) -> None:
    cell = front_end.run(
        "%%trace\n"
        "import asyncio\n"
        "async def made(n):\n"
        "    await asyncio.sleep(0)\n"
        "    return tg.ones([n])\n"
        "a, b = await asyncio.gather(made(1), made(2))\n"
        "c = a * 2.0"
    )
    assert nodes(cell) == [5, 5, 7]


def test_two_threads_at_once_record_each_its_own(front_end: FrontEnd) -> None:
    cell = front_end.run(
        "import threading\n"
        "def work(size, found):\n"
        "    with tg.record(show=False) as t:\n"
        "        for _ in range(100):\n"
        "            x = tg.ones([size])\n"
        "    found[size] = {\n"
        "        str(e['shape']) for e in t.events if e['kind'] == 'tensor'}\n"
        "found = {}\n"
        "threads = [threading.Thread(target=work, args=(n, found)) for n in (2, 3)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "sorted(found.items())"
    )
    assert cell.result == "[(2, {'[2]'}), (3, {'[3]'})]"


def test_a_cell_that_is_run_again_leaves_nothing_of_before(
    front_end: FrontEnd,
) -> None:
    count = (
        "import threading; from comm import get_comm_manager; "
        "[sum(t.name == 'teachgraph' for t in threading.enumerate()), "
        "len(get_comm_manager().comms)]"
    )
    body = "%%trace\nx = tg.ones([2])\ntg.show(x * 3.0)"
    front_end.run(body, "again")
    before = front_end.run(count).result
    cells = [front_end.run(body, "again") for _ in range(20)]
    assert front_end.run(count).result == before
    last = cells[-1]
    assert len(last.views) == 2, "of one run both stay"
    trace, _ = last.views
    assert front_end.tell(trace, {"type": "ready", "next": 0}).pieces
