"""Without a kernel and without a network: the exported page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.test_lab import future
from tests.browser.watched import Watched

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


@pytest.fixture
def offline(context: BrowserContext) -> Watched:
    context.set_offline(True)
    return Watched(context.new_page())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_steps_with_the_network_off(
    offline: Watched, tmp_path: Path, artefacts: Path, theme: str
) -> None:
    asked: list[str] = []
    offline.page.on("request", lambda request: asked.append(request.url))
    offline.page.emulate_media(color_scheme=theme)
    file = exported(tmp_path, SCRIPT, "--title", "Four lines and a diamond")
    offline.page.goto(file.as_uri())
    view = offline.views
    expect(view).to_have_attribute("data-state", "done")
    expect(view).to_have_attribute("data-theme", theme)
    rows = offline.rows(view)
    assert [name for role, name, _ in rows if role == "main"][-2:] == ["sgd", "sgd"]

    view.focus()
    for _ in range(5):  # backward, z, y, x and minimize are taken back
        offline.page.keyboard.press("ArrowLeft")
    made_last = [name for _, name, line in rows if line == 6]
    expect(view.locator(".tg-row.tg-future")).to_have_count(len(made_last))
    assert set(future(view)) == {"6"}
    offline.page.screenshot(path=artefacts / f"page_{theme}.png", full_page=True)
    offline.page.keyboard.press("Home")
    expect(view.locator(".tg-row.tg-future")).to_have_count(len(rows))
    offline.page.keyboard.press("End")
    expect(view.locator(".tg-row.tg-future")).to_have_count(0)
    assert asked == [file.as_uri()]
    assert offline.errors == []


def test_the_policy_stops_a_script_that_is_not_ours(
    offline: Watched, tmp_path: Path
) -> None:
    file = exported(tmp_path, SCRIPT)
    text = file.read_text("utf-8")
    evil = text.replace("</html>", "<script>document.title = 'pwned'</script></html>")
    assert evil != text
    file.write_text(evil, "utf-8")
    offline.page.goto(file.as_uri())
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


def test_a_page_whose_log_was_edited_says_so(offline: Watched, tmp_path: Path) -> None:
    file = exported(tmp_path, SCRIPT)
    text = file.read_text("utf-8")
    file.write_text(text.replace('{"version":1', '{"version":99'), "utf-8")
    offline.page.goto(file.as_uri())
    expect(offline.page.locator("#root")).to_contain_text("version is 99")
    assert offline.rows(offline.page.locator("#root")) == []
