"""Pass `conv_bn_fuse`: fold batch_norm in evaluation mode into the convolution.

y = s (w * x + b - m) / sqrt(v + e) + c is the convolution with w s / sqrt(v + e), plus
(b - m) s / sqrt(v + e) + c: one operator less, with other weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.passes.graph import Graph
from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.pattern import Match, Node, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def uses_kept_moments(operator: Operator) -> bool:
    """True for a normalisation by running moments, channels first."""
    trained = attr(operator, "trainable_statistics")
    kept = attr(operator, "use_global_stats") or attr(operator, "is_test")
    return bool(kept) and not trained and attr(operator, "data_layout") == "NCHW"


def channels_first(operator: Operator) -> bool:
    """True for a convolution of [N, C, H, W]."""
    return attr(operator, "data_format") in ("NCHW", "AnyLayout", None)


def along_channels(operator: Operator) -> bool:
    """True for a sum with a bias for each channel."""
    return bool(attr(operator, "axis") == 1)


def to_channels(operator: Operator) -> bool:
    """True for a reshape of a vector to [1, C, 1, 1]."""
    shape = operator.block._var_recursive(operator.output("Out")[0]).shape
    return len(shape_of(operator)) == 1 and shape == (1, *shape_of(operator), 1, 1)


def normalised(biased: str) -> Node:
    """Pattern of a convolution, its bias if it has one, and the normalisation."""
    convolution = node(
        "conv2d",
        "depthwise_conv2d",
        name="convolution",
        where=channels_first,
        Input="x",
        Filter="w",
    )
    if biased == "axis":
        convolution = node(
            "elementwise_add", name="sum", where=along_channels, X=convolution, Y="b"
        )
    elif biased:
        shaped = node("reshape2", where=to_channels, X="b", shared=True)
        convolution = node("elementwise_add", name="sum", X=convolution, Y=shaped)
    return node(
        "batch_norm",
        where=uses_kept_moments,
        X=convolution,
        Scale="scale",
        Bias="bias",
        Mean="mean",
        Variance="variance",
    )


def folded(biased: str) -> Callable[[Match], Replacement]:
    """Return the rewrite into a convolution with other weights, and a bias."""

    def rewrite(match: Match) -> Replacement:
        graph = match.graph
        names = ["w", "scale", "bias", "mean", "variance", *(["b"] if biased else [])]
        values = {name: read_only_value(graph, match, name) for name in names}
        if any(value is None for value in values.values()):
            return None
        if biased and values["b"].shape != values["bias"].shape:
            return None
        weight, bias = weights(values, match.attr("batch_norm", "epsilon"))
        convolution = match.operator("convolution")
        result = graph.variable(convolution.output("Output")[0])
        between = graph.new(result.name, result.shape, result.dtype)
        filters = graph.add_constant(f"{match['w']}.folded", weight)
        biases = graph.add_constant(f"{match['w']}.bias", bias)
        inputs = {"Input": [match["x"]], "Filter": [filters]}
        attrs = convolution.own_attrs
        return [
            NewOperator(convolution.type, inputs, {"Output": [between]}, attrs),
            NewOperator(
                "elementwise_add",
                {"X": [between], "Y": [biases]},
                {"Out": match.root.output("Y")},
                {"axis": 1},
            ),
        ]

    return rewrite


def read_only_value(graph: Graph, match: Match, name: str) -> Any:
    """Return the value of a parameter that this program only reads, else None.

    The normalisation writes its moments too, but unchanged in evaluation mode.
    """
    variable = match[name]
    by_others = set(graph.writes.get(variable, ())) - {match.at}
    if graph.scope is None or by_others or not graph.variable(variable).persistable:
        return None
    return graph.scope.values.get(variable)


def weights(values: dict[str, Any], epsilon: float) -> tuple[Any, Any]:
    """Compute the filter and the bias of the convolution that does both."""
    weight = values["w"]
    factor = values["scale"] / np.sqrt(values["variance"] + epsilon)
    shift = (values.get("b", 0.0) - values["mean"]) * factor + values["bias"]
    folded = weight * factor.reshape(-1, 1, 1, 1)
    return folded.astype(weight.dtype), shift.astype(weight.dtype)


RULES = [
    Rule(normalised(biased), folded(biased), idle=("MeanOut", "VarianceOut"))
    for biased in ("", "axis", "reshaped")
]

by_rules(
    "conv_bn_fuse",
    "Fold batch_norm into the conv2d before it, for inference; it needs the scope.",
    RULES,
)
