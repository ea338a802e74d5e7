"""A learner's own Program in the log: its rows, its runs, and lies about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph.course import mine
from teachgraph.utils.observe import announce
from tests.widgets.recording import record

BUILD = """\
w = parameter(main, startup, "w", np.ones((2, 3)))
x = Variable(main, "x", [-1, 2], is_data=True)
y = smooth(matmul(x, w))
"""


@pytest.fixture
def names() -> dict[str, Any]:
    """The names of the lessons' framework, with two programs."""
    names = mine.built_from(mine.parts({}))
    return {**names, "main": names["Program"](), "startup": names["Program"]("startup")}


def of_kind(log: Any, kind: str) -> list[Any]:
    return [event for event in log["events"] if event["kind"] == kind]


def test_a_learner_s_programs_are_told_like_ours(names: dict[str, Any]) -> None:
    log = record(BUILD, **names).log
    programs = {p["program"]: p["title"] for p in of_kind(log, "program")}
    assert [*programs.values()] == ["your startup program", "your main program"]
    rows = [(programs[v["program"]], v["name"], v["role"]) for v in of_kind(log, "var")]
    assert rows == [
        ("your startup program", "w", "P"),
        ("your main program", "w", "P"),
        ("your main program", "x", "D"),
        ("your main program", "matmul_0", "T"),
        ("your main program", "softplus_0", "T"),
    ]
    shapes = {v["name"]: v["shape"] for v in of_kind(log, "var")}
    assert shapes["softplus_0"] == [-1, 3]
    ops = [
        (o["type"], o["inputs"], o["outputs"], o["line"]) for o in of_kind(log, "op")
    ]
    assert ops == [
        ("constant", {}, {"Out": ["w"]}, 1),
        ("matmul", {"X": ["x", "w"]}, {"Out": ["matmul_0"]}, 3),
        ("softplus", {"X": ["matmul_0"]}, {"Out": ["softplus_0"]}, 3),
    ]


def test_a_gradient_operator_knows_its_forward_operator(names: dict[str, Any]) -> None:
    source = (
        f"{BUILD}"
        "g = Variable(main, 'y@GRAD', y.shape)\n"
        "first = main.ops[-1]\n"
        "main.insert(Operator(smooth, [y], [g], role='backward', twin=first))\n"
    )
    log = record(source, **names).log
    *_, forward, backward = of_kind(log, "op")
    assert (backward["role"], backward["twin"]) == ("backward", forward["op"])
    assert of_kind(log, "var")[-1]["role"] == "g"


def test_the_run_of_a_program_that_was_written_before_is_told(
    names: dict[str, Any],
) -> None:
    record(BUILD, **names)
    arrays = {"softplus_0": np.ones((1, 3))}
    source = (
        "announce('run_begin', main, {})\n"
        "announce('run_op', main.ops[1], arrays)\n"
        "announce('run_end', main)\n"
    )
    log = record(source, **{**names, "arrays": arrays, "announce": announce}).log
    assert [o["type"] for o in of_kind(log, "op")] == ["matmul", "softplus"]
    (ran,) = of_kind(log, "run_op")
    assert ran["op"] == of_kind(log, "op")[1]["op"]
    assert ran["values"]["softplus_0"]["mean"] == 1.0
    assert [event["phase"] for event in of_kind(log, "run")] == ["begin", "end"]


class Liar:
    """A program, an operator and a variable that lie."""

    name = op = "<b>"
    inputs: Any = property(lambda self: 1 / 0)
    shape = ("many",)
    attrs, outputs = 3, ()

    @property
    def program(self) -> Any:
        raise KeyError("no")


@pytest.mark.parametrize("what", ["variable_created", "operator_inserted"])
def test_what_lies_is_left_out_and_the_picture_says_so(what: str) -> None:
    facts = "Liar()" if what == "variable_created" else "Liar(), 0"
    log = record(f"announce('{what}', {facts})", Liar=Liar, announce=announce).log
    assert not of_kind(log, "var")
    assert not of_kind(log, "op")
    assert of_kind(log, "dropped")
