"""Photograph the fixtures in Chromium, so that one can look at them.

`python widgets/dev/shoot.py [name ...]` builds the page and writes PNG files to
`tests/artefacts/widgets`; a name is a fixture's or that of a log's JSON file. `--axe`
checks accessibility, `--frames` measures drawing.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

WIDGETS = Path(__file__).resolve().parents[1]
TARGET = WIDGETS.parent / "tests" / "artefacts" / "widgets"
STYLE = "teachgraph_widgets/static/widget.css"
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NAMES = [
    "four_lines",
    "four_lines_run",
    "mlp_eager",
    "mlp_nan",
    "mlp_three_steps",
    "diamond",
    "residual",
    "failing_program",
    "failing_eager",
    "hostile",
    "loop",
    "twice",
    "pictures",
    "passes",
    "plan",
    "rewritten",
    "training",
    "profile",
    "cluster",
    "hostile_views",
    "transformer",
    "transformer_deep",
    "thousand",
]
WIDTHS = {"wide": 1640, "medium": 932, "narrow": 560}


def build() -> Path:
    """Bundle the page beside its stylesheet; return the HTML file."""
    subprocess.run(["node", "build.mjs", "--if-stale"], cwd=WIDGETS, check=True)
    pages = TARGET / "page"
    pages.mkdir(parents=True, exist_ok=True)
    esbuild = WIDGETS / "node_modules" / ".bin" / "esbuild"
    outfile = f"--outfile={pages / 'page.js'}"
    command = [str(esbuild), "dev/page.ts", "--bundle", outfile, "--log-level=warning"]
    subprocess.run(command, cwd=WIDGETS, check=True)
    for source in ("dev/page.html", "dev/page.css", STYLE):
        shutil.copy(WIDGETS / source, pages)
    return pages / "page.html"


def open_log(
    browser: Browser, html: Path, name: str, width: int, theme: str, query: str = ""
) -> Page:
    page = browser.new_page()
    page.on("console", lambda m: print(f"  {name}: {m.type}: {m.text}"))
    page.on("pageerror", lambda error: print(f"  {name}: {error}"))
    if name.endswith(".json"):
        page.add_init_script(f"globalThis.LOG = {Path(name).read_text('utf-8')}")
    show_log(page, html, name, width, theme, query)
    return page


def show_log(
    page: Page, html: Path, name: str, width: int, theme: str, query: str = ""
) -> None:
    """Load a log into a page, and wait until it is drawn and stands still."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"file://{html}?log={name}&theme={theme}{query}")
    page.wait_for_selector(".tg-root[data-seq]")
    page.evaluate(NEXT_FRAME)
    page.evaluate(ARRIVED)


def shoot(browser: Browser, html: Path, names: list[str]) -> None:
    for name in names:
        for layout, width in WIDTHS.items():
            for theme in ("light", "dark"):
                page = open_log(browser, html, name, width, theme)
                target = TARGET / f"{Path(name).stem}-{layout}-{theme}.png"
                page.screenshot(path=target, full_page=True)
                page.close()


# Some rules look at the whole page, whatever part they are asked about.
AXE = """async (within) => {
  const options = { preload: false, resultTypes: ["violations"] };
  const { violations } = await axe.run(within, options);
  const part = document.querySelector(within);
  const isInside = ({ target }) => part.contains(document.querySelector(target[0]));
  return violations.map((rule) => ({ ...rule, nodes: rule.nodes.filter(isInside) }));
}"""


ARRIVED = """() => Promise.all(document.getAnimations()
  .filter((one) => one.effect.getTiming().iterations !== Infinity)
  .map((one) => one.finished.catch(() => {})))"""
"""Until what slides in stands still: on its way it is paler than it will be."""
NEXT_FRAME = """() => new Promise((drawn) => {
  requestAnimationFrame(() => requestAnimationFrame(drawn));
})"""
"""Until what has changed by now is drawn, in the layout that fits the window."""


def violations(page: Page, within: str = "html") -> list[str]:
    """What axe-core finds wrong with a page, or a part of one, a line each."""
    if not page.evaluate("'axe' in globalThis"):
        axe = WIDGETS / "node_modules" / "axe-core" / "axe.min.js"
        page.evaluate(axe.read_text("utf-8"))
    page.evaluate(ARRIVED)
    found = page.evaluate(AXE, within)
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def check_accessibility(browser: Browser, html: Path, names: list[str]) -> None:
    for name in names:
        for theme in ("light", "dark"):
            page = open_log(browser, html, name, 932, theme)
            page.focus(".tg-root")
            page.keyboard.press("Shift+ArrowLeft")
            found = violations(page)
            print(f"{name} {theme}: {len(found)} violations", *found, sep="\n  ")
            page.close()


ZOOMS = """async (count) => {
  const stage = document.querySelector('.tg-stage');
  const { left, top } = stage.getBoundingClientRect();
  return times(count, (i) => {
    const place = { clientX: left + 200, clientY: top + 200 };
    const deltaY = i % 40 < 20 ? 60 : -60;
    const options = { deltaY, ctrlKey: true, bubbles: true, cancelable: true };
    stage.dispatchEvent(new WheelEvent('wheel', { ...options, ...place }));
  });
}"""

PANS = """async (count) => {
  const stage = document.querySelector('.tg-stage');
  stage.setPointerCapture = () => undefined;
  const { left, top } = stage.getBoundingClientRect();
  const point = (kind, y) => {
    const place = { clientX: left + 200, clientY: top + 250 + y };
    const options = { ...place, button: 0, pointerId: 1, bubbles: true };
    stage.dispatchEvent(new PointerEvent(kind, options));
  };
  point('pointerdown', 0);
  const found = await times(count, (i) => point('pointermove', i % 60 < 30 ? -90 : 90));
  point('pointerup', 0);
  return found;
}"""

SEEKS = """async (count) => {
  let state = 12345;
  return times(count, () => {
    state = (state * 48271) % 2147483647;
    mounted.seek(state % events.length);
  });
}"""

TIMES = """globalThis.times = async (count, act) => {
  const sorted = (list) => list.sort((a, b) => a - b);
  const [whole, script] = [[], []];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    let drawing;
    requestAnimationFrame(() => (drawing = performance.now()));
    act(i);
    await new Promise(requestAnimationFrame);
    script.push(performance.now() - drawing);
    await new Promise((resolve) => setTimeout(resolve));
    whole.push(performance.now() - start);
  }
  return { whole: sorted(whole), script: sorted(script) };
}"""

IDLE = "async () => times(60, () => undefined)"
PAINTED = "Number(document.querySelector('.tg-root').dataset.paintedAt) - started"


def figures(page: Page, count: int = 120) -> dict[str, tuple[float, float, float]]:
    """Milliseconds of frames under the hand: the median, and the 95th percentile.

    The third is the 95th percentile of what the view's own code takes of a frame.
    `idle` is a frame in which nothing is drawn: what the browser itself takes.
    """
    page.evaluate(TIMES)
    found = {}
    for what, script in (
        ("idle", IDLE),
        ("zoom", ZOOMS),
        ("pan", PANS),
        ("seek", SEEKS),
    ):
        times = page.evaluate(script, count)
        whole, own = times["whole"], times["script"]
        late = int(len(whole) * 0.95)
        found[what] = whole[len(whole) // 2], whole[late], own[late]
    return found


def measure(browser: Browser, html: Path, names: list[str]) -> None:
    for name in names:
        page = open_log(browser, html, name, 1640, "light")
        print(f"{name}: first paint {page.evaluate(PAINTED):.0f} ms after mount")
        button = page.locator(".tg-foldall")
        if button.is_visible() and button.inner_text() == "Unfold":
            button.click()
        for what, (half, most, own) in figures(page).items():
            times = f"p50 {half:.1f}, p95 {most:.1f}, of it ours {own:.1f} ms"
            print(f"{name}: {what} {times}")
        page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="fixtures, all when none is given")
    parser.add_argument("--axe", action="store_true")
    parser.add_argument("--frames", action="store_true")
    arguments = parser.parse_args()
    names = arguments.names or NAMES
    html = build()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        act = shoot
        if arguments.axe:
            act = check_accessibility
        elif arguments.frames:
            act = measure
        act(browser, html, names)
        browser.close()


if __name__ == "__main__":
    main()
