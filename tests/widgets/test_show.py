"""`tg.show`, `tg.figure` and `tg.plot`: one word for whatever has a picture."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from teachgraph_widgets.log import packed, written
from teachgraph_widgets.page import write_page
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import LogError, validate

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.core import unique_name
from tests.widgets.recording import FOUR_LINES, record
from tests.widgets.test_still import HOSTILE, decoded

mpl.use("Agg")


@pytest.fixture(autouse=True)
def in_programs_of_its_own() -> Iterator[None]:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        yield


def kinds(shown: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for event in validate(shown.log)["events"]:
        found.setdefault(event["kind"], []).append(event)
    return found


def a_program() -> Any:
    x = static.data("x", [None, 2])
    loss = tg.tanh(static.nn.fc(x, 3)).mean()
    tg.optimizer.SGD(0.1).minimize(loss)
    return static.default_main_program(), x, loss


def test_a_program_is_shown_with_all_that_is_in_it() -> None:
    program, _, _ = a_program()
    shown = tg.show(program)
    found = kinds(shown)
    types = [e["type"] for e in found["op"]]
    assert types == [operator.type for operator in program.global_block().ops]
    assert {e["name"] for e in found["var"]} == set(program.global_block().vars)
    assert any("twin" in e for e in found["op"]), "gradients know whose they are"
    assert "tanh" in repr(shown)
    assert repr(shown).count("\n") <= 80


def test_a_tensor_is_shown_with_its_tape_and_value() -> None:
    x = tg.to_tensor([3.0], stop_gradient=False)
    y = x * x
    y.backward(retain_graph=True)
    found = kinds(tg.show(y))
    assert [e["type"] for e in found["node"]] == ["elementwise_mul"]
    assert found["value"][-1]["value"]["first"] == [9.0]
    found = kinds(tg.show(x))
    assert found["grad"][0]["value"]["first"] == [6.0]


def test_a_layer_is_shown_by_its_parameters() -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.Linear(3, 1))
    shown = tg.show(net)
    tensors = kinds(shown)["tensor"]
    assert [(e["name"], e["role"], e["shape"]) for e in tensors] == [
        ("0.weight", "P", [2, 3]),
        ("0.bias", "P", [3]),
        ("1.weight", "P", [3, 1]),
        ("1.bias", "P", [1]),
    ]
    assert repr(shown).splitlines()[-1] == "13 parameters"


def test_a_report_and_a_plan_are_shown() -> None:
    report = passes.report.Report(
        [
            passes.report.Applied(
                "fold", 5, 3, [passes.report.Change(["scale"], [], "by one", "a.py:3")]
            )
        ]
    )
    (event,) = kinds(tg.show(report))["pass"]
    assert (event["name"], event["before"], event["after"]) == ("fold", 5, 3)
    assert event["changes"][0]["old"] == ["scale"]
    buffer = SimpleNamespace(name="a", offset=64, size=32, start=0, end=2)
    buffer.names, buffer.since = ["a", "b", "a"], [0, 1, 2]
    plan = SimpleNamespace(buffers=[buffer], naive_peak=300, planned_peak=96)
    (event,) = kinds(tg.show(plan))["plan"]
    assert (event["naive_peak"], event["planned_peak"]) == (300, 96)
    fields = {"name": "a", "offset": 64, "size": 32, "start": 0, "end": 2}
    over = {**fields, "name": "b", "start": 1, "alias_of": "a"}
    assert event["buffers"] == [fields, over]


def test_a_real_memory_plan_is_shown() -> None:
    program, _, loss = a_program()
    plan = static.Executor().memory_plan(
        program, {"x": np.ones((4, 2), "float32")}, [loss]
    )
    (event,) = kinds(tg.show(plan))["plan"]
    own = [buffer for buffer in event["buffers"] if "alias_of" not in buffer]
    assert [buffer["name"] for buffer in own] == [b.name for b in plan.buffers]
    over = [buffer for buffer in event["buffers"] if "alias_of" in buffer]
    assert over, "tanh is written over what it reads"
    where = {buffer["name"]: buffer for buffer in own}
    for buffer in over:
        under = where[buffer["alias_of"]]
        assert buffer["offset"] == under["offset"]
        assert under["start"] <= buffer["start"] <= buffer["end"] == under["end"]
    assert event["planned_peak"] <= event["naive_peak"]


def test_a_saved_model_is_shown_by_its_prefix(tmp_path: Path) -> None:
    _, x, loss = a_program()
    executor = static.Executor()
    executor.run(static.default_startup_program())
    static.save_inference_model(str(tmp_path / "net"), [x], [loss], executor)
    for path in (tmp_path / "net", str(tmp_path / "net.pdmodel")):
        shown = tg.show(path)
        assert repr(shown).startswith("model net.pdmodel: takes x; gives ")
        assert shown.log["title"] == repr(shown).splitlines()[0]
        assert "sgd" not in {e["type"] for e in kinds(shown)["op"]}
    (tmp_path / "net.pdmodel").write_bytes(b"{}")
    with pytest.raises(tg.errors.DataError):
        tg.show(tmp_path / "net")


def test_a_log_is_shown_from_a_file_a_zip_and_a_page(tmp_path: Path) -> None:
    log = record(FOUR_LINES).log
    plain, zipped = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_text(written(log))
    zipped.write_bytes(packed(log))
    for path in (plain, zipped, write_page(log, tmp_path / "a.html")):
        assert tg.show(path).log == log
    assert tg.show(log).log == log


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b'{"version": 1}',
        b'{"version": 1, "title": "", "events": [{"seq": 0, "kind": "eval"}]}',
        gzip.compress(b"[1]", mtime=0),
        b"\xff\xfe\x00",
    ],
)
def test_a_file_that_is_no_log_is_not_drawn(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(content)
    with pytest.raises(LogError):
        tg.show(path)


def test_what_has_no_picture_says_what_has() -> None:
    with pytest.raises(tg.errors.InvalidValueError, match="no picture of int"):
        tg.show(3)
    with pytest.raises(FileNotFoundError, match="saved model"):
        tg.show("nowhere/to/be/found")


def test_hostile_names_are_text_in_every_form() -> None:
    x = tg.to_tensor([1.0], stop_gradient=False)
    x.name = HOSTILE
    y = x * 2.0
    shown = tg.show(y)
    assert all(c.isprintable() or c == "\n" for c in repr(shown))
    svg = decoded(shown._repr_html_())
    assert "<img" not in svg
    source = tg.figure(y).source
    assert "\x1b" not in source
    label = source.split("label=")[1]
    assert not label.startswith("<"), "which Graphviz would take for HTML"
    watched = tg.monitor([1, 2], title=HOSTILE, every=0.0)
    for _ in watched:
        watched.log(**{HOSTILE: 1.0})
    assert all(c.isprintable() or c == "\n" for c in repr(watched))
    assert "<img" not in decoded(tg.show(watched)._repr_html_())


EVIL = '$\\frac{1}{0}$ \x1b[2J\0\u202e<img src=x> \\N %s "]; x -> y $1^$\r\n'


def test_no_name_moves_the_terminals_cursor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for bar in ("tqdm", "lines"):
        if bar == "lines":
            monkeypatch.setitem(sys.modules, "tqdm", None)
        for _ in (watched := tg.monitor([1, 2], title=EVIL, every=0.0)):
            watched.log(**{EVIL: 1.0})
        said = capsys.readouterr().err
        assert "frac" in said
        assert {c for c in said if not c.isprintable()} <= {"\r", "\n"}
        assert "\x1b" not in said
    with tg.profiler.Profiler() as profile, tg.profiler.RecordEvent(EVIL):
        tg.ones([1])
    for text in (str(profile.summary()), repr(tg.show(profile))):
        assert all(c.isprintable() or c == "\n" for c in text)


def test_a_name_is_no_formula_and_no_markup_of_a_figure(tmp_path: Path) -> None:
    net = tg.nn.Sequential((EVIL, tg.nn.Linear(2, 1)), ("b", tg.nn.Linear(1, 1)))
    watched = tg.monitor([tg.ones([1, 2])] * 3, model=net, every=3600)
    for batch in watched:
        net(batch).sum().backward()
    axes = tg.plot.gradient_norms(watched)
    axes.figure.canvas.draw()  # a formula that is none, or no letter, would be told
    (label, _) = axes.get_legend_handles_labels()[1]
    assert r"\$\frac{1}{0}\$" in label
    x = tg.to_tensor([1.0], stop_gradient=False)
    x.name = f"<{EVIL}>"
    nodes = tg.figure(x * 2.0).source.splitlines()
    (node,) = (line for line in nodes if "img" in line)
    ends = node.replace(r"\\", "").replace(r"\"", "").count('"')
    assert ends == 6, "a label and two colours, and none ends before its end"
    with tg.profiler.Profiler() as profile, tg.profiler.RecordEvent(EVIL):
        tg.ones([1])
    profile.export(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]
    assert EVIL in {event["name"] for event in events}


def test_a_log_never_holds_a_whole_tensor() -> None:
    values = np.random.default_rng(0).normal(size=(40, 40)).astype("float32")
    text = "x = tg.to_tensor(data, stop_gradient=False)\n(x * x).sum().backward()\n"
    log = written(record(text, data=values).log)
    kept = sum(f"{value:.6g}" in log for value in values.ravel())
    assert kept < 40, "a few of 1,600, and means of blocks"


def test_a_figure_has_each_op_once_and_the_edges_between() -> None:
    program, _, _ = a_program()
    source = tg.figure(program).source
    ops = program.global_block().ops
    assert source.count("shape=box") == len(ops)
    assert source.count('label="Δ sgd') == sum(op.type == "sgd" for op in ops) > 0
    forward = tg.figure(program, backward=False).source
    assert "sgd" not in forward
    assert "tanh" in forward
    x = tg.to_tensor(1.0, stop_gradient=False)
    y = x
    for _ in range(400):
        y = y * 2.0
    with pytest.raises(tg.errors.InvalidValueError, match=r"tg\.show"):
        tg.figure(y)
    with pytest.raises(tg.errors.InvalidValueError, match="give what it computes"):
        tg.figure(tg.nn.Linear(1, 1))


def test_curves_hold_what_was_noted() -> None:
    net = tg.nn.Linear(2, 1)
    optimizer = tg.optimizer.SGD(0.5, net.parameters())
    watched = tg.monitor([1] * 5, model=net, optimizer=optimizer, every=0.0)
    with tg.profiler.Profiler() as profile:
        for _ in watched:
            net(tg.ones([3, 2])).mean().backward()
    (line,) = tg.plot.loss(watched).lines
    assert list(line.get_xdata()) == [1, 2, 3, 4, 5]
    assert list(line.get_ydata()) == pytest.approx(
        [p["loss"] for p in watched.history], rel=1e-4
    )
    (rate,) = tg.plot.learning_rate(watched).lines
    assert set(rate.get_ydata()) == {0.5}
    assert tg.plot.gradient_norms(watched).get_yscale() == "log"
    bars = tg.plot.timeline(profile).patches
    assert len(bars) == len(profile.spans)
    with pytest.raises(tg.errors.InvalidValueError, match="no learning rate"):
        tg.plot.learning_rate(tg.monitor([1]).events)


def test_a_loss_that_falls_far_goes_by_powers_of_ten_and_one_lost_is_a_cross() -> None:
    watched = tg.monitor([1] * 6, every=0.0, show=False)
    for step, _ in enumerate(watched):
        watched.log(loss=float("nan") if step == 3 else 10.0 ** (1 - step))
    ax = tg.plot.loss(watched)
    line, crosses = ax.lines
    assert ax.get_yscale() == "log"
    assert list(line.get_xdata()) == [1, 2, 3, 5, 6]
    assert (list(crosses.get_xdata()), crosses.get_label()) == ([4], "not finite")
    drawn = decoded(tg.show(watched)._repr_html_())
    assert "by powers of ten" in drawn
    assert drawn.count("✕") == 1
    assert "loss not finite in 1 step, first in step 4" in summary(watched.events)
    near = tg.monitor([1] * 2, every=0.0, show=False)
    for _ in near:
        near.log(loss=2.0)
    assert tg.plot.loss(near).get_yscale() == "linear"


@pytest.fixture(autouse=True)
def no_figure_stays() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_file_of_another_kind_says_what_would_be_right(tmp_path: Path) -> None:
    tg.save({"w": tg.ones([2])}, str(tmp_path / "net.pdparams"))
    with pytest.raises(LogError, match=r"net.pdparams is no log .* give a saved model"):
        tg.show(tmp_path / "net.pdparams")
    with pytest.raises(FileNotFoundError, match="is a folder: give a saved model"):
        tg.show(tmp_path)


@pytest.mark.parametrize("thing", [3, None, "log.json"])
def test_curves_are_drawn_of_a_training_alone(thing: Any) -> None:
    with pytest.raises(
        tg.errors.InvalidValueError, match="of a monitor, its history or log"
    ):
        tg.plot.loss(thing)


def test_a_layer_with_an_input_is_drawn_with_its_call() -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.ReLU(), tg.nn.Linear(3, 1))
    shown = tg.show(net, tg.ones([4, 2]))
    events: list[Any] = shown.log["events"]
    scopes = [e.get("scope") for e in events if e["kind"] == "node"]
    layers = ["Sequential/0", "Sequential/1", "Sequential/2"]
    assert list(dict.fromkeys(scopes)) == layers or len(set(scopes)) == 3
    assert "Linear" in shown.text
    assert "relu" in shown.text


def test_a_call_that_fails_is_drawn_as_far_as_it_came() -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.Linear(4, 1))
    events: list[Any] = tg.show(net, tg.ones([4, 2])).log["events"]
    assert [e["kind"] for e in events].count("op_failed") == 1
    assert events[-1]["ok"] is False


def test_a_loss_is_drawn_with_the_gradients_of_its_inputs() -> None:
    w = tg.to_tensor([3.0, 4.0], stop_gradient=False)
    w.name = "w"
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    events: list[Any] = tg.show(loss).log["events"]
    number = next(e["tensor"] for e in events if e.get("name") == "w")
    (grad,) = [e for e in events if e["kind"] == "grad"]
    assert (grad["tensor"], grad["value"]["first"]) == (number, [6.0, 8.0])


def test_passes_that_changed_nothing_are_named() -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2])
        y = tg.tanh(x * 1.0)
    names = ["identities", "dead_code", "fc_fuse"]
    report = tg.passes.apply_pass(main, names, fetches=[y]).report
    assert report.unchanged == ["dead_code", "fc_fuse"]
    shown = tg.show(report)
    assert shown.text.endswith("changed nothing: dead_code, fc_fuse")
    events: list[Any] = shown.log["events"]
    counts = [(e["name"], len(e["changes"])) for e in events if e["kind"] == "pass"]
    assert counts == [("identities", 1), ("dead_code", 0), ("fc_fuse", 0)]


def test_curves_are_drawn_of_a_history() -> None:
    net = tg.nn.Linear(2, 1)
    sgd = tg.optimizer.SGD(0.1, parameters=net.parameters())
    batches = tg.monitor([tg.ones([4, 2])] * 3, model=net, optimizer=sgd, every=3600)
    for x in batches:
        loss = net(x).square().mean()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
    for draw in (tg.plot.loss, tg.plot.learning_rate, tg.plot.gradient_norms):
        ours, theirs = draw(batches).lines, draw(batches.history).lines
        pairs = zip(ours, theirs, strict=True)
        for one, other in pairs:
            assert np.allclose(one.get_xydata(), other.get_xydata())
