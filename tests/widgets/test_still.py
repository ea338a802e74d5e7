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

import teachgraph as tg
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
    stripes = {
        f"#{stamp.get('id')}": (stripe.get("fill"), number.text)
        for stamp in root.iter(f"{SVG}g")
        for stripe in stamp.iter(f"{SVG}rect")
        for number in stamp.iter(f"{SVG}text")
        if stripe.get("width") == "4"
    }
    used = [stripes.get(e.get("href") or "") for e in root.iter(f"{SVG}use")]
    source, rows = [tag for tag in used if tag][:4], [tag for tag in used if tag][4:]
    assert [number for _, number in source] == ["1", "2", "3", "4"]
    assert len({colour for colour, _ in source}) == 4
    assert set(rows) == set(source)
    assert rows.count(source[0]) == 1, "one row is of line 1"


def test_lines_that_share_a_colour_have_stripes_of_other_pieces() -> None:
    text = "".join(f"x{i} = tg.to_tensor([{i}.0])\n" for i in range(24))
    root = ET.fromstring(still(record(text).log))  # noqa: S314  our own
    tags = [g for g in root.iter(f"{SVG}g") if re.fullmatch(r"l\d+", g.get("id", ""))]
    stripes = {
        tuple(tuple(piece.attrib.items()) for piece in tag.iter(f"{SVG}rect"))
        for tag in tags
    }
    assert len(tags) == len(stripes) == 24


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
        f"{SVG}{name}"
        for name in (
            "svg",
            "style",
            "defs",
            "g",
            "use",
            "rect",
            "circle",
            "text",
            "tspan",
        )
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
    assert "∇ x [], gradient 108" in text
    assert "elementwise_mul(x, x) -> y []  keeps X, Y" in text
    assert "scale(y) -> z []  (x3)" in text


def test_the_text_says_what_ran_what_is_not_finite_and_all_that_is_left_out() -> None:
    told = summary(
        record(
            FOUR_LINES
            + """\
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
for _ in range(3):
    exe.run(feed={"X": np.ones((2, 1), "float32")}, fetch_list=[loss])
with fluid.dygraph.guard():
    for i in range(40):
        y = tg.log(tg.to_tensor([1.0, 20.0 - i]))
"""
        ).log
    )
    lines = told.splitlines()
    head = " ".join(line.strip() for line in lines[1:4])
    assert "4 runs" in head
    assert "tensors" in head
    assert lines[lines.index("   6  exe.run(fluid.default_startup_program())") + 1] == (
        "        ran startup program"
    )
    assert "        ran main program  (x3)" in lines
    assert sum("✕" in line for line in lines) == 1, told
    end = " ".join(line.strip() for line in lines[-2:])
    assert end.startswith("left out:")
    assert end.endswith("a run"), "and says why to the end"


def test_the_text_counts_what_passes_have_left() -> None:
    recording = record(
        FOUR_LINES
        + """\
unused = fluid.layers.relu(hidden)
test = fluid.default_main_program().clone(for_test=True)
after = tg.passes.apply_pass(test, ["dead_code"], fetches=[loss.name])
"""
    )
    left = [op.type for op in recording.names["after"].global_block().ops]
    told = summary(recording.log)
    head = " ".join(line.strip() for line in told.splitlines()[1:4])
    assert f"and {len(left)} operators" in head.rpartition("copy of test program")[2]
    assert "relu" not in told.rpartition("copy of test program: ")[2]


def test_programs_that_are_made_the_same_way_again_are_told_once() -> None:
    f = tg.jit.to_static(lambda x: x * 2.0)
    told = summary(record("f(tg.ones([1]))\nf(tg.ones([2]))", f=f).log)
    assert told.count("  <lambda>: D x") == 2, "a line each"
    once = summary(record("for n in [3, 4, 5]:\n    f(tg.ones([n]))", f=f).log)
    assert once.count("  <lambda>: ") == 1
    assert "scale  (x3)" in once


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


def shown(*events: dict[str, Any]) -> Log:
    """A log of a thing that is only shown: a cell without any source."""
    begin = {"kind": "cell_begin", "title": "", "source": ""}
    end = {"kind": "cell_end", "ok": True}
    place = {"t": 0.0, "cell": 0, "line": 0}
    numbered = [
        {**event, **place, "seq": seq}
        for seq, event in enumerate([begin, *events, end])
    ]
    return validate({"version": 1, "title": "Shown", "events": numbered})


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    root = ET.fromstring(svg)  # noqa: S314  our own
    sides = ("x", "y", "width", "height")
    return [
        (found[0], found[1], found[0] + found[2], found[1] + found[3])
        for rect in root.iter(f"{SVG}rect")
        if rect.get("fill-opacity") == "0.22"
        for found in [[float(rect.get(side, "")) for side in sides]]
    ]


def test_a_plans_buffers_lie_apart_unless_one_takes_over_anothers_bytes() -> None:
    whole = {"name": "a", "offset": 0, "size": 64, "start": 0, "end": 3}
    after = {"name": "b", "offset": 0, "size": 64, "start": 4, "end": 5}
    above = {"name": "c", "offset": 64, "size": 32, "start": 1, "end": 5}
    over = {
        "name": "d",
        "offset": 64,
        "size": 32,
        "start": 3,
        "end": 5,
        "alias_of": "c",
    }
    peaks = {"arena": 96, "naive_peak": 160, "planned_peak": 96}
    buffers = [whole, after, above, over]
    log = shown({"kind": "plan", **peaks, "buffers": buffers})
    a, b, c, d = boxes(still(log))
    assert a[2] <= b[0]
    assert a[1] == b[1]
    assert c[3] <= a[1]
    assert (d[1], d[2], d[3]) == (c[1], c[2], c[3])
    words = texts(still(log))
    assert (
        "4 values in 3 buffers, 96 B; each on its own would take 160 B: 40% less"
        in words
    )
    assert "Source" not in words, "there is none"
    assert "4 values in 3 buffers, 96 bytes; each on its own: 160" in summary(log)


def test_a_low_buffer_is_as_high_as_it_is_and_has_no_border() -> None:
    whole = {"name": "a", "offset": 0, "size": 9600, "start": 0, "end": 3}
    low = {"name": "b", "offset": 9600, "size": 80, "start": 0, "end": 3}
    peaks = {"arena": 9680, "naive_peak": 9680, "planned_peak": 9680}
    picture = still(shown({"kind": "plan", **peaks, "buffers": [whole, low]}))
    root = ET.fromstring(picture)  # noqa: S314  our own
    high, flat = (one for one in root.iter(f"{SVG}rect") if one.get("rx") == "2")
    tall = float(high.get("height", "")) + 1
    assert float(flat.get("height", "")) == pytest.approx(tall * 80 / 9600, abs=0.06)
    assert high.get("stroke")
    assert not flat.get("stroke")


def test_a_training_is_a_curve_with_its_ends_in_words() -> None:
    facts = {"epoch": 1, "seconds": 0.1, "samples": 4, "metrics": {}, "norms": {}}
    losses = [8.0, None, 4.0, 2.0]
    steps = [
        {"kind": "train", "step": i + 1, "loss": loss, "steps": 4, **facts}
        for i, loss in enumerate(losses)
    ]
    svg = still(shown(*steps))
    assert "Loss 8 → 2 · step 4 of 4 · epoch 1" in texts(svg)
    curve = re.search(r'd="M([^"]+)" fill="none"', svg)
    assert curve is not None
    heights = [float(point.split()[1]) for point in curve[1].split("L")]
    assert len(heights) == 3, "the one without a loss has no point"
    assert heights == sorted(heights), "it falls"


def test_passes_and_profiles_are_in_the_picture_and_the_text() -> None:
    change = {"old": ["mul", "add"], "new": ["fc"], "what": "fused", "where": "a.py:3"}
    facts = {"name": "fc_fuse", "before": 9, "after": 8, "changes": [change] * 50}
    spans = [
        {"name": "outer", "start": 0.0, "duration": 0.4, "depth": 0},
        {"name": "inner", "start": 0.1, "duration": 0.3, "depth": 1},
    ]
    log = shown(
        {"kind": "program", "program": 0, "role": "other", "title": "program"},
        {"kind": "pass", "program": 0, **facts},
        {"kind": "profile", "title": "p", "spans": spans},
    )
    words = texts(still(log))
    assert "fc_fuse: 9 → 8 operators" in words
    assert words.count("− mul, add") == 30
    assert "20 more" in words
    assert words.index("inner") < words.index("outer"), "by what each took itself"
    assert {"75.0%", "25.0%"} <= set(words)
    assert "fc_fuse: 9 -> 8 operators, 50 changes" in summary(log)
    assert "measured outer x1, inner x1" in summary(log)


def test_a_gradient_that_is_not_finite_is_told_without_a_norm() -> None:
    recording = record(
        "x = tg.to_tensor([0.0, 1.0], stop_gradient=False)\n"
        "tg.sqrt(x).sum().backward()\n"
    )
    assert "gradient ✕ Inf" in summary(recording.log)
    assert any("‖g‖ ✕ Inf" in word for word in texts(still(recording.log)))


def test_lines_appear_one_after_another_unless_motion_is_unwanted() -> None:
    svg = still(record(FOUR_LINES).log)
    assert "@media (prefers-reduced-motion:no-preference){g[class]{animation" in svg
    delays = re.findall(r"\.s\d+{--d:([\d.]+)s}", svg)
    assert [float(delay) for delay in delays] == [0.8, 1.6, 2.4, 3.2]
    root = ET.fromstring(svg)  # noqa: S314  our own
    by_line: dict[str, set[str]] = {}
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        if (group.get("class") or "").startswith("s"):
            words = "".join(group.itertext())
            by_line.setdefault(group.get("class", ""), set()).add(words)
    first = by_line["s1"]
    assert any("fluid.data" in words for words in first)
    assert not any("sgd" in words for words in first)


def test_a_long_trace_has_appeared_within_five_seconds() -> None:
    source = "".join(f"x{i} = tg.ones([1])\n" for i in range(40))
    svg = still(record(source).log)
    delays = re.findall(r"--d:([\d.]+)s}", svg)
    assert len(delays) == 40
    assert max(map(float, delays)) <= 4.5
