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
    "hostile_views",
    "transformer",
    "transformer_deep",
    "thousand",
]
WIDTHS = {"wide": 1640, "medium": 932, "narrow": 560}


def build() -> Path:
    """Bundle the page beside its stylesheet; return the HTML file."""
    subprocess.run(["node", "build.mjs"], cwd=WIDGETS, check=True)
    pages = TARGET / "page"
    pages.mkdir(parents=True, exist_ok=True)
    esbuild = WIDGETS / "node_modules" / ".bin" / "esbuild"
    outfile = f"--outfile={pages / 'page.js'}"
    command = [str(esbuild), "dev/page.ts", "--bundle", outfile, "--log-level=warning"]
    subprocess.run(command, cwd=WIDGETS, check=True)
    for source in ("dev/page.html", "dev/page.css", STYLE):
        shutil.copy(WIDGETS / source, pages)
    return pages / "page.html"


def open_log(browser: Browser, html: Path, name: str, width: int, theme: str) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("console", lambda m: print(f"  {name}: {m.type}: {m.text}"))
    page.on("pageerror", lambda error: print(f"  {name}: {error}"))
    if name.endswith(".json"):
        page.add_init_script(f"globalThis.LOG = {Path(name).read_text('utf-8')}")
    page.goto(f"file://{html}?log={name}&theme={theme}")
    page.wait_for_selector(".tg-root[data-seq]")
    page.wait_for_timeout(500)
    return page


def shoot(browser: Browser, html: Path, names: list[str]) -> None:
    for name in names:
        for layout, width in WIDTHS.items():
            for theme in ("light", "dark"):
                page = open_log(browser, html, name, width, theme)
                target = TARGET / f"{Path(name).stem}-{layout}-{theme}.png"
                page.screenshot(path=target, full_page=True)
                page.close()


def check_accessibility(browser: Browser, html: Path, names: list[str]) -> None:
    axe = (WIDGETS / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
    for name in names:
        for theme in ("light", "dark"):
            page = open_log(browser, html, name, 1060, theme)
            page.click(".tg-track")
            page.keyboard.press("Shift+ArrowLeft")
            page.evaluate(axe)
            violations = page.evaluate("axe.run({ preload: false })")["violations"]
            print(f"{name} {theme}: {len(violations)} violations")
            for violation in violations:
                node = violation["nodes"][0]
                print(f"  {violation['id']}: {node['target']} {node['failureSummary']}")
            page.close()


FRAMES = """async (count) => {
  const stage = document.querySelector('.tg-stage');
  const times = [];
  const frame = () => new Promise(requestAnimationFrame);
  for (let i = 0; i < count; i++) {
    const options = { deltaY: i % 40 < 20 ? 60 : -60, ctrlKey: true, bubbles: true };
    const { left, top } = stage.getBoundingClientRect();
    const place = { clientX: left + 200, clientY: top + 200 };
    Object.assign(options, place, { cancelable: true });
    stage.dispatchEvent(new WheelEvent('wheel', options));
    const start = performance.now();
    await frame();
    await new Promise((resolve) => setTimeout(resolve));
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}"""

SEEKS = """async (count) => {
  const times = [];
  let state = 12345;
  for (let i = 0; i < count; i++) {
    state = (state * 48271) % 2147483647;
    const start = performance.now();
    mounted.seek(state % events.length);
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}"""


def measure(browser: Browser, html: Path, names: list[str]) -> None:
    for name in names:
        page = open_log(browser, html, name, 1640, "light")
        first = page.evaluate(
            "Number(document.querySelector('.tg-root').dataset.paintedAt) - started"
        )
        print(f"{name}: first paint {first:.0f} ms after mount")
        for what, script in (("zoom", FRAMES), ("seek", SEEKS)):
            times = page.evaluate(script, 120)
            half, most = times[len(times) // 2], times[int(len(times) * 0.95)]
            print(f"{name}: {what} p50 {half:.1f} ms, p95 {most:.1f} ms")
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
