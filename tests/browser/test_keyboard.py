"""Every action by keyboard, where it needs a real Chromium: see `actions.test.ts`.

The browser's own controls, real layouts and scrolling, the way of Tab, and that the
focus is seen. Each action is done by pointer, then by keys: both come to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

from tests.browser.watched import Show
from widgets.dev import shoot


class Act(NamedTuple):
    """What a pointer can do, and which keys do it.

    Attributes:
        what: Said in words.
        log: What is drawn.
        pointer: Does it by pointer.
        focus: What has the focus at first.
        keys: What is pressed.
        before: What is pressed on the view before either way.
    """

    what: str
    log: str
    pointer: Callable[[Page], object]
    focus: str
    keys: str
    before: str = ""


def click(selector: str) -> Callable[[Page], None]:
    return lambda page: page.locator(selector).first.click()


def press_at(selector: str, x: float, y: float) -> Callable[[Page], None]:
    """Press at a place of an element, in shares of its width and height."""

    def act(page: Page) -> None:
        page.locator(selector).first.scroll_into_view_if_needed()
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])

    return act


def drag(page: Page) -> None:
    page.locator(".tg-stage").scroll_into_view_if_needed()
    box = page.locator(".tg-stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y)
    page.mouse.up()
    page.mouse.move(0, 0)


def find(page: Page) -> None:
    page.locator(".tg-find").click()
    page.keyboard.type("relu")


CHOICE = "[data-family=main] select"
ACTS = [
    Act(
        "choose a program",
        "four_lines_run",
        lambda page: page.locator(CHOICE).select_option(index=0),
        CHOICE,
        "ArrowUp",
    ),
    Act(
        "move the slider",
        "passes",
        press_at(".tg-range", 0.99, 0.5),
        ".tg-range",
        "End",
        "v",
    ),
    Act(
        "press the track of steps",
        "mlp_eager",
        press_at(".tg-track", 0.002, 0.5),
        ".tg-track",
        "Home",
    ),
    Act("drag the graph", "mlp_eager", drag, ".tg-root", "a"),
    Act(
        "press the strip beside the graph",
        "transformer",
        press_at(".tg-minimap", 0.5, 0.999),
        ".tg-minimap",
        "End",
        "e",
    ),
    Act("find", "mlp_eager", find, ".tg-root", "/ r e l u"),
    Act("open a view", "passes", click(".tg-tab >> nth=1"), ".tg-root", "v"),
    Act("pace", "mlp_eager", click(".tg-pace"), ".tg-pace", "Enter"),
    Act("go to trouble", "mlp_nan", click(".tg-alarm"), ".tg-alarm", "Enter"),
    Act(
        "follow a link of the inspector",
        "mlp_eager",
        click(".tg-link"),
        "",
        "Tab Enter",
        "ArrowDown Enter",
    ),
]

STATE = """() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const { transform } = document.querySelector(".tg-nodes > div")?.style ?? {};
  const numbers = transform?.match(/-?[\\d.]+/g) ?? [];
  return {
    ...document.querySelector(".tg-track").dataset,
    key: document.querySelector(".tg-inspector").dataset.key,
    values: all("select, input").map(({ value }) => value),
    rows: all(".tg-row, .tg-node[aria-selected=true]").map((one) => one.dataset.key),
    words: all(".tg-passwords, .tg-found, .tg-pace, [aria-selected=true].tg-tab").map(
      ({ textContent }) => textContent,
    ),
    camera: numbers.map(Math.round),
  };
}"""
HEAR = """() => {
  globalThis.heard = [];
  const note = ({ key }) => key === "Tab" || heard.push(key);
  document.addEventListener("keydown", note);
}"""


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)
        page.evaluate("new Promise(requestAnimationFrame)")


def settled(page: Page) -> Any:
    """The state, once the camera stands still."""
    last, state = None, page.evaluate(STATE)
    while state != last:
        page.wait_for_timeout(100)
        last, state = state, page.evaluate(STATE)
    return state


@pytest.mark.parametrize("act", ACTS, ids=[act.what for act in ACTS])
def test_what_a_pointer_does_keys_do(show: Show, act: Act) -> None:
    page = show(act.log)

    def begin() -> Any:
        page.wait_for_selector(".tg-root[data-seq]")
        page.focus(".tg-root")
        press(page, act.before)
        return settled(page)

    start = begin()
    act.pointer(page)
    wanted = settled(page)
    page.reload()
    begin()
    page.evaluate(HEAR)
    if act.focus:
        page.locator(act.focus).first.focus()
    press(page, act.keys)
    assert settled(page) == wanted
    assert wanted != start, "something happened"
    assert page.evaluate("heard") == [], "no key reaches the notebook"


STOPS = """() => {
  const root = document.querySelector(".tg-root");
  const all = [...root.querySelectorAll("button, select, input, [tabindex='0']")];
  const shown = all.filter((one) => one.checkVisibility({ visibilityProperty: true }));
  return shown.filter(({ tabIndex }) => tabIndex >= 0).length;
}"""
FOCUS = """() => {
  const { activeElement: now } = document;
  globalThis.met ??= new Set();
  const inside = document.querySelector(".tg-root").contains(now) && !met.has(now);
  if (inside) met.add(now);
  const { outlineStyle, outlineWidth } = getComputedStyle(now);
  const shown = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  return [inside, now.className, shown];
}"""


@pytest.mark.parametrize(
    ("name", "colours"),
    [
        *product(["four_lines_run", "mlp_nan", "passes", "profile"], ["active"]),
        *product(["mlp_nan", "profile"], ["none"]),
        pytest.param("four_lines_run", "none", marks=pytest.mark.full),
        pytest.param("passes", "none", marks=pytest.mark.full),
    ],
)
def test_tab_comes_to_everything_and_what_has_the_focus_is_seen(
    show: Show, name: str, colours: Any
) -> None:
    page = show(name)
    page.emulate_media(forced_colors=colours)
    stops, unseen, inside = 0, set(), True
    wanted = page.evaluate(STOPS)
    while inside:
        page.keyboard.press("Tab")
        inside, where, shown = page.evaluate(FOCUS)
        stops += inside
        if inside and not shown:
            unseen.add(where)
    assert unseen == set()
    assert stops == wanted


def test_where_the_system_chooses_colours_what_is_selected_is_outlined(
    show: Show,
) -> None:
    page = show("four_lines")
    page.emulate_media(forced_colors="active")
    page.focus("[data-family=main] .tg-rows")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".tg-row.tg-selected")
    outline = "row => getComputedStyle(row).outlineStyle"
    assert page.locator(".tg-row.tg-selected").evaluate(outline) == "solid"
    assert page.locator(".tg-row:not(.tg-selected):not(.tg-current)").first.evaluate(
        outline
    ) == ("none")


def test_the_wheel_over_the_graph_scrolls_the_page(show: Show) -> None:
    page = show("mlp_eager")
    page.set_viewport_size({"width": 932, "height": 500})
    before = settled(page)["camera"]
    page.locator(".tg-stage").hover()
    top = page.evaluate("scrollY")
    page.mouse.wheel(0, 60)
    assert settled(page)["camera"] == before
    assert page.evaluate("scrollY") > top


def test_escape_leaves_the_view(show: Show) -> None:
    page = show("mlp_eager")
    page.focus(".tg-nodes")
    press(page, "ArrowDown Escape Escape")
    assert page.evaluate("document.activeElement === document.body")
    assert page.locator(".tg-selected").count() == 0


def test_the_strip_beside_the_graph_is_accessible(show: Show) -> None:
    page = show("transformer")
    page.focus(".tg-root")
    press(page, "e")
    assert page.locator(".tg-minimap").is_visible()
    assert shoot.violations(page) == []
