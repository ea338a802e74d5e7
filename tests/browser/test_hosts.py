"""Hosts other than JupyterLab: Notebook 7, and notebooks exported as pages."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Locator, Page, expect
from teachgraph_widgets import assets
from teachgraph_widgets.log import packed
from teachgraph_widgets.widget import LOADER, OPENER

from tests.browser.lab import Gate, Lab
from tests.browser.test_lab import FOUR_LINES, SET_UP
from tests.browser.watched import Notebook7, Watched, write_notebook
from tests.widgets.recording import record

THREE = "a = tg.ones([2, 3])\nb = a * 2.0\nc = b + 1.0"
NBCONVERTS_OWN = ("require.min.js", "mathjax", "html-manager")
"""What nbconvert's pages ask for, whatever is in them."""


@pytest.fixture
def notebook_7(lab: Lab, context: BrowserContext) -> Iterator[Notebook7]:
    write_notebook(
        lab.folder / "seven.ipynb",
        [SET_UP, f"{FOUR_LINES}{Gate.line};", f"%%trace --step\n{THREE}", FOUR_LINES],
    )
    found = Notebook7(context.new_page(), lab, "seven.ipynb")
    with found.listening():
        found.open()
        yield found
    lab.shut_down(found.name)


def exported(notebook: Path, *options: str) -> str:
    """The address of the page that nbconvert makes of a notebook."""
    convert = ["nbconvert", "--to", "html", "--log-level=ERROR", *options]
    command = [sys.executable, "-m", *convert, notebook.name]
    subprocess.run(command, cwd=notebook.parent, check=True)
    return notebook.with_suffix(".html").as_uri()


def steps_back(page: Watched, index: int) -> None:
    """All of a view is taken back by a key, and comes again by another."""
    view = page.views.nth(index)
    drawn = view.locator(".tg-row, .tg-node")
    view.press("Home")
    expect(drawn.and_(page.page.locator(".tg-future")).first).to_be_attached()
    view.press("End")
    expect(view.locator(".tg-future")).to_have_count(0)
    expect(drawn.first).to_be_attached()


FLOATING = """() => [...document.querySelectorAll(".tg-root *")]
  .filter((part) => getComputedStyle(part).float !== "none").length"""
"""JupyterLab has terms of a list float, and what stands in texts look like texts."""


def assert_steps_offline(browser: Browser, address: str, views: int) -> None:
    """An exported notebook has live views, and without a script their pictures."""
    context = browser.new_context(offline=True)
    page = Watched(context.new_page(), elsewhere=NBCONVERTS_OWN)
    with page.listening():
        assert_steps(page, address, views)
    context.close()


def assert_steps(page: Watched, address: str, views: int) -> None:
    page.page.goto(address, wait_until="commit")
    expect(page.views).to_have_count(views)
    for index in (0, 1):
        expect(page.views.nth(index)).to_have_attribute("data-state", "done")
        steps_back(page, index)
    others = ".tg-still, script[type$='widget-view+json']"
    expect(page.page.locator(others)).to_have_count(0)
    expect(page.page.get_by_text("A trace: live")).to_have_count(0)
    assert page.page.evaluate(FLOATING) == 0
    expect(page.page.locator(".jp-RenderedHTMLCommon .tg-root")).to_have_count(0)
    assert all("ERR_INTERNET_DISCONNECTED" in error for error in page.errors)
    assert page.requests == []


def test_an_exported_notebook_steps_with_the_network_off(
    browser: Browser, tmp_path: Path, artefacts: Path
) -> None:
    shown = "tg.show(tg.ones([2]) * 3.0)"
    cells = [SET_UP, FOUR_LINES.rstrip() + ";", f"%%trace\n{THREE}", shown]
    write_notebook(tmp_path / "shown.ipynb", cells)
    address = exported(tmp_path / "shown.ipynb", "--execute")
    assert_steps_offline(browser, address, 3)

    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    pictures = page.locator(".tg-still img")
    expect(pictures).to_have_count(3)
    expect(pictures.first).to_be_visible()
    page.screenshot(path=artefacts / "nbconvert.png")
    context.close()


def run_and_step(seven: Notebook7, gate: Gate) -> Locator:
    """Run all cells, one of them line by line; return the first view."""
    seven.run_all()
    view = seven.cell(1).locator(".tg-root")
    view.locator('.tg-row[data-line="5"][data-name="sgd"]').nth(1).wait_for()
    assert seven.is_running(1), "rows come while the cell runs"
    gate.open()
    seven.wait_for_end(1)
    expect(view).to_have_attribute("data-state", "done")

    stepped = seven.cell(2).locator(".tg-root")
    expect(stepped).to_have_attribute("data-waiting", "2")
    stepped.locator("[data-do=step]").click()
    expect(stepped).to_have_attribute("data-waiting", "3")
    stepped.locator("[data-do=continue]").click()
    seven.wait_for_end(3)
    for index in (0, 2):
        expect(seven.views.nth(index)).to_have_attribute("data-state", "done")
    return view


def test_notebook_7_draws_what_jupyterlab_draws(
    notebook_7: Notebook7, gate: Gate, artefacts: Path
) -> None:
    seven, page = notebook_7, notebook_7.page
    view = run_and_step(seven, gate)
    steps_back(seven, 0)
    seven.cell(3).locator(".jp-InputArea-prompt").click()
    page.keyboard.press("Control+Enter")
    seven.cell(3).locator(".tg-root[data-state=done]").wait_for()
    expect(seven.cell(3).locator(".tg-root")).to_have_count(1)
    seven.menu("Settings", "Theme", "JupyterLab Dark")
    expect(view).to_have_attribute("data-theme", "dark")
    page.screenshot(path=artefacts / "notebook_7.png")
    seven.menu("Settings", "Theme", "JupyterLab Light")
    expect(view).to_have_attribute("data-theme", "light")
    assert seven.errors == []
    assert seven.requests == []


@pytest.mark.full
def test_notebook_7_keeps_what_jupyterlab_keeps(
    lab: Lab, notebook_7: Notebook7, gate: Gate, browser: Browser
) -> None:
    """Saved, exported, loaded again, with its kernel and without."""
    seven, page = notebook_7, notebook_7.page
    rows = seven.rows(run_and_step(seven, gate))
    page.keyboard.press("Control+s")
    seven.wait_until_saved()
    assert seven.errors == []
    assert_steps_offline(browser, exported(lab.folder / seven.name), 3)

    seven.open()
    expect(seven.views.first).to_have_attribute("data-state", "done")
    expect(seven.views.first.locator(".tg-row").first).to_be_visible()
    assert seven.rows(seven.views.first) == rows, "a reload of the page"
    lab.ask("POST", f"kernels/{lab.kernel_of(seven.name)}/restart")
    steps_back(seven, 0)
    assert seven.requests == []

    page.goto("about:blank")
    lab.shut_down(seven.name)
    seven.open()
    expect(seven.cell(1).locator(".tg-stepped .tg-root")).to_be_visible()
    steps_back(seven, 0)


HOST = """async ({ loader, opener, code, snapshot }) => {
  const bytes = (text) => {
    const whole = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new DataView(whole.buffer);
  };
  const file = new Blob([loader], { type: "text/javascript" });
  const widget = (await import(URL.createObjectURL(file))).default;
  const shared = { get: (name) => ({ code: bytes(code), _esm: opener })[name] };
  const state = {
    front_end: "IPY_MODEL_shared", title: "Elsewhere", theme: "auto", height: 300,
    head: {}, snapshot: bytes(snapshot),
  };
  const heard = [];
  const model = {
    sent: [],
    get: (name) => state[name],
    on: (name, call) => heard.push([name, call]),
    off: (name, call) => {
      const at = heard.findIndex(([n, c]) => n === name && c === call);
      if (at >= 0) heard.splice(at, 1);
    },
    send: (message) => model.sent.push(message),
    widget_manager: { get_model: async (id) => (id === "shared" ? shared : undefined) },
  };
  const far = (target) => target === window || target === document ||
    target === document.body || target instanceof MediaQueryList;
  let listeners = 0;
  const count = (owner, name, step) => {
    const plain = owner[name];
    owner[name] = function (...words) { step(this); return plain.apply(this, words); };
  };
  const own = EventTarget.prototype;
  count(own, "addEventListener", (to) => { listeners += far(to); });
  count(own, "removeEventListener", (to) => { listeners -= far(to); });
  const watching = new Set();
  for (const kind of [MutationObserver, ResizeObserver, IntersectionObserver]) {
    count(kind.prototype, "observe", (it) => watching.add(it));
    count(kind.prototype, "disconnect", (it) => watching.delete(it));
  }
  window.host = {
    model,
    show: async (parent) => {
      const el = parent.appendChild(document.createElement("div"));
      const gone = await widget.render({ model, el });
      return () => { gone(); el.remove(); };
    },
    left: () => [heard.length, listeners, watching.size],
  };
}"""


def elsewhere(page: Page) -> Frame:
    """A frame as VS Code and Colab have for outputs: of no origin, scripts allowed."""
    page.set_content(
        '<iframe sandbox="allow-scripts" style="width:100%;height:900px" '
        'srcdoc="<!doctype html><body></body>"></iframe>'
    )
    frame = page.frames[1]
    log = packed(record(FOUR_LINES.removeprefix("%%trace")).log)
    sent = {"code": assets.packed(), "snapshot": log}
    letters = {name: base64.b64encode(part).decode() for name, part in sent.items()}
    frame.evaluate(HOST, {"loader": LOADER, "opener": OPENER, **letters})
    return frame


def test_a_host_that_speaks_anywidgets_protocol_alone_has_all_of_a_view(
    offline: Watched, artefacts: Path
) -> None:
    page = offline
    frame = elsewhere(page.page)
    frame.evaluate("async () => { await host.show(document.body) }")
    frame.evaluate("async () => { await host.show(document.body) }")
    views = frame.locator(".tg-root")
    first, second = views.first, views.nth(1)
    for view in (first, second):
        expect(view).to_have_attribute("data-state", "done")
    assert frame.evaluate("host.model.sent.map((m) => m.type)") == ["ready", "ready"]
    first.focus()
    page.page.keyboard.press("ArrowLeft")
    expect(first.locator(".tg-row.tg-future").first).to_be_visible()
    expect(second.locator(".tg-row.tg-future")).to_have_count(0)

    for script, theme in [
        ("document.body.className = 'vscode-dark'", "dark"),
        ("document.body.className = 'vscode-light'", "light"),
        ("document.body.dataset.vscodeThemeKind = 'vscode-high-contrast'", "dark"),
        ("delete document.body.dataset.vscodeThemeKind", "light"),
        ("document.body.className = ''", "light"),
        ("document.documentElement.setAttribute('theme', 'dark')", "dark"),
    ]:
        frame.evaluate(script)
        expect(first).to_have_attribute("data-theme", theme)
    page.page.screenshot(path=artefacts / "frame.png")
    assert page.errors == []
    assert page.requests == []


def test_a_view_that_is_taken_away_leaves_nobody_listening(offline: Watched) -> None:
    frame = elsewhere(offline.page)
    many = """async (count) => {
      for (let turn = 0; turn < count; turn++) (await host.show(document.body))();
      return host.left();
    }"""
    once = frame.evaluate(many, 1)
    assert once[0] == 0, "the model's own listeners"
    assert frame.evaluate(many, 20) == once
    assert offline.errors == []


def test_a_view_in_a_shadow_tree_steps_too(offline: Watched) -> None:
    frame = elsewhere(offline.page)
    frame.evaluate("""async () => {
      const outer = document.body.appendChild(document.createElement("div"));
      await host.show(outer.attachShadow({ mode: "open" }));
    }""")
    view = frame.locator(".tg-root")
    expect(view).to_have_attribute("data-state", "done")
    view.press("ArrowLeft")
    expect(view.locator(".tg-row.tg-future").first).to_be_visible()
    view.press("End")
    expect(view.locator(".tg-row.tg-future")).to_have_count(0)
    assert offline.errors == []
