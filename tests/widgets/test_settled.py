"""How soon after a cell's end all that it recorded has come, over the protocol."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.bars import note
from tests.widgets.front_end import kernel

COUNT = 10_000
LOOP = f"""\
with tg.record() as t:
    x = tg.to_tensor(1.0)
    for i in range({COUNT}):
        x = x * 1.0001"""
END = """\
import json
ended = t.recorder.log.started + t.events[-1]["t"]
print(json.dumps([ended, len(t.events)]))"""


@pytest.mark.slow
def test_ten_thousand_ops_have_come_soon_after_the_cells_end(tmp_path: Path) -> None:
    """The bar is a second; the gate is ten, for a busy machine."""
    with kernel(tmp_path) as front_end:
        front_end.run("%load_ext teachgraph\nimport teachgraph as tg")
        cell = front_end.run(LOOP)
        come = time.time()
        ended, events = json.loads(front_end.run(END).printed)
    assert len(cell.snapshot["events"]) == events > 2 * COUNT
    assert sum(e["kind"] == "node" for e in cell.snapshot["events"]) == COUNT
    assert note("loop-settled-protocol", come - ended, 1, "s").figure < 10
