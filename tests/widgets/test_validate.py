"""A log that comes from outside is refused unless every field is right."""

from __future__ import annotations

import copy
import gzip
import json
from typing import Any

import pytest
from teachgraph_widgets.events import AnyEvent
from teachgraph_widgets.log import packed, written
from teachgraph_widgets.schema import EVENTS, fields_of
from teachgraph_widgets.validate import LogError, read_log, validate

from teachgraph.errors import DataError
from tests.widgets.recording import FOUR_LINES, Recording, record
from tests.widgets.test_programs import RUN
from tests.widgets.test_tape import DIAMOND


@pytest.fixture(scope="module")
def recording() -> Recording:
    import numpy as np

    batch = np.ones((2, 1), "float32")
    return record(
        FOUR_LINES + RUN + DIAMOND + "tg.matmul(tg.ones([2, 3]), y)", batch=batch
    )


def test_a_snapshot_brings_the_log_back(recording: Recording) -> None:
    text = gzip.decompress(packed(recording.log)).decode()
    assert read_log(text) == recording.log
    assert packed(recording.log) == packed(read_log(text)), "the same bytes each time"


def test_the_recordings_of_these_tests_have_every_kind(recording: Recording) -> None:
    rare = {"op_removed", "dropped", "pass", "plan", "ast", "train", "profile"}
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
