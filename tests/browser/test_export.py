"""Without a kernel and without a network: the exported page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from teachgraph_widgets.events import Log
from teachgraph_widgets.page import page as page_of

from tests.browser import shown
from tests.browser.test_lab import future
from tests.browser.watched import Watched
from widgets.dev import shoot

SCRIPT = """\
import teachgraph as tg
import teachgraph.fluid as fluid
X = fluid.data(name="X", shape=[None, 1], dtype="float32")
hidden = fluid.layers.fc(input=X, size=10)
loss = fluid.layers.mean(hidden)
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
x = tg.to_tensor(2.0, stop_gradient=False)
y = x * x
z = (y * 3.0) * (y + 1.0)
z.backward()
"""
HOSTILE = "<img src=x onerror=document.title='pwned'>"


def exported(folder: Path, script: str, *options: str) -> Path:
    """The page that `teachgraph trace` writes."""
    (folder / "script.py").write_text(script)
    command = [sys.executable, "-m", "teachgraph", "trace", "script.py", *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "script.html"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a program, of a tape and of what goes back over it."""
    return exported(tmp_path_factory.mktemp("exported"), SCRIPT)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_steps_with_the_network_off(
    offline: Watched, file: Path, artefacts: Path, theme: Any
) -> None:
    offline.page.emulate_media(color_scheme=theme)
    offline.page.goto(file.as_uri())
    view = offline.views
    expect(view).to_have_attribute("data-state", "done")
    expect(view).to_have_attribute("data-theme", theme)
    rows = offline.rows(view)
    assert [name for role, name, _ in rows if role == "main"][-2:] == ["sgd", "sgd"]

    for _ in range(5):  # backward, z, y, x and minimize are taken back
        view.press("ArrowLeft")
    made_last = [name for _, name, line in rows if line == 6]
    expect(view.locator(".tg-row.tg-future")).to_have_count(len(made_last))
    assert set(future(view)) == {"6"}
    offline.page.screenshot(path=artefacts / f"page_{theme}.png", full_page=True)
    view.press("Home")
    expect(view.locator(".tg-row.tg-future")).to_have_count(len(rows))
    view.press("End")
    expect(view.locator(".tg-row.tg-future")).to_have_count(0)
    assert offline.asked == [file.as_uri()]
    assert offline.errors == []


def test_the_policy_stops_a_script_that_is_not_ours(
    offline: Watched, file: Path, tmp_path: Path
) -> None:
    text = file.read_text("utf-8")
    evil = text.replace("</html>", "<script>document.title = 'pwned'</script></html>")
    assert evil != text
    (tmp_path / "evil.html").write_text(evil, "utf-8")
    offline.page.goto((tmp_path / "evil.html").as_uri())
    expect(offline.views).to_have_attribute("data-state", "done")
    assert offline.page.title() == "script.py"
    assert any("Content Security Policy" in error for error in offline.errors)


def test_hostile_names_are_drawn_as_text(offline: Watched, tmp_path: Path) -> None:
    script = (
        "import teachgraph.fluid as fluid\n"
        f'x = fluid.data(name="{HOSTILE}", shape=[2], dtype="float32")\n'
        f"y = fluid.layers.relu(x)  # </script>{HOSTILE}\n"
    )
    offline.page.goto(exported(tmp_path, script, "--title", HOSTILE).as_uri())
    row = offline.views.locator(".tg-row[data-role=D]")
    expect(row).to_contain_text(HOSTILE)
    assert offline.page.title() == HOSTILE
    assert offline.page.locator(".tg-root img").count() == 0
    assert offline.errors == []


def test_a_page_whose_log_was_edited_says_so(
    offline: Watched, file: Path, tmp_path: Path
) -> None:
    edited = file.read_text("utf-8").replace('{"version":1', '{"version":99')
    (tmp_path / "edited.html").write_text(edited, "utf-8")
    offline.page.goto((tmp_path / "edited.html").as_uri())
    expect(offline.page.locator("#root")).to_contain_text("version is 99")
    assert offline.rows(offline.page.locator("#root")) == []


@pytest.mark.parametrize(
    ("theme", "width"),
    [("dark", 1600), pytest.param("light", 900, marks=pytest.mark.full)],
)
@pytest.mark.parametrize("kind", shown.CELLS)
def test_the_page_of_each_thing_that_is_shown_is_for_everybody(
    offline: Watched,
    things: dict[str, Log],
    tmp_path: Path,
    kind: str,
    theme: Any,
    width: int,
) -> None:
    (tmp_path / "page.html").write_text(page_of(things[kind]), "utf-8")
    page = offline.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    expect(offline.views).to_have_attribute("data-theme", theme)
    for _ in range(max(1, page.locator(".tg-tab:not([hidden])").count())):
        assert shoot.violations(page) == []
        page.focus(".tg-root")
        page.keyboard.press("v")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("main").count() == 1
    assert page.title() == (things[kind]["title"] or "A trace")
    assert offline.errors == []


def overflow(page: Page) -> int:
    """How many pixels the page would have to be scrolled sideways."""
    found: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


def test_an_exported_trace_is_for_everybody(offline: Watched, file: Path) -> None:
    """Narrow, in colours of the reader's own, without motion, with each part open."""
    page = offline.page
    page.goto(file.as_uri())
    expect(offline.views).to_have_attribute("data-state", "done")
    for width in (480, 800, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(shoot.NEXT_FRAME)
        assert overflow(page) == 0, width
        assert shoot.violations(page) == [], width
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.focus(".tg-root")
    for keys in (["ArrowLeft", "ArrowDown"], ["?"], ["Escape", "/", "s"]):
        for key in keys:
            page.keyboard.press(key)
        assert shoot.violations(page) == [], keys
    page.keyboard.press("Escape")
    moving = page.evaluate(
        "document.getAnimations().filter((one) => one.playState === 'running').length"
    )
    assert moving == 0
    assert offline.errors == []


def test_whoever_hears_the_page_is_told_what_is_selected(
    offline: Watched, file: Path
) -> None:
    page = offline.page
    page.goto(file.as_uri())
    said = offline.views.locator("[role=status].tg-sr")
    graph = offline.views.locator(".tg-graph [role=listbox]").first
    graph.focus()
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text(re.compile("^Selected .+"))
    active = graph.get_attribute("aria-activedescendant")
    assert active is not None
    name = page.locator(f"#{active}").get_attribute("data-name")
    assert name
    assert name in said.inner_text()
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
