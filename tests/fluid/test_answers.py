"""Layers of 1.x give what Paddle 1.8.5 gave: `tests/fluid/cases.py` asked it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from tests.fluid.cases import CASES, FILE, answers

EXPECTED: dict[str, Any] = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_layer_gives_what_paddle_gave(case: str) -> None:
    found = answers(fluid, case)
    assert len(found) == len(EXPECTED[case])
    for ours, theirs in zip(found, EXPECTED[case], strict=True):
        np.testing.assert_allclose(ours.ravel(), np.ravel(theirs), atol=2e-5)
