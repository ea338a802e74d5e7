"""A log that comes from outside is refused unless every field is right."""

from __future__ import annotations

import copy
import gzip
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from teachgraph_widgets import typescript
from teachgraph_widgets.events import AnyEvent
from teachgraph_widgets.log import packed, written
from teachgraph_widgets.page import page
from teachgraph_widgets.schema import EVENTS, fields_of
from teachgraph_widgets.still import still
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import LogError, read_log, validate

from teachgraph.errors import DataError
from tests.effort import examples
from tests.widgets.recording import FOUR_LINES, Recording, record
from tests.widgets.test_programs import RUN
from tests.widgets.test_tape import DIAMOND


@pytest.fixture(scope="module")
def recording() -> Recording:
    import numpy as np

    batch = np.ones((2, 1), "float32")
    return record(
        FOUR_LINES + RUN + DIAMOND + "print(7)\ntg.matmul(tg.ones([2, 3]), y)",
        batch=batch,
    )


def test_a_snapshot_brings_the_log_back(recording: Recording) -> None:
    text = gzip.decompress(packed(recording.log)).decode()
    assert read_log(text) == recording.log
    assert packed(recording.log) == packed(read_log(text)), "the same bytes each time"


def test_the_recordings_of_these_tests_have_every_kind(recording: Recording) -> None:
    rare = {
        "op_removed",
        "dropped",
        "pass",
        "plan",
        "ast",
        "train",
        "profile",
        "beside",
        "process",
        "message",
    }
    assert {e["kind"] for e in recording.events} == set(EVENTS) - rare


def places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every place in a log, with what is there."""
    yield path, value
    children = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        yield from places(child, (*path, key))


def edited(log: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(log)
    target = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return changed


def small(recording: Recording) -> Any:
    """A log with the first event of each kind, renumbered."""
    first: dict[str, Any] = {}
    for event in recording.events:
        first.setdefault(event["kind"], event)
    events = [event | {"seq": seq} for seq, event in enumerate(first.values())]
    return recording.log | {"events": events}


WRONG = [object(), [object()], {"a": object()}, "word", -1.5, True]


def test_any_field_of_another_type_is_refused(recording: Recording) -> None:
    log = small(recording)
    assert validate(log) is log
    tried = 0
    for path, value in places(log):
        if path and not isinstance(value, str):
            wrong = next(w for w in WRONG if not fits(w, value))
            with pytest.raises(LogError):
                validate(edited(log, path, wrong))
            tried += 1
    assert tried > 200


def fits(wrong: Any, right: Any) -> bool:
    """Whether an edit might happen to be right."""
    if isinstance(right, (dict, list)):
        return type(wrong) is type(right)
    return isinstance(wrong, (int, float)) or wrong is None


def test_a_field_that_is_missing_or_unknown_is_refused(recording: Recording) -> None:
    log = small(recording)
    for seq, event in enumerate(log["events"]):
        for name, field in fields_of(EVENTS[event["kind"]]).items():
            changed = copy.deepcopy(log)
            changed["events"][seq].pop(name, None)
            if field.required:
                with pytest.raises(LogError, match=rf"events\[{seq}\]"):
                    validate(changed)
            else:
                validate(changed)
        with pytest.raises(LogError, match="colour"):
            validate(edited(log, ("events", seq, "colour"), "red"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "JSON"),
        ("[]", "object"),
        ('{"version": 2, "title": "", "events": []}', "version"),
        ('{"version": 1, "events": []}', "title"),
        ('{"version": 1, "title": "", "events": {}}', "events"),
        ('{"version": 1, "title": "", "events": [], "more": 1}', "more"),
        ('{"version": 1, "title": "", "events": [{"kind": "evil"}]}', "evil"),
        ('{"version": 1, "title": "", "events": [{"kind": ["line"]}]}', "line"),
        ('{"version": 1, "title": "", "events": [NaN]}', "NaN"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_what_is_no_log_is_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(LogError, match=says):
        read_log(text)
    assert issubclass(LogError, DataError)


def test_numbers_have_no_gaps(recording: Recording) -> None:
    log = copy.deepcopy(recording.log)
    del log["events"][3]
    with pytest.raises(LogError, match=r"events\[3\]\.seq is 4"):
        validate(log)


def test_the_text_is_what_a_page_reads(recording: Recording) -> None:
    events: list[AnyEvent] = json.loads(written(recording.log))["events"]
    assert events == recording.events


ABSURD = [
    *(-1, 0, 2**31, 2**53 - 1, 2**53, 10**22, 1e308, 5e-324, 0.5, -0.5),
    *(None, True, False, "", "x", "main", "P", "__proto__", "\ud800", "\x1b[2J"),
    *([], {}, [[]], [None], {"__proto__": {"x": 1}}, {"": []}, [1, "a"]),
]


@st.composite
def meddled(draw: st.DrawFn, log: Any) -> Any:
    """A log in which a few places hold what nobody expects."""
    changed = json.loads(json.dumps(log))
    for _ in range(draw(st.integers(1, 3))):
        parts = [(tree, key) for _, tree in places(changed) for key in keys_of(tree)]
        tree, key = draw(st.sampled_from(parts))
        way = draw(st.sampled_from(["same", "same", "same", "other", "more", "gone"]))
        if way == "gone":
            del tree[key]
        elif way == "more" and isinstance(tree, dict):
            tree[draw(st.sampled_from(["", "seq", "__proto__", "\x1b[2J"]))] = 1
        else:
            like = [a for a in ABSURD if way != "same" or type(a) is type(tree[key])]
            tree[key] = copy.deepcopy(draw(st.sampled_from(like or [None])))
    return changed


def keys_of(tree: Any) -> list[Any]:
    """What can be changed in a list or a mapping."""
    if isinstance(tree, list):
        return list(range(len(tree)))
    return list(tree) if isinstance(tree, dict) else []


def why(log: Any) -> str | None:
    """Why a log is refused; None if it is not."""
    try:
        validate(log)
    except LogError as error:
        return str(error)
    return None


NAMED = re.compile(
    r"^events\[\d+\](\.\w+|: .* is no field| is )|version|title|events|log"
)


@given(data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_a_meddled_log_is_refused_in_words_or_drawn(
    recording: Recording, data: st.DataObject
) -> None:
    log = data.draw(meddled(small(recording)))
    refused = why(log)
    if refused is not None:
        assert NAMED.search(refused), refused
        assert refused.isprintable()
        assert len(refused) < 300
        return
    assert read_log(written(log)) == log
    is_drawn(log)


def is_drawn(log: Any) -> None:
    """Text, picture and page can be made of a log, and can be printed and written."""
    assert all(line.isprintable() for line in summary(log).split("\n"))
    ET.fromstring(still(log))  # noqa: S314  our own
    page(log).encode()


def verdicts(given: list[str], folder: Path) -> list[Any]:
    """What the page says of logs: of these, and of those that it meddles with."""
    widgets, script = typescript.TARGET.parents[1], folder / "verdicts.cjs"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    esbuild = str(widgets / "node_modules" / ".bin" / "esbuild")
    source = str(widgets / "tests" / "verdicts.ts")
    bundle = [esbuild, source, "--bundle", "--platform=node", f"--outfile={script}"]
    subprocess.run(bundle, env=environment, capture_output=True, check=True)
    answer = subprocess.run(
        ["node", str(script)],
        env=environment,
        input="\n".join(given).encode(),
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def is_read(text: str) -> bool:
    """Whether Python takes a text for a log."""
    try:
        read_log(text)
    except LogError:
        return False
    return True


def test_the_page_accepts_and_refuses_the_same_logs(
    recording: Recording, tmp_path: Path
) -> None:
    log = small(recording)
    edits = [
        json.dumps(edited(log, path, value))
        for at, (path, _) in enumerate(places(log))
        for value in ABSURD[at % 3 :: 3]
        if path
    ]
    told = verdicts([*ODD, json.dumps(log), *edits], tmp_path)
    assert len(told) > len(edits) + 200
    differing = [
        (verdict["why"], verdict["text"][:300])
        for verdict in told
        if is_read(verdict["text"]) != (verdict["why"] is None)
    ]
    assert differing == []
    accepted = [verdict["text"] for verdict in told if verdict["why"] is None]
    assert len(told) // 20 < len(accepted) < len(told) // 2
    for text in accepted[-100:]:
        is_drawn(read_log(text))


ODD = [
    '{"version": true, "title": "", "events": []}',
    '{"version": 1, "title": 1, "events": []}',
    '{"version": 1, "title": "", "events": [], "": 1}',
    '{"version": 1, "title": "", "events": [], "__proto__": {}}',
    '{"version": 1, "title": "a", "title": "", "events": []}',
    '{"version": 1, "title": "", "events": null}',
    f'{{"version": 1, "title": "", "events": {"[" * 3000}{"]" * 3000}}}',
    *(
        '{"version": 1, "title": "", "events": [{"seq": 0, "line": 0, "kind": "line", '
        f'"t": {t}, "cell": {cell}}}]}}'
        for t, cell in [
            *(("1e999", "0"), ("-1e999", "0"), ("0", "1e400"), ("1" * 400, "0")),
            *(("0", "9" * 30), ("0", "9007199254740991"), ("0", "-9007199254740992")),
            *(("1e308", "-1"), ("-0.0", "-0"), ("NaN", "0"), ("1" * 5000, "0")),
        ]
    ),
]
"""Texts that two readers of JSON, or of numbers, might take differently."""
