"""A hundred examples of Paddle's documentation, drawn anew with each commit."""

from __future__ import annotations

import pytest

from tests.oracle.examples import commits, same, verdicts

LEAST = 97


@pytest.mark.oracle
def test_examples_of_the_documentation_end_as_in_paddle() -> None:
    found = verdicts(100, commits())
    trouble = {name: said for name, said in found.items() if "TROUBLE" in said}
    assert len(found) - len(trouble) >= LEAST * len(found) / 100, trouble


def test_outputs_agree_but_for_rounding_and_chance() -> None:
    ours, theirs = "Tensor([1.0000001, nan])", "Tensor([1., nan])"
    assert same("t", theirs, ours)
    assert same("t", "<paddle.A object at 0x7f>", "<teachgraph.B object at 0x80>")
    assert not same("t", "[1.0, 2.0]", "[1.0, 2.1]")
    assert not same("t", "[1.0, 2.0]", "[1.0]")
    assert same("paddle.rand([2])", "Tensor([0.1, 0.2])", "Tensor([0.5, 0.75])")
