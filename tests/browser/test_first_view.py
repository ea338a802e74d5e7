"""What each kind of script asks of the eye, at first and at every step of the scrubber.

A picture has at most 25 boxes, no letters below 11 pixels, no name cut where its pane
has room, nothing over anything else, no edge through a box that is not its end, and no
frame without a title. `make test` looks at up to 20 lines of a script, evenly spread
over all, or at so many that it sees each training step; `make full` at every line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from teachgraph_widgets.log import written

from tests.bars import NOTES, note
from widgets.dev import gallery, shoot
from widgets.dev.kinds import KINDS

BARS = {"boxes": 25, "cut": 0, "overlaps": 0, "crossings": 0, "untitled": 0}
SMALLEST = 11.0
"""Pixels of the smallest letters."""

MOST_LINES, OF_STEPS = 20, 48
STEPS = {"mlp": 13, "gan": 10, "plain-loop": 11, "lstm-clipping": 6, "model-fit": 1}
"""Of some kinds the number of training steps, or runs, that are recorded."""
ALL_LINES = 10_000

measured: dict[str, Any] = {}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The logs of the kinds by name, each recorded when it is first asked for."""
    return Logs(tmp_path_factory.mktemp("kinds"))


class Logs(dict[str, Path]):
    """Files of logs, each of programs of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, kind: str) -> Path:
        self[kind] = path = self.folder / f"{kind}.json"
        path.write_text(written(gallery.alone(gallery.traced(KINDS[kind]))), "utf-8")
        return path


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    lines = [f"{'kind':18} lines boxes  text  cut  overlaps  crossings  untitled"]
    for kind, found in measured.items():
        counts = "{lines:6}{boxes:6}{smallest:6.1f}{cut:5}{overlaps:10}"
        rest = "{crossings:11}{untitled:10}"
        lines.append(f"{kind:18}{(counts + rest).format(**found)}")
    NOTES.mkdir(parents=True, exist_ok=True)
    (NOTES / "first-view.txt").write_text("\n".join(lines) + "\n", "utf-8")
    print("", *lines, sep="\n")
    for name, bar in BARS.items():
        worst = max((found[name] for found in measured.values()), default=0)
        note(f"first-view-{name}", worst, bar)
    least = min((found["smallest"] for found in measured.values()), default=SMALLEST)
    note("first-view-text", least, SMALLEST, "px", at_least=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_of_a_script_can_be_read(
    browser: Browser, html: Path, logs: dict[str, Path], kind: str
) -> None:
    page = shoot.open_log(browser, html, str(logs[kind]), 1600, "light")
    page.wait_for_timeout(300)
    first = page.evaluate("figures()")
    most = OF_STEPS if kind in STEPS else MOST_LINES
    lines = page.evaluate(f"ofLines({most})")
    page.close()
    measured[kind] = worst([first, *lines])
    assert not wrong([first]), "the first view"
    assert not wrong(lines)
    assert len(lines) >= 7
    turns = {found["turn"] for found in lines} - {"", "before the loop"}
    assert len(turns) >= STEPS.get(kind, 0), "not each training step was looked at"


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_after_every_line_can_be_read(
    browser: Browser, html: Path, logs: dict[str, Path], kind: str
) -> None:
    page = shoot.open_log(browser, html, str(logs[kind]), 1600, "light")
    lines = page.evaluate(f"ofLines({ALL_LINES})")
    page.close()
    assert not wrong(lines)


def test_a_bert_of_twelve_layers_is_painted_at_once(
    browser: Browser, html: Path, logs: dict[str, Path]
) -> None:
    """Some 1,700 operators with their updates, in the page's own time on a processor.

    Others use the machine too: the time on the wall says how many.
    """
    times = []
    for _ in range(3):
        page = browser.new_page()
        page.add_init_script(f"globalThis.LOG = {logs['bert-12'].read_text('utf-8')}")
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        shoot.show_log(page, html, "bert-12", 1600, "light")
        found = tools.send("Performance.getMetrics")["metrics"]
        seconds = {metric["name"]: metric["value"] for metric in found}
        times.append(1000 * sum(seconds[name] for name in WORK))
        page.close()
    note("first-paint-bert", min(times), 300, "ms")
    assert min(times) < 900


WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def wrong(views: list[dict[str, Any]]) -> list[str]:
    """What misses a bar, in words."""
    return [
        f"after event {found.get('position', 'all')}: {found['why'] or found}"
        for found in views
        if any(found[name] > bar for name, bar in BARS.items())
        or found["smallest"] < SMALLEST - 0.05
    ]


def worst(views: list[dict[str, Any]]) -> dict[str, Any]:
    """The worst figures of some views."""
    found = {name: max(view[name] for view in views) for name in BARS}
    smallest = min(view["smallest"] for view in views)
    return {**found, "smallest": smallest, "lines": len(views) - 1}
