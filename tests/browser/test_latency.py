"""How long from a line's run to its pixels: measured, never asserted."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

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
with tg.trace() as t:
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
    assert len(live) > LINES / 10, "it was drawn while the cell ran"
    report(latencies(made, live), artefacts / "latency.json")


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
    print(f"line to pixels, ms: {figures}")
