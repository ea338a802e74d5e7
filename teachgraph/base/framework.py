"""Paddle 2.6's `base.framework`: 1.x's, dynamic before a mode is chosen."""

from typing import Any

from teachgraph.core.modes import in_dynamic_mode
from teachgraph.fluid import framework as _fluid
from teachgraph.fluid.framework import *  # noqa: F403

in_dygraph_mode = in_dynamic_or_pir_mode = in_dynamic_mode


def __getattr__(name: str) -> Any:
    return getattr(_fluid, name)
