"""What any host of widgets relies on, whichever front end it is.

Runs with ipywidgets 8 and with 7.7: only the protocol is used, nothing of a version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from teachgraph_widgets.validate import validate

from tests.bars import note
from tests.widgets.front_end import VIEW, Cell, FrontEnd, kernel
from tests.widgets.recording import FOUR_LINES
from tests.widgets.test_kernel import NOBODY_WATCHES, SET_UP

FRESH = (
    "from teachgraph.static import program\n"
    "for old in program.default_main_program(), program.default_startup_program():\n"
    "    old.global_block().ops.clear(), old.global_block().vars.clear()\n"
)
STATE = "application/vnd.jupyter.widget-state+json"
OLD_WIDGETS = Path(__file__).parents[2] / ".cache" / "ipywidgets-7"
MOST_BYTES = 500_000
"""What 23 traces may add to a notebook."""


@pytest.fixture(scope="module", params=["8.", "7.7."])
def front_end(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FrontEnd]:
    variables = {}
    if request.param == "7.7.":
        if not OLD_WIDGETS.exists():
            pytest.skip("ipywidgets 7.7 is not here: `make test` installs it")
        variables["PYTHONPATH"] = str(OLD_WIDGETS)
    with kernel(tmp_path_factory.mktemp("hosts"), **variables) as front_end:
        assert front_end.run(SET_UP).outputs[1:] == []
        version = front_end.run("import ipywidgets; ipywidgets.__version__").result
        assert version.startswith(f"'{request.param}")
        yield front_end


def restart(front_end: FrontEnd) -> None:
    front_end.manager.restart_kernel(now=True)
    front_end.client.wait_for_ready(timeout=60)
    front_end.run(SET_UP)


def opened(front_end: FrontEnd, code: str) -> list[Any]:
    """The models that a cell opens: content and metadata of each message."""
    found, request = [], front_end.client.execute(code)
    while True:
        message = front_end.client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "comm_open":
            found.append((message["content"], message["metadata"]))
        if message["content"].get("execution_state") == "idle":
            return found


def test_a_model_is_opened_as_the_protocol_says(front_end: FrontEnd) -> None:
    front_end.run("from ipywidgets import Widget; Widget.close_all()")
    models = opened(front_end, f"%%trace\n{FOUR_LINES}")
    again = opened(front_end, f"%%trace\n{FOUR_LINES}")
    assert len(json.dumps(again)) < 10_000, "the code that draws came with the first"
    views = [c for c, _ in models if "front_end" in c["data"]["state"]]
    assert len(views) == 1
    content, metadata = next((c, m) for c, m in models if c is views[0])
    state = content["data"]["state"]
    assert content["target_name"] == "jupyter.widget"
    assert metadata["version"].startswith("2.")
    assert state["_model_module"] == state["_view_module"] == "anywidget"
    shared = state["front_end"].removeprefix("IPY_MODEL_")
    (drawing,) = (c for c, _ in models if c["comm_id"] == shared)
    assert drawing["data"]["buffer_paths"] == [["code"]]
    assert state["height"] == 460


def test_two_views_of_one_trace_get_the_same_answers(front_end: FrontEnd) -> None:
    (view,) = front_end.run(f"%%trace\n{FOUR_LINES}").views
    first = front_end.tell(view, {"type": "ready", "next": 0})
    second = front_end.tell(view, {"type": "ready", "next": 0})
    assert first.pieces == second.pieces != []


def test_a_page_that_is_reloaded_finds_the_whole_log(front_end: FrontEnd) -> None:
    cell = front_end.run(f"%%trace\n{FOUR_LINES}")
    (view,) = cell.views
    message = front_end.client.session.msg(
        "comm_msg", {"comm_id": view, "data": {"method": "request_state"}}
    )
    front_end.client.shell_channel.send(message)
    while True:
        reply = front_end.client.get_iopub_msg(timeout=60)
        if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            data = reply["content"].get("data", {})
            if data.get("method") == "update":
                break
    names = [path[0] for path in data["buffer_paths"]]
    snapshot = bytes(reply["buffers"][names.index("snapshot")])
    assert snapshot == cell.state["snapshot"]


def test_what_stays_needs_no_kernel(front_end: FrontEnd) -> None:
    """A notebook that is opened again without running, or a kernel that is new."""
    *_, still = front_end.run(f"%%trace\n{FOUR_LINES}").of("display_data")
    html = still["data"]["text/html"]
    assert "http" not in html.replace("http://www.w3.org", "")
    assert still["data"]["text/plain"].startswith("Trace\n")


def test_twenty_three_traces_are_a_small_notebook(front_end: FrontEnd) -> None:
    cells = traces(front_end, FRESH)
    total = note("notebook-23", sum(map(size, cells)) / 1000, 500, "kB")
    assert total.met
    assert all("data-log" in html_of(cell) for cell in cells)
    assert ["data-code" in html_of(cell) for cell in cells] == [True] + 22 * [False]
    again = front_end.run(f"%%trace\n{FOUR_LINES}", "0")
    assert "data-code" in html_of(again), "what was there before is gone"


def test_traces_of_a_program_that_grows_draw_what_each_adds(
    front_end: FrontEnd,
) -> None:
    front_end.run(FRESH)
    grown = traces(front_end, "")
    assert note("notebook-23-grown", sum(map(size, grown)) / 1000, 500, "kB").met
    pictures = [len(picture_of(cell)) for cell in grown]
    assert pictures[-1] <= 1.2 * pictures[0]
    kept = sum("data-log" in html_of(cell) for cell in grown)
    assert 12 < kept < 23, "the rest would be too much for a notebook"


def test_twenty_three_views_that_are_saved_with_their_state_hold_the_code_once(
    tmp_path: Path,
) -> None:
    """`nbconvert --execute` saves the state of widgets, as JupyterLab can."""
    sources = [SET_UP, *[f"{FRESH}tg.show(tg.ones([2]) * 3.0)"] * 3]
    sources += [FRESH, f"%%trace\n{FOUR_LINES}"] * 20
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()
    states = notebook.metadata.widgets[STATE].state
    views = [s for s in states.values() if "front_end" in s.state]
    assert len(views) == 23
    assert sum(len(json.dumps(state)) for state in states.values()) <= MOST_BYTES / 2
    saved = len(nbformat.writes(notebook)) / 1000
    assert note("notebook-23-saved", saved, 500, "kB").met


def traces(front_end: FrontEnd, before: str) -> list[Cell]:
    """23 traces as JupyterLab runs them, with a cell run before each."""
    found = []
    for number in range(23):
        front_end.run(before)
        found.append(front_end.run(f"%%trace\n{FOUR_LINES}", f"{number}"))
    return found


def size(cell: Cell) -> int:
    """Bytes that a cell adds to its notebook."""
    return sum(len(json.dumps(out["data"])) for out in cell.of("display_data"))


def html_of(cell: Cell) -> str:
    html: str = cell.of("display_data")[-1]["data"]["text/html"]
    return html


def picture_of(cell: Cell) -> str:
    return html_of(cell).partition("<img")[2].partition(">")[0]


def test_a_trace_in_a_thread_records_that_thread(front_end: FrontEnd) -> None:
    code = (
        "import threading\n"
        "def work():\n"
        "    global t\n"
        "    with tg.record(show=False) as t:\n"
        "        x = tg.ones([2]) * 3.0\n"
        "thread = threading.Thread(target=work)\n"
        "thread.start()\n"
        "other = tg.ones([5]) * 2.0\n"
        "thread.join()\n"
        "[e['line'] for e in t.events if e['kind'] == 'node']\n"
    )
    assert front_end.run(code).result == "[5, 5]"
    assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_a_restarted_kernel_traces_again(front_end: FrontEnd) -> None:
    (old,) = front_end.run(f"%%trace\n{FOUR_LINES}").views
    restart(front_end)
    answer = front_end.tell(old, {"type": "ready", "next": 0})
    assert answer.pieces == []
    assert answer.of("error") == []
    cell = front_end.run(f"%%trace\n{FOUR_LINES}")
    assert validate(cell.snapshot)["events"]
    assert VIEW in cell.of("display_data")[0]["data"]
