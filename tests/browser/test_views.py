"""Every view in a real Chromium: for everybody to use, and quick enough to the hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect
from teachgraph_widgets.log import written

from tests.bars import note
from tests.browser.watched import Show
from widgets.dev import gallery, shoot

FOUR_HUNDRED, TEN_THOUSAND = "transformer", "transformer_deep"
TRACES = [
    *("mlp_nan", "failing_program", FOUR_HUNDRED),
    *(
        pytest.param(name, marks=pytest.mark.full)
        for name in ("four_lines_run", "twice")
    ),
]
VIEWS = [
    *("passes", "plan", "rewritten", "training", "profile", "cluster", "pictures"),
    "loop",
    *("failing_eager", "hostile", "hostile_views", "mlp_three_steps"),
]
PRINTING = """\
net = tg.nn.Sequential(tg.nn.Linear(4, 8), tg.nn.ReLU(), tg.nn.Linear(8, 1))
opt = tg.optimizer.Adam(0.01, parameters=net.parameters())
x, y = tg.randn([16, 4]), tg.ones([16, 1])
for step in range(10):
    loss = (net(x) - y).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
    print(step, loss.item())
"""
# Colours differ, and their contrast in both is checked by the front end's own tests.
THEMES = ["light", pytest.param("dark", marks=pytest.mark.full)]
# What is shown is seen wide, and dark, as an exported page: see `test_export.py`.
WIDTHS = [900, pytest.param(1600, marks=pytest.mark.full)]
Ask = Callable[[Page], list[str]]


@pytest.fixture(scope="module")
def violations() -> Iterator[Ask]:
    """Asks axe-core; the sum of all answers is a figure of the bars."""
    found: list[str] = []

    def ask(page: Page) -> list[str]:
        answer = shoot.violations(page)
        found.extend(answer)
        return answer

    yield ask
    note("axe", len(found), 0, "violations")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", TRACES)
def test_a_trace_has_no_accessibility_violation(
    show: Show, violations: Ask, name: str, theme: str
) -> None:
    page = show(name, theme)
    assert violations(page) == []
    page.focus(".tg-root")
    for key in ("Shift+ArrowLeft", "ArrowDown", "]", "g", "Enter"):
        page.keyboard.press(key)
    assert violations(page) == [], "with something selected"
    page.keyboard.press("?")
    assert violations(page) == [], "with the help open"
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("a")
    assert violations(page) == [], "with something found"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", VIEWS)
def test_no_view_has_an_accessibility_violation(
    show: Show, violations: Ask, name: str, theme: str, width: int
) -> None:
    page = show(name, theme, width)
    for _ in range(max(1, page.locator(".tg-tab:not([hidden])").count())):
        page.evaluate(shoot.NEXT_FRAME)
        assert violations(page) == []
        page.focus(".tg-root")
        page.keyboard.press("v")


def test_every_part_of_a_chart_can_be_reached_by_keyboard(show: Show) -> None:
    page = show("plan")
    page.locator(".tg-plan .tg-chartbox").last.focus()
    details = page.locator(".tg-plan .tg-details").last
    seen = set()
    for _ in range(16):
        page.keyboard.press("ArrowRight")
        seen.add(details.inner_text())
    assert len(seen) == 16
    assert "fc_0.tmp_0: 256 kB from byte 0, alive from mul (0) to relu (1)." in seen


def test_a_span_opens_by_enter_and_the_whole_comes_back(show: Show) -> None:
    page = show("profile")
    label = page.locator(".tg-chart").get_attribute("aria-label")
    page.focus(".tg-flame .tg-chartbox")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".tg-chart")).not_to_have_attribute("aria-label", label or "")
    page.get_by_role("button", name="Show the whole profile").click()
    expect(page.locator(".tg-chart")).to_have_attribute("aria-label", label or "")


def test_a_deep_network_comes_folded_and_opens_where_one_looks(show: Show) -> None:
    page = show(TEN_THOUSAND)
    group = page.locator(".tg-node[data-kind=group][data-side=forward]")
    expect(group).to_have_attribute("data-name", "encoder ×330")
    page.keyboard.press("/")
    page.fill(".tg-find", "softmax")
    page.keyboard.press("Enter")
    expect(page.locator(".tg-node[data-name=softmax]").first).to_be_attached()


def test_pointing_at_an_edge_tells_the_gradients_norm(show: Show) -> None:
    page = show("mlp_eager", width=1640)
    start = page.locator(".tg-node[data-name=reduce_mean_grad]").bounding_box()
    assert start is not None
    x, y = start["x"] + start["width"] / 2, start["y"] - 8
    page.mouse.move(x, y)
    expect(page.locator(".tg-tip")).to_contain_text("‖g‖")
    expect(page.locator(".tg-tip .tg-hist")).to_be_visible()


def painted(browser: Browser, html: Path, name: str, times: int) -> tuple[Page, float]:
    """A page, and the least of some first paints: others use the machine too."""
    pages = [shoot.open_log(browser, html, name, 1640, "light") for _ in range(times)]
    first = min(page.evaluate(shoot.PAINTED) for page in pages)
    for page in pages[1:]:
        page.close()
    return pages[0], first


class Effort(NamedTuple):
    """The number of times that what a hand waits for is measured."""

    paints: int
    frames: int


ONCE, OFTEN = Effort(1, 30), Effort(3, 120)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "effort"),
    [
        pytest.param(FOUR_HUNDRED, OFTEN, marks=pytest.mark.full),
        pytest.param(TEN_THOUSAND, OFTEN, marks=pytest.mark.full),
        pytest.param("ten_thousand", OFTEN, marks=pytest.mark.full),
        ("ten_thousand", ONCE),
    ],
)
def test_what_a_hand_waits_for(
    browser: Browser,
    html: Path,
    name: str,
    effort: Effort,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Prints the figures; the gates are ten times the bars, for a busy machine."""
    page, first = painted(browser, html, name, effort.paints)
    unfold = page.get_by_role("button", name="Unfold all groups (e)")
    if unfold.is_visible():
        unfold.click()
    found = shoot.figures(page, effort.frames)
    nodes = page.locator(".tg-graph").get_attribute("data-nodes")
    page.close()
    with capsys.disabled():
        frames = [
            f"{what} p50 {half:.1f} p95 {most:.1f} (ours {own:.1f})"
            for what, (half, most, own) in found.items()
        ]
        print(f"\n{name}, {nodes} nodes: first paint {first:.0f} ms", *frames, sep=", ")
    if (name, effort) == ("ten_thousand", OFTEN):
        note("idle-p95", found["idle"][1], 20, "ms")
        note("first-paint", first, 500, "ms")
        for what, bar in (("zoom", 20), ("pan", 20), ("seek", 50)):
            note(f"{what}-p95", found[what][1], bar, "ms")
            note(f"{what}-p95-of-it-ours", found[what][2], bar, "ms")
    assert first < 5000
    assert found["seek"][1] < 500
    assert max(found["zoom"][1], found["pan"][1]) < 200


UNSEEN = """() => {
  const inside = (part, whole) => {
    const [a, b] = [part, whole].map((one) => one.getBoundingClientRect());
    return a.top >= b.top - 1 && a.bottom <= b.bottom + 1
      && a.left >= b.left - 1 && a.right <= b.right + 1;
  };
  const found = [];
  for (const [part, whole] of [[".tg-row", ".tg-scroll"], [".tg-node", ".tg-stage"]]) {
    for (const one of document.querySelectorAll(part)) {
      if (!inside(one, one.closest(whole))) found.push(one.dataset.name);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("width", [1190, 1560])
def test_the_picture_of_the_first_lesson_fits_a_notebook(
    show: Show, width: int
) -> None:
    page = show("four_lines", width=width)
    assert page.evaluate(UNSEEN) == []
    for name in ("X", "mul"):
        assert page.locator(f'.tg-row[data-name="{name}"]').count() == 1
    box = page.locator(".tg-root").bounding_box()
    assert box is not None
    assert box["height"] <= 760, "what JupyterLab leaves at 1600x1000 under the cell"


def test_a_border_that_is_dragged_gives_its_room_to_the_graph(show: Show) -> None:
    page = show("four_lines", width=1560)
    graph, border = page.locator(".tg-graph"), page.locator(".tg-graph > .tg-splitter")
    before, place = graph.bounding_box(), border.bounding_box()
    assert before is not None
    assert place is not None
    x, y = place["x"] + 3, place["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y, steps=4)
    page.mouse.up()
    after = graph.bounding_box()
    assert after is not None
    assert after["width"] == pytest.approx(before["width"] + 150, abs=4)
    border.focus()
    page.keyboard.press("ArrowRight")
    narrower = graph.bounding_box()
    assert narrower is not None
    assert narrower["width"] < after["width"]


IN_SIGHT = """([inner, outer]) => {
  const [one, whole] = [inner, outer].map((selector) =>
    document.querySelector(selector).getBoundingClientRect());
  const { left, right, top, bottom, width } = one;
  const isIn = left >= whole.left && right <= whole.right + 0.5
    && top >= whole.top && bottom <= whole.bottom + 0.5;
  return width > 0 && isIn;
}"""
APART = """([first, second]) => {
  const [one, other] = [first, second].map((selector) =>
    document.querySelector(selector).getBoundingClientRect());
  return one.right <= other.left || other.right <= one.left
    || one.bottom <= other.top || other.bottom <= one.top;
}"""


@pytest.mark.parametrize("width", [360, 480, 900, 1400])
def test_the_head_of_a_graph_and_the_names_can_be_read_at_any_width(
    browser: Browser, html: Path, tmp_path: Path, width: int
) -> None:
    log = tmp_path / "log.json"
    log.write_text(written(gallery.alone(gallery.traced(PRINTING))), "utf-8")
    page = shoot.open_log(browser, html, str(log), width, "light")
    head = ".tg-graph > .tg-panehead"
    for part in (".tg-graph h3", ".tg-earlier", ".tg-turn", ".tg-later"):
        assert page.evaluate(IN_SIGHT, [part, head]), part
    cut = "(part) => document.querySelector(part).scrollWidth > "
    cut += "document.querySelector(part).clientWidth"
    assert not page.evaluate(cut, ".tg-graph h3")
    assert page.evaluate(APART, [".tg-forward", ".tg-rate"])
    assert page.evaluate(IN_SIGHT, [".tg-names > :first-child", ".tg-nowbody"])
    page.close()
