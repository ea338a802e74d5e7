"""Ops made for one test, which no registry knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.core.op import Op, Rule


def op_with(kernel: Callable[..., Any], rule: Callable[..., Any], **facts: Any) -> Op:
    made = Op(kernel, **facts)
    made.rule = Rule(made, rule)
    return made


def counted_add() -> tuple[Op, list[int]]:
    """x + y, whose rule counts how often it is called."""
    calls: list[int] = []

    def add(x: Any, y: Any) -> Any:
        return np.add(x, y)

    def rule(dout: Any) -> Any:
        calls.append(1)
        return dout, dout

    return op_with(add, rule), calls
