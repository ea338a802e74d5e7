"""Passes: rewrite a program into one that computes the same in less time or memory."""

from teachgraph.passes import (
    algebra,
    attention_fuse,
    common_subexpressions,
    constant_folding,
    conv_bn_fuse,
    dead_code,
    early_slice,
    elementwise_fusion,
    fc_fuse,
    gradient_sum,
    identities,
    layer_norm,
    optimizer_fuse,
    parameter_folding,
    recompute,
    softmax_cross_entropy,
)
from teachgraph.passes.check import check
from teachgraph.passes.compiled import BuildStrategy, CompiledProgram
from teachgraph.passes.copying import Origin
from teachgraph.passes.registry import DEFAULT, Optimised, apply_pass
from teachgraph.passes.registry import descriptions as list
from teachgraph.passes.report import Report

__all__ = [
    "DEFAULT",
    "BuildStrategy",
    "CompiledProgram",
    "Optimised",
    "Origin",
    "Report",
    "algebra",
    "apply_pass",
    "attention_fuse",
    "check",
    "common_subexpressions",
    "constant_folding",
    "conv_bn_fuse",
    "dead_code",
    "early_slice",
    "elementwise_fusion",
    "fc_fuse",
    "gradient_sum",
    "identities",
    "layer_norm",
    "list",
    "optimizer_fuse",
    "parameter_folding",
    "recompute",
    "softmax_cross_entropy",
]
