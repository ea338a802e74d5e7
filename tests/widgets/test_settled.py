"""How soon after a cell's end all that it recorded has come, over the protocol."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.bars import note
from tests.widgets.front_end import kernel

MANY = 10_000
LOOP = """\
with tg.record() as t:
    x = tg.to_tensor(1.0)
    for i in range({count}):
        x = x * 1.0001"""
END = """\
import json
ended = t.recorder.log.started + t.events[-1]["t"]
print(json.dumps([ended, len(t.events)]))"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [2_000, pytest.param(MANY, marks=pytest.mark.full)])
def test_all_ops_have_come_soon_after_the_cells_end(tmp_path: Path, count: int) -> None:
    """The bar is a second; the gate is ten, for a busy machine."""
    with kernel(tmp_path) as front_end:
        front_end.run("%load_ext teachgraph\nimport teachgraph as tg")
        cell = front_end.run(LOOP.format(count=count))
        come = time.time()
        ended, events = json.loads(front_end.run(END).printed)
    assert len(cell.snapshot["events"]) == events > 2 * count
    assert sum(e["kind"] == "node" for e in cell.snapshot["events"]) == count
    assert come - ended < 10
    if count == MANY:
        note("loop-settled-protocol", come - ended, 1, "s")
