"""Paddle's `static.nn.control_flow`: branches, loops and assertions of programs."""

from typing import Any

from teachgraph.control_flow.cond import case, cond, switch_case
from teachgraph.control_flow.loop import While, while_loop
from teachgraph.control_flow.switch import Switch
from teachgraph.ops.left_out import absent
from teachgraph.static.print_assert import Assert, Print

__all__ = [
    "Assert",
    "Print",
    "Switch",
    "While",
    "case",
    "cond",
    "switch_case",
    "while_loop",
]


def __getattr__(name: str) -> Any:
    return absent("static.nn.control_flow")(name)
