"""Another engine in Chromium: drawn like ours, with the badge; a liar as words."""

from __future__ import annotations

import inspect
import linecache
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from teachgraph_widgets.page import write_page

import teachgraph as tg
from teachgraph.utils.observe import announce
from tests.browser.watched import Watched
from tests.widgets import micrograd
from tests.widgets.recording import record
from tests.widgets.test_foreign import USE, Liar
from widgets.dev.shoot import violations

PWNED = "<img src=x onerror=document.title='pwned'>"


def test_a_learner_s_value_is_drawn_with_its_edges(
    offline: Watched, tmp_path: Path
) -> None:
    linecache.cache["<traced>"] = 0, None, USE.splitlines(True), "<traced>"
    write_page(record(USE, Value=micrograd.Value).log, tmp_path / "yours.html")
    page = offline.page
    page.goto((tmp_path / "yours.html").as_uri())
    expect(page.locator(".tg-yours")).to_have_text("yours")
    graph = page.locator(".tg-graph")
    # The seed; 3 leaves and 4 operators, each with its gradient.
    expect(graph).to_have_attribute("data-nodes", "15")
    page.focus(".tg-root")
    for key in ("/", *"loss", "Enter", "Escape"):
        page.keyboard.press(key)
    inspector = page.locator(".tg-inspector")
    expect(inspector).to_contain_text("60")
    expect(inspector).to_contain_text("yours: Value")


def test_the_framework_s_own_has_no_badge(offline: Watched, tmp_path: Path) -> None:
    source = "x = tg.to_tensor(2.0, stop_gradient=False)\n(x * x).backward()\n"
    write_page(record(source).log, tmp_path / "ours.html")
    offline.page.goto((tmp_path / "ours.html").as_uri())
    expect(offline.page.locator(".tg-graph")).to_be_visible()
    expect(offline.page.locator(".tg-yours")).to_be_hidden()


def test_a_liar_is_text(offline: Watched, tmp_path: Path) -> None:
    with tg.record() as trace:
        liar = Liar(data=ValueError("no"), label=PWNED, edges=(Liar(data=1.0),))
        liar.facts["edges"][0].facts["edges"] = (liar,)
        announce("tensor_created", liar)
        announce("op_end", PWNED, [liar], [Liar(data=2.0)], {PWNED: PWNED}, None)
    write_page(trace.log, tmp_path / "liar.html")
    page = offline.page
    page.goto((tmp_path / "liar.html").as_uri())
    notice = page.locator(".tg-notice")
    expect(notice).to_contain_text("Liar.data raised ValueError when it was read")
    expect(notice).to_contain_text("a cycle: a value that was computed from itself")
    assert page.title() != "pwned"


def test_two_traces_have_one_slider(offline: Watched, tmp_path: Path) -> None:
    wrong = inspect.getsource(micrograd.Value).replace("edge.grad +=", "edge.grad =")
    names: dict[str, Any] = dict(vars(micrograd))
    exec(wrong, names)  # noqa: S102  our own
    yours = record(USE, Value=names["Value"]).log
    ours = record(USE, Value=micrograd.Value).log
    shown = tg.show(yours, ours, names=("yours", "ours"))
    write_page(shown.log, tmp_path / "both.html")
    page = offline.page
    page.goto((tmp_path / "both.html").as_uri())
    views = page.locator(".tg-both > .tg-root")
    expect(views).to_have_count(2)
    expect(page.locator(".tg-track:visible")).to_have_count(1)
    said = page.locator(".tg-differs")
    expect(said.nth(0)).to_contain_text("the whole gradient of y is")
    expect(said.nth(1)).to_contain_text("the whole gradient of y is 27")
    said.nth(1).get_by_role("button").click()
    first = shown.log["events"][-1]["first"]
    for view, position in zip(views.all(), first, strict=True):
        expect(view).to_have_attribute("data-position", str(position))
        expect(view.locator(".tg-inspector")).to_contain_text("y.grad")
    views.nth(1).locator(".tg-line").nth(1).click()
    for view in views.all():
        expect(view.locator(".tg-current")).to_have_text("2y = x * x")
    views.nth(1).focus()
    page.keyboard.press("ArrowRight")
    for view in views.all():
        expect(view.locator(".tg-current")).to_contain_text("left = y")
    page.keyboard.press("End")
    assert [v.get_attribute("data-state") for v in views.all()] == ["done", "done"]
    assert violations(page) == []


def test_the_inspector_teaches_and_is_as_wide_as_one_likes(
    offline: Watched, tmp_path: Path
) -> None:
    source = "x = tg.to_tensor(2.0, stop_gradient=False)\ntg.tanh(x).backward()\n"
    write_page(record(source).log, tmp_path / "taught.html")
    page = offline.page
    page.goto((tmp_path / "taught.html").as_uri())
    page.focus(".tg-root")
    for key in ("/", *"tanh", "Enter", "Escape"):
        page.keyboard.press(key)
    inspector = page.locator(".tg-inspector")
    expect(inspector.locator(".tg-formula")).to_have_text("out = tanh x.")
    rules = inspector.locator(".tg-rule")
    expect(rules).to_have_text(
        ["return dout * (1.0 - out * out)", "return 1 * (1.0 - 0.964 * 0.964)"]
    )
    page.focus(".tg-root")
    before = (inspector.bounding_box() or {})["width"]
    page.keyboard.press("i")
    assert (inspector.bounding_box() or {})["width"] > before + 200
    assert violations(page) == []
    page.keyboard.press("i")
    edge = page.locator(".tg-divider").bounding_box() or {}
    page.mouse.move(edge["x"] + 2, edge["y"] + 40)
    page.mouse.down()
    page.mouse.move(edge["x"] + 122, edge["y"] + 60)
    page.mouse.up()
    assert (inspector.bounding_box() or {})["width"] == pytest.approx(
        before + 120, abs=6
    )


def test_the_graph_is_saved_as_svg_and_as_png(
    offline: Watched, tmp_path: Path, artefacts: Path
) -> None:
    write_page(record(USE, Value=micrograd.Value).log, tmp_path / "yours.html")
    page = offline.page
    page.goto((tmp_path / "yours.html").as_uri())
    expect(page.locator(".tg-graph")).to_be_visible()
    for ending in ("svg", "png"):
        with page.expect_download() as download:
            page.get_by_role("button", name=ending.upper()).click()
        download.value.save_as(artefacts / f"saved.{ending}")
    text = (artefacts / "saved.svg").read_text("utf-8")
    root = ET.fromstring(text)  # noqa: S314  our own
    names = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"mul", "add", "mul_grad", "add_grad", "x", "x.grad"} <= names
    image = (artefacts / "saved.png").read_bytes()
    wide, high = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
    assert (wide, high) == (
        2 * int(root.get("width", 0)),
        2 * int(root.get("height", 0)),
    )
