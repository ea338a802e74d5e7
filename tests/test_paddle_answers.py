"""What lines of Paddle code come to here, beside what the real Paddle 2.6.2 says."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import teachgraph
from teachgraph import errors
from teachgraph.deploy.onnx import export
from tests.onnx.test_export import session
from tests.paddle_answers.ask import (
    REFUSED,
    ask_line,
    ask_story,
    built,
    in_mode,
    is_refused,
    name_of,
)
from tests.paddle_answers.cases import TOPICS
from tests.paddle_answers.differences import AS_EAGER, ROWS, row_for

GOLDENS = Path(__file__).parent / "paddle_answers"
LINES = [(topic, line) for topic, (lines, _) in TOPICS.items() for line in lines]
STORIES = [
    (topic, story) for topic, (_, stories) in TOPICS.items() for story in stories
]


@cache
def golden(topic: str) -> Any:
    """What Paddle said on a topic."""
    return json.loads((GOLDENS / f"{topic}.json").read_text("utf-8"))


@cache
def asked(line: str) -> Any:
    """What we say, in the form of a golden."""
    return json.loads(json.dumps(ask_line(teachgraph, line)))


def is_typed(answer: str) -> bool:
    """Whether it is refused by an error of ours, which says what would be right."""
    kind = getattr(errors, answer.removeprefix(f"{REFUSED}: "), Exception)
    return issubclass(kind, errors.TeachgraphError)


def same(ours: Any, theirs: Any, rounding: float = 1e-5) -> bool:
    """Whether two answers agree, numbers but for rounding."""
    if is_refused(theirs):
        return is_refused(ours) and is_typed(ours)
    if isinstance(theirs, list):
        if theirs[:1] == ["float64"]:
            rounding = 1e-10
        return (
            isinstance(ours, list)
            and len(ours) == len(theirs)
            and all(same(*pair, rounding) for pair in zip(ours, theirs, strict=True))
        )
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(
            same(ours[key], theirs[key]) for key in theirs
        )
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=rounding, abs_tol=rounding / 10)
    return type(ours) is type(theirs) and ours == theirs


def expected(case: str, life: str, theirs: dict[str, Any]) -> Any:
    """What is to be answered: as Paddle, but for the table of differences."""
    row = row_for(case, life)
    if row is None:
        return theirs[life]
    return theirs["eager"] if row.ours[case] == AS_EAGER else row.ours[case]


def wrong(case: str, life: str, ours: Any, theirs: dict[str, Any]) -> list[str]:
    """What is said of an answer that is not the expected one."""
    wanted = expected(case, life, theirs)
    if wanted == REFUSED:
        right = (life == "gradient" and ours is None) or (
            is_refused(ours) and is_typed(ours)
        )
    else:
        right = same(ours, wanted)
    return [] if right else [f"{life}: {ours}, expected {wanted}"]


def to_compare(theirs: dict[str, Any]) -> dict[str, Any]:
    """The answers to compare with; what it runs eagerly we run in programs too."""
    eager = theirs["eager"]
    if is_refused(eager):
        return {"eager": eager}
    answers = {life: a for life, a in theirs.items() if not is_refused(a)}
    return {"static": eager, **answers}


def test_every_case_has_its_answer_and_every_answer_its_case() -> None:
    asked_for = {
        topic: [*lines, *map(name_of, stories)]
        for topic, (lines, stories) in TOPICS.items()
    }
    assert {topic: list(golden(topic)) for topic in TOPICS} == asked_for
    assert {path.stem for path in GOLDENS.glob("*.json")} == set(TOPICS)


@pytest.mark.parametrize(("topic", "line"), LINES, ids=[line for _, line in LINES])
def test_a_line_comes_to_what_it_does_in_paddle(topic: str, line: str) -> None:
    theirs, ours = to_compare(golden(topic)[line]), asked(line)
    found = [t for life in theirs for t in wrong(line, life, ours.get(life), theirs)]
    assert found == []


def in_onnx(line: str, folder: Path) -> Any:
    """What a line comes to in ONNX Runtime; None if it has an op that ONNX lacks."""
    in_mode(teachgraph, static=True)
    try:
        program = built(teachgraph, line)
    finally:
        in_mode(teachgraph, static=False)
    try:
        export(
            program.main,
            folder / "line",
            output_spec=program.variables(),
            opset_version=18,
        )
    except errors.UnknownOpError:
        return None
    model = session(folder / "line.onnx")
    feed = {entry.name: program.feed[entry.name] for entry in model.get_inputs()}
    return json.loads(json.dumps(program.described(model.run(None, feed))))


@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_a_line_comes_to_the_same_in_onnx_runtime(line: str, tmp_path: Path) -> None:
    here = asked(line).get("static")
    if is_refused(here) or "nan" in line:  # some operators of ONNX Runtime lose NaN
        return
    if (there := in_onnx(line, tmp_path)) is None:
        return
    assert same(there, here), f"{there}, here {here}"


@pytest.mark.parametrize(
    ("topic", "story"), STORIES, ids=[name_of(story) for _, story in STORIES]
)
def test_a_story_ends_as_it_does_in_paddle(topic: str, story: Any) -> None:
    ours = json.loads(json.dumps(ask_story(teachgraph, story)))
    name = name_of(story)
    assert wrong(name, "story", ours, {"story": golden(topic)[name]}) == []


def test_no_row_of_the_table_is_left_over() -> None:
    found = {}
    for topic, (lines, stories) in TOPICS.items():
        for line in lines:
            found[line] = golden(topic)[line]
        for story in stories:
            found[name_of(story)] = {"story": golden(topic)[name_of(story)]}
    left_over = [
        case
        for row in ROWS
        for case, ours in row.ours.items()
        if all(
            ours != AS_EAGER and same(ours, found[case][life])
            for life in row.lives
            if life in found.get(case, {})
        )
    ]
    assert left_over == []
