"""The picture and the text that stand where no script runs."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from teachgraph_widgets.events import Log
from teachgraph_widgets.still import image, still
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import validate

from tests.widgets.recording import FOUR_LINES, record
from tests.widgets.test_tape import DIAMOND

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>\x00\x1b[31m\"'&]]>"


def texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314  our own
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def hostile_log() -> Log:
    recording = record(
        "x = fluid.data(name=evil, shape=[2], dtype='float32')\n"
        "y = fluid.layers.relu(x)\n"
        "raise ValueError(evil)  # </script><script>alert(1)</script>\n",
        evil=HOSTILE,
    )
    return recording.log | {"title": HOSTILE}


def test_the_four_lines_are_in_the_picture_row_by_row() -> None:
    words = texts(still(record(FOUR_LINES).log))
    startup, main = words.index("startup program"), words.index("main program")
    assert startup < main, "what runs once comes first"
    rows = [word for word in words[main:] if word in ("mul", "mul_grad", "sgd")]
    assert rows == ["mul", "mul_grad", "sgd", "sgd"]
    assert "X" in words
    assert any(word.startswith("hidden = fluid.layers.fc(") for word in words)


def test_a_row_has_the_colour_and_the_number_of_its_line() -> None:
    root = ET.fromstring(still(record(FOUR_LINES).log))  # noqa: S314
    bars = [e.get("fill") for e in root.iter(f"{SVG}rect") if e.get("width") == "4"]
    source, rows = bars[:4], bars[4:]
    assert len(set(source)) == 4
    assert set(rows) == set(source)
    assert rows.count(source[0]) == 1, "one row is of line 1"


def test_the_tape_has_each_gradient_beside_its_op() -> None:
    root = ET.fromstring(still(record(DIAMOND).log))  # noqa: S314
    heights: dict[str, list[str | None]] = {}
    for element in root.iter(f"{SVG}text"):
        heights.setdefault((element.text or "").split("  ")[0], []).append(
            element.get("y")
        )
    assert heights["elementwise_mul"] == heights["elementwise_mul_grad"]
    assert heights["scale"] == heights["scale_grad"]
    assert "x.grad" in heights


@pytest.mark.parametrize("draw", [still, lambda log: decoded(image(log))])
def test_hostile_names_are_text_in_the_picture(draw: Any) -> None:
    svg = draw(hostile_log())
    tags = {element.tag for element in ET.fromstring(svg).iter()}  # noqa: S314
    assert tags <= {
        f"{SVG}{name}" for name in ("svg", "style", "rect", "circle", "text")
    }
    assert any("<img src=x onerror=alert(1)>" in word for word in texts(svg))
    assert "\x00" not in svg
    assert "\x1b" not in svg


def decoded(html: str) -> str:
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"', html)
    return base64.b64decode(data).decode()


def test_hostile_titles_stay_inside_the_images_words() -> None:
    html = image(hostile_log())
    assert html.count("<") == 1
    assert html.count(">") == 1


def test_the_text_tells_each_line_with_what_it_made() -> None:
    text = summary(record(FOUR_LINES).log)
    assert text == summary(record(FOUR_LINES).log), "no time and no address is in it"
    lines = text.splitlines()
    assert lines[0] == "Trace: A recording"
    third = next(i for i, line in enumerate(lines) if line.startswith("   3  loss ="))
    assert lines[third + 1] == "        main program: T mean_0.tmp_0; reduce_mean"


def test_the_text_tells_gradients_and_loops() -> None:
    text = summary(record(DIAMOND + "for _ in range(3):\n    z = y * 2.0\n").log)
    assert "D x [], gradient 108" in text
    assert "elementwise_mul(x, x) -> y []  keeps X, Y" in text
    assert "scale(y) -> z []  (x3)" in text


def test_the_text_is_plain_and_of_bounded_size() -> None:
    text = summary(hostile_log())
    assert not any(c for c in text if not c.isprintable() and c != "\n")
    assert "ended with ValueError" in text
    many = record("\n".join(f"x{i} = tg.to_tensor({i}.0)" for i in range(500)))
    lines = summary(many.log).splitlines()
    assert len(lines) < 70
    assert all(len(line) <= 88 for line in lines)
    assert "lines more" in "\n".join(lines)


def test_a_large_trace_is_a_small_picture() -> None:
    text = "x = tg.to_tensor(1.0)\n" + "\n".join(
        f"x{i} = x * {i}.0" for i in range(1000)
    )
    svg = still(record(text).log)
    assert len(svg) < 60_000
    assert any("more" in word for word in texts(svg))


def test_a_log_that_speaks_of_what_it_never_told_is_drawn_without_it() -> None:
    stats = record("x = tg.to_tensor(1.0)").value("x")
    facts: list[dict[str, Any]] = [
        {"kind": "value", "tensor": 5, "value": stats},
        {"kind": "grad", "tensor": 5, "node": 7, "total": True, "value": stats},
        {"kind": "attr", "tensor": 5, "attr": "name", "value": "x"},
        {"kind": "op_failed", "program": 9, "type": "mul", "inputs": [], "message": ""},
        {"kind": "free", "node": 3},
        {"kind": "op_removed", "op": 4},
    ]
    events: Any = [
        {"seq": seq, "t": 0.0, "cell": 0, "line": 40, **fact}
        for seq, fact in enumerate(facts)
    ]
    log: Log = {"version": 1, "title": "Gaps", "events": events}
    assert "Gaps" in texts(still(validate(log)))
    assert summary(log).startswith("Trace: Gaps")
