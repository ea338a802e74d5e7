"""What each kind of script asks of the eye, at first and at every step of the scrubber.

A picture has at most 25 boxes, no letters below 11 pixels, no name cut where its pane
has room, nothing over anything else, no edge through a box that is not its end, and no
frame without a title. `make test` looks at up to 20 lines of a script, evenly spread
over all, or at so many that it sees each training step, and at some kinds in a narrow
notebook; `make full` at every line of all, wide and narrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from teachgraph_widgets.log import written

from tests.bars import NOTES, note
from widgets.dev import gallery, shoot
from widgets.dev.kinds import KINDS

BARS = {"boxes": 25, "cut": 0, "overlaps": 0, "crossings": 0, "untitled": 0}
SMALLEST = 11.0
"""Pixels of the smallest letters."""

MOST_LINES, OF_STEPS = 20, 48
STEPS = {"mlp": 12, "gan": 10, "plain-loop": 11, "lstm-clipping": 6, "model-fit": 1}
"""Of some kinds the number of training steps, or runs, that are recorded."""
ALL_LINES = 10_000

WIDE, NARROW = 1600, 900
NARROW_KINDS = {
    *("mlp", "resnet-block", "lstm-clipping", "transformer-mask", "bert-12"),
    *("gan", "static-epochs", "cond-while", "error", "k-fold"),
}
"""Kinds that `make test` looks at in a narrow notebook too: few lanes and many, layers,
loops, phases, frames, a program, and an operator that failed."""
NARROW_LINES = 6
BETWEEN = (1200, 1366)
"""Widths of usual screens, at which the panes stand otherwise than at the others."""

measured: dict[tuple[str, int], Any] = {}


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


@pytest.fixture(scope="module")
def stage(browser: Browser, html: Path) -> Iterator[Page]:
    """One page for all pictures: each new one is a process. Nothing slides in."""
    page = browser.new_page(reduced_motion="reduce")
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    shoot.show_log(page, html, "four_lines", WIDE, "light")
    yield page
    page.close()


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    lines = [f"{'kind':18} width lines boxes  text  cut  overlaps  crossings  untitled"]
    for (kind, width), found in measured.items():
        counts = "{lines:6}{boxes:6}{smallest:6.1f}{cut:5}{overlaps:10}"
        rest = "{crossings:11}{untitled:10}"
        lines.append(f"{kind:18}{width:6}{(counts + rest).format(**found)}")
    NOTES.mkdir(parents=True, exist_ok=True)
    (NOTES / "first-view.txt").write_text("\n".join(lines) + "\n", "utf-8")
    print("", *lines, sep="\n")
    for name, bar in BARS.items():
        worst = max((found[name] for found in measured.values()), default=0)
        note(f"first-view-{name}", worst, bar)
    least = min((found["smallest"] for found in measured.values()), default=SMALLEST)
    note("first-view-text", least, SMALLEST, "px", at_least=True)


def look(page: Page, log: Path, width: int, most: int) -> tuple[Any, list[Any]]:
    """The figures of a log's first view, and after up to so many of its lines."""
    page.set_viewport_size({"width": width, "height": 900})
    asked = [log.read_text("utf-8"), most]
    first, lines = page.evaluate("([log, most]) => measured(log, most)", asked)
    return first, lines


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_of_a_script_can_be_read(
    stage: Page, logs: dict[str, Path], kind: str
) -> None:
    most = OF_STEPS if kind in STEPS else MOST_LINES
    first, lines = look(stage, logs[kind], WIDE, most)
    measured[kind, WIDE] = worst([first, *lines])
    assert not wrong([first]), "the first view"
    assert not wrong(lines)
    assert len(lines) >= 7
    turns = {found["turn"] for found in lines} - {"", "before the loop"}
    assert len(turns) >= STEPS.get(kind, 0), "not each training step was looked at"


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind in NARROW_KINDS else pytest.mark.full)
        for kind in KINDS
    ],
)
def test_the_picture_of_a_script_can_be_read_in_a_narrow_notebook(
    stage: Page, logs: dict[str, Path], kind: str
) -> None:
    first, lines = look(stage, logs[kind], NARROW, NARROW_LINES)
    measured[kind, NARROW] = worst([first, *lines])
    assert not wrong([first]), "the first view"
    assert not wrong(lines)


@pytest.mark.parametrize("width", BETWEEN)
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind in NARROW_KINDS else pytest.mark.full)
        for kind in KINDS
    ],
)
def test_the_picture_of_a_script_can_be_read_on_a_usual_screen(
    stage: Page, logs: dict[str, Path], kind: str, width: int
) -> None:
    first, lines = look(stage, logs[kind], width, NARROW_LINES)
    measured[kind, width] = worst([first, *lines])
    assert not wrong([first]), "the first view"
    assert not wrong(lines)


@pytest.mark.full
@pytest.mark.parametrize("width", [WIDE, *BETWEEN, NARROW])
@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_after_every_line_can_be_read(
    stage: Page, logs: dict[str, Path], kind: str, width: int
) -> None:
    assert not wrong(look(stage, logs[kind], width, ALL_LINES)[1])


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.full)])
def test_a_bert_of_twelve_layers_is_painted_at_once(
    browser: Browser, html: Path, logs: dict[str, Path], times: int
) -> None:
    """Some 1,700 operators with their updates, in the page's own time on a processor.

    Others use the machine too: the least of some times is the nearest.
    """
    spent = [first_paint(browser, html, logs["bert-12"]) for _ in range(times)]
    note("first-paint-bert", min(spent), 300, "ms")
    assert min(spent) < 900


def first_paint(browser: Browser, html: Path, log: Path) -> float:
    """Milliseconds of a processor that a page needs to show a log."""
    page = browser.new_page()
    page.add_init_script(f"globalThis.LOG = {log.read_text('utf-8')}")
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    shoot.show_log(page, html, "bert-12", WIDE, "light")
    found = tools.send("Performance.getMetrics")["metrics"]
    seconds = {metric["name"]: metric["value"] for metric in found}
    page.close()
    return 1000 * sum(float(seconds[name]) for name in WORK)


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
