"""JupyterLite starts without a network, and its pictures step without NumPy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import BrowserContext

from docs import lite
from tests.browser.watched import Watched
from tests.packaging.commands import ROOT, run

pytestmark = [pytest.mark.full, pytest.mark.slow]


MILLISECONDS = 240_000
"""The interpreter takes a minute to start where processors are busy."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a JupyterLite with one lesson, served on loopback."""
    run("make", ".cache/lite/venv/.packages", cwd=ROOT)
    assert lite.main(["--lessons", "02"]) == 0
    serve = partial(Quiet, directory=str(lite.FOLDER / "html"))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_it_starts_and_its_pictures_step(address: str, online: Watched) -> None:
    page = online.page
    page.set_default_timeout(MILLISECONDS)
    page.goto(f"{address}/lab/index.html?path=02_the_tape.ipynb")
    page.locator(".tg-still, .tg-root").first.click()
    view = page.locator(".tg-root").first
    view.wait_for()
    before = view.inner_text()
    view.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "([view, before]) => view.innerText !== before",
        arg=[view.element_handle(), before],
    )
    page.get_by_text("Python (Pyodide) | Idle").wait_for()
    assert online.requests == []


@pytest.fixture
def online(context: BrowserContext) -> Iterator[Watched]:
    """A page that may ask its own server."""
    watched = Watched(context.new_page())
    with watched.listening():
        yield watched


def test_it_says_which_file_to_bring(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = lite.FOLDER / "html" / "files"
    text = (files / "02_the_tape.ipynb").read_text("utf-8")
    assert "pyemscripten" in text
    with pytest.raises(SystemExit, match="does not fit: it has to be numpy-"):
        lite.main(["--numpy", "numpy-1.0-py3-none-any.whl"])
