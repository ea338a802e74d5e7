"""How long from a line's run to its pixels, from a cell's end until all is drawn."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.bars import note
from tests.browser.lab import Gate, Lab
from tests.browser.watched import Notebook, write_notebook

LINES = 60
CELLS = (
    """\
import json, threading
import teachgraph as tg
import teachgraph.fluid as fluid
pause = threading.Event()""",
    f"""\
with tg.record() as t:
    {Gate.line}
    x = fluid.data(name="X", shape=[None, 4])
    for line in range({LINES}):
        y = fluid.layers.fc(input=x, size=4)
        pause.wait(1 / 30)""",
    """\
log = t.recorder.log
times = [(e["seq"], log.started + e["t"]) for e in t.events if e["kind"] == "op"]
print("TIMES", json.dumps(times))""",
)
REMEMBER = """() => {
  globalThis.painted = [];
  document.addEventListener("tg-painted", ({ detail }) => painted.push(detail));
}"""


@pytest.mark.slow
def test_lines_at_30_a_second_are_painted_one_after_the_other(
    lab: Lab, notebook: Callable[[str], Notebook], gate: Gate, artefacts: Path
) -> None:
    write_notebook(lab.folder / "pace.ipynb", CELLS)
    pace = notebook("pace.ipynb")
    pace.page.evaluate(REMEMBER)
    pace.run_all()
    expect(pace.views.first).to_have_attribute("data-state", "running")
    gate.open()
    pace.wait_for_end(2)
    expect(pace.views.first).to_have_attribute("data-state", "done")
    painted: list[dict[str, Any]] = pace.page.evaluate("painted")
    text = pace.cell(2).locator(".jp-OutputArea-output").inner_text()
    made: list[tuple[int, float]] = json.loads(text.split("TIMES ")[1])

    assert all(a["seq"] < b["seq"] for a, b in pairwise(painted)), "never backwards"
    assert painted[-1]["seq"] >= made[-1][0], "nothing missing in the end"
    live = [entry for entry in painted if entry["time"] / 1000 < made[-1][1]]
    assert len(live) > LINES / 20, "it was drawn while the cell ran"
    report(latencies(made, live), artefacts / "latency.json")


MANY = 10_000


def loop(count: int) -> Sequence[str]:
    return (
        "import json, time\nimport teachgraph as tg",
        f"""\
with tg.record() as t:
    x = tg.to_tensor(1.0)
    for i in range({count}):
        x = x * 1.0001""",
        """\
events = t.events
kinds = [e["kind"] for e in events]
ended = t.recorder.log.started + events[-1]["t"]
print("END", json.dumps([ended, len(kinds), kinds.count("node")]))""",
    )


PAINTED = """() => {
  const { seq, paintedAt } = document.querySelector(".tg-root").dataset;
  return [Number(seq), Number(paintedAt)];
}"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [3_000, pytest.param(MANY, marks=pytest.mark.full)])
def test_the_ops_of_a_tight_loop_settle(
    lab: Lab, notebook: Callable[[str], Notebook], count: int
) -> None:
    """The bar is a second after the end; the gate is ten, for a busy machine."""
    write_notebook(lab.folder / "tight.ipynb", loop(count))
    tight = notebook("tight.ipynb")
    tight.run_all()
    tight.wait_for_end(2)
    next_cell = time.time()
    text = tight.cell(2).locator(".jp-OutputArea-output").inner_text()
    ended, events, ops = json.loads(text.split("END ")[1])
    expect(tight.views.first).to_have_attribute("data-seq", str(events - 1))
    expect(tight.views.first).to_have_attribute("data-state", "done")
    seq, painted = tight.page.evaluate(PAINTED)
    assert ops >= count
    settled = painted / 1000 - ended
    if count == MANY:
        note("loop-lost", events - 1 - seq, 0)
        note("loop-next-cell", next_cell - ended, 1, "s")
        note("loop-settled", settled, 1, "s")
    assert settled < 10
    assert events > 3 * count, "a tensor, an op and a node each"
    expect(tight.views.first.locator(".tg-status")).to_contain_text("events")
    assert tight.errors == []
    assert tight.requests == []


def latencies(
    made: list[tuple[int, float]], painted: list[dict[str, Any]]
) -> list[float]:
    """Milliseconds from each operator's appending to the frame that shows it."""
    found = []
    for seq, when in made:
        shown = next((p["time"] for p in painted if p["seq"] >= seq), None)
        if shown is not None:
            found.append(shown - 1000 * when)
    return sorted(found)


def report(times: list[float], path: Path) -> None:
    """Write and print the middle and the slow end."""
    names = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    figures = {
        name: round(times[min(len(times) - 1, int(share * len(times)))], 1)
        for name, share in names.items()
    }
    path.write_text(json.dumps(figures | {"count": len(times)}) + "\n")
    note("latency-p50", figures["p50"], 40, "ms")
    note("latency-p95", figures["p95"], 100, "ms")
