"""Every action of the mouse by keyboard, in a real Chromium; and the focus is seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_views import errors, html, opened

__all__ = ["errors", "html"]


class Act(NamedTuple):
    """What a mouse can do, and which keys do it.

    Attributes:
        what: Said in words.
        log: What is drawn.
        focus: What has the focus at first.
        keys: What is pressed.
        where: What changes.
        attribute: Its attribute that changes, or `text`.
        wanted: What it is then.
    """

    what: str
    log: str
    focus: str
    keys: str
    where: str
    attribute: str
    wanted: str


ROOT, TRACK, MAIN = ".tg-root", ".tg-track", "[data-family=main] .tg-rows"
ACTS = [
    Act("first step", "mlp_eager", ROOT, "Home", TRACK, "data-step", "0"),
    Act("a step on", "mlp_eager", ROOT, "Home ArrowRight", TRACK, "data-step", "1"),
    Act("a step back", "mlp_eager", ROOT, "ArrowLeft", TRACK, "data-live", "false"),
    Act("latest step", "mlp_eager", ROOT, "Home End", TRACK, "data-live", "true"),
    Act("drag the scrubber", "mlp_eager", TRACK, "Home", TRACK, "aria-valuenow", "0"),
    Act(
        "click a line",
        "mlp_eager",
        ROOT,
        "Home ArrowRight ArrowRight",
        TRACK,
        "data-step",
        "2",
    ),
    Act(
        "play",
        "mlp_eager",
        ROOT,
        "Home Space",
        ".tg-play",
        "aria-label",
        "Pause",
    ),
    Act("pace", "mlp_eager", ".tg-pace", "Enter", ".tg-pace", "text", "2×"),
    Act(
        "click a row",
        "four_lines",
        MAIN,
        "Home End ArrowDown",
        ".tg-row[aria-selected=true]",
        "role",
        "option",
    ),
    Act(
        "point at a row",
        "four_lines",
        MAIN,
        "End ArrowDown",
        ".tg-inspector",
        "data-key",
        ".",
    ),
    Act(
        "click a node",
        "mlp_eager",
        ".tg-nodes",
        "ArrowDown",
        ".tg-node[aria-selected=true]",
        "role",
        "option",
    ),
    Act(
        "point at a node",
        "mlp_eager",
        ".tg-nodes",
        "ArrowDown",
        ".tg-inspector",
        "data-key",
        ".",
    ),
    Act(
        "point at a gradient",
        "mlp_eager",
        ".tg-nodes",
        "ArrowDown g",
        ".tg-inspector",
        "text",
        "‖g‖|norm|_grad|gradient",
    ),
    Act(
        "click a link of the inspector",
        "mlp_eager",
        ".tg-nodes",
        "ArrowDown ArrowDown Enter Tab Enter",
        ".tg-inspector",
        "data-key",
        ".",
    ),
    Act(
        "click a chip",
        "mlp_eager",
        ".tg-chip",
        "Enter",
        ".tg-chip.tg-selected",
        "data-kind",
        "tensor",
    ),
    Act(
        "close a group",
        "transformer",
        ".tg-nodes",
        "/ s o f t m a x Enter Escape c",
        ".tg-root > .tg-sr",
        "text",
        "Selected",
    ),
    Act("find", "mlp_eager", ROOT, "/ r e l u Enter", ".tg-found", "text", "1 of|2 of"),
    Act("next view", "passes", ROOT, "v", ".tg-tab[aria-selected=true]", "role", "tab"),
    Act(
        "a tab",
        "passes",
        ".tg-tab[aria-selected=true]",
        "ArrowRight",
        ".tg-tab[aria-selected=true]",
        "role",
        "tab",
    ),
    Act(
        "go to trouble",
        "mlp_nan",
        ".tg-alarm",
        "Enter",
        ".tg-inspector",
        "data-key",
        ".",
    ),
    Act("help", "mlp_eager", ROOT, "?", ".tg-help [role=dialog]", "aria-modal", "true"),
    Act(
        "let go",
        "mlp_eager",
        ".tg-nodes",
        "ArrowDown Escape",
        ".tg-root > .tg-sr",
        "text",
        "Nothing selected.",
    ),
    Act(
        "choose a part of a chart",
        "plan",
        ".tg-plan .tg-chartbox >> nth=-1",
        "ArrowRight",
        ".tg-plan .tg-details >> nth=-1",
        "text",
        "byte",
    ),
]


@pytest.mark.parametrize("act", ACTS, ids=[act.what for act in ACTS])
def test_what_a_mouse_can_do_keys_do(
    browser: Browser, html: Path, errors: list[str], act: Act
) -> None:
    page = opened(browser, html, act.log, "light", errors)
    page.evaluate(HEAR)
    page.locator(act.focus).first.focus()
    for key in act.keys.split():
        page.keyboard.press(key)
        page.evaluate("new Promise(requestAnimationFrame)")
    found = page.locator(act.where).first
    wanted = re.compile(act.wanted)
    if act.attribute == "text":
        expect(found).to_have_text(wanted)
    else:
        expect(found).to_have_attribute(act.attribute, wanted)
    assert page.evaluate("heard") == [], "no key reaches the notebook"
    page.close()


HEAR = """() => {
  globalThis.heard = [];
  const note = ({ key }) => key === "Tab" || heard.push(key);
  document.addEventListener("keydown", note);
}"""
OUTLINE = """() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  const shown = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  return [document.activeElement.className, shown];
}"""


@pytest.mark.parametrize("name", ["four_lines", "mlp_nan", "passes", "plan"])
def test_what_has_the_focus_is_seen(
    browser: Browser, html: Path, errors: list[str], name: str
) -> None:
    page = opened(browser, html, name, "light", errors)
    unseen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        where, shown = page.evaluate(OUTLINE)
        if where and not shown:
            unseen.add(where)
    assert unseen == set()
    page.close()
