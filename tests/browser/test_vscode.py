"""A notebook reopened in VS Code without a kernel: its conditions, in Chromium.

VS Code itself is not here. What its notebooks do with an output, as its source and that
of its Jupyter extension say:

- All outputs of a notebook are in one frame of another origin, each in an element of
  class `output` in one `output_container`, these in one `cell_container` for a cell.
- A widget whose model the kernel does not know has no picture: shown is the output's
  plain text.
- Of HTML the elements are set, and its scripts run as copies that have the text, and of
  the attributes the type and four others. There is no `require`.
- A folder that is not trusted shows no HTML at all, but the plain text.
- `notebook.experimental.enableCsp`, off by default, sends a policy that allows scripts
  in the page and none from a Blob.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Route, expect

from tests.browser.watched import Watched
from tests.widgets.front_end import VIEW, Cell, kernel
from tests.widgets.recording import FOUR_LINES
from tests.widgets.test_kernel import SET_UP

EDITOR, WEBVIEW = "https://editor.invalid/", "https://webview.invalid/"
SANDBOX = "allow-same-origin allow-pointer-lock allow-scripts allow-downloads"
OWN = "'self' https://*.vscode-cdn.net"
POLICY = (
    f"default-src 'none'; script-src {OWN} 'unsafe-inline' 'unsafe-eval'; "
    f"style-src {OWN} 'unsafe-inline'; img-src {OWN} https: http: data:; "
    f"font-src {OWN} https:; connect-src https:; child-src https: data:"
)
OUTER = f'<!doctype html><iframe style="width:100%;height:1800px" sandbox="{SANDBOX}" '
INNER = (
    "<!doctype html><html><head>{meta}</head>"
    '<body class="vscode-dark" data-vscode-theme-kind="vscode-dark">'
    '<div id="container" class="widgetarea"></div></body></html>'
)
RENDER = """([cells, isTrusted]) => {
  const made = (name, to) => {
    const one = to.appendChild(document.createElement("div"));
    one.className = name;
    return one;
  };
  for (const outputs of cells) {
    const cell = made("cell_container", container);
    for (const output of outputs) {
      const place = made("output", made("output_container", cell));
      const html = isTrusted ? output["text/html"] : undefined;
      if (html === undefined) {
        made("output-plaintext", place).textContent = output["text/plain"];
        continue;
      }
      const holder = document.createElement("div");
      holder.innerHTML = html;
      place.append(holder);
      for (const script of [...holder.getElementsByTagName("script")]) {
        const copy = document.createElement("script");
        copy.text = script.innerText;
        for (const name of ["type", "src", "nonce", "noModule", "async"]) {
          if (script[name]) copy.setAttribute(name, script[name]);
        }
        holder.append(copy);
        copy.remove();
      }
    }
  }
}"""

REWRITTEN = """\
%%trace
@tg.jit.to_static
def doubled(x):
    if x.sum() > 0.0:
        x = x * 2.0
    return x

found = doubled(tg.ones([2]))
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, str]]]:
    """The outputs of three cells, as a notebook keeps them."""
    sources = [f"%%trace\n{FOUR_LINES}", "%%trace\na = tg.ones([2])\nb = a * 2.0"]
    with kernel(tmp_path_factory.mktemp("vscode")) as front_end:
        front_end.run(SET_UP)
        cells = [
            front_end.run(source, f"vscode-notebook-cell:/a.ipynb#{index}")
            for index, source in enumerate([*sources, REWRITTEN])
        ]
    return [list(kept(cell)) for cell in cells]


def kept(cell: Cell) -> Iterator[dict[str, str]]:
    """A cell's outputs; a widget's model is not saved in the notebook."""
    for content in cell.of("display_data"):
        yield {kind: text for kind, text in content["data"].items() if kind != VIEW}


@contextmanager
def reopened(
    browser: Browser, cells: Any, policy: str, *, trusted: bool
) -> Iterator[tuple[Watched, Frame]]:
    """A page with the notebook's frame, watched."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    pages = {
        EDITOR: f"{OUTER} src='{WEBVIEW}'></iframe>",
        WEBVIEW: INNER.format(meta=meta if policy else ""),
    }

    def answer(route: Route) -> None:
        route.fulfill(body=pages[route.request.url], content_type="text/html")

    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.route("**/*.invalid/**", answer)
    watched = Watched(context.new_page(), elsewhere=[EDITOR, WEBVIEW])
    with watched.listening():
        watched.page.goto(EDITOR)
        (frame,) = watched.page.frames[1:]
        frame.wait_for_selector("#container", state="attached")
        frame.evaluate(RENDER, [cells, trusted])
        yield watched, frame
    assert watched.requests == []
    context.close()


def seen(frame: Frame, text: str) -> int:
    """Count the places where words are visible."""
    return sum(one.is_visible() for one in frame.get_by_text(text).all())


@pytest.mark.parametrize("policy", ["", POLICY], ids=["as usual", "with a policy"])
def test_each_picture_steps_and_no_words_stand_beside_it(
    browser: Browser, outputs: Any, policy: str, artefacts: Path
) -> None:
    with reopened(browser, outputs, policy, trusted=True) as (watched, frame):
        views = frame.locator(".tg-root")
        expect(views).to_have_count(3)
        for index in (0, 1):
            view = views.nth(index)
            expect(view).to_have_attribute("data-state", "done")
            expect(view).to_have_attribute("data-theme", "dark")
            view.press("Home")
            expect(view.locator(".tg-future").first).to_be_attached()
            view.press("End")
            expect(view.locator(".tg-future")).to_have_count(0)
        last = views.nth(2)
        last.get_by_role("tab", name="to_static").click()
        expect(last.get_by_text("As to_static rewrites it")).to_be_visible()
        expect(frame.locator(".tg-still")).to_have_count(0)
        assert seen(frame, "A trace: live") == 0
        blocked = [error for error in watched.errors if "blob:" in error]
        assert watched.errors == blocked
        assert bool(blocked) == bool(policy)
        name = "vscode-policy.png" if policy else "vscode.png"
        watched.page.screenshot(path=artefacts / name)


def test_what_is_not_trusted_has_the_summary_in_words(
    browser: Browser, outputs: Any
) -> None:
    with reopened(browser, outputs, "", trusted=False) as (watched, frame):
        expect(frame.locator(".tg-root, .tg-still")).to_have_count(0)
        assert seen(frame, "hidden = fluid.layers.fc(input=X, size=10)") == 1
        assert watched.errors == []
