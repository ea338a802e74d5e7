"""What passes say of themselves: their names, their report, whom they tell."""

from __future__ import annotations

from typing import Any

import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.core.errors import ProgramError
from teachgraph.utils.observe import Observer, watch
from tests.static.fresh import Fresh


def test_each_pass_says_what_it_does() -> None:
    known = passes.list()
    assert set(passes.DEFAULT) <= set(known)
    assert all(about.endswith(".") for about in known.values())
    assert known["dead_code"] == "Leave out what nobody needs."


def test_a_pass_that_is_none(programs: Fresh) -> None:
    with pytest.raises(ProgramError, match="no pass 'magic'; there are algebra, "):
        passes.apply_pass(programs.main, ["magic"])


def test_the_report_is_a_table(programs: Fresh) -> None:
    x = static.data("x", [2])
    out = tg.tanh(x * 1.0)
    tg.exp(out)
    made = passes.apply_pass(programs.main, ["dead_code", "identities"], fetches=[out])
    lines = [line.split("  #")[0] for line in str(made.report).splitlines()]
    assert lines == [
        "pass        before  after",
        "dead_code        3      2",
        "    exp -> nothing",
        "identities       2      1",
        "    scale -> nothing: tmp_0 is x",
    ]
    assert [change.where.split(":")[0] for change in made.report.changes] == [
        "test_report.py",
        "test_report.py",
    ]


def test_an_operator_knows_what_it_stands_for(programs: Fresh) -> None:
    x = static.data("x", [None, 3])
    out = static.nn.fc(x, 2, activation="relu")
    once = passes.apply_pass(programs.main, "fc_fuse", fetches=[out])
    twice = passes.apply_pass(once, "dead_code", fetches=[out.name])
    (layer,) = twice.global_block().ops
    wanted = [(i, op.type) for i, op in enumerate(programs.main.global_block().ops)]
    assert [(origin.idx, origin.type) for origin in layer.origins] == wanted
    assert str(layer.origins[0]).startswith("#0 mul (test_report.py:")


class Told(Observer):
    """Remembers which passes it was told of."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def pass_applied(self, program: Any, applied: Any) -> None:
        origin = program.origin
        self.seen.append((origin, applied.name, applied.before, applied.after))


def test_whoever_watches_is_told(programs: Fresh) -> None:
    out = tg.tanh(static.data("x", [2]) * 1.0)
    with watch(Told()) as told:
        passes.apply_pass(programs.main, ["algebra", "identities"], fetches=[out])
    assert isinstance(told, Told)
    assert told.seen == [(programs.main, "identities", 2, 1)]


class Mirror(Observer):
    """Keeps a list of its own, by what it is told alone."""

    def __init__(self) -> None:
        self.types: list[str] = []

    def operator_inserted(self, operator: Any, index: int) -> None:
        self.types.insert(index, operator.type)

    def operator_removed(self, operator: Any, index: int) -> None:
        assert self.types.pop(index) == operator.type


def test_whoever_listens_can_follow_each_step(programs: Fresh) -> None:
    x = static.data("x", [None, 3])
    y = static.nn.fc(x * 1.0, 2, activation="relu")
    out = tg.tanh(y * 2.0) + tg.tanh(y * 2.0)
    names = [*passes.DEFAULT, "fc_fuse", "elementwise_fusion"]
    with watch(Mirror()) as mirror:
        made = passes.apply_pass(programs.main, names, fetches=[out])
    assert isinstance(mirror, Mirror)
    assert mirror.types == [op.type for op in made.global_block().ops]
    assert mirror.types == ["fc", "fused_elementwise"]
