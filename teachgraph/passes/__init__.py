"""Passes: programs rewritten into programs that compute the same."""

from teachgraph.passes import (
    algebra,
    common_subexpressions,
    constant_folding,
    dead_code,
    identities,
)
from teachgraph.passes.check import check
from teachgraph.passes.copying import Origin
from teachgraph.passes.registry import DEFAULT, Optimised, apply_pass
from teachgraph.passes.registry import listed as list
from teachgraph.passes.report import Report

__all__ = [
    "DEFAULT",
    "Optimised",
    "Origin",
    "Report",
    "algebra",
    "apply_pass",
    "check",
    "common_subexpressions",
    "constant_folding",
    "dead_code",
    "identities",
    "list",
]
