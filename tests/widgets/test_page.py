"""The exported page: everything inside, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from teachgraph_widgets import assets
from teachgraph_widgets.assets import NotBuiltError
from teachgraph_widgets.lettering import printable
from teachgraph_widgets.page import page, write_page
from teachgraph_widgets.tracing import TraceError
from teachgraph_widgets.validate import LogError

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError
from tests.widgets.recording import FOUR_LINES, record
from tests.widgets.test_still import HOSTILE, hostile_log


class Reader(HTMLParser):
    """Elements in order, with their attributes and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        self.open = True

    def handle_data(self, data: str) -> None:
        if self.open:
            self.elements[-1][2].append(data)

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(a, "".join(parts)) for name, a, parts in self.elements if name == tag]


def digest(text: str) -> str:
    return (
        "'sha256-"
        + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        + "'"
    )


def test_the_policy_lets_in_the_one_script_and_the_one_style() -> None:
    reader = Reader(page(record(FOUR_LINES).log))
    (policy,) = (
        attrs["content"]
        for attrs, _ in reader.all("meta")
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    scripts = reader.all("script")
    ((_, style),) = reader.all("style")
    (code,) = (text for attrs, text in scripts if attrs["type"] == "module")
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == digest(code)
    assert rules["style-src"] == digest(style)
    assert rules["img-src"] == "data:"
    assert "unsafe" not in policy
    assert "http" not in policy


def test_nothing_in_it_comes_from_elsewhere() -> None:
    reader = Reader(page(record(FOUR_LINES).log))
    for tag, attrs, _ in reader.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            value = attrs.get(name)
            assert value is None or value.startswith("data:"), (tag, value)


def test_the_log_is_in_it_and_ends_no_element() -> None:
    log = hostile_log()
    reader = Reader(page(log))
    (data,) = (t for a, t in reader.all("script") if a["type"] == "application/json")
    assert "<" not in data
    assert json.loads(data) == log
    assert len(reader.all("script")) == 2
    for tag in ("title", "h1"):
        ((_, title),) = reader.all(tag)
        assert title == printable(HOSTILE)


def test_a_log_that_was_tampered_with_is_not_drawn() -> None:
    log = record(FOUR_LINES).log
    log["events"][2]["line"] = "1; alert(1)"
    with pytest.raises(LogError, match=r"events\[2\]\.line"):
        page(log)


def test_it_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "trace.html"
    log = record(FOUR_LINES).log
    assert write_page(log, target) == target
    before = target.read_text("utf-8")
    assert before.startswith("<!doctype html>")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_page(log, target)
    assert target.read_text("utf-8") == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_trace_writes_its_own_page(tmp_path: Path) -> None:
    with tg.record("A product") as t:
        x = tg.to_tensor(3.0, stop_gradient=False)
        y = x * x
    y.backward()
    written = t.export_html(tmp_path / "product.html")
    text = written.read_text("utf-8")
    assert "<title>A product</title>" in text
    (data,) = re.findall(r'id="log">(.*?)</script>', text)
    kinds = [event["kind"] for event in json.loads(data)["events"]]
    assert "node" in kinds
    assert "grad" not in kinds, "it had ended"


def test_without_the_built_front_end_it_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    assets.script.cache_clear()
    try:
        with pytest.raises(NotBuiltError, match="make"):
            page(record("").log)
    finally:
        assets.script.cache_clear()


def test_a_trace_records_once_and_says_so() -> None:
    trace = tg.record()
    with pytest.raises(TraceError, match="nothing has been recorded"):
        _ = trace.events
    assert repr(trace) == "A trace yet to run"
    with trace:
        pass
    with pytest.raises(TraceError, match="records once"), trace:
        pass


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"theme": "pink"}, "a theme is one of auto, light, dark, got 'pink'"),
        ({"height": "tall"}, "a height is a number of pixels from 1, got 'tall'"),
        ({"height": 0}, "from 1, got 0"),
    ],
)
def test_a_look_that_there_is_not_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidValueError, match=message) as caught:
        tg.record("A look", **settings)
    assert "test_page.py" in str(caught.value)
